"""What the cluster's ``KubeVirt`` object says (``spec.configuration``) of virtual machines."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.json import EMPTY
from renderer.model.quantity import Quantity
from renderer.model.record import Record

DEFAULT_MACHINE_TYPES = {
    "amd64": "q35",
    "arm64": "virt",
    "s390x": "s390-ccw-virtio",
    "ppc64le": "pseries",
}


class ClusterConfig(Record):
    """The configuration, with KubeVirt's own defaults for what is not said.

    ``emulated_machines`` are patterns for all architectures, ``emulated_machines_of`` those of one; both hold
    only what is written, as is ``vm_rollout_strategy``, whose default differs by release.
    ``pci_host_devices`` leads from the resource name of a permitted device to its vendor selector.
    """

    default_architecture: str = "amd64"
    machine_type: str = ""
    machine_types: Mapping[str, str] = DEFAULT_MACHINE_TYPES
    cpu_model: str = ""
    cpu_request: Quantity | None = None
    memory_overcommit: int = 100
    eviction_strategy: str = "None"
    default_interface: str = "bridge"
    permits_bridge: bool = True
    permits_slirp: bool = False
    feature_gates: tuple[str, ...] = ()
    disabled_feature_gates: tuple[str, ...] = ()
    emulated_machines: tuple[str, ...] = ()
    emulated_machines_of: Mapping[str, tuple[str, ...]] = EMPTY
    vm_rollout_strategy: str = ""
    persistent_reservation: bool | None = None
    pci_host_devices: Mapping[str, str] = EMPTY
