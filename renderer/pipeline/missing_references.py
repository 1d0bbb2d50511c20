"""The Secrets and ConfigMaps that virtual machines of Git name, and that neither Git nor a cluster has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.checks.rules.references import CONFIG_MAP, SECRET, Inventory, ObjectReference, references
from renderer.kubevirt.facts.kinds import VM
from renderer.kubevirt.facts.placeholders import has_placeholder
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.resource import Resource

#: Kinds that an instance mounts, so that it does not start without them.
MOUNTED = frozenset({CONFIG_MAP, SECRET})


class MountedObjects:
    """The Secrets and ConfigMaps of Git and of a dump, which may have been printed without a kind."""

    def __init__(
        self, written: Iterable[Resource], live: Iterable[Resource], namespaces: Iterable[str]
    ) -> None:
        """``live`` are objects of the dump of the kinds ``MOUNTED``, of which names count alone.

        ``namespaces`` are those that the dump has objects of.
        """
        live = tuple(live)
        self._namespaces = {"", *namespaces, *(each.namespace for each in live)}
        self._kinds = {each.kind for each in live}
        self._inventory = Inventory((*written, *live), ())

    def notes(self, written: Iterable[Resource]) -> Iterator[str]:
        """Yield one note for each VirtualMachine and object that it lacks.

        Nothing is said of a kind or namespace that the dump has no object of: it was printed without it.
        """
        machines = (VirtualMachineView.of(each) for each in written if each.kind == VM)
        found = references(each for each in machines if each is not None)
        named: dict[str, None] = {}
        for kind in sorted(MOUNTED & self._kinds):
            for reference in found.get(kind, ()):
                if _is_mounted(reference) and self._lacks(reference):
                    place = f"{reference.namespace}/{reference.name}".removeprefix("/")
                    named[
                        f"{reference.resource.current_id} names {kind} {place}, which is neither in these "
                        "overlays nor in the dump: the VM would not start"
                    ] = None
        yield from named

    def _lacks(self, reference: ObjectReference) -> bool:
        if has_placeholder(f"{reference.namespace}/{reference.name}"):
            return False
        if reference.namespace not in self._namespaces:
            return False
        return not self._inventory.has(reference.kind, reference.name, reference.namespace)


def _is_mounted(reference: ObjectReference) -> bool:
    """Tell whether an instance cannot start without the object.

    An image may be pulled without its Secret, and a disk that was imported once needs none.
    """
    instance = reference.machine.paths.instance
    return reference.place.base == instance and reference.way[-1] != "imagePullSecret"
