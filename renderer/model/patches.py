"""Patches as they were read: what each lists, and what it holds."""

from __future__ import annotations

from typing import TypeAlias

from renderer.model.json import Json
from renderer.model.kustomization import Patch
from renderer.model.location import Site
from renderer.model.record import Record
from renderer.model.resource import Resource


class StrategicMergePatches(Record):
    """The documents of one strategic merge patch file or text."""

    site: Site
    documents: tuple[Resource, ...]


class JsonPatch(Record):
    """The operations of one JSON 6902 patch file or text."""

    site: Site
    operations: tuple[Json, ...]

    def operation_site(self, index: int) -> Site:
        """Where the operation stands."""
        return self.site.below(index)


PatchContent: TypeAlias = StrategicMergePatches | JsonPatch


class LoadedPatch(Record):
    """A patch as it is listed, and what it holds."""

    listed: Patch
    content: PatchContent
