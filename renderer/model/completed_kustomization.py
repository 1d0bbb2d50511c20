"""A kustomization as Flux or Argo CD completes it before it is built, without a change to the file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject
from renderer.model.location import Site
from renderer.model.record import Record


class CompletedKustomization(Record):
    """The kustomization that is built in ``folder`` in place of its file.

    ``file`` is the path of that file, whether it exists or is generated. ``sites`` says of fields and of
    list entries that were added where they are written. ``lenient``: fields that kustomize does not know
    are passed over.
    """

    folder: str
    file: str
    content: JsonObject
    sites: Mapping[FieldPath, Site] = MappingProxyType({})
    generated: bool = False
    lenient: bool = False

    def site(self, *segments: str | int) -> Site:
        """Return where a field of the kustomization is written."""
        field = FieldPath(segments)
        return self.sites.get(field) or Site(self.file, 0, field)
