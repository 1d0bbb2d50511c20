"""Which files a kustomization may read (kustomize ``api/types/loadrestrictions.go``)."""

from __future__ import annotations

from enum import StrEnum


class LoadRestrictor(StrEnum):
    """The values of ``--load-restrictor``."""

    ROOT_ONLY = "LoadRestrictionsRootOnly"  # files in or below the folder of the kustomization
    NONE = "LoadRestrictionsNone"  # files anywhere in the repository
