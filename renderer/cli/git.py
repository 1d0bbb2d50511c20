"""The Git repository that a command works in, for the commands that are told a revision."""

from __future__ import annotations

import os

from renderer.cli.repository import Repository
from renderer.source.git_repository import GitRepository


def git_of(repository: Repository) -> GitRepository:
    """To be used in a ``with`` block. Raises ``DiagnosticError``: git-unavailable."""
    return GitRepository(repository.root, os.environ)
