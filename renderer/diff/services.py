"""Services that no longer select a virtual machine, because their selector or its labels change.

KubeVirt copies the labels of a machine's template to its pod when the machine starts
(``pkg/virt-controller/services/template.go``); a Service finds the pod by them, at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import ChangeType, Effect, Impact, ResourceChange
from renderer.model.kube.json import Json, object_at
from renderer.model.kube.resource import Resource

SERVICE = "Service"
_SOURCE = "kubernetes pkg/controller/endpointslice/endpointslice_controller.go syncService"
_NAME_LABEL = "vm.kubevirt.io/name"


def with_lost_machines(
    changes: Sequence[ResourceChange], before: Iterable[Resource], after: Iterable[Resource]
) -> list[ResourceChange]:
    """Return the changes, with what a changed Service does to the machines that it selects no longer."""
    changed = {each.id for each in changes if each.id.gvk.kind == SERVICE and _is_update(each)}
    if not changed:
        return [*changes]
    sides = [*before], [*after]
    old, new = ({each.current_id: each for each in side if each.current_id in changed} for side in sides)
    impacts = {id_: _impact(old[id_], new[id_], sides) for id_ in changed if id_ in old and id_ in new}

    def judged(change: ResourceChange) -> ResourceChange:
        impact = impacts.get(change.id)
        return change._replace(impact=impact, effects=(impact.effect,)) if impact else change

    return [*map(judged, changes)]


def _is_update(change: ResourceChange) -> bool:
    selects = any(each.field.segments[:2] == ("spec", "selector") for each in change.fields)
    return change.type is ChangeType.CHANGED and change.impact is None and selects


def _impact(
    old: Resource, new: Resource, sides: tuple[Sequence[Resource], Sequence[Resource]]
) -> Impact | None:
    """Return what happens if a machine that the old Service selects is not selected by the new one."""
    left = {each.current_id for each in _selected(new, sides[1])}
    there = {each.current_id for each in sides[1]}
    lost = [
        f"{each.kind} {each.name}"
        for each in _selected(old, sides[0])
        if VirtualMachineView.of(each) and each.current_id in there - left
    ]
    if not lost:
        return None
    effect = Effect.LIVE if left else Effect.STOP
    rest = "" if left else ", nor anything else of this overlay"
    return Impact(effect, f"it no longer selects {', '.join(lost)}{rest}: connections fail at once", _SOURCE)


def _selected(service: Resource, resources: Iterable[Resource]) -> Iterator[Resource]:
    selector = object_at(service.content, "spec", "selector")
    for each in resources:
        if selector and each.namespace == service.namespace and selector.items() <= _pod_labels(each).items():
            yield each


def _pod_labels(resource: Resource) -> Mapping[str, Json]:
    """Return the labels of the pods that an object makes; empty if it makes none."""
    machine = VirtualMachineView.of(resource)
    if machine is None:
        return object_at(resource.content, "spec", "template", "metadata", "labels")
    template = object_at(resource.content, *machine.paths.template.keys)
    return {_NAME_LABEL: machine.name, **object_at(template, "metadata", "labels")}
