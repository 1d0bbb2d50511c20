"""Which fields and which resources something is for (kustomize ``api/types``)."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.gvk import Gvk
from renderer.model.location import Site
from renderer.model.record import Record


class FieldSpec(Record):
    """A path that a transformer visits in objects of some kinds; empty means any (``fieldspec.go``)."""

    path: str
    group: str = ""
    version: str = ""
    kind: str = ""
    create: bool = False


class Selector(Record):
    """Which resources a patch is for: anchored regular expressions and label selectors (``selector.go``)."""

    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    annotation_selector: str = ""
    label_selector: str = ""


class NameReferenceSpec(Record):
    """The fields that hold names of resources of the kind ``target``."""

    target: Gvk
    referrers: tuple[FieldSpec, ...]


class FieldSpecFile(Record):
    """A file listed under ``configurations``; its field specs by the name of the field that they are for."""

    site: Site
    field_specs: Mapping[str, tuple[FieldSpec, ...]]
    name_references: tuple[NameReferenceSpec, ...]
