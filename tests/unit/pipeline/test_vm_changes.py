"""``pipeline.vm_changes``: what the VirtualMachines of a state refer to."""

from __future__ import annotations

from contextvars import copy_context

import pytest

from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.model.run.work import begin_run, spent
from renderer.pipeline import vm_changes
from renderer.pipeline.vm_changes import ProjectState, VmChanges
from tests.kubevirt_objects import vm

PROFILE: JsonObject = {"spec": {"claimPropertySets": [{"accessModes": ["ReadWriteMany"]}]}}


def claim(namespace: str, name: str, *modes: str) -> Resource:
    metadata: JsonObject = {"name": name, "namespace": namespace}
    spec: JsonObject = {"accessModes": [*modes]}
    return Resource(
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec},
        Site("objects.yaml"),
    )


def disk(namespace: str, name: str) -> Resource:
    metadata: JsonObject = {"name": name, "namespace": namespace}
    content: JsonObject = {
        "apiVersion": "cdi.kubevirt.io/v1beta1",
        "kind": "DataVolume",
        "metadata": metadata,
        "spec": {"storage": {"storageClassName": "fast"}},
    }
    return Resource(content, Site("objects.yaml"))


def state(*resources: Resource, cluster: ProjectState | None = None) -> ProjectState:
    return ProjectState(ResourceSet(resources), Catalog(), {"fast": PROFILE}, cluster)


def test_claims_of_another_namespace_do_not_count() -> None:
    only = state(claim("a", "root", "ReadWriteMany"), claim("b", "root", "ReadWriteOnce"))
    changes = VmChanges(only, only, Release(1, 9))
    assert dict(changes.access_modes("a")) == {"root": ("ReadWriteMany",)}
    assert dict(changes.access_modes("b")) == {"root": ("ReadWriteOnce",)}
    assert dict(changes.access_modes("c")) == {}


def test_machine_without_namespace_finds_the_claims_of_default() -> None:
    only = state(
        claim("default", "root", "ReadWriteMany"),
        claim("default", "data", "ReadWriteOnce"),
        claim("", "data", "ReadWriteMany"),
        claim("a", "logs", "ReadWriteMany"),
    )
    modes = VmChanges(only, only, Release(1, 9)).access_modes("")
    assert dict(modes) == {"root": ("ReadWriteMany",), "data": ("ReadWriteMany",)}


def test_claims_of_git_count_before_those_of_the_cluster() -> None:
    cluster = state(
        claim("a", "root", "ReadWriteOnce"), claim("a", "data", "ReadWriteOnce"), disk("a", "logs")
    )
    before, after = state(cluster=cluster), state(claim("", "root", "ReadWriteMany"), cluster=cluster)
    modes = VmChanges(before, after, Release(1, 9)).access_modes("a")
    assert modes["root"] == ("ReadWriteMany",)
    assert modes["data"] == ("ReadWriteOnce",)
    assert modes["logs"] == ("ReadWriteMany",)  # of its StorageProfile
    assert "others" not in modes
    assert len(modes) == 3


def test_catalogs_come_after_the_cluster_and_the_cluster_after_git() -> None:
    cluster = state(claim("a", "root", "ReadWriteOnce"), claim("a", "data"))
    git = state(claim("a", "root", "ReadWriteMany"), cluster=cluster).everything
    assert git.named("PersistentVolumeClaim", "root")["a"].content["spec"] == {
        "accessModes": ["ReadWriteMany"]
    }
    assert "a" in git.named("PersistentVolumeClaim", "data")


def test_claim_is_looked_up_once_however_many_machines_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    only = state(*(claim("a", "root", "ReadWriteMany") for _ in range(5)))
    modes = VmChanges(only, only, Release(1, 9)).access_modes("a")
    assert modes["root"] == ("ReadWriteMany",)
    monkeypatch.setattr(vm_changes, "claims_of", None)
    assert modes["root"] == ("ReadWriteMany",)


def test_each_state_since_the_start_costs_steps() -> None:
    machine = Resource(vm("web", {"devices": {}}), Site("vm.yaml"))
    only = state(machine)

    def steps(states: int) -> int:
        begin_run()
        assert VmChanges(only, only, Release(1, 9), [only] * states)(machine, machine) is not None
        return spent()

    few, many = (copy_context().run(steps, number) for number in (1, 21))
    assert many - few >= 20 * 400
