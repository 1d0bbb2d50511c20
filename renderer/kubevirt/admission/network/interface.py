"""One interface of a VirtualMachineInstance."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.admission.vmi_spec import VmiSpec, has, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import EMPTY, JsonObject
from renderer.model.record import Record


class Interface(Record):
    """An interface and the network with its name; an empty network if it is missing."""

    vmi: VmiSpec
    position: int
    content: JsonObject
    network: JsonObject
    cluster: Cluster

    @property
    def name(self) -> str:
        """The name of the interface and of its network."""
        return text(self.content, "name")

    @property
    def on_pod(self) -> bool:
        """True if its network is the pod network."""
        return has(self.network, "pod")

    def at(self, *segments: Segment) -> FieldPath:
        """Return the path of a field of the interface."""
        return self.vmi.device("interfaces", self.position, *segments)


def interfaces(vmi: VmiSpec, cluster: Cluster) -> Iterator[Interface]:
    """Yield the interfaces, each with its network; the last of several networks with one name counts."""
    networks = {text(network, "name"): network for network in vmi.networks}
    for position, content in enumerate(vmi.interfaces):
        network = networks.get(text(content, "name"), EMPTY)
        yield Interface(vmi, position, content, network, cluster)


def pod_interfaces(vmi: VmiSpec) -> int:
    """Return the number of pod networks that have an interface (``getNumberOfPodInterfaces``)."""
    names = {text(interface, "name") for interface in vmi.interfaces}
    return sum(has(network, "pod") and text(network, "name") in names for network in vmi.networks)
