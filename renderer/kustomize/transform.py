"""The types of transformers, and the observer that receives every change to a resource."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeAlias

from renderer.kustomize.fields.field_spec_set import FieldSpecSet
from renderer.kustomize.merge_keys.merge_schema import MergeSchema
from renderer.kustomize.res_map import ResMap
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.run.work import spend
from renderer.model.source_tree import GeneratorPlugin, KustomizationRoot, TransformerPlugin
from renderer.model.text_enum import TextEnum

#: Changes the resources of a kustomization. Raises ``DiagnosticError``.
Transform: TypeAlias = Callable[[ResMap], None]


class TransformerContext(Record):
    """The input of the transformers of one kustomization; ``warn`` receives warnings.

    ``note_target`` receives the targets of patches that select something.
    ``knows_kubevirt``: the project asks for the fields of KubeVirt's kinds, too.
    """

    root: KustomizationRoot
    field_specs: FieldSpecSet
    schema: Callable[[], MergeSchema]
    warn: Callable[[Diagnostic], None]
    note_target: Callable[[Site], None]
    knows_kubevirt: bool = False


#: The transforms that a kustomization requests with the fields of a transformer, in order.
Transformer: TypeAlias = Callable[[TransformerContext], Iterable[Transform]]


class BuiltinTransform(Record):
    """A transform that a field of a kustomization requests: the kind of transformer, and the entry."""

    root: KustomizationRoot
    kind: str
    entry: int


class FinalStep(TextEnum):
    """The steps of a build that are not transformers."""

    VARIABLES = "vars"
    NAME_HASH = "name hash"
    NAME_REFERENCE = "name reference"
    BUILD_METADATA = "buildMetadata"


class FinalTransform(Record):
    """A step at the end of a build, for the root of the build."""

    root: KustomizationRoot
    step: FinalStep


CompositionChange: TypeAlias = BuiltinTransform | FinalTransform | GeneratorPlugin | TransformerPlugin


class Observer(Protocol):
    """Observes every change that a composition makes, for ``explain``."""

    def generated(self, resource: Resource, generator: GeneratorPlugin) -> None: ...

    def changed(self, before: Resource, after: Resource, change: CompositionChange) -> None: ...


def run_observed(
    observer: Observer | None,
    change: CompositionChange,
    transform: Transform,
    resources: ResMap,
    among: Iterable[int] | None = None,
) -> None:
    """Run the transform, and report each resource that it changed to the observer.

    ``among`` are the keys of the resources that it may change; None means all of them.
    """
    if observer is None:
        transform(resources)
        return
    before = resources.items() if among is None else [(key, resources[key]) for key in among]
    spend(len(before), "noting what transformers change")
    transform(resources)
    for key, resource in before:
        changed = resources.get(key)
        if changed is not None and changed is not resource:
            observer.changed(resource, changed, change)
