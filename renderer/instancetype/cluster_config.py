"""What the cluster's ``KubeVirt`` object says about defaults (KubeVirt ``pkg/virt-config``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from renderer.instancetype.api.types import (
    BOOL,
    INT64,
    QUANTITY,
    STRING,
    DecodeError,
    Decoding,
    Struct,
    pointer,
)
from renderer.instancetype.behaviour import Behaviour
from renderer.instancetype.catalog import Catalog
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject, object_at, text_at
from renderer.model.quantity import Quantity
from renderer.model.resource import Resource

_DEFAULT_ARCHITECTURE = "amd64"
_MACHINE_TYPES = {"amd64": "q35", "arm64": "virt", "s390x": "s390-ccw-virtio", "ppc64le": "pseries"}
_PULL_POLICIES = frozenset({"", "Always", "Never", "IfNotPresent"})
_INTERFACES = frozenset({"", "bridge", "masquerade", "slirp"})
_MAX_PERCENT = 100

_ARCHITECTURE = Struct({"machineType": STRING})
_CONFIGURATION = Struct(
    {
        "machineType": STRING,
        "cpuModel": STRING,
        "cpuRequest": pointer(QUANTITY),
        "evictionStrategy": pointer(STRING),
        "imagePullPolicy": STRING,
        "architectureConfiguration": Struct(dict.fromkeys(_MACHINE_TYPES, _ARCHITECTURE)),
        "network": Struct(
            {
                "defaultNetworkInterface": STRING,
                "permitBridgeInterfaceOnPodNetwork": pointer(BOOL),
                "permitSlirpInterface": pointer(BOOL),
            }
        ),
        "developerConfiguration": Struct(
            {"memoryOvercommit": INT64, "cpuAllocationRatio": INT64, "pvcTolerateLessSpaceUpToPercent": INT64}
        ),
    }
)


@dataclass(frozen=True, slots=True)
class ClusterConfig:
    """The configuration, with KubeVirt's own defaults for what is not said."""

    default_architecture: str = _DEFAULT_ARCHITECTURE
    machine_type: str = ""
    machine_types: Mapping[str, str] = field(default_factory=lambda: dict(_MACHINE_TYPES))
    cpu_model: str = ""
    cpu_request: Quantity | None = None
    memory_overcommit: int = 100
    eviction_strategy: str = "None"
    default_interface: str = "bridge"
    permits_bridge: bool = True
    permits_slirp: bool = False

    def machine_type_of(self, architecture: str, behaviour: Behaviour) -> str:
        """The machine type for an architecture; one that KubeVirt does not know gets that of amd64."""
        if self.machine_type:
            return self.machine_type
        if architecture == "s390x" and not behaviour.configures_s390x_machine:
            return _MACHINE_TYPES["s390x"]
        known = architecture in self.machine_types and (architecture != "ppc64le" or behaviour.knows_ppc64le)
        return self.machine_types[architecture if known else "amd64"]


def cluster_config(catalog: Catalog) -> ClusterConfig:
    """From the first ``KubeVirt`` object of the catalog; the defaults when there is none.

    KubeVirt falls back to its defaults altogether when one of its values is out of range. Raises
    ``DiagnosticError`` for a value of a wrong type.
    """
    resource = next(catalog.of_kind("KubeVirt"), None)
    return ClusterConfig() if resource is None else _read(resource)


def _read(resource: Resource) -> ClusterConfig:
    configuration = object_at(resource.content, "spec", "configuration")
    try:
        decoded = object_at(_CONFIGURATION.decode(configuration, Decoding()))
    except DecodeError as error:
        at = FieldPath.of("spec", "configuration", *error.field.segments)
        raise DiagnosticError(
            Diagnostic(
                code=Code.RESOURCE_INVALID,
                message=f"{at} {error.reason}",
                sites=resource.sites(at),
                resource=resource.current_id,
                field=at,
            )
        ) from None
    if not _in_range(decoded):
        return ClusterConfig()
    return _config(decoded, text_at(resource.content, "status", "defaultArchitecture"))


def _config(configuration: JsonObject, default_architecture: str) -> ClusterConfig:
    defaults = ClusterConfig()
    network = object_at(configuration, "network")
    cpu_request = configuration.get("cpuRequest")
    eviction_strategy = configuration.get("evictionStrategy")
    return ClusterConfig(
        default_architecture=default_architecture or defaults.default_architecture,
        machine_type=text_at(configuration, "machineType"),
        machine_types=_machine_types(object_at(configuration, "architectureConfiguration")),
        cpu_model=text_at(configuration, "cpuModel"),
        cpu_request=None if cpu_request is None else Quantity.of(cpu_request),
        memory_overcommit=_integer(configuration, "memoryOvercommit") or defaults.memory_overcommit,
        eviction_strategy=eviction_strategy
        if isinstance(eviction_strategy, str)
        else defaults.eviction_strategy,
        default_interface=text_at(network, "defaultNetworkInterface") or defaults.default_interface,
        permits_bridge=network.get("permitBridgeInterfaceOnPodNetwork") is not False,
        permits_slirp=network.get("permitSlirpInterface") is True,
    )


def _machine_types(architectures: JsonObject) -> Mapping[str, str]:
    return {
        name: text_at(architectures, name, "machineType") or machine_type
        for name, machine_type in _MACHINE_TYPES.items()
    }


def _in_range(configuration: JsonObject) -> bool:
    return (
        text_at(configuration, "imagePullPolicy") in _PULL_POLICIES
        and text_at(configuration, "network", "defaultNetworkInterface") in _INTERFACES
        and _integer(configuration, "memoryOvercommit") >= 0
        and _integer(configuration, "cpuAllocationRatio") >= 0
        and 0 <= _integer(configuration, "pvcTolerateLessSpaceUpToPercent") <= _MAX_PERCENT
    )


def _integer(configuration: JsonObject, key: str) -> int:
    """A number of the developer configuration, which is written only when it is not 0."""
    number = object_at(configuration, "developerConfiguration").get(key)
    return number if isinstance(number, int) else 0
