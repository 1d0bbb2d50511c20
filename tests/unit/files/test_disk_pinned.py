from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

import pytest

from renderer.files.disk import opened_folder


def test_folder_swapped_after_opening_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "top/a/b").mkdir(parents=True)
    (tmp_path / "other/b").mkdir(parents=True)
    with opened_folder(tmp_path / "top", PurePosixPath("a/b")) as folder:
        (tmp_path / "top/a").rename(tmp_path / "moved")
        (tmp_path / "top/a").symlink_to(tmp_path / "other")
        (folder / "file").touch()
    assert (tmp_path / "moved/b/file").exists()
    assert not (tmp_path / "other/b/file").exists()


@pytest.mark.parametrize("part", ["a", "a/b"])
@pytest.mark.parametrize("has_directory_descriptors", [True, False])
def test_no_link_is_followed(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_directory_descriptors: bool
) -> None:
    if not has_directory_descriptors:
        monkeypatch.setattr(os, "supports_dir_fd", frozenset())
    (tmp_path / "top/real/b").mkdir(parents=True)
    (tmp_path / "top" / part).parent.mkdir(exist_ok=True)
    (tmp_path / "top" / part).symlink_to(tmp_path / "top/real")
    with pytest.raises(NotADirectoryError), opened_folder(tmp_path / "top", PurePosixPath("a/b"), make=True):
        pass


@pytest.mark.parametrize("has_directory_descriptors", [True, False])
def test_folders_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_directory_descriptors: bool
) -> None:
    if not has_directory_descriptors:
        monkeypatch.setattr(os, "supports_dir_fd", frozenset())
    with opened_folder(tmp_path, PurePosixPath("a/b"), make=True, mode=0o700) as folder:
        (folder / "file").touch()
    assert (tmp_path / "a/b/file").exists()
    assert (tmp_path / "a/b").stat().st_mode & 0o777 == 0o700


def test_errors_have_the_path_as_given(tmp_path: Path) -> None:
    with (
        pytest.raises(FileNotFoundError) as error,
        opened_folder(tmp_path, PurePosixPath("a"), make=True) as folder,
    ):
        (folder / "missing").unlink()
    assert error.value.filename == str(tmp_path / "a/missing")


@pytest.mark.parametrize("below", ["..", "a/../../b", "/etc"])
def test_paths_outside_the_folder_are_refused(tmp_path: Path, below: str) -> None:
    with pytest.raises(ValueError, match="not below"), opened_folder(tmp_path, PurePosixPath(below)):
        pass


@pytest.mark.parametrize("vanishes", [False, True])
def test_folder_created_or_removed_concurrently_is_handled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, vanishes: bool
) -> None:
    def make(place: Path, mode: int) -> None:
        if not vanishes:
            os.mkdir(place, mode)  # noqa: PTH102 - the method of Path is this one
        raise FileExistsError

    monkeypatch.setattr(os, "supports_dir_fd", frozenset())
    monkeypatch.setattr(Path, "mkdir", make)
    if vanishes:
        with pytest.raises(FileNotFoundError), opened_folder(tmp_path, PurePosixPath("a"), make=True):
            pass
    else:
        with opened_folder(tmp_path, PurePosixPath("a"), make=True) as folder:
            assert folder.is_dir()
