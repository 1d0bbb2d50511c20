"""Builtin generators and transformers that objects of their own configure (``api/internal/builtins``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from renderer.model.generated import ListedFiles
from renderer.model.generators import DataGenerator, IamPolicyGenerator
from renderer.model.json import EMPTY
from renderer.model.location import Site
from renderer.model.patches import LoadedPatch, StrategicMergePatches
from renderer.model.provenance import ConfiguredBy
from renderer.model.resource import Resource
from renderer.model.selection import FieldSpec, Selector
from renderer.model.transformers import Image, Replacement, Replica


class SetAnnotations(NamedTuple):
    annotations: Mapping[str, str]
    field_specs: tuple[FieldSpec, ...]


class SetLabels(NamedTuple):
    labels: Mapping[str, str]
    field_specs: tuple[FieldSpec, ...]


class AddPrefix(NamedTuple):
    prefix: str
    field_specs: tuple[FieldSpec, ...]


class AddSuffix(NamedTuple):
    suffix: str
    field_specs: tuple[FieldSpec, ...]


class Subjects(StrEnum):
    """Which subjects of role bindings get the namespace."""

    DEFAULT_ONLY = "defaultOnly"
    ALL_SERVICE_ACCOUNTS = "allServiceAccounts"
    NONE = "none"


class SetNamespace(NamedTuple):
    namespace: str
    field_specs: tuple[FieldSpec, ...]
    unset_only: bool = False
    subjects: Subjects = Subjects.DEFAULT_ONLY


class SetImage(NamedTuple):
    image: Image
    field_specs: tuple[FieldSpec, ...]


class SetReplicas(NamedTuple):
    replica: Replica
    field_specs: tuple[FieldSpec, ...]


class ApplyPatch(NamedTuple):
    patch: LoadedPatch


class ApplyJson6902(NamedTuple):
    patch: LoadedPatch


class ApplyStrategicMerge(NamedTuple):
    patches: tuple[StrategicMergePatches, ...]


class Replace(NamedTuple):
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class AddNameHash:
    """Adds the hash to the names of generated objects."""


class ValueTarget(NamedTuple):
    """Where a value goes; from ``position`` 1 it is put between the names of a file path."""

    site: Site
    selector: Selector | None
    field_path: str
    position: int = 0


class AddValue(NamedTuple):
    value: str
    targets: tuple[ValueTarget, ...]


TransformerConfig: TypeAlias = (
    SetAnnotations
    | SetLabels
    | AddPrefix
    | AddSuffix
    | SetNamespace
    | SetImage
    | SetReplicas
    | ApplyPatch
    | ApplyJson6902
    | ApplyStrategicMerge
    | Replace
    | AddNameHash
    | AddValue
)

#: A generator of another API stays the object that configures it.
GeneratorConfig: TypeAlias = DataGenerator | IamPolicyGenerator | Resource


class TransformerPlugin(NamedTuple):
    """What a configuration asks for, in order, and which one it is; ``site`` is where it stands."""

    site: Site
    configured_by: ConfiguredBy
    configs: tuple[TransformerConfig, ...]


class GeneratorPlugin(NamedTuple):
    """A generator of another API has the files that its configuration lists."""

    configured_by: ConfiguredBy
    config: GeneratorConfig
    files: ListedFiles = EMPTY
