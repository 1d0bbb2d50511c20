"""The repository of the examples, with two commits: the second makes the database of prod larger."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs/examples"


@pytest.fixture
def shop(tmp_path: Path, committed_shop: Path) -> Path:
    return shutil.copytree(committed_shop, tmp_path / "shop", symlinks=True)


@pytest.fixture(scope="session")
def committed_shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Read-only: each test has a copy."""
    copied = shutil.copytree(EXAMPLES / "shop", tmp_path_factory.mktemp("examples") / "shop")
    patch = copied / "overlays/prod/kustomization.yaml"
    text = patch.read_text()
    patch.write_text(text.replace("u1.large", "u1.medium"))
    git(copied, "init", "-q")
    git(copied, "add", ".")
    git(copied, "commit", "-qm", "Add the shop")
    patch.write_text(text)
    git(copied, "commit", "-qam", "Make the database of prod larger")
    return copied


def git(folder: Path, *arguments: str) -> None:
    who = "-c", "user.name=test", "-c", "user.email=test@example.com"
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True)
