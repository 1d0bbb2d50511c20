"""Builtin generators and transformers that objects of their own configure (``api/internal/builtins``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from renderer.model.generators import DataGenerator, IamPolicyGenerator
from renderer.model.location import Site
from renderer.model.patches import LoadedPatch, StrategicMergePatches
from renderer.model.provenance import ConfiguredBy
from renderer.model.resource import Resource
from renderer.model.selection import FieldSpec, Selector
from renderer.model.transformers import Image, Replacement, Replica


@dataclass(frozen=True, slots=True)
class SetAnnotations:
    annotations: Mapping[str, str]
    field_specs: tuple[FieldSpec, ...]


@dataclass(frozen=True, slots=True)
class SetLabels:
    labels: Mapping[str, str]
    field_specs: tuple[FieldSpec, ...]


@dataclass(frozen=True, slots=True)
class AddPrefix:
    prefix: str
    field_specs: tuple[FieldSpec, ...]


@dataclass(frozen=True, slots=True)
class AddSuffix:
    suffix: str
    field_specs: tuple[FieldSpec, ...]


class Subjects(StrEnum):
    """Which subjects of role bindings get the namespace."""

    DEFAULT_ONLY = "defaultOnly"
    ALL_SERVICE_ACCOUNTS = "allServiceAccounts"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class SetNamespace:
    namespace: str
    field_specs: tuple[FieldSpec, ...]
    unset_only: bool = False
    subjects: Subjects = Subjects.DEFAULT_ONLY


@dataclass(frozen=True, slots=True)
class SetImage:
    image: Image
    field_specs: tuple[FieldSpec, ...]


@dataclass(frozen=True, slots=True)
class SetReplicas:
    replica: Replica
    field_specs: tuple[FieldSpec, ...]


@dataclass(frozen=True, slots=True)
class ApplyPatch:
    patch: LoadedPatch


@dataclass(frozen=True, slots=True)
class ApplyJson6902:
    patch: LoadedPatch


@dataclass(frozen=True, slots=True)
class ApplyStrategicMerge:
    patches: tuple[StrategicMergePatches, ...]


@dataclass(frozen=True, slots=True)
class Replace:
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class AddNameHash:
    """Adds the hash to the names of generated objects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueTarget:
    """Where a value goes; from ``position`` 1 it is put between the names of a file path."""

    site: Site
    selector: Selector | None
    field_path: str
    position: int = 0


@dataclass(frozen=True, slots=True)
class AddValue:
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


@dataclass(frozen=True, slots=True)
class TransformerPlugin:
    """What a configuration asks for, in order, and which one it is; ``site`` is where it stands."""

    site: Site
    configured_by: ConfiguredBy
    configs: tuple[TransformerConfig, ...]


@dataclass(frozen=True, slots=True)
class GeneratorPlugin:
    configured_by: ConfiguredBy
    config: GeneratorConfig
