"""Read the cluster's ``KubeVirt`` object (KubeVirt ``pkg/virt-config``)."""

from __future__ import annotations

from functools import lru_cache

from renderer.kubevirt.facts.cluster import (
    DEFAULT_CONFIG,
    DEFAULT_MACHINE_TYPES,
    ClusterConfig,
    read_cluster_config,
)
from renderer.kubevirt.instancetype.api.types import (
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
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.kubevirt.instancetype.cluster_kubevirt import default_kubevirt, find_configuring, kubevirt_of
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.release import Release

_NAME = FieldPath.of("metadata", "name")
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
            {
                "pciHostDevices": ListOf(Struct({"resourceName": STRING, "pciVendorSelector": STRING})),
                "mediatedDevices": ListOf(Struct({"resourceName": STRING})),
                "usb": ListOf(Struct({"resourceName": STRING})),
            }
        ),
        "architectureConfiguration": Struct(
            {"defaultArchitecture": STRING, **dict.fromkeys(DEFAULT_MACHINE_TYPES, _ARCHITECTURE)}
        ),
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


def cluster_config(catalog: Catalog, release: Release) -> ClusterConfig:
    """Return the configuration of the cluster whose ``KubeVirt`` or HyperConverged object the catalog has.

    Without one, it is what the product of the target release sets, and else KubeVirt's own defaults.

    KubeVirt falls back to all its defaults if one of its values is out of range. Raises ``DiagnosticError``
    for a value of a wrong type.
    """
    configuring = find_configuring(catalog)
    if configuring is None:
        return default_config(release).with_gates(catalog.feature_gates)
    return _config(configuring, release, catalog.feature_gates)


@lru_cache
def default_config(release: Release) -> ClusterConfig:
    """Return the configuration of a cluster whose ``KubeVirt`` object is not in the repository."""
    kubevirt = default_kubevirt(release)
    return read_cluster_config(kubevirt)._replace(set_by=release.product) if kubevirt else DEFAULT_CONFIG


@once_for_same
def _config(configuring: Resource, release: Release, feature_gates: tuple[str, ...]) -> ClusterConfig:
    config = _read(kubevirt_of(configuring, release)).with_gates(feature_gates)
    set_at = configuring.sites(_NAME)[-1:]
    return config._replace(set_by=f"{configuring.kind} {configuring.name}", set_at=set_at)


def _read(resource: Resource) -> ClusterConfig:
    configuration = object_at(resource.content, "spec", "configuration")
    try:
        decoded = object_at(_CONFIGURATION.decode(configuration, Decoding()))
    except DecodeError as error:
        at = FieldPath.of("spec", "configuration", *error.field.segments)
        raise Diagnostic.about(resource, at, Code.RESOURCE_INVALID, f"{at} {error.reason}").error() from None
    # Decoded keys replace written ones: KubeVirt reads keys in any case, and null as missing.
    return read_cluster_config({**resource.content, "spec": {"configuration": {**configuration, **decoded}}})
