"""What the command line of kustomize can ask of a build."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reorder(StrEnum):
    """The values of ``--reorder``."""

    LEGACY = "legacy"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """The options of a build that change what is composed."""

    reorder: Reorder = Reorder.LEGACY
