"""All objects of a repository: VirtualMachines and related objects."""

from __future__ import annotations

from base64 import b64encode
from copy import deepcopy
from random import Random

from tests.clusters.machines import Machine, Object, machine

NAMESPACES = ("shop", "billing")
_GATES = (
    "HostDevices",
    "GPU",
    "NUMA",
    "WorkloadEncryptionSEV",
    "VMPersistentState",
    "HotplugVolumes",
    "PersistentReservation",
)


def kubevirt(release: int) -> Object:
    """The cluster's KubeVirt object as Git has it."""
    permitted = {
        "pciHostDevices": [
            {"pciVendorSelector": "10DE:20F1", "resourceName": "nvidia.com/A100"},
            {"pciVendorSelector": "8086:37C8", "resourceName": "intel.com/qat"},
        ]
    }
    configuration = {"developerConfiguration": {"featureGates": [*_GATES]}, "permittedHostDevices": permitted}
    if release >= 6:
        configuration["vmRolloutStrategy"] = "LiveUpdate"
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {
            "configuration": configuration,
            "workloadUpdateStrategy": {"workloadUpdateMethods": ["LiveMigrate"]},
        },
    }


def own_size(namespace: str) -> Object:
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineInstancetype",
        "metadata": {"name": "own-size", "namespace": namespace},
        "spec": {"cpu": {"guest": 3}, "memory": {"guest": "3Gi"}},
    }


def own_taste(namespace: str) -> Object:
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePreference",
        "metadata": {"name": "own-taste", "namespace": namespace},
        "spec": {
            "devices": {"preferredDiskBus": "virtio", "preferredInterfaceModel": "virtio"},
            "machine": {"preferredMachineType": "pc-q35-9.0"},
            "volumes": {"preferredStorageClassName": "gold"},
        },
    }


def pool(made: Machine) -> Object:
    """A pool of the machine, without the disks that its copies would share."""
    vm = made.content()
    spec = deepcopy(vm["spec"])
    labels = {"pool": made.name}
    spec["template"].setdefault("metadata", {}).setdefault("labels", {}).update(labels)
    return {
        "apiVersion": "pool.kubevirt.io/v1alpha1" if made.release < 7 else "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": made.name, "namespace": made.namespace},
        "spec": {
            "replicas": made.rng.randint(1, 3),
            "selector": {"matchLabels": labels},
            "virtualMachineTemplate": {"metadata": {"labels": {**labels}}, "spec": spec},
        },
    }


def secret(rng: Random, name: str, namespace: str) -> Object:
    made = _object("v1", "Secret", name, namespace)
    texts = {"userdata": "#cloud-config\npassword: hunter2-secret\n", "token": "s3cr3t-token-value"}
    if rng.random() < 0.5:
        made["stringData"] = texts
    else:
        made["data"] = {key: b64encode(text.encode()).decode() for key, text in texts.items()}
    if rng.random() < 0.5:
        made["type"] = "Opaque"
    return made


def config_map(name: str, namespace: str) -> Object:
    if name.endswith("sysprep"):
        return {**_object("v1", "ConfigMap", name, namespace), "data": {"Unattend.xml": "<unattend/>\n"}}
    return {**_object("v1", "ConfigMap", name, namespace), "data": {"a": "1", "b": "text\nin two lines\n"}}


def claim(rng: Random, name: str, namespace: str) -> Object:
    """A PersistentVolumeClaim, or a DataVolume if the name says so."""
    size = {"requests": {"storage": rng.choice(["10Gi", "10240Mi", "1.5Gi"])}}
    modes = rng.choice((["ReadWriteOnce"], ["ReadWriteMany"]))
    if name.endswith("-dv"):
        made = _object("cdi.kubevirt.io/v1beta1", "DataVolume", name, namespace)
        target = rng.choice(("storage", "pvc"))
        spec = {target: {"accessModes": modes, "resources": size}, "source": {"blank": {}}}
        return {**made, "spec": spec}
    spec = {"accessModes": modes, "resources": size}
    if rng.random() < 0.5:
        spec["volumeMode"] = rng.choice(("Block", "Filesystem"))
    if rng.random() < 0.5:
        spec["storageClassName"] = "fast"
    return {**_object("v1", "PersistentVolumeClaim", name, namespace), "spec": spec}


def service(rng: Random, name: str, namespace: str) -> Object:
    made = _object("v1", "Service", name, namespace)
    ports: list[Object] = [{"name": "http", "port": 80, "targetPort": rng.choice((8080, "http"))}]
    if rng.random() < 0.5:
        ports.append({"name": "ssh", "port": 22, "protocol": "TCP"})
    spec: Object = {"selector": {"kubevirt.io/domain": name}, "ports": ports}
    way = rng.choice(("", "ClusterIP", "NodePort", "headless", "LoadBalancer"))
    if way == "headless":
        spec["clusterIP"] = "None"
    elif way:
        spec["type"] = way
    return {**made, "spec": spec}


def _object(api_version: str, kind: str, name: str, namespace: str) -> Object:
    meta: Object = {"name": name, "namespace": namespace}
    return {"apiVersion": api_version, "kind": kind, "metadata": meta}


def git_objects(rng: Random, release: int, count: int) -> list[Object]:
    """Return ``count`` VirtualMachines and what they need in two namespaces, and the KubeVirt object."""
    found: list[Object] = [kubevirt(release)]
    for namespace in NAMESPACES:
        found += [_object("v1", "Namespace", namespace, ""), own_size(namespace), own_taste(namespace)]
        del found[-3]["metadata"]["namespace"]
    for number in range(count):
        namespace = NAMESPACES[number % len(NAMESPACES)]
        made = machine(rng, f"vm-{number:04d}", namespace, release)
        found.append(made.content())
        found += [secret(rng, name, namespace) for name in dict.fromkeys(made.secrets)]
        found += [config_map(name, namespace) for name in dict.fromkeys(made.config_maps)]
        found += [claim(rng, name, namespace) for name in dict.fromkeys(made.claims)]
        if rng.random() < 0.3:
            found.append(service(rng, made.name, namespace))
    if count and rng.random() < 0.5:
        pooled = Machine(rng, "pool-0", NAMESPACES[0], release)
        pooled.domain["memory"] = {"guest": "1Gi"}
        pooled.volumes.append(
            {"name": "root", "containerDisk": {"image": "quay.io/containerdisks/fedora:41"}}
        )
        pooled.disks.append({"name": "root", "disk": {"bus": "virtio"}})
        found.append(pool(pooled))
    return found
