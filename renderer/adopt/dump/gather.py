"""Gather the contents of a dump: the user's objects, and what the other objects say about the cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from renderer.adopt.dump.consistency import Consistency
from renderer.adopt.dump.credentials import KnownCredentials
from renderer.adopt.dump.outlook import (
    Autoscaled,
    InProgress,
    autoscaled,
    engine_of,
    in_progress,
    runs,
)
from renderer.adopt.dump.user_objects import (
    NO_MACHINE,
    clean,
    is_machine,
    maintainer_of_node,
    reason_left_out,
)
from renderer.kubevirt.facts.kinds import (
    APPS_GROUP,
    CONTROLLER_REVISION,
    INSTANCETYPE_GROUP,
    KUBEVIRT,
    KUBEVIRT_GROUP,
    MATCHER_TYPE_OF,
    MATCHER_TYPES,
)
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.live_object import LiveObject
from renderer.model.kube.location import Location, Site
from renderer.model.kube.owners import owners
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.model.record import Record
from renderer.model.run.limits import limits, over_limit

_OF_A_NODE = "it belongs to a node that is left out"
_CLUSTER_CONFIGURATION = "its administrators configure the cluster with it"


class UserObject(Record):
    """The user's part of an object; of a VirtualMachine's status, the names of its revisions.

    ``engine`` deploys the object today, empty if nobody does. ``runs``: it is a running VirtualMachine.
    """

    content: JsonObject
    location: Location
    references: JsonObject
    engine: str = ""
    runs: bool = False

    @property
    def resource(self) -> Resource:
        return Resource(self.content, Site(self.location.path))


class _Kept(Record):
    """An object that may belong in Git: what owns it, and how many of its fields do not belong there."""

    user: UserObject
    owners: frozenset[ObjectKey]
    removed: int


class Gathered(Record):
    """The objects of a cluster. ``left_out`` counts the other objects by kind and reason.

    ``nodes`` are the machines among those that another program makes and replaces, as nodes of a cluster.
    ``revisions`` are the ControllerRevisions. ``kubevirt`` is the KubeVirt object with its status, empty if
    the dump has none. ``fields`` counts the fields that were removed from the objects. ``credentials`` are
    the values of all Secrets, left out or not.
    """

    objects: tuple[UserObject, ...]
    left_out: Mapping[tuple[str, str], int]
    nodes: tuple[str, ...]
    revisions: tuple[Resource, ...]
    instancetypes: tuple[Resource, ...]
    autoscaled: tuple[Autoscaled, ...]
    in_progress: tuple[InProgress, ...]
    kubevirt: JsonObject
    fields: int
    findings: tuple[Diagnostic, ...]
    credentials: Masking


def gather(dump: Iterable[LiveObject], *, all_namespaces: bool = False) -> Gathered:
    """Gather the objects of a dump; only the user's parts of them are kept in memory.

    Objects of namespaces without a virtual machine are left out, unless ``all_namespaces`` is set or the dump
    has no virtual machine at all.

    Raises ``DiagnosticError``: all errors of reading a dump, and build-limit.
    """
    seen = Consistency()
    kept: dict[ObjectKey, _Kept] = {}
    revisions: dict[ObjectKey, Resource] = {}
    instancetypes: dict[ObjectKey, Resource] = {}
    left_out: dict[ObjectKey, tuple[str, str]] = {}
    nodes: set[ObjectKey] = set()
    pools: dict[str, Autoscaled] = {}
    operations: dict[InProgress, None] = {}
    kubevirt: JsonObject = {}
    credentials = KnownCredentials()
    for live in dump:
        if not seen.add(live):
            continue
        credentials.add(live.content)
        identity = live.id.object_key
        if identity[:2] == (APPS_GROUP, CONTROLLER_REVISION) and _stores_instancetype(live.content):
            revisions[identity] = live.resource
        if identity[0] == INSTANCETYPE_GROUP:
            instancetypes[identity] = live.resource
        scaled = autoscaled(live)
        if scaled and (scaled.pool not in pools or scaled.pool != str(live.id)):  # an autoscaler counts most
            pools[scaled.pool] = scaled
        operations |= dict.fromkeys(in_progress(live))
        reason = reason_left_out(live)
        if identity[:2] == (KUBEVIRT_GROUP, KUBEVIRT):  # it says which release runs, whoever installs it
            kubevirt, reason = live.content, reason or _CLUSTER_CONFIGURATION
        if maintainer_of_node(live):
            nodes.add(identity)
        if reason is not None:
            left_out[identity] = (live.kind, reason)
            kept.pop(identity, None)
            continue
        cleaned = clean(live.content)
        references = _revision_references(live.content)
        user = UserObject(cleaned.content, live.location, references, engine_of(live), runs(live))
        kept[identity] = _Kept(user, frozenset(_owners(live)), len(cleaned.removed))
        if len(kept) > limits().resources:
            raise over_limit("resources", f"the dump holds more than {limits().resources} objects")
    for identity in [*kept]:
        if not nodes.isdisjoint(kept[identity].owners):
            left_out[identity] = (identity[1], _OF_A_NODE)
            del kept[identity]
    found = (*kept, *(left_out.keys() - nodes))
    machines = {namespace for group, kind, namespace, _ in found if is_machine(group, kind)}
    if machines and not all_namespaces:
        for identity in [*kept]:
            group, kind, namespace, name = identity
            if (group, kind) == ("", "Namespace"):
                namespace = name
            if namespace and namespace not in machines:
                left_out[identity] = (kind, NO_MACHINE)
                del kept[identity]
    return Gathered(
        objects=tuple(kept[identity].user for identity in sorted(kept)),
        left_out=Counter(left_out.values()),
        nodes=tuple(f"{namespace}/{name}" for _, _, namespace, name in sorted(nodes)),
        revisions=tuple(revisions.values()),
        instancetypes=tuple(instancetypes.values()),
        autoscaled=tuple(pools[pool] for pool in sorted(pools)),
        in_progress=tuple(sorted(operations)),
        kubevirt=kubevirt,
        fields=sum(each.removed for each in kept.values()),
        findings=tuple(seen.findings()),
        credentials=credentials.masking(),
    )


def _owners(live: LiveObject) -> Iterator[ObjectKey]:
    """Yield the identities of the objects that own this one; they are in its namespace."""
    for owner in owners(live.content):
        group = text_at(owner, "apiVersion").rpartition("/")[0]
        yield group, text_at(owner, "kind"), live.namespace, text_at(owner, "name")


def _stores_instancetype(revision: JsonObject) -> bool:
    """Return True if a ControllerRevision stores an instance type or preference, in any encoding."""
    data = object_at(revision, "data")
    return text_at(data, "kind") in MATCHER_TYPE_OF or isinstance(data.get("spec"), str)


def _revision_references(live: JsonObject) -> JsonObject:
    """Return the part of a VirtualMachine's status that names the revisions it was started with."""
    status = object_at(live, "status")
    keys = [matcher_type.status_ref for matcher_type in MATCHER_TYPES]
    found = {key: status[key] for key in keys if key in status}
    return {"status": found} if found else {}
