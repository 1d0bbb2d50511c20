"""Someone who is told of every change to a resource while it is composed."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol, TypeAlias

from renderer.compose.res_map import ResMap
from renderer.compose.transform import Transform
from renderer.model.plugins import GeneratorPlugin, TransformerPlugin
from renderer.model.record import Record
from renderer.model.resource import Resource
from renderer.model.source_tree import KustomizationRoot


class BuiltinTransform(Record):
    """What a field of a kustomization asks for: the transformer's kind, and which of its transforms it is."""

    root: KustomizationRoot
    kind: str
    entry: int


class Finish(StrEnum):
    """What no transformer does."""

    VARIABLES = "vars"
    NAME_HASH = "name hash"
    NAME_REFERENCE = "name reference"
    BUILD_METADATA = "buildMetadata"


class Finishing(Record):
    root: KustomizationRoot
    what: Finish


Change: TypeAlias = BuiltinTransform | Finishing | GeneratorPlugin | TransformerPlugin


class Observer(Protocol):
    def generated(self, resource: Resource, generator: GeneratorPlugin) -> None: ...

    def changed(self, before: Resource, after: Resource, change: Change) -> None: ...


def observed(observer: Observer | None, change: Change, transform: Transform, resources: ResMap) -> None:
    """Carries out the transform, and tells the observer of each resource that is another afterwards."""
    if observer is None:
        transform(resources)
        return
    before = resources.items()
    transform(resources)
    after = dict(resources.items())
    for key, resource in before:
        changed = after.get(key)
        if changed is not None and changed is not resource:
            observer.changed(resource, changed, change)
