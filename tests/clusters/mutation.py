"""One change made in the cluster, outside Git."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any, NamedTuple

from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from tests.clusters.cluster import GeneratedCluster
from tests.clusters.field_managers import entry, field_keys
from tests.clusters.machines import Object

MANAGERS = ("kubectl-edit", "kubectl-patch", "virt-api", "Mozilla", "helm")
#: Fields that name an element of a list: with another name it is another element.
_NAMES = frozenset({"name", "key", "deviceName", "port", "topologyKey", "whenUnsatisfiable"})
_NOT_CHANGED = frozenset({"apiVersion", "kind", "status"})

Path = tuple[str | int, ...]


class Mutation(NamedTuple):
    """The live objects with one field changed; ``field`` is its path, as a difference names it.

    ``manager`` owns it now; it is empty where the field is gone.
    """

    live: list[Object]
    kind: str
    name: str
    field: str
    manager: str


def mutate(cluster: GeneratedCluster, rng: Random) -> Mutation:
    """Change, remove or add one field of one object that Git has."""
    while True:
        written = rng.choice(cluster.git)
        live = deepcopy(cluster.live)
        found = next(each for each in live if _identity(each) == _identity(written))
        way = rng.choice(("change", "change", "remove", "add"))
        path = _added(rng, found) if way == "add" else _chosen(rng, written, found)
        if path is None or (way == "remove" and len(_at(found, path[:-1])) == 1):
            continue
        parent, last = _at(found, path[:-1]), path[-1]
        if way == "change":
            parent[last] = _other(str(last), parent[last])
        field, keys = str(Resource(found, Site("")).named_field(path)), field_keys(found, path)
        if way == "remove":
            del parent[last]
        manager = rng.choice(MANAGERS)
        is_gone = way == "remove" and len(keys) == len(path)  # and not a part of an atomic value
        _own(found, keys, "" if is_gone else manager)
        owner = "" if is_gone else manager
        return Mutation(live, found["kind"], found["metadata"]["name"], field, owner)


def changed_sources(cluster: GeneratedCluster, rng: Random) -> list[Object]:
    """Return the sources with one field of one VirtualMachine changed, or one of its labels."""
    sources = deepcopy(cluster.sources)
    machine = rng.choice([each for each in sources if each["kind"] == "VirtualMachine"])
    found = next(each for each in cluster.live if _identity(each) == _identity(machine))
    path = _chosen(rng, machine, found) if rng.random() < 0.8 else None
    if path is None:
        machine["metadata"].setdefault("labels", {})["added-label"] = "x"  # no label of a service
    else:
        parent, last = _at(machine, path[:-1]), path[-1]
        parent[last] = _other(str(last), parent[last])
    return sources


def _chosen(rng: Random, written: Object, found: Object) -> Path | None:
    paths = list(_leaves(written, found, ()))
    return rng.choice(paths) if paths else None


def _identity(content: Object) -> tuple[str, str, str]:
    return content["kind"], content["metadata"].get("namespace", ""), content["metadata"]["name"]


def _leaves(written: Any, live: Any, at: Path) -> Iterator[Path]:  # noqa: ANN401 - any JSON
    """The scalars at the same path in Git and in the cluster that are not names."""
    if isinstance(written, dict) and isinstance(live, dict):
        for key in written.keys() & live.keys() - (_NOT_CHANGED if not at else frozenset()):
            if key == "metadata" and not at:
                continue
            yield from sorted(_leaves(written[key], live[key], (*at, key)), key=str)
    elif isinstance(written, list) and isinstance(live, list):
        for index, (one, other) in enumerate(zip(written, live, strict=True)):
            if isinstance(one, dict):
                yield from _leaves(one, other, (*at, index))
    elif not isinstance(live, dict | list) and at[-1] not in _NAMES:
        yield at


def _at(value: Any, path: Path) -> Any:  # noqa: ANN401 - any JSON
    for step in path:
        value = value[step]
    return value


def _other(key: str, value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 7
    if key in ("guest", "maxGuest", "memory", "cpu", "storage", "capacity"):
        return "13Gi"
    return f"{value}x"


def _added(rng: Random, found: Object) -> Path | None:
    """Add a field that is not in Git."""
    path: Path
    if found["kind"] == "VirtualMachine":
        path, value = rng.choice(
            (
                (("spec", "template", "spec", "subdomain"), "added"),
                (("spec", "template", "spec", "domain", "chassis"), {"asset": "added"}),
                (("spec", "template", "spec", "domain", "ioThreadsPolicy"), "shared"),
                (("spec", "updateVolumesStrategy"), "Migration"),
                (("metadata", "labels", "added-label"), "x"),
            )
        )
    else:
        label, note = ("labels", "added-label"), ("annotations", "example.org/added")
        path, value = ("metadata", *rng.choice((label, note))), rng.choice(("", "x"))
    parent = found
    for step in path[:-1]:
        parent = parent.get(str(step), {})
    if not parent or path[-1] in parent or (found["kind"] == "Namespace" and len(parent) == 1):
        return None
    parent[path[-1]] = value
    return path


def _own(found: Object, keys: list[str], manager: str) -> None:
    """Let a manager own a field, and the others not (structured-merge-diff ``merge/update.go``)."""
    managed = found["metadata"].setdefault("managedFields", [])
    for each in managed:
        fields = each["fieldsV1"]
        for key in keys[:-1]:
            fields = fields.get(key, {})
        fields.pop(keys[-1], None)
    made: Object = {}
    inner = made
    for key in keys:
        inner = inner.setdefault(key, {})
    if manager:
        managed.append(entry(manager, "Update", found["apiVersion"], made))


def _disown(fields: Object, keys: list[str]) -> None:
    """Remove a field; an emptied mapping is a leaf."""
    if keys[0] not in fields:
        return
    if len(keys) == 1:
        del fields[keys[0]]
        return
    _disown(fields[keys[0]], keys[1:])
    if fields[keys[0]].keys() == {"."}:
        fields[keys[0]] = {}
