"""A Git repository of a folder, without the configuration of the user."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    # A commit would start a program that looks whether there is something to tidy up.
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "maintenance.auto",
    "GIT_CONFIG_VALUE_0": "false",
}
_IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@example.org")


def git(folder: Path, *arguments: str) -> str:
    """Run git in the folder; return what it prints."""
    command = ["git", *arguments]
    run = subprocess.run(command, cwd=folder, env=_ENVIRONMENT, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def committed(folder: Path, subject: str = "all") -> None:
    """Make the folder a repository with a commit of all that is in it, or add such a commit."""
    commit = (*_IDENTITY, "commit", "--quiet", "-m", subject)
    for arguments in (("init", "--quiet"), ("add", "--all"), commit):
        subprocess.run(["git", *arguments], cwd=folder, env=_ENVIRONMENT, check=True)
