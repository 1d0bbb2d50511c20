"""What git generators ask of a repository: it is listed once, and each comparison is counted."""

from __future__ import annotations

from collections import Counter

import pytest

from renderer.files.file_system import MemoryFileSystem, SubmoduleError
from renderer.gitops.argocd.generators.repository_tree import RepositoryTree
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.run.work import begin_run, spent

FILES = {f"clusters/c{number}/config.yaml": b"name: c\n" for number in range(30)}


class CountingFileSystem(MemoryFileSystem):
    """Counts how often each folder is listed, and each file read."""

    def __init__(self) -> None:
        super().__init__(FILES)
        self.asked: Counter[str] = Counter()

    def list(self, path: str) -> tuple[str, ...]:
        self.asked[path] += 1
        return super().list(path)

    def read(self, path: str) -> bytes:
        self.asked[path] += 1
        return super().read(path)


def test_repository_is_listed_and_its_files_are_read_once() -> None:
    fs = CountingFileSystem()
    tree = RepositoryTree(fs)
    for number in range(30):
        tree.objects(f"clusters/c{number}/config.yaml")
    tree.files("*.json")
    first = fs.asked.copy()

    for number in range(100):
        assert tree.files(f"clusters/c{number % 30}/*.yaml") == (f"clusters/c{number % 30}/config.yaml",)
        assert tree.objects(f"clusters/c{number % 30}/config.yaml") == ({"name": "c"},)

    assert fs.asked == first


def test_each_pattern_costs_steps_for_each_path_that_it_is_compared_with() -> None:
    begin_run()
    tree = RepositoryTree(MemoryFileSystem(FILES))
    tree.files("*.json")  # lists the repository
    before = spent()

    for number in range(100):
        assert not tree.files(f"*a*b{number}")

    assert spent() - before > 100 * len(FILES) * 3


def test_literal_start_of_a_pattern_leaves_out_other_paths() -> None:
    begin_run()
    tree = RepositoryTree(MemoryFileSystem(FILES))
    tree.files("*.json")
    before = spent()

    tree.files("clusters/c29/*.yaml")

    assert spent() - before < len(FILES) * 3


class WithSubmodule(MemoryFileSystem):
    """Has the submodule ``docs/theme``, whose files are not there."""

    def list(self, path: str) -> tuple[str, ...]:
        if path == "docs/theme":
            raise SubmoduleError(Diagnostic(Code.FILE_UNREADABLE, "a submodule"))
        return super().list(path)

    def is_folder(self, path: str) -> bool:
        return path == "docs/theme" or super().is_folder(path)


def test_patterns_that_reach_into_a_submodule_are_refused() -> None:
    tree = RepositoryTree(WithSubmodule({**FILES, "docs/theme/a": b""}))
    assert tree.folders("docs/*") == ("docs/theme",)
    assert tree.folders("clusters/c1*/*") == ()
    assert tree.files("**/*.json") == ()
    for pattern in ("docs/theme/x", "*/t*/*"):
        with pytest.raises(SubmoduleError):
            tree.folders(pattern)
