"""Builtin generators and transformers that objects of their own configure (``api/internal/builtins``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from renderer.model.generated import ListedFiles
from renderer.model.generators import DataGenerator, IamPolicyGenerator
from renderer.model.json import EMPTY
from renderer.model.location import Site
from renderer.model.patches import LoadedPatch, StrategicMergePatches
from renderer.model.provenance import ConfiguredBy
from renderer.model.record import Record
from renderer.model.resource import Resource
from renderer.model.selection import FieldSpec, Selector
from renderer.model.transformers import Image, Replacement, Replica


class SetAnnotations(Record):
    annotations: Mapping[str, str]
    field_specs: tuple[FieldSpec, ...]


class SetLabels(Record):
    labels: Mapping[str, str]
    field_specs: tuple[FieldSpec, ...]


class AddPrefix(Record):
    prefix: str
    field_specs: tuple[FieldSpec, ...]


class AddSuffix(Record):
    suffix: str
    field_specs: tuple[FieldSpec, ...]


class Subjects(StrEnum):
    """Which subjects of role bindings get the namespace."""

    DEFAULT_ONLY = "defaultOnly"
    ALL_SERVICE_ACCOUNTS = "allServiceAccounts"
    NONE = "none"


class SetNamespace(Record):
    namespace: str
    field_specs: tuple[FieldSpec, ...]
    unset_only: bool = False
    subjects: Subjects = Subjects.DEFAULT_ONLY


class SetImage(Record):
    image: Image
    field_specs: tuple[FieldSpec, ...]


class SetReplicas(Record):
    replica: Replica
    field_specs: tuple[FieldSpec, ...]


class ApplyPatch(Record):
    patch: LoadedPatch


class ApplyJson6902(Record):
    patch: LoadedPatch


class ApplyStrategicMerge(Record):
    patches: tuple[StrategicMergePatches, ...]


class Replace(Record):
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class AddNameHash:
    """Adds the hash to the names of generated objects."""


class ValueTarget(Record):
    """Where a value goes; from ``position`` 1 it is put between the names of a file path."""

    site: Site
    selector: Selector | None
    field_path: str
    position: int = 0


class AddValue(Record):
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


class TransformerPlugin(Record):
    """What a configuration asks for, in order, and which one it is; ``site`` is where it stands."""

    site: Site
    configured_by: ConfiguredBy
    configs: tuple[TransformerConfig, ...]


class GeneratorPlugin(Record):
    """A generator of another API has the files that its configuration lists."""

    configured_by: ConfiguredBy
    config: GeneratorConfig
    files: ListedFiles = EMPTY
