"""Passthrough of NVIDIA Grace GPUs (``grace_io_virtualization.go``)."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.admission.causes import Causes, invalid, needs_gate, required
from renderer.kubevirt.admission.vmi_spec import VmiSpec, elements, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.pattern import pattern
from renderer.model.record import Record

_NVIDIA = "10DE"
_GRACE_DEVICES = ("2342", "2348", "2941")
_SELECTOR = pattern(r"([0-9A-F]{4}):([0-9A-F]{4}|\*)")
_DEVICES = ("gpus", "hostDevices")
_NEEDED_GATES = (Gate.PCI_NUMA_AWARE_TOPOLOGY, Gate.IOMMUFD)
#: Annotations that cannot be combined with such a GPU.
_ANNOTATIONS = ("kubevirt.io/placePCIDevicesOnRootComplex", "kubevirt.io/disablePCIHole64")


class _Request(Record):
    """A device that uses a permitted PCI resource, with the vendor and the device of its selector."""

    at: FieldPath
    name: str
    vendor: str
    device: str


def check_grace(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check machines with NVIDIA Grace GPUs: the gate, or the other requirements if the gate is on."""
    if not cluster.config.pci_host_devices:
        return
    requests = list(_requests(vmi, cluster))
    is_on = Gate.GRACE_IO_VIRTUALIZATION in cluster.gates
    for request in requests:
        if is_on and request.vendor == _NVIDIA and request.device == "*":
            message = f"the cluster's selector for {request.name} does not say which NVIDIA device it is"
            yield invalid(request.at, message, "give an exact pciVendorSelector in the KubeVirt object")
    grace = [request for request in requests if _is_grace(request)]
    if grace and is_on:
        yield from _check_vmi(vmi, cluster)
        return
    for request in grace:
        yield needs_gate(request.at, f"the NVIDIA Grace GPU {request.name}", Gate.GRACE_IO_VIRTUALIZATION)


def check_grace_annotations(
    vmi: VmiSpec, cluster: Cluster, metadata: JsonObject, metadata_at: FieldPath
) -> Causes:
    """Reject annotations that Grace GPUs exclude; ``metadata`` belongs to the instance or its template."""
    if not cluster.config.pci_host_devices:
        return
    if not any(map(_is_grace, _requests(vmi, cluster))):
        return
    for annotation in _ANNOTATIONS:
        if section(metadata, "annotations").get(annotation) == "true":
            yield invalid(
                metadata_at.child("annotations", annotation),
                f"the annotation {annotation} cannot be combined with an NVIDIA Grace GPU",
                reported=metadata_at.child(f"annotations[{annotation}]"),
            )


def _check_vmi(vmi: VmiSpec, cluster: Cluster) -> Causes:
    architecture = cluster.architecture(vmi.architecture)
    if architecture != "arm64":
        yield invalid(vmi.at("architecture"), f"NVIDIA Grace GPUs are on arm64, not {architecture}")
    machine = text(section(vmi.domain, "machine"), "type") or cluster.machine_type(architecture)
    if not machine.startswith("virt"):
        yield invalid(
            vmi.at("domain", "machine", "type"), f"NVIDIA Grace GPUs need a machine virt, not {machine}"
        )
    if not vmi.cpu.get("dedicatedCpuPlacement"):
        at = vmi.at("domain", "cpu", "dedicatedCpuPlacement")
        yield required(at, "NVIDIA Grace GPUs need dedicatedCpuPlacement: true")
    for gate in _NEEDED_GATES:
        if gate not in cluster.gates:
            yield needs_gate(vmi.device(), "an NVIDIA Grace GPU", gate)


def _requests(vmi: VmiSpec, cluster: Cluster) -> Iterator[_Request]:
    """Yield the devices that use permitted PCI resources."""
    for kind in _DEVICES:
        for index, device in enumerate(elements(vmi.devices, kind)):
            name = text(device, "deviceName")
            selector = cluster.config.pci_host_devices.get(name, "") if name else ""
            normalised = ":".join(part.strip().upper().removeprefix("0X") for part in selector.split(":"))
            match = _SELECTOR.fullmatch(normalised)
            if match is not None:
                yield _Request(vmi.device(kind, index, "deviceName"), name, match[1], match[2])


def _is_grace(request: _Request) -> bool:
    return request.vendor == _NVIDIA and request.device in _GRACE_DEVICES
