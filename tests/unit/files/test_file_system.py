from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from renderer.files.builtin_catalogs import BuiltinFileSystem, builtin_path
from renderer.files.file_system import (
    DelegatingFileSystem,
    DiskFileSystem,
    EditedFiles,
    FilesAbove,
    FileSystem,
    MemoryFileSystem,
)
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError


@pytest.fixture(params=["disk", "memory", "delegating"])
def fs(request: pytest.FixtureRequest, tmp_path: Path) -> FileSystem:
    files = {"a/one.yaml": b"1", "a/b/two.yaml": b"2"}
    if request.param == "memory":
        return MemoryFileSystem(files)
    if request.param == "delegating":
        return DelegatingFileSystem(MemoryFileSystem(files))
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    return DiskFileSystem(tmp_path)


def code_of(fs: FileSystem, path: str) -> Code:
    with pytest.raises(DiagnosticError) as error:
        fs.read(path)
    return error.value.diagnostics[0].code


def test_all_file_systems_agree(fs: FileSystem) -> None:
    assert fs.read("a/one.yaml") == b"1"
    assert fs.list("a") == ("b", "one.yaml")
    assert fs.list(".") == ("a",)
    assert fs.is_folder("a/b")
    assert not fs.is_folder("a/one.yaml")
    assert fs.is_file("a/b/two.yaml")
    assert not fs.is_file("a/b")
    assert code_of(fs, "a/missing.yaml") is Code.FILE_NOT_FOUND


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "a/../../secret", "link", "folder-link/secret"])
def test_nothing_outside_the_root_is_read(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret").write_text("s")
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "folder-link").symlink_to(tmp_path)
    assert code_of(DiskFileSystem(root), path) is Code.FILE_OUTSIDE_ROOT


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_named_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert code_of(DiskFileSystem(tmp_path), "pipe") is Code.FILE_UNREADABLE


def test_folders_nested_too_deeply_are_not_listed(tmp_path: Path) -> None:
    deep = "/".join(["a"] * 101)
    (tmp_path / deep).mkdir(parents=True)
    fs = DiskFileSystem(tmp_path)
    assert fs.list(deep.rpartition("/")[0]) == ("a",)
    with pytest.raises(DiagnosticError, match="a/a/a/a has more than 100 folders in one another"):
        fs.list(deep)


def test_circular_link_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert code_of(DiskFileSystem(tmp_path), "loop") in {Code.FILE_NOT_FOUND, Code.FILE_UNREADABLE}


def test_name_with_a_nul_is_an_error(fs: FileSystem) -> None:
    assert code_of(fs, "a/\0one.yaml") is Code.FILE_NOT_FOUND


@pytest.mark.parametrize(
    "number", [errno.EACCES, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ESTALE]
)
@pytest.mark.parametrize("look", [DiskFileSystem.is_file, DiskFileSystem.is_folder, DiskFileSystem.list])
def test_unreadable_folder_is_not_treated_as_empty(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    look: Callable[[DiskFileSystem, str], object],
    number: int,
) -> None:
    fs = DiskFileSystem(tmp_path)

    def refused(path: str) -> NoReturn:
        raise OSError(number, os.strerror(number), path)

    with monkeypatch.context() as patched:
        for call in ("stat", "lstat", "listdir"):
            patched.setattr(os, call, refused)
        with pytest.raises(DiagnosticError) as error:
            look(fs, "overlays/prod")
    assert error.value.diagnostics[0].code is Code.FILE_UNREADABLE


@pytest.mark.parametrize("name", ["a" * 300, "a/one.yaml/below", "a/" * 5000 + "a"])
def test_impossible_name_does_not_exist(fs: FileSystem, name: str) -> None:
    assert not fs.is_file(name)
    assert not fs.is_folder(name)
    assert fs.list(name) == ()


def test_overlaid_files_hide_others_and_are_not_listed() -> None:
    fs = FilesAbove({"a/one.yaml": b"new", "c/three.yaml": b"3"}, MemoryFileSystem({"a/one.yaml": b"1"}))

    assert fs.read("a/one.yaml") == b"new"
    assert fs.read("c/three.yaml") == b"3"
    assert [fs.is_file(path) for path in ("a/one.yaml", "c/three.yaml", "c")] == [True, True, False]
    assert [fs.is_folder(path) for path in ("a", "c", "b")] == [True, True, False]
    assert (fs.list("."), fs.list("c")) == (("a",), ())
    assert fs.resolve("c/three.yaml") == "c/three.yaml"
    assert code_of(fs, "b.yaml") is Code.FILE_NOT_FOUND


def test_edited_files_are_listed_like_others() -> None:
    below = MemoryFileSystem({"a/one.yaml": b"1", "a/two.yaml": b"2"})
    fs = EditedFiles({"a/one.yaml": b"new", "a/three.yaml": b"3", "b/c/four.yaml": b"4"}, below)

    assert fs.read("a/one.yaml") == b"new"
    assert fs.list("a") == ("one.yaml", "three.yaml", "two.yaml")
    assert (fs.list("."), fs.list("b"), fs.list("b/c")) == (("a", "b"), ("c",), ("four.yaml",))
    assert [fs.is_folder(path) for path in ("b", "b/c", "b/d")] == [True, True, False]


def test_builtin_catalogs_are_outside_the_repository() -> None:
    fs = BuiltinFileSystem(MemoryFileSystem({"a.yaml": b"1"}))
    folder = builtin_path("common-instancetypes")

    assert fs.read("a.yaml") == b"1"
    assert fs.resolve("./a.yaml") == "a.yaml"
    assert fs.is_folder(folder)
    assert "kustomization.yaml" in fs.list(folder)
    assert fs.read(f"{folder}/kustomization.yaml").startswith(b"apiVersion:")
    assert fs.is_file(f"{folder}/kustomization.yaml")
    assert fs.resolve(f"{folder}/x/../kustomization.yaml") == f"{folder}/kustomization.yaml"


def test_path_longer_than_any_system_allows_is_not_resolved(tmp_path: Path) -> None:
    fs = DiskFileSystem(tmp_path)
    start = time.process_time()
    for path in ("a/" * 1_000_000 + "b", "a" * 1_000_000, "../" * 1_000_000):
        assert not fs.is_folder(path)
        assert not fs.is_file(path)
        assert fs.list(path) == ()
        assert code_of(fs, path) == Code.FILE_NOT_FOUND
    assert time.process_time() - start < 1
