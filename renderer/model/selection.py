"""Which fields and which resources something is for (kustomize ``api/types``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from renderer.model.gvk import Gvk
from renderer.model.location import Site


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A path that a transformer visits in objects of some kinds; empty means any (``fieldspec.go``)."""

    path: str
    group: str = ""
    version: str = ""
    kind: str = ""
    create: bool = False


@dataclass(frozen=True, slots=True)
class Selector:
    """Which resources a patch is for: anchored regular expressions and label selectors (``selector.go``)."""

    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    annotation_selector: str = ""
    label_selector: str = ""


@dataclass(frozen=True, slots=True)
class NameReferenceSpec:
    """The fields that hold names of resources of the kind ``target``."""

    target: Gvk
    referrers: tuple[FieldSpec, ...]


@dataclass(frozen=True, slots=True)
class FieldSpecFile:
    """A file listed under ``configurations``; its field specs by the name of the field that they are for."""

    site: Site
    field_specs: Mapping[str, tuple[FieldSpec, ...]]
    name_references: tuple[NameReferenceSpec, ...]
