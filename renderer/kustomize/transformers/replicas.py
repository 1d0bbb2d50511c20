"""``replicas``: the number of pods of a workload (kustomize ``ReplicaCountTransformer.go``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.kustomize.fields.field_specs import FieldSpecFilter, FieldSpecIndex, WrongTypeError
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.transform import Transform, TransformerContext
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import Json
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import FieldSpec, Replica


def replica_transforms(context: TransformerContext) -> Iterator[Transform]:
    """Yield the transform of each entry of ``replicas``."""
    for replica in context.root.kustomization.replicas:
        yield replica_transform(replica, context.field_specs.replicas)


def replica_transform(replica: Replica, specs: tuple[FieldSpec, ...]) -> Transform:
    """Return the transform that sets the count in the resources that have, or ever had, the name.

    The transform raises: patch-target-missing if no field spec applies to any of them, resource-invalid.
    """

    def set_count(value: Json) -> Json:
        if isinstance(value, dict | list):
            raise WrongTypeError("a number")
        return replica.replicas

    change = FieldSpecFilter(set_count, created=replica.replicas)
    index = FieldSpecIndex(specs)

    def scale(resources: ResMap) -> None:
        named = [
            (key, resource)
            for key, resource in resources.items()
            if _was_named(resource, replica.name, specs)
        ]
        if not named:
            kinds = ", ".join(sorted({spec.kind or "any kind" for spec in specs}))
            raise Diagnostic.at(
                replica.site.below("name"),
                Code.PATCH_TARGET_MISSING,
                f"no resource named {replica.name} has replicas",
                f"replicas are set in {kinds}; name one of them, or add field specs with configurations",
            ).error()
        for key, resource in named:
            resources.replace(key, change.apply(resource, index.targets(resource)))

    return scale


def _was_named(resource: Resource, name: str, specs: Iterable[FieldSpec]) -> bool:
    """Return True if one of the resource's ids has the name and a kind that a spec applies to."""
    ids = (id_ for id_ in (*resource.previous_ids, resource.current_id) if id_.name == name)
    group, version = resource.gvk.group, resource.gvk.version
    return any(
        spec.kind in ("", id_.gvk.kind) and spec.group in ("", group) and spec.version in ("", version)
        for id_ in ids
        for spec in specs
    )
