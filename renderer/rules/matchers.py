"""The instance types and preferences that virtual machines name, before they were expanded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from renderer.kubevirt.virtual_machine import VirtualMachineView
from renderer.model.json import object_at, text_at
from renderer.model.resource import Resource
from renderer.rules.context import Context

INSTANCETYPE, PREFERENCE = "instancetype", "preference"
INSTANCETYPES = ("VirtualMachineInstancetype", "VirtualMachineClusterInstancetype")
PREFERENCES = ("VirtualMachinePreference", "VirtualMachineClusterPreference")


def not_named_by_machines(
    context: Context, matcher: str, resources: Sequence[Resource]
) -> Sequence[Resource]:
    """Return the instance types or preferences that no machine names.

    The others are judged as a part of their machines, which KubeVirt refuses where they do not work.
    """
    machines = (VirtualMachineView.of(resource) for resource in context.composed)
    named = {text_at(machine.spec, matcher, "name") for machine in machines if machine is not None}
    return [resource for resource in resources if named.isdisjoint(_names(resource))]


def _names(resource: Resource) -> Iterator[str]:
    """Yield the name of the resource, and the names it had before it got prefixes and suffixes."""
    yield resource.name
    for earlier in resource.previous_ids:
        yield earlier.name


def preference_of(context: Context, machine: VirtualMachineView) -> Resource | None:
    """The preference that a machine named before it was expanded; None where that takes more to tell."""
    matcher = object_at(context.spec_before(machine), PREFERENCE)
    name = text_at(matcher, "name")
    if not name or text_at(matcher, "revisionName"):
        return None
    cluster_wide = "cluster" in (text_at(matcher, "kind") or "cluster").lower()
    kind = PREFERENCES[1] if cluster_wide else PREFERENCES[0]
    return context.found(kind, name, "" if cluster_wide else machine.namespace)
