"""The repository in which most tests of ``vmrender diff`` work."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.git_work_tree import init


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository, which is the working directory."""
    repository = init(tmp_path / "repository")
    monkeypatch.chdir(repository)
    return repository
