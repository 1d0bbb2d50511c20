"""The Secrets and ConfigMaps that virtual machines of Git name, and that neither Git nor a cluster has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.checks.rules.inventory import Inventory
from renderer.checks.rules.references import ObjectReference, references
from renderer.kubevirt.facts.kinds import CONFIG_MAP, SECRET, VM
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.res_id import namespaced_name
from renderer.model.kube.resource import Resource
from renderer.model.placeholders import has_placeholder

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

    def notes(self, written: Iterable[Resource]) -> Iterator[str]:
        """Yield one note for each VirtualMachine and missing object.

        A kind or namespace without any object in the dump is skipped: the dump does not cover it.
        """
        machines = (VirtualMachineView.of(each) for each in written if each.kind == VM)
        found = references(each for each in machines if each is not None)
        named: dict[str, None] = {}
        for kind in sorted(MOUNTED & self._kinds):
            for reference in found.get(kind, ()):
                if _is_mounted(reference) and self._is_missing(reference):
                    place = namespaced_name(reference.namespace, reference.name)
                    named[
                        f"{reference.resource.current_id} names {kind} {place}, which is neither in these "
                        "overlays nor in the dump: the VM would not start"
                    ] = None
        yield from named

    def _is_missing(self, reference: ObjectReference) -> bool:
        if has_placeholder(f"{reference.namespace}/{reference.name}"):
            return False
        if reference.namespace not in self._namespaces:
            return False
        return not self._inventory.has(reference.kind, reference.name, reference.namespace)


def _is_mounted(reference: ObjectReference) -> bool:
    """Return True if an instance cannot start without the object.

    An image may be pulled without its Secret, and an imported disk no longer needs one.
    """
    instance = reference.machine.paths.instance
    return reference.place.base == instance and reference.path[-1] != "imagePullSecret"
