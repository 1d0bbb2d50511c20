"""What two Kustomizations of Flux, or two Applications, of one cluster both apply: objects and identities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from renderer.checks.rules.identities import shared_identities
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json
from renderer.model.kube.res_id import ObjectKey, Reference
from renderer.model.kube.resource import Resource
from renderer.model.placeholders import has_placeholder
from renderer.model.plural import plural
from renderer.model.record import Record
from renderer.model.run.work import spend
from renderer.model.sync_options import HOOK_ANNOTATION

#: The group, kind, namespace and name of an object.

#: Labels and annotations of objects that are shared on purpose, or left alone (kustomize-controller
#: ``docs/spec/v1/kustomizations.md``, argo-cd ``docs/user-guide/resource_hooks.md``).
_ON_PURPOSE: Mapping[str, tuple[str, ...]] = {
    "kustomize.toolkit.fluxcd.io/reconcile": ("disabled",),
    "kustomize.toolkit.fluxcd.io/ssa": ("IfNotPresent", "Ignore", "Merge"),
    HOOK_ANNOTATION: (),
}
#: Steps to compare an object with those of the other appliers (``model.run.work``).
_STEPS_PER_OBJECT = 20
#: Kinds that several entries may well repeat, as they only make sure that it is there.
_REPEATED_KINDS = ("Namespace", "CustomResourceDefinition")


class Applier(Record):
    """A Kustomization or Application with the objects that it applies.

    ``cluster`` is what it says of the cluster that it applies them to, and of the engine that does so;
    ``source`` the field that names what it is built from.
    """

    entry: Resource
    objects: tuple[Resource, ...]
    cluster: Json
    source: FieldPath


def applied_twice(appliers: Iterable[Applier]) -> dict[Reference, list[Diagnostic]]:
    """Return a warning for each pair of appliers that share objects, by the later one of the two."""
    first: dict[tuple[str, ObjectKey], tuple[Applier, Resource]] = {}
    pairs: dict[tuple[Reference, Reference], tuple[Applier, Applier, list[tuple[Resource, Resource]]]] = {}
    for applier in appliers:
        spend(_STEPS_PER_OBJECT * len(applier.objects), "comparing what entries apply")
        cluster = repr(applier.cluster)
        for resource in filter(_counts, applier.objects):
            key = cluster, resource.object_key
            other, its_object = first.setdefault(key, (applier, resource))
            if other is not applier:
                pair = other.entry.reference, applier.entry.reference
                pairs.setdefault(pair, (other, applier, []))[2].append((its_object, resource))
    found: dict[Reference, list[Diagnostic]] = {}
    for (_, later), (other, applier, objects) in pairs.items():
        found.setdefault(later, []).append(_warning(other, applier, objects))
    return found


def shared_by_machines(appliers: Iterable[Applier]) -> dict[Reference, list[Diagnostic]]:
    """Return the findings about machines of one cluster that have the same identity, by the later applier."""
    of_clusters: dict[str, list[Applier]] = {}
    for applier in appliers:
        of_clusters.setdefault(repr(applier.cluster), []).append(applier)
    found: dict[Reference, list[Diagnostic]] = {}
    for of_cluster in of_clusters.values():
        for index, diagnostic in shared_identities(map(_machines, of_cluster)):
            found.setdefault(of_cluster[index].entry.reference, []).append(diagnostic)
    return found


def _machines(applier: Applier) -> Iterator[VirtualMachineView]:
    return (each for each in map(VirtualMachineView.of, applier.objects) if each is not None)


def _counts(resource: Resource) -> bool:
    """Return True for an object that only one applier can own, and whose name is known."""
    if resource.kind in _REPEATED_KINDS or has_placeholder(resource.name):
        return False
    marks = {**resource.labels, **resource.annotations}
    return not any(
        name in marks and (not values or marks[name] in values) for name, values in _ON_PURPOSE.items()
    )


def _warning(other: Applier, applier: Applier, objects: list[tuple[Resource, Resource]]) -> Diagnostic:
    (first, _), *rest = objects
    also = f" and {plural(len(rest), 'other object')}" if rest else ""
    return Diagnostic.about(
        applier.entry,
        applier.source,
        Code.APPLIED_TWICE,
        f"{other.entry.name} and {applier.entry.name} both apply {first.current_id}{also}: each sets it back"
        " to its own state, and pruning one may delete it",
        "let one of them apply it",
        severity=Severity.WARNING,
        related=(
            Related(f"{other.entry.name} applies it, too", other.entry.sites(other.source)),
            Related(f"{first.kind} {first.name} is here", first.sites()[-1:]),
        ),
    )
