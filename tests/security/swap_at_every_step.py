"""A program that changes a rendered tree again and again, while another one swaps a folder for a link.

``python -m tests.security.swap_at_every_step FOLDER [EVERY]``: at every step of each kind of change, or at
every EVERYth. Prints the number of swaps. Nothing outside of the repository may be created, changed or
removed. The folder outside looks like the one that the link replaces: a rendered tree of vmrender, with the
same files. A step is any action that raises an audit event. It forks, so it must have no threads.
"""

from __future__ import annotations

import os
import shutil
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from unittest import mock

from renderer.emit.edit_user_files import change_files
from renderer.emit.write import remove_tree
from renderer.model.diagnostic import DiagnosticError
from tests.unit.emit.rendered_repository import OUTPUT, Repository

OLD = {"a/vm_a.yaml": "a: 1\n", "a/vm_b.yaml": "b: 1\n", "c/vm_c.yaml": "c: 1\n"}
NEW = {"a/vm_a.yaml": "a: 2\n", "a/vm_b.yaml": "b: 1\n", "d/vm_d.yaml": "d: 1\n"}
#: What becomes a link.
PARTS = (
    "rendered",
    "rendered/prod",
    "rendered/prod/a",
    ".vmrender",
    ".vmrender/building",
    ".vmrender/prod-293bf4df",
)


def replacing(change: Callable[[Path], object]) -> Callable[[Path], object]:
    """As on systems that cannot exchange folders."""

    def changed(root: Path) -> object:
        with mock.patch("renderer.emit.write.exchange", return_value=False):
            return change(root)

    return changed


def write(root: Path) -> object:
    return Repository(root).write(NEW)


def remove(root: Path) -> object:
    return remove_tree(root, OUTPUT)


def change_sources(root: Path) -> object:
    writes = {"rendered/prod/a/vm_a.yaml": b"new", "rendered/prod/n/e/w.yaml": b"new"}
    change_files(root, writes, ["rendered/prod/a/vm_b.yaml"], {})
    return writes


CHANGES = {
    "write": write,
    "write file by file": replacing(write),
    "remove": remove,
    "change sources": change_sources,
}


def main(folder: Path, every: int) -> None:
    swaps = 0
    for name, change in CHANGES.items():
        for number, part in enumerate(PARTS):
            step = number % every
            while was_swapped(folder, part, step, change, name):
                swaps += 1
                step += every
    print(swaps)


def was_swapped(folder: Path, part: str, step: int, change: Callable[[Path], object], name: str) -> bool:
    """Return True if there was a step of that number; check the state after a swap at it."""
    shutil.rmtree(folder, ignore_errors=True)
    for place in ("root", "outside"):
        (folder / place).mkdir(parents=True)
        repository = Repository(folder / place)
        repository.write(OLD)
        repository.put("README.md", f"of {place}")
    for left in ("prod-293bf4df/building", "prod-293bf4df/swapping", "building/prod-293bf4df"):
        (folder / "outside/.vmrender" / left / "a").mkdir(parents=True)
    before = snapshot(folder / "outside")
    child = os.fork()
    if not child:
        change_while_swapping(folder, part, step, change)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 3), f"{name}: {part} swapped at step {step}"
    after = snapshot(folder / "outside")
    assert after == before, f"{name}: {part} swapped at step {step}: {sorted(after.items() ^ before.items())}"
    return os.waitstatus_to_exitcode(status) == 3


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every path with its mode, its number of links and its content."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            status = path.lstat()
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            links = status.st_nlink if path.is_file() else 0
            found[path.relative_to(folder).as_posix()] = (status.st_mode, links, content)
    return found


def change_while_swapping(folder: Path, part: str, last_step: int, change: Callable[[Path], object]) -> None:
    step, place = 0, folder / "root" / part

    def swap() -> None:
        if place.parent.is_dir() and not place.parent.is_symlink():
            with suppress(FileNotFoundError):
                place.rename(folder / "aside")
            place.symlink_to(folder / "outside" / part)

    def count(event: str, _: object) -> None:
        nonlocal step
        if event.startswith(("open", "os.", "shutil.", "fcntl.", "ctypes.")):
            step += 1
            if step == last_step + 1:
                swap()

    sys.addaudithook(count)
    status = 1
    try:
        with suppress(DiagnosticError):
            change(folder / "root")
        status = 3 if step > last_step else 0
    except BaseException:  # noqa: BLE001 - the process ends here, whatever it was
        traceback.print_exc()
    finally:
        os._exit(status)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
