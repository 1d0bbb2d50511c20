"""Which files of Applications become entries of a new project."""

from __future__ import annotations

import pytest

from renderer.discovery import argocd_entries as module
from renderer.discovery.argocd_entries import argocd_entries
from renderer.discovery.manifests import Manifests
from renderer.files.file_system import MemoryFileSystem, folder_of


def application(*paths: str) -> bytes:
    sources = "".join(f"  - {{repoURL: x, path: {path}}}\n" for path in paths)
    head = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\n"
    return f"{head}spec:\n  sources:\n{sources}".encode()


def entries(files: dict[str, bytes]) -> list[str]:
    return [each.path for each in argocd_entries(Manifests(MemoryFileSystem(files), ()))]


def test_only_the_first_file_of_a_chain_or_cycle_is_an_entry() -> None:
    files = {
        "root/a.yaml": application("one"),
        "one/a.yaml": application("two"),
        "two/a.yaml": application(),
        "x/a.yaml": application("y"),
        "y/a.yaml": application("x", "y"),
    }
    assert entries(files) == ["root", "x"]


def test_files_are_looked_up_by_the_folders_that_applications_deploy(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(path: str) -> str:
        asked.append(path)
        return folder_of(path)

    files = {f"a{number}/a.yaml": application(f"b{number}") for number in range(20)}
    monkeypatch.setattr(module, "folder_of", counted)
    assert len(entries({**files, "z/a.yaml": application(*(f"q{number}" for number in range(50)))})) == 21
    assert len(asked) < 100
