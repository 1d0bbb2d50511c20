"""Objects after they were created: defaults of the API server and of KubeVirt's webhook, in the form of Go.

KubeVirt ``pkg/virt-api/webhooks/mutating-webhook/mutators/vm-mutator.go`` of v1.3.1, v1.6.6 and v1.9.0. The
webhook answers with ``/spec`` and ``/metadata`` as its Go types marshal them, so that values which Go cannot
tell from nothing are gone and structs that are not pointers are there. Kubernetes
``pkg/apis/core/v1/defaults.go``, ``pkg/registry/core/service`` and the admission plugin DefaultStorageClass.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from uuid import UUID

from tests.clusters.machines import Object
from tests.clusters.quantities import canonical

_CATALOG = Path(__file__).parents[1] / "data/catalog/common-instancetypes-v1.7.0.json"
#: ``bool`` with omitempty in ``schema.go``: false is left out. ``readonly`` is one in a ``disk``; the sources
#: have it false nowhere else.
_FLAGS = (
    "dedicatedCpuPlacement",
    "disableHotplug",
    "hotpluggable",
    "isolateEmulatorThread",
    "overcommitGuestOverhead",
    "readonly",
    "reservation",
)
_NUMBERS = (
    "cores",
    "failureThreshold",
    "initialDelaySeconds",
    "maxSockets",
    "periodSeconds",
    "sockets",
    "successThreshold",
    "threads",
    "timeoutSeconds",
)
_QUANTITIES = frozenset({"guest", "maxGuest", "capacity"})


@cache
def catalog() -> dict[tuple[str, str], Object]:
    """The specs of the shipped catalog by kind and name."""
    entries = json.loads(_CATALOG.read_text(encoding="utf-8"))
    return {(kind, entry["name"]): entry["spec"] for entry in entries for kind in entry["kinds"]}


class ApiServer:
    """The API server of a cluster with KubeVirt 1.``release``; ``known`` are all objects it was sent."""

    def __init__(self, rng: Random, release: int, known: list[Object]) -> None:
        self.rng, self.release, self.known = rng, release, known
        self._revision = 1000

    def uuid(self) -> str:
        return str(UUID(int=self.rng.getrandbits(128), version=4))

    def created(self, sent: Object) -> Object:
        """Return the object as it is stored, without managed fields."""
        made = deepcopy(sent)
        make = _KINDS.get(made["kind"])
        if make is not None:
            make(self, made)
        self._revision += self.rng.randint(1, 50)
        day, minute = self.rng.randint(1, 28), self.rng.randint(0, 59)
        meta = made["metadata"]
        meta |= {
            "creationTimestamp": f"2025-06-{day:02d}T08:{minute:02d}:11Z",
            "resourceVersion": str(self._revision),
            "uid": self.uuid(),
        }
        if "spec" in made:
            meta["generation"] = 1
        return made

    def preference_of(self, vm: Object) -> Object:
        matcher = vm["spec"].get("preference")
        if matcher is None:
            return {}
        if matcher.get("kind", "").lower() == "virtualmachinepreference":
            return next(
                each["spec"]
                for each in self.known
                if each["kind"] == "VirtualMachinePreference"
                and each["metadata"]["namespace"] == vm["metadata"]["namespace"]
            )
        return catalog()["VirtualMachineClusterPreference", matcher["name"]]


def _virtual_machine(server: ApiServer, vm: Object) -> None:
    """The mutating webhook, and the form of its answer."""
    spec, preference = vm["spec"], server.preference_of(vm)
    if server.release < 7:
        for key in {"instancetype", "preference"} & spec.keys():
            spec[key].setdefault("kind", f"virtualmachinecluster{key}")
    _default_storage_classes(spec, preference.get("volumes", {}).get("preferredStorageClassName"))
    _default_template(server, spec["template"], preference)
    vm["spec"] = in_go(spec)
    template = vm["spec"]["template"]
    if server.release < 9:  # the libraries of Kubernetes 1.34 have ``omitzero``
        for each in (template, *vm["spec"].get("dataVolumeTemplates", ())):
            each.setdefault("metadata", {})["creationTimestamp"] = None
    domain = template["spec"]["domain"]
    domain.setdefault("resources", {})
    domain.setdefault("devices", {})
    if "features" in domain:
        domain["features"].setdefault("acpi", {})


def _default_storage_classes(spec: Object, preferred: str | None) -> None:
    for each in spec.get("dataVolumeTemplates", ()):
        for section in {"pvc", "storage"} & each["spec"].keys():
            if preferred:
                each["spec"][section].setdefault("storageClassName", preferred)


def _default_template(server: ApiServer, template: Object, preference: Object) -> None:
    release, instance = server.release, template["spec"]
    domain = instance["domain"]
    preferred = preference.get("preferredArchitecture") if release >= 7 else None
    instance.setdefault("architecture", preferred or "amd64")
    machine = domain.setdefault("machine", {})
    machine.setdefault("type", preference.get("machine", {}).get("preferredMachineType") or "q35")
    if release >= 6:
        domain.setdefault("firmware", {}).setdefault("uuid", server.uuid())
    if release >= 7:
        domain["firmware"].setdefault("serial", server.uuid())
    if release >= 8 and "q35" in machine["type"]:
        metadata = template.setdefault("metadata", {})
        metadata.setdefault("annotations", {}).setdefault("kubevirt.io/pci-topology-version", "v3")


#: Maps of texts that the user names, in which nothing is left out.
_FREE = frozenset({"labels", "annotations", "nodeSelector", "matchLabels"})


def in_go(value: Object) -> Object:
    """Return the object without what ``omitempty`` leaves out, and with canonical quantities."""
    return {key: _in_go(key, each) for key, each in value.items() if not _is_left_out(key, each)}


def _is_left_out(key: str, value: object) -> bool:
    if value in ("", [], None) or (key in _FREE and not value):
        return True
    return (value is False and key in _FLAGS) or (value == 0 and value is not False and key in _NUMBERS)


def _in_go(key: str, value: object) -> object:
    if isinstance(value, dict):
        if key in ("requests", "limits"):
            return {name: canonical(amount) for name, amount in value.items()}
        return value if key in _FREE else in_go(value)
    if isinstance(value, list):
        return [in_go(each) if isinstance(each, dict) else each for each in value]
    return canonical(str(value)) if key in _QUANTITIES else value


def _secret(_server: ApiServer, made: Object) -> None:
    texts = made.pop("stringData", {})
    data = {**made.get("data", {}), **{key: b64encode(text.encode()).decode() for key, text in texts.items()}}
    made["data"] = data
    made.setdefault("type", "Opaque")


def _service(server: ApiServer, made: Object) -> None:
    spec = made["spec"]
    spec.setdefault("type", "ClusterIP")
    spec.setdefault("clusterIP", f"10.96.{server.rng.randint(0, 255)}.{server.rng.randint(2, 254)}")
    spec |= {
        "clusterIPs": [spec["clusterIP"]],
        "internalTrafficPolicy": "Cluster",
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "sessionAffinity": "None",
    }
    for port in spec["ports"]:
        port.setdefault("protocol", "TCP")
        port.setdefault("targetPort", port["port"])
        if spec["type"] in ("NodePort", "LoadBalancer"):
            port["nodePort"] = server.rng.randint(30000, 32767)
    if spec["type"] in ("NodePort", "LoadBalancer"):
        spec["externalTrafficPolicy"] = "Cluster"
    if spec["type"] == "LoadBalancer":
        spec["allocateLoadBalancerNodePorts"] = True


def _claim(_server: ApiServer, made: Object) -> None:
    spec = made["spec"]
    spec.setdefault("storageClassName", "standard")
    spec.setdefault("volumeMode", "Filesystem")
    requests = spec["resources"]["requests"]
    requests["storage"] = canonical(requests["storage"])


def _namespace(_server: ApiServer, made: Object) -> None:
    made["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = made["metadata"]["name"]
    made["spec"] = {"finalizers": ["kubernetes"]}


_KINDS: dict[str, Callable[[ApiServer, Object], None]] = {
    "Namespace": _namespace,
    "PersistentVolumeClaim": _claim,
    "Secret": _secret,
    "Service": _service,
    "VirtualMachine": _virtual_machine,
}
