from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.emit.rendered_repository import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    root = tmp_path / "repository"
    root.mkdir()
    return Repository(root)
