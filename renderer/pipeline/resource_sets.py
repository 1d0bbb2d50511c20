"""ResourceSets of the Flux operator as entry points: their objects, in an overlay of their own.

The tree of the Kustomization that deploys a ResourceSet has the set itself, as Flux applies it: without it,
Flux would delete the set, and the operator everything that it made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from renderer.gitops.flux.discovery import ReachedSet
from renderer.gitops.flux.flux_operator import is_disabled, is_resource_set
from renderer.gitops.flux.resource_set import generate_objects
from renderer.model.diagnostic import Diagnostic, Outcome
from renderer.model.entry_point import EntryPoint
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import OverlayEntry
from renderer.pipeline.reached_objects import count_machines, is_rendered
from renderer.pipeline.shared_objects import Applier


def sets_to_render(sets: Iterable[ReachedSet]) -> list[ReachedSet]:
    """Return the ResourceSets that make more than objects of Flux and Argo CD."""
    return [each for each in sets if is_rendered(Outcome(each.objects))]


def left_out_sets(sets: Iterable[ReachedSet]) -> dict[str, list[str]]:
    """Return the names of the ResourceSets that cannot be evaluated, by the reason."""
    names: dict[str, list[str]] = {}
    for each in sets:
        if each.made and each.made.left_out:
            names.setdefault(each.made.left_out, []).append(each.entry.name)
    return names


def findings_about_left_out(sets: Iterable[ReachedSet]) -> Iterator[Diagnostic]:
    """Yield the findings about ResourceSets that have no overlay."""
    for each in sets:
        if each.made and not is_rendered(Outcome(each.objects)):
            yield from each.made.findings


def sets_of(outcome: Outcome[ResourceSet] | None) -> list[Resource]:
    """Return the ResourceSets that a Kustomization deploys."""
    return [each for each in outcome.value if is_resource_set(each)] if outcome else []


def suspended_sets(objects: Iterable[Resource]) -> list[Resource]:
    """Return the ResourceSets among ``objects`` that the operator leaves as they are in the cluster."""
    return [each for each in objects if is_resource_set(each) and is_disabled(each)]


def applier_of_set(reached: ReachedSet) -> Applier:
    """Return a ResourceSet as what applies its objects, in the cluster that the set itself is in."""
    cluster = object_at(reached.parent.entry.content, "spec").get("kubeConfig")
    return Applier(reached.entry, reached.objects.resources, cluster, FieldPath.of("spec"))


def set_point(
    entry: OverlayEntry,
    reached: ReachedSet,
    instancetypes: tuple[Resource, ...],
    notes: Iterable[Diagnostic],
    kept: tuple[str, ...],
) -> EntryPoint:
    """Return the entry point of a ResourceSet; ``notes`` are the findings about it and its entry."""
    providers, findings = (reached.made.providers, reached.made.findings) if reached.made else ((), ())
    return EntryPoint(
        entry.entry,
        reached.entry,
        variables=providers,
        instancetypes=instancetypes,
        machines=count_machines(Outcome(reached.objects)),
        notes=(*notes, *findings),
        objects=reached.objects.resources,
        kept=kept,
    )


def resource_set_findings(
    resources: ResourceSet, check: Callable[[ResourceSet], Outcome[ResourceSet]]
) -> Iterator[Diagnostic]:
    """Yield the findings about the ResourceSets among ``resources``, and about what they make.

    What they make is checked together with ``resources``, and is not written, in overlays that have the sets
    as objects. ``check`` runs the stages. A set with inputs from elsewhere makes nothing.
    """
    known = {each.reference: each for each in resources}
    for entry in filter(is_resource_set, resources):
        made = generate_objects(entry, known)
        yield from made.findings
        if not len(made.objects):
            continue
        places = {each.current_id: each.origin for each in made.objects}
        for found in check(ResourceSet((*resources, *made.objects))).diagnostics:
            origin = places.get(found.resource) if found.resource else None
            if origin and any(site.is_within(origin) for site in found.sites):
                yield found
