"""A cluster of one seed: the objects in Git, and the dump of what the cluster made of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import NamedTuple, TypeAlias

from renderer.yamlio.encode import encode
from tests.clusters.admission import ApiServer
from tests.clusters.controllers import Controllers
from tests.clusters.field_managers import Engine, entry, fields_v1
from tests.clusters.machines import Object
from tests.clusters.sources import git_objects

RELEASES = (3, 6, 9)
#: Built-in kinds, whose defaults belong to who sends the object: they are filled in before it is compared.
_BUILT_IN = frozenset({"Namespace", "PersistentVolumeClaim", "Secret", "Service"})


class GeneratedCluster(NamedTuple):
    """``git`` are the deployed objects, made of ``sources``; ``live`` the ones that kubectl prints."""

    release: int
    engine: Engine
    git: list[Object]
    live: list[Object]
    sources: list[Object]


#: Returns the deployed objects of the sources of a repository, for a release.
Render: TypeAlias = Callable[[list[Object], int], list[Object]]


def generate(
    seed: int,
    count: int = 5,
    release: int | None = None,
    engine: Engine | None = None,
    render: Render = lambda sources, _release: sources,
) -> GeneratedCluster:
    """Return the cluster of a seed; it chooses a release and an engine unless they are given.

    Virtual machines are deployed as written in the sources, unless ``render`` changes them.
    """
    rng = Random(seed)
    release = rng.choice(RELEASES) if release is None else release
    engine = rng.choice(list(Engine)) if engine is None else engine
    sources = git_objects(rng, release, count)
    git = render(sources, release)
    server = ApiServer(rng, release, git)
    controllers = Controllers(server)
    live: list[Object] = []
    for written in git:
        made = applied(server, engine, written)
        live += [made, *controllers.run(made)]
    live += _unrelated(server)
    return GeneratedCluster(release, engine, git, live, sources)


def applied(server: ApiServer, engine: Engine, written: Object) -> Object:
    """Return an object of Git as the cluster has it."""
    sent = engine.sent(written)
    made = server.created(sent)
    owned = sent
    if made["kind"] in _BUILT_IN and engine.keeps_last_applied:
        owned = {key: value for key, value in made.items() if key != "status"}
        server_made = ("uid", "resourceVersion", "creationTimestamp", "generation")
        owned["metadata"] = {key: each for key, each in made["metadata"].items() if key not in server_made}
    if "stringData" in sent and not engine.keeps_last_applied:
        owned = {key: value for key, value in sent.items() if key != "stringData"} | {"data": made["data"]}
    made["metadata"]["managedFields"] = [
        entry(engine.value.manager, engine.value.operation, made["apiVersion"], fields_v1(owned))
    ]
    return made


def _unrelated(server: ApiServer) -> list[Object]:
    """Objects that Kubernetes creates in every namespace."""
    return [
        server.created(
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "kube-root-ca.crt", "namespace": namespace},
                "data": {"ca.crt": "-----BEGIN CERTIFICATE-----\n"},
            }
        )
        for namespace in ("shop", "billing", "default")
    ]


def without_managed_fields(live: list[Object]) -> list[Object]:
    """Return the objects as kubectl prints them without ``--show-managed-fields``."""
    made = deepcopy(live)
    for each in made:
        each["metadata"].pop("managedFields", None)
    return made


def print_list(live: list[Object], output: str = "json") -> str:
    """Return what ``kubectl get … -o json`` or ``-o yaml`` prints."""
    content: Object = {"apiVersion": "v1", "items": live, "kind": "List", "metadata": {"resourceVersion": ""}}
    if output == "json":
        return json.dumps(content, indent=4, sort_keys=True) + "\n"
    return encode([content])
