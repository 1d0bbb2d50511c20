from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from renderer.emit.check import TreeDiff, check_tree
from renderer.emit.write import Written, write_tree
from renderer.model.diagnostic import Outcome

OUTPUT = "rendered/prod"

#: A tree as it was, as it is to be, and what someone put into it.
OLD = {"a/vm_a.yaml": "a: 1\n", "a/vm_b.yaml": "b: 1\n", "c/vm_c.yaml": "c: 1\n"}
NEW = {"a/vm_a.yaml": "a: 2\n", "a/vm_b.yaml": "b: 1\n", "d/vm_d.yaml": "d: 1\n"}
FOREIGN = {"README.md": "mine", "c/notes.txt": "mine"}


@dataclass(frozen=True)
class Repository:
    """A repository with one rendered tree, as a test sees it."""

    root: Path

    @classmethod
    def with_old_tree(cls, root: Path) -> Repository:
        """A new one with the tree ``OLD``, in which someone has put ``FOREIGN``."""
        root.mkdir()
        repository = cls(root)
        repository.write(OLD)
        for path, text in FOREIGN.items():
            repository.put(path, text)
        return repository

    def copied_to(self, root: Path) -> Repository:
        """Return a copy of this repository, which is much faster than writing one."""
        return Repository(shutil.copytree(self.root, root, symlinks=True))

    @property
    def tree(self) -> Path:
        return self.root / OUTPUT

    def write(self, files: Mapping[str, str], force: tuple[str, ...] = ()) -> Written:
        return write_tree(self.root, OUTPUT, files, force=force)

    def check(self, files: Mapping[str, str]) -> Outcome[TreeDiff]:
        return check_tree(self.root, OUTPUT, files)

    def put(self, path: str, text: str) -> Path:
        """Someone else's file in the rendered tree."""
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def content(self) -> dict[str, str]:
        """Every file of the rendered tree except the ownership file; the target of links."""
        return {path: text for path, text in content_of(self.tree).items() if path != ".vmrender-owned"}

    def top_level(self) -> list[str]:
        """The names in the repository's root."""
        return [path.name for path in self.root.iterdir()]

    def everything(self) -> dict[str, str]:
        """Return every file of the repository, including staging."""
        return content_of(self.root)


def content_of(folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            file = Path(place, name)
            path = file.relative_to(folder).as_posix()
            if file.is_symlink():
                found[path] = f"-> {file.readlink()}"
            elif file.is_file():
                found[path] = file.read_text()
    return found
