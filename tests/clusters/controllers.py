"""What controllers make of the objects: statuses, instances, DataVolumes, claims, revisions.

KubeVirt ``pkg/virt-controller/watch/vm/vm.go``, ``pkg/instancetype/revision/store.go`` (its names, and the
fields that they are noted in), CDI ``pkg/controller/datavolume``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy

from tests.clusters.admission import ApiServer, catalog
from tests.clusters.field_managers import entry
from tests.clusters.machines import Object

_GROUP = "instancetype.kubevirt.io"


class Controllers:
    """The controllers of one cluster; ``run`` changes an object in place and yields those they make of it."""

    def __init__(self, server: ApiServer) -> None:
        self.server = server

    def run(self, made: Object) -> Iterator[Object]:
        react = _KINDS.get(made["kind"])
        if react is not None:
            yield from react(self, made)

    def owned(self, owner: Object, api_version: str, kind: str, name: str, **parts: object) -> Object:
        """Return an object that a controller made for ``owner``."""
        reference = {
            "apiVersion": owner["apiVersion"],
            "blockOwnerDeletion": True,
            "controller": True,
            "kind": owner["kind"],
            "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"],
        }
        meta = {
            "name": name,
            "namespace": owner["metadata"]["namespace"],
            "ownerReferences": [reference],
            "labels": {"kubevirt.io/created-by": owner["metadata"]["uid"]},
        }
        return self.server.created({"apiVersion": api_version, "kind": kind, "metadata": meta, **parts})


def manage(made: Object, manager: str, fields: Object, subresource: str = "") -> None:
    """Note a controller among the managers of an object."""
    managed = made["metadata"].setdefault("managedFields", [])
    managed.append(entry(manager, "Update", made["apiVersion"], fields, subresource))


def _virtual_machine(cluster: Controllers, vm: Object) -> Iterator[Object]:
    meta, spec, server = vm["metadata"], vm["spec"], cluster.server
    runs = spec.get("running") is True or spec.get("runStrategy") in ("Always", "Once", "RerunOnFailure")
    observed = {
        "kubevirt.io/latest-observed-api-version": "v1",
        "kubevirt.io/storage-observed-api-version": "v1",
    }
    meta.setdefault("annotations", {}).update(observed)
    meta["finalizers"] = ["kubevirt.io/virtualMachineControllerFinalize"]
    fields: Object = {
        "f:metadata": {
            "f:annotations": {f"f:{name}": {} for name in observed},
            "f:finalizers": {".": {}, 'v:"kubevirt.io/virtualMachineControllerFinalize"': {}},
        }
    }
    status: Object = {
        "conditions": [{"type": "Ready", "status": "True" if runs else "False", "lastProbeTime": None}],
        "created": runs,
        "ready": runs,
        "printableStatus": "Running" if runs else "Stopped",
        "observedGeneration": 1,
        "desiredGeneration": 1,
        "volumeSnapshotStatuses": [{"enabled": False, "name": "root", "reason": "Not supported"}],
    }
    for key in ("instancetype", "preference"):
        if key in spec:
            yield from _revision(cluster, vm, key, status, fields)
    vm["status"] = {name: value for name, value in status.items() if value is not False}
    manage(vm, "virt-controller", fields)
    manage(vm, "virt-controller", {"f:status": {f"f:{name}": {} for name in status}}, "status")
    for template in spec.get("dataVolumeTemplates", ()):
        name = template["metadata"]["name"]
        made = cluster.owned(
            vm, "cdi.kubevirt.io/v1beta1", "DataVolume", name, spec=deepcopy(template["spec"])
        )
        yield made
        yield from cluster.run(made)
    if runs:
        yield from _instance(cluster, vm)
    server.rng.random()


def _revision(cluster: Controllers, vm: Object, key: str, status: Object, fields: Object) -> Iterator[Object]:
    """The copy of an instance type or preference, and its name in the VM."""
    matcher, meta, server = vm["spec"][key], vm["metadata"], cluster.server
    kind = "Instancetype" if key == "instancetype" else "Preference"
    own = matcher.get("kind", "").lower() == f"virtualmachine{kind.lower()}"
    kind = f"VirtualMachine{kind}" if own else f"VirtualMachineCluster{kind}"
    uid = server.uuid()
    found = (
        next(
            each["spec"]
            for each in server.known
            if each["kind"] == kind and each["metadata"].get("namespace") == meta["namespace"]
        )
        if own
        else catalog()[kind, matcher["name"]]
    )
    name = f"{meta['name']}-{matcher['name']}-v1beta1-{uid}-1"
    copied: Object = {
        "name": matcher["name"],
        "uid": uid,
        "generation": 1,
        "creationTimestamp": "2025-06-01T08:00:00Z",
    }
    if own:
        copied["namespace"] = meta["namespace"]
    data = {"apiVersion": f"{_GROUP}/v1beta1", "kind": kind, "metadata": copied, "spec": deepcopy(found)}
    made = cluster.owned(vm, "apps/v1", "ControllerRevision", name, data=data, revision=0)
    made["metadata"]["labels"] = {
        f"{_GROUP}/object-generation": "1",
        f"{_GROUP}/object-kind": kind,
        f"{_GROUP}/object-name": matcher["name"],
        f"{_GROUP}/object-uid": uid,
        f"{_GROUP}/object-version": "v1beta1",
    }
    if server.release >= 5:
        status[f"{key}Ref"] = {
            "controllerRevisionRef": {"name": name},
            "kind": kind.lower(),
            "name": matcher["name"],
        }
    else:
        matcher["revisionName"] = name
        fields.setdefault("f:spec", {})[f"f:{key}"] = {"f:revisionName": {}}
    yield made


def _instance(cluster: Controllers, vm: Object) -> Iterator[Object]:
    meta = vm["metadata"]
    spec = deepcopy(vm["spec"]["template"]["spec"])
    spec["domain"].setdefault("cpu", {}).setdefault("model", "host-model")
    spec["domain"].setdefault("memory", {}).setdefault("guest", "2Gi")
    made = cluster.owned(vm, vm["apiVersion"], "VirtualMachineInstance", meta["name"], spec=spec)
    made["metadata"]["finalizers"] = ["kubevirt.io/foregroundDeleteVirtualMachine"]
    revision = f"revision-start-vm-{meta['uid']}-1"
    made["status"] = {
        "phase": "Running",
        "nodeName": "node-1",
        "virtualMachineRevisionName": revision,
        "conditions": [{"type": "LiveMigratable", "status": "True"}],
    }
    yield made
    yield cluster.owned(
        vm, "apps/v1", "ControllerRevision", revision, data={"spec": deepcopy(vm["spec"])}, revision=1
    )


def _data_volume(cluster: Controllers, made: Object) -> Iterator[Object]:
    made["metadata"].setdefault("annotations", {})["cdi.kubevirt.io/storage.usePopulator"] = "true"
    made["status"] = {"phase": "Succeeded", "progress": "100.0%", "claimName": made["metadata"]["name"]}
    usage: Object = {"f:metadata": {"f:annotations": {".": {}, "f:cdi.kubevirt.io/storage.usePopulator": {}}}}
    manage(made, "cdi-controller", usage)
    manage(made, "cdi-controller", {"f:status": {"f:phase": {}, "f:progress": {}}}, "status")
    wanted = made["spec"].get("storage") or made["spec"]["pvc"]
    spec = {
        "accessModes": wanted.get("accessModes", ["ReadWriteOnce"]),
        "resources": deepcopy(wanted["resources"]),
        **{key: wanted[key] for key in ("storageClassName", "volumeMode") if key in wanted},
    }
    claim = cluster.owned(made, "v1", "PersistentVolumeClaim", made["metadata"]["name"], spec=spec)
    yield claim
    yield from cluster.run(claim)


def _claim(cluster: Controllers, made: Object) -> Iterator[Object]:
    meta, spec = made["metadata"], made["spec"]
    spec["volumeName"] = f"pvc-{meta['uid']}"
    bound = {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}
    meta.setdefault("annotations", {}).update(bound)
    meta["finalizers"] = ["kubernetes.io/pvc-protection"]
    made["status"] = {
        "phase": "Bound",
        "accessModes": spec["accessModes"],
        "capacity": spec["resources"]["requests"],
    }
    fields = {
        "f:metadata": {"f:annotations": {f"f:{name}": {} for name in bound}},
        "f:spec": {"f:volumeName": {}},
    }
    manage(made, "kube-controller-manager", fields)
    manage(made, "kube-controller-manager", {"f:status": {"f:phase": {}, "f:accessModes": {}}}, "status")
    cluster.server.rng.random()
    yield from ()


def _kubevirt(cluster: Controllers, made: Object) -> Iterator[Object]:
    version = {3: "v1.3.1", 6: "v1.6.6", 9: "v1.9.0"}.get(
        cluster.server.release, f"v1.{cluster.server.release}.0"
    )
    made["metadata"].setdefault("annotations", {}).update(
        {
            "kubevirt.io/latest-observed-api-version": "v1",
            "kubevirt.io/storage-observed-api-version": "v1",
        }
    )
    made["metadata"]["finalizers"] = ["foregroundDeleteKubeVirt"]
    made["spec"] = {"certificateRotateStrategy": {}, "customizeComponents": {}, **made["spec"]}
    made["status"] = {"phase": "Deployed", "observedKubeVirtVersion": version, "defaultArchitecture": "amd64"}
    noted: Object = {
        "f:kubevirt.io/latest-observed-api-version": {},
        "f:kubevirt.io/storage-observed-api-version": {},
    }
    fields = {
        "f:metadata": {"f:annotations": noted, "f:finalizers": {".": {}, 'v:"foregroundDeleteKubeVirt"': {}}},
        "f:spec": {"f:certificateRotateStrategy": {}, "f:customizeComponents": {}},
    }
    manage(made, "virt-operator", fields)
    manage(made, "virt-operator", {"f:status": {"f:phase": {}}}, "status")
    yield from ()


def _pool(cluster: Controllers, made: Object) -> Iterator[Object]:
    replicas = made["spec"].get("replicas", 1)
    made["status"] = {"replicas": replicas, "readyReplicas": replicas}
    manage(made, "virt-controller", {"f:status": {"f:replicas": {}, "f:readyReplicas": {}}}, "status")
    template = made["spec"]["virtualMachineTemplate"]
    for number in range(replicas):
        name = f"{made['metadata']['name']}-{number}"
        vm = cluster.owned(made, "kubevirt.io/v1", "VirtualMachine", name, spec=deepcopy(template["spec"]))
        yield vm
        yield from cluster.run(vm)


def _namespace(_cluster: Controllers, made: Object) -> Iterator[Object]:
    made["status"] = {"phase": "Active"}
    yield from ()


def _service(_cluster: Controllers, made: Object) -> Iterator[Object]:
    made["status"] = {"loadBalancer": {}}
    yield from ()


_KINDS: dict[str, Callable[[Controllers, Object], Iterator[Object]]] = {
    "DataVolume": _data_volume,
    "KubeVirt": _kubevirt,
    "Namespace": _namespace,
    "PersistentVolumeClaim": _claim,
    "Service": _service,
    "VirtualMachine": _virtual_machine,
    "VirtualMachinePool": _pool,
}
