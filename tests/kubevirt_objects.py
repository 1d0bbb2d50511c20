"""KubeVirt's objects as small as they can be, for tests to add to."""

from __future__ import annotations

from renderer.kubevirt.instancetype.behaviour import Behaviour, behaviour_of
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource, Scope
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import LATEST, Release

NAMESPACE = "prod"


def instancetype(name: str = "medium", vcpus: int = 2, memory: Json = "4Gi", **spec: Json) -> dict[str, Json]:
    """A VirtualMachineClusterInstancetype; ``spec`` has what it sets beyond its size, or in place of it."""
    size: JsonObject = {
        "cpu": {"guest": vcpus},
        "memory": memory if isinstance(memory, dict) else {"guest": memory},
    }
    return _object("VirtualMachineClusterInstancetype", name, {**size, **spec})


def preference(name: str = "linux", **spec: Json) -> dict[str, Json]:
    """A VirtualMachineClusterPreference."""
    return _object("VirtualMachineClusterPreference", name, spec)


def namespaced(content: JsonObject, namespace: str = NAMESPACE) -> dict[str, Json]:
    """The object as its kind that has namespaces."""
    kind = str(content["kind"]).replace("Cluster", "")
    metadata = content["metadata"]
    assert isinstance(metadata, dict)
    return {
        **content,
        "kind": kind,
        "metadata": {**metadata, **({"namespace": namespace} if namespace else {})},
    }


def vm(name: str = "db", domain: JsonObject | None = None, **spec: Json) -> dict[str, Json]:
    """A VirtualMachine; matchers given as text are names of cluster-wide objects."""
    matchers = {
        key: {"name": value} if isinstance(value, str) and key in ("instancetype", "preference") else value
        for key, value in spec.items()
    }
    template: JsonObject = {"spec": {"domain": {"devices": {}} if domain is None else domain}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"runStrategy": "Always", "template": template, **matchers},
    }


def labelled(
    kind: str, name: str, spec: JsonObject | None = None, labels: JsonObject | None = None, **metadata: Json
) -> dict[str, Json]:
    """A volume, or what a volume is made of."""
    groups = {"PersistentVolumeClaim": "v1", "VolumeSnapshot": "snapshot.storage.k8s.io/v1"}
    return {
        "apiVersion": groups.get(kind, "cdi.kubevirt.io/v1beta1"),
        "kind": kind,
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels or {}, **metadata},
        "spec": spec or {},
    }


def revision(name: str, data: Json, labels: JsonObject | None = None) -> dict[str, Json]:
    """A ControllerRevision."""
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels or {}},
        "data": data,
        "revision": 0,
    }


def kubevirt(architecture: str | None = None, **configuration: Json) -> dict[str, Json]:
    """The KubeVirt object of a cluster."""
    status = {} if architecture is None else {"defaultArchitecture": architecture}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": configuration},
        "status": status,
    }


def resources(*contents: JsonObject, file: str = "file.yaml") -> ResourceSet:
    """One document each of one file."""
    return ResourceSet(tuple(Resource(content, Site(file, at)) for at, content in enumerate(contents)))


def catalog(*contents: JsonObject, name: str = "catalog") -> Catalog:
    return Catalog.of(CatalogSource(name, resources(*contents, file=f"{name}.yaml")))


def scope(*contents: JsonObject) -> Scope:
    """What a VirtualMachine in the namespace of these objects sees."""
    return Scope(catalog(*contents), NAMESPACE)


def behaviour(release: str | None = None) -> Behaviour:
    return behaviour_of(LATEST if release is None else Release.parse(release))


def _object(kind: str, name: str, spec: JsonObject) -> dict[str, Json]:
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": spec,
    }
