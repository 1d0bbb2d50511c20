"""What a command line or a project can ask of a build."""

from __future__ import annotations

from enum import StrEnum

from renderer.model.record import Record
from renderer.model.render_config import MergeKeys


class Reorder(StrEnum):
    """The values of ``--reorder``."""

    LEGACY = "legacy"
    NONE = "none"


class BuildOptions(Record):
    """The options of a build that change what is composed; the defaults are kustomize's.

    ``managed_by_label`` is what ``--enable-managedby-label`` asks for.
    """

    reorder: Reorder = Reorder.LEGACY
    managed_by_label: bool = False
    merge_keys: MergeKeys = MergeKeys.KUSTOMIZE
