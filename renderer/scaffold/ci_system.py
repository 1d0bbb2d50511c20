"""Where a repository's pipelines run."""

from __future__ import annotations

import re
from enum import StrEnum

_HOST = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?(?:[^@/]*@)?(?P<host>[^/:]+)[/:]", re.IGNORECASE)


class CiSystem(StrEnum):
    """What ``--ci`` takes."""

    GITHUB = "github"
    GITLAB = "gitlab"
    NONE = "none"


def ci_system_of(remote: str) -> CiSystem:
    """What the host of a Git remote's URL is called after, as in ``git@gitlab.example.com:team/vms.git``."""
    match = _HOST.match(remote)
    labels = re.split(r"[.-]", match["host"].lower()) if match else []
    return next((system for system in (CiSystem.GITHUB, CiSystem.GITLAB) if system in labels), CiSystem.NONE)
