from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.integration.user_repository import UserRepository


@pytest.fixture(scope="session")
def started(tmp_path_factory: pytest.TempPathFactory) -> UserRepository:
    """What ``vmrender init`` made, rendered and committed; not to be changed."""
    repository = UserRepository.created(tmp_path_factory.mktemp("started"), "https://github.com/acme/vms.git")
    repository.does("vmrender", "init")
    repository.does("vmrender", "render")
    repository.commit("first")
    return repository


@pytest.fixture
def project(tmp_path: Path, started: UserRepository) -> UserRepository:
    """The same for one test."""
    shutil.copytree(started.folder, tmp_path / "repository")
    return UserRepository.opened(tmp_path)
