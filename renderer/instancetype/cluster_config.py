"""Reads the cluster's ``KubeVirt`` object (KubeVirt ``pkg/virt-config``)."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.instancetype.api.types import (
    BOOL,
    INT64,
    QUANTITY,
    STRING,
    DecodeError,
    Decoding,
    ListOf,
    Struct,
    pointer,
)
from renderer.instancetype.catalog import Catalog
from renderer.kubevirt.cluster import DEFAULT_MACHINE_TYPES, ClusterConfig
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.quantity import Quantity
from renderer.model.resource import Resource

_PULL_POLICIES = frozenset({"", "Always", "Never", "IfNotPresent"})
_INTERFACES = frozenset({"", "bridge", "masquerade", "slirp"})
_MAX_PERCENT = 100

_ARCHITECTURE = Struct({"machineType": STRING, "emulatedMachines": ListOf(STRING)})
_CONFIGURATION = Struct(
    {
        "machineType": STRING,
        "cpuModel": STRING,
        "cpuRequest": pointer(QUANTITY),
        "evictionStrategy": pointer(STRING),
        "imagePullPolicy": STRING,
        "emulatedMachines": ListOf(STRING),
        "vmRolloutStrategy": pointer(STRING),
        "persistentReservationConfiguration": Struct({"enabled": pointer(BOOL)}),
        "permittedHostDevices": Struct(
            {"pciHostDevices": ListOf(Struct({"resourceName": STRING, "pciVendorSelector": STRING}))}
        ),
        "architectureConfiguration": Struct(dict.fromkeys(DEFAULT_MACHINE_TYPES, _ARCHITECTURE)),
        "network": Struct(
            {
                "defaultNetworkInterface": STRING,
                "permitBridgeInterfaceOnPodNetwork": pointer(BOOL),
                "permitSlirpInterface": pointer(BOOL),
            }
        ),
        "developerConfiguration": Struct(
            {
                "memoryOvercommit": INT64,
                "cpuAllocationRatio": INT64,
                "pvcTolerateLessSpaceUpToPercent": INT64,
                "featureGates": ListOf(STRING),
                "disabledFeatureGates": ListOf(STRING),
            }
        ),
    }
)


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
        feature_gates=_texts(configuration, "developerConfiguration", "featureGates"),
        disabled_feature_gates=_texts(configuration, "developerConfiguration", "disabledFeatureGates"),
        emulated_machines=_texts(configuration, "emulatedMachines"),
        emulated_machines_of={
            name: _texts(configuration, "architectureConfiguration", name, "emulatedMachines")
            for name in object_at(configuration, "architectureConfiguration")
        },
        vm_rollout_strategy=text_at(configuration, "vmRolloutStrategy"),
        persistent_reservation=_flag(configuration, "persistentReservationConfiguration", "enabled"),
        pci_host_devices=_pci_host_devices(configuration),
    )


def _machine_types(architectures: JsonObject) -> Mapping[str, str]:
    return {
        name: text_at(architectures, name, "machineType") or machine_type
        for name, machine_type in DEFAULT_MACHINE_TYPES.items()
    }


def _pci_host_devices(configuration: JsonObject) -> Mapping[str, str]:
    devices = array_at(configuration, "permittedHostDevices", "pciHostDevices")
    selectors = {text_at(device, "resourceName"): text_at(device, "pciVendorSelector") for device in devices}
    return {name: selector for name, selector in selectors.items() if name and selector}


def _texts(value: Json, *path: str) -> tuple[str, ...]:
    return tuple(text for text in array_at(value, *path) if isinstance(text, str))


def _flag(value: Json, *path: str) -> bool | None:
    found = object_at(value, *path[:-1]).get(path[-1])
    return found if isinstance(found, bool) else None


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
