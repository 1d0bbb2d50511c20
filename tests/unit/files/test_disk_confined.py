"""A path swapped between check and use is not read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from renderer.files import disk as confined
from renderer.files.file_system import DiskFileSystem
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="links and pipes as on Unix")

Swap = Callable[[], None]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder, text in (("root", "ours"), ("outside", "secret")):
        (tmp_path / folder / "a/b").mkdir(parents=True)
        (tmp_path / folder / "a/b/file").write_text(text)
    (tmp_path / "outside/a/b/other").touch()
    return tmp_path / "root"


def replace_by_link(path: Path, target: Path) -> Swap:
    def swap() -> None:
        path.rename(path.with_name("aside"))
        path.symlink_to(target)

    return swap


def replace_by_pipe(path: Path) -> Swap:
    def swap() -> None:
        path.unlink()
        os.mkfifo(path)

    return swap


@pytest.fixture(params=["the system says what is open", "it does not"])
def swapped(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[Swap], None]:
    """Act between the check of a path and its opening."""
    if request.param == "it does not":
        monkeypatch.setattr(confined, "place_of", lambda _: None)

    def before_the_next_open(swap: Swap) -> None:
        genuine, swaps = os.open, [swap]

        def opened(path: str, flags: int) -> int:
            if str(path).endswith(("file", "/b")) and swaps:
                swaps.pop()()
            return genuine(path, flags)

        monkeypatch.setattr(os, "open", opened)

    return before_the_next_open


@pytest.mark.parametrize("part", ["a", "a/b", "a/b/file"])
def test_path_component_swapped_for_a_link_is_not_followed(
    part: str, root: Path, swapped: Callable[[Swap], None]
) -> None:
    fs = DiskFileSystem(root)
    assert fs.read("a/b/file") == b"ours"
    swapped(replace_by_link(root / part, root.parent / "outside" / part))
    with pytest.raises(DiagnosticError) as error:
        fs.read("a/b/file")
    assert error.value.diagnostics[0].code in (Code.FILE_UNREADABLE, Code.FILE_NOT_FOUND)


def test_listed_folder_swapped_for_a_link_is_not_followed(
    root: Path, swapped: Callable[[Swap], None]
) -> None:
    fs = DiskFileSystem(root)
    swapped(replace_by_link(root / "a", root.parent / "outside/a"))
    with pytest.raises(DiagnosticError) as error:
        fs.list("a/b")
    assert error.value.diagnostics[0].code is Code.FILE_UNREADABLE


def test_file_swapped_for_a_named_pipe_is_refused(root: Path, swapped: Callable[[Swap], None]) -> None:
    fs = DiskFileSystem(root)
    swapped(replace_by_pipe(root / "a/b/file"))
    with pytest.raises(DiagnosticError) as error:
        fs.read("a/b/file")
    assert error.value.diagnostics[0].code is Code.FILE_UNREADABLE


def test_swap_inside_the_folder_is_an_ordinary_change(root: Path, swapped: Callable[[Swap], None]) -> None:
    (root / "c/b").mkdir(parents=True)
    (root / "c/b/file").write_text("ours, too")
    swapped(replace_by_link(root / "a", root / "c"))
    assert DiskFileSystem(root).read("a/b/file") == b"ours, too"


@pytest.mark.parametrize(("size", "most", "read"), [(5, 5, 5), (6, 5, 6), (9, 5, 6), (0, 5, 0)])
def test_reading_stops_at_the_requested_size(size: int, most: int, read: int, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * size)
    assert len(confined.ConfinedFolder(str(tmp_path)).read(str(tmp_path / "file"), most)) == read


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="files whose size nobody knows")
def test_file_with_reported_size_zero_is_read() -> None:
    assert b"Name:" in confined.ConfinedFolder("/proc").read(f"/proc/{os.getpid()}/status")
