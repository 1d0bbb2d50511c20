"""The Secrets and ConfigMaps that virtual machines of Git name, and that neither Git nor a cluster has."""

from __future__ import annotations

from collections.abc import Iterable

from renderer.checks.rules.inventory import Inventory
from renderer.diff.new_names import with_lost_name
from renderer.diff.reads import with_fields
from renderer.kubevirt.facts.kinds import CONFIG_MAP, SECRET, VM
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.needs import Need, needs_of
from renderer.model.difference import (
    ChangeType,
    FieldChange,
    Impact,
    NoValue,
    OverlayDifference,
    ResourceChange,
)
from renderer.model.kube.res_id import Gvk, ResId, namespaced_name
from renderer.model.kube.resource import Resource
from renderer.model.placeholders import has_placeholder
from renderer.model.release import Release

#: Kinds that an instance mounts; it does not start without them.
MOUNTED = frozenset({CONFIG_MAP, SECRET})


class MountedObjects:
    """The Secrets and ConfigMaps of Git and of a dump, which may have been printed without a kind."""

    def __init__(
        self, written: Iterable[Resource], live: Iterable[Resource], namespaces: Iterable[str]
    ) -> None:
        """``live`` are the objects of the dump with a kind in ``MOUNTED``; only their names are used.

        ``namespaces`` are the namespaces of the objects in the dump.
        """
        live = tuple(live)
        self._namespaces = {"", *namespaces, *(each.namespace for each in live)}
        self._kinds = {each.kind for each in live}
        self._inventory = Inventory((*written, *live), ())

    def with_missing(
        self, found: OverlayDifference, written: Iterable[Resource], release: Release
    ) -> OverlayDifference:
        """Return a difference, with the VirtualMachines that name a missing object: they do not start again.

        A kind or namespace without any object in the dump is skipped: the dump does not cover it. A machine
        that the cluster does not have, or refuses, gets a note.
        """
        if self._kinds.isdisjoint(MOUNTED):
            return found
        changes, notes = {each.id: each for each in found.changes}, dict[str, None]()
        for resource in written:
            machine = VirtualMachineView.of(resource) if resource.kind == VM else None
            for need in needs_of(machine, release) if machine else ():
                kind = need.kinds[0]
                if not self._is_missing(kind, need, resource.namespace):
                    continue
                place = namespaced_name(resource.namespace, need.name)
                impact = need.impact(f"{kind} {place} is neither in these overlays nor in the dump")
                own = changes.get(resource.current_id)
                if own is None or (own.type is ChangeType.CHANGED and not own.is_refused):
                    changes[resource.current_id] = _with_missing(own, resource.current_id, need, impact)
                else:
                    notes[f"{resource.current_id} would not start: {impact.reason}"] = None
        return found.with_changes(changes.values())._replace(notes=(*notes, *found.notes))

    def _is_missing(self, kind: str, need: Need, namespace: str) -> bool:
        """Return True if an instance cannot start, as nothing has the object; images need none."""
        is_covered = kind in MOUNTED & self._kinds and namespace in self._namespaces
        if not is_covered or need.field.segments[-1] == "imagePullSecret":
            return False
        return not (
            has_placeholder(f"{namespace}/{need.name}") or self._inventory.has(kind, need.name, namespace)
        )


def _with_missing(own: ResourceChange | None, id_: ResId, need: Need, impact: Impact) -> ResourceChange:
    """Return the change of a machine, at the field that names a missing object."""
    if own is not None and any(need.field.overlaps(each.field) for each in own.fields):
        return with_lost_name(own, need.field, impact)
    read = ResId(Gvk("", "v1", need.kinds[0]), need.name, id_.namespace)
    field = FieldChange(need.field, NoValue.WITHHELD, NoValue.ABSENT, impact=impact, read=read)
    change = with_fields(own, id_, [field])
    return change._replace(start_refusal=change.start_refusal or impact.reason)
