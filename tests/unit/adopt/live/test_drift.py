"""The drift of one object: what comparing it costs."""

from __future__ import annotations

from time import process_time
from typing import Any

from renderer.adopt.live.drift import Drift
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

NUMBER = 2000


def machine(side: str, managed: list[Any]) -> Resource:
    names = [f"acme.example/{side}{number}" for number in range(NUMBER)]
    metadata: dict[str, Any] = {"name": "db", "finalizers": names, "managedFields": managed}
    content: dict[str, Any] = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata}
    return Resource(content, Site("db.yaml"))


def test_time_grows_with_the_number_of_finalizers() -> None:
    owned: dict[str, Any] = {f'v:"acme.example/cluster{number}"': {} for number in range(NUMBER)}
    edited = {
        "manager": "kubectl-edit",
        "operation": "Update",
        "fieldsV1": {"f:metadata": {"f:finalizers": owned}},
    }
    live, written = machine("cluster", [edited]), machine("git", [])
    begun = process_time()

    drift = Drift(live, written, written.content, merges=False)
    kept = [change.kept for change in drift.owned_changes()]

    assert kept.count(True) == 0
    assert len(kept) == 2 * NUMBER
    assert process_time() - begun < 5
