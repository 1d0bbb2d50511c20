"""A kustomization as its author wrote it (kustomize ``api/types``)."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.generators import GeneratorArgs
from renderer.model.json import EMPTY
from renderer.model.kustomization_kind import KUSTOMIZATION_KIND
from renderer.model.location import Site
from renderer.model.record import Record
from renderer.model.selection import FieldSpec, Selector
from renderer.model.transformers import (
    Image,
    Replacement,
    ReplacementFile,
    Replica,
    SortOptions,
    Variable,
)


class Patch(Record):
    """One patch, in a file at ``path`` or written inline as ``patch``; ``site`` is where it is listed."""

    site: Site
    path: str = ""
    patch: str = ""
    target: Selector | None = None
    allow_name_change: bool = False
    allow_kind_change: bool = False


class Label(Record):
    """Labels to set, and where beyond ``metadata.labels``."""

    pairs: Mapping[str, str]
    include_selectors: bool = False
    include_templates: bool = False
    field_specs: tuple[FieldSpec, ...] = ()


class Kustomization(Record):
    """The fields of one kustomization file; ``site`` is the file's root."""

    site: Site
    kind: str = KUSTOMIZATION_KIND
    resources: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    components: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()
    name_prefix: str = ""
    name_suffix: str = ""
    namespace: str = ""
    labels: tuple[Label, ...] = ()
    common_labels: Mapping[str, str] = EMPTY
    common_annotations: Mapping[str, str] = EMPTY
    patches: tuple[Patch, ...] = ()
    patches_strategic_merge: tuple[str, ...] = ()
    patches_json6902: tuple[Patch, ...] = ()
    replacements: tuple[Replacement | ReplacementFile, ...] = ()
    replicas: tuple[Replica, ...] = ()
    images: tuple[Image, ...] = ()
    variables: tuple[Variable, ...] = ()
    config_map_generator: tuple[GeneratorArgs, ...] = ()
    secret_generator: tuple[GeneratorArgs, ...] = ()
    transformers: tuple[str, ...] = ()
    validators: tuple[str, ...] = ()
    configurations: tuple[str, ...] = ()
    crds: tuple[str, ...] = ()
    open_api: Mapping[str, str] = EMPTY
    build_metadata: tuple[str, ...] = ()
    sort_options: SortOptions | None = None
