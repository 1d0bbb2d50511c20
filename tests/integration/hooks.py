"""Our hooks for pre-commit, in a repository that it can clone."""

from __future__ import annotations

from pathlib import Path

import yaml

from tests.integration.user_repository import ROOT, UserRepository

HOOKS = ROOT / ".pre-commit-hooks.yaml"


def hooks_repository(folder: Path) -> UserRepository:
    """Our hooks as pre-commit clones them, run by the vmrender of this checkout instead of an own one."""
    (folder / "hooks").mkdir()
    repository = UserRepository.created(folder / "hooks")
    hooks = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))
    repository.write(
        ".pre-commit-hooks.yaml", yaml.safe_dump([hook | {"language": "system"} for hook in hooks])
    )
    repository.commit("hooks")
    return repository
