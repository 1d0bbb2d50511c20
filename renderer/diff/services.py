"""Services that no longer select a virtual machine: their selector or its labels change, or they are removed.

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
    """Return the changes, with what a changed or removed Service does to machines that it leaves."""
    services = [each for each in changes if each.id.gvk.kind == SERVICE and each.impact is None]
    changed = {each.id for each in services if _is_update(each)}
    lost = {each.before: each.id for each in services if each.before and _loses_its_name(each)}
    if not changed and not lost:
        return [*changes]
    sides = [*before], [*after]
    old, new = ({each.current_id: each for each in side if each.kind == SERVICE} for side in sides)
    impacts = {id_: _impact(old[id_], new[id_], sides) for id_ in changed if id_ in old and id_ in new}
    impacts |= {id_: _removal(old[gone], sides) for gone, id_ in lost.items() if gone in old}

    def judged(change: ResourceChange) -> ResourceChange:
        impact = impacts.get(change.id) if change.impact is None else None
        return change._replace(impact=impact, effects=(impact.effect,)) if impact else change

    return [*map(judged, changes)]


def _is_update(change: ResourceChange) -> bool:
    selects = any(each.field.segments[:2] == ("spec", "selector") for each in change.fields)
    return change.type is ChangeType.CHANGED and selects


def _loses_its_name(change: ResourceChange) -> bool:
    """Return True if clients no longer find a Service, or not under its name."""
    return change.type in (ChangeType.REMOVED, ChangeType.RENAMED)


def _removal(gone: Resource, sides: tuple[Sequence[Resource], Sequence[Resource]]) -> Impact | None:
    """Return what the removal of a Service does to the machines that it selects, and that stay."""
    there = {each.current_id for each in sides[1]}
    selected = [
        f"{each.kind} {each.name}"
        for each in _selected(gone, sides[0])
        if VirtualMachineView.of(each) and each.current_id in there
    ]
    if not selected:
        return None
    reason = f"connections to {', '.join(selected)} by the name or address of this Service fail at once"
    return Impact(Effect.STOP, reason, _SOURCE)


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
