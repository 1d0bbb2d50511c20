"""The virtual machines of a dump that name ControllerRevisions of instance types and preferences.

A VirtualMachine names them in its matchers and, since KubeVirt 1.5, in its status. A running one was started
from a spec that KubeVirt keeps in another ControllerRevision, and compares with the present spec to know
whether a restart is due: a revision that is named there is needed until that restart
(``pkg/virt-controller/watch/vm/vm.go``, ``syncRestartRequired``).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from shlex import quote

from renderer.adopt.live.cluster_objects import ClusterObjects
from renderer.kubevirt.facts.kinds import (
    CONTROLLER_REVISION,
    INSTANCETYPE_GROUP,
    MATCHER_TYPES,
    VM,
    VM_POOL,
)
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.lost_revision import named_revisions
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.owners import owners
from renderer.model.kube.resource import Resource
from renderer.model.record import Record

#: The kinds of objects that show who uses a revision.
KINDS = frozenset({CONTROLLER_REVISION, VM, VM_POOL})


class UnclearedMachine(Record):
    """A VirtualMachine of which only the status names ``revisions``, by the key of the matcher."""

    namespace: str
    name: str
    revisions: Mapping[str, str]


class _Identity(Record):
    """The identity of a machine; in Git, an empty namespace is that of the engine."""

    kind: str
    namespace: str
    name: str

    def is_found_in(self, others: Iterable[_Identity]) -> bool:
        return any(
            (self.kind, self.name) == (each.kind, each.name) and self.namespace in ("", each.namespace)
            for each in others
        )


def _owner_names(resource: Resource, kind: str) -> list[str]:
    """Return the names of the owners of this kind."""
    return [text_at(owner, "name") for owner in owners(resource.content) if owner.get("kind") == kind]


class RevisionUsers:
    """The machines of a dump, and the revisions that each of them names."""

    def __init__(self, objects: Iterable[Resource]) -> None:
        self.uncleared: list[UnclearedMachine] = []
        self._namespaces: set[str] = set()
        self._machines: set[_Identity] = set()
        self._pools_with_machines: set[_Identity] = set()
        #: A machine that names it, by namespace and name of a revision.
        self._users: dict[tuple[str, str], str] = {}
        for each in objects:
            view = VirtualMachineView.of(each)
            if each.kind == CONTROLLER_REVISION:
                self._namespaces.add(each.namespace)
                self._add_started_machine(each)
            elif view is not None and each.kind in (VM, VM_POOL):
                self._namespaces.add(each.namespace)
                self._add_machine(view)

    def user_of(self, namespace: str, name: str) -> str:
        """Return a machine that names a revision; empty if none does. ``name`` may lack its affixes."""
        for (place, revision), user in self._users.items():
            if namespace in ("", place) and name in revision:
                return user
        return ""

    def reason_to_keep(self, namespace: str, name: str, machines: Iterable[Resource]) -> str:
        """Return why a revision has to stay in the cluster; empty if nothing there uses it.

        ``machines`` are the machines of Git that may use the revision: the dump must have them.
        """
        user = self.user_of(namespace, name)
        if user:
            return f"{user} names it"
        for machine in machines:
            found = _Identity(machine.kind, machine.namespace, machine.name)
            if not found.is_found_in(self._machines):
                return f"the dump does not have {machine.current_id}"
            is_alone = machine.kind != VM_POOL or object_at(machine.content, "spec").get("replicas") == 0
            if not is_alone and not found.is_found_in(self._pools_with_machines):
                return f"the dump does not have the virtual machines of {machine.current_id}"
        if namespace and namespace not in self._namespaces:
            return f"the dump has no machine and no ControllerRevision of namespace {namespace}"
        return ""

    def _add_machine(self, view: VirtualMachineView) -> None:
        machine = view.resource
        status = object_at(machine.content, "status")
        self._machines.add(_Identity(machine.kind, machine.namespace, machine.name))
        self._pools_with_machines |= {
            _Identity(VM_POOL, machine.namespace, name) for name in _owner_names(machine, VM_POOL)
        }
        by_status = {
            each.key: text_at(status, each.status_ref, "controllerRevisionRef", "name")
            for each in MATCHER_TYPES
            if not text_at(view.spec, each.key, "revisionName")
        }
        by_status = {key: name for key, name in by_status.items() if name}
        if by_status:
            self.uncleared.append(UnclearedMachine(machine.namespace, machine.name, by_status))
        for name in (*named_revisions(view.spec).values(), *by_status.values()):
            self._users.setdefault((machine.namespace, name), str(machine.current_id))

    def _add_started_machine(self, revision: Resource) -> None:
        """Note the revisions in the spec that a VirtualMachine was started from (``createVMRevision``)."""
        started = named_revisions(object_at(revision.content, "data", "spec"))
        for owner in _owner_names(revision, VM) if started else ():
            user = f"{VM} {revision.namespace}/{owner}, as it was started,"
            for name in started.values():
                self._users.setdefault((revision.namespace, name), user)


def notes_about_unnamed(written: Iterable[Resource], users: RevisionUsers, overlay: str) -> Iterator[str]:
    """Yield a note about each revision of Git that no machine of Git names."""
    written = tuple(written)
    views = [view for each in written if (view := VirtualMachineView.of(each)) is not None]
    named = {(view.namespace, name) for view in views for name in named_revisions(view.spec).values()}
    for each in written:
        stored = text_at(each.content, "data", "apiVersion").partition("/")[0]
        if each.kind != CONTROLLER_REVISION or stored != INSTANCETYPE_GROUP:
            continue
        if (each.namespace, each.name) in named:
            continue
        user = users.user_of(each.namespace, each.name)
        if user:
            yield (
                f"{each.current_id} is in Git only because {user} names it:"
                f" vmrender unpin {quote(overlay)} --live says how to clear that"
            )
        else:
            yield f"no machine names {each.current_id}: vmrender unpin {quote(overlay)} --live removes it"


def notes_about_others(
    written: Iterable[Resource], objects: ClusterObjects, revisions: Container[tuple[str, str]]
) -> Iterator[str]:
    """Yield a note about each VirtualMachine that only the cluster has and whose revision leaves Git.

    A pool makes such machines. ``revisions`` are the ControllerRevisions of Git, by namespace and name.
    """
    leaving = {key for key in objects.applied_revisions if key not in revisions}
    if not leaving:
        return
    written = tuple(written)
    namespaces = {each.namespace for each in written}
    known = {each.object_key for each in written}
    for each in objects.resources:
        if each.kind != VM or each.namespace not in namespaces or each.object_key in known:
            continue
        status = object_at(each.content, "status")
        for name in named_revisions(object_at(each.content, "spec"), status).values():
            if (each.namespace, name) in leaving:
                yield (
                    f"{each.current_id} will not start again once ControllerRevision {name} is pruned,"
                    " which Git does not have"
                )
