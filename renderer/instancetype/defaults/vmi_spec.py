"""What KubeVirt writes into a VirtualMachine's template that is silent.

KubeVirt ``pkg/defaults/defaults.go`` (``SetDefaultVirtualMachineInstanceSpec``).
"""

from __future__ import annotations

from renderer.instancetype.behaviour import Behaviour
from renderer.instancetype.defaults.devices import default_disks, default_network
from renderer.instancetype.defaults.resources import (
    default_cpu_topology,
    default_guest_memory,
    default_requests,
)
from renderer.instancetype.defaults.section import with_default
from renderer.model.cluster_config import DEFAULT_MACHINE_TYPES, ClusterConfig
from renderer.model.json import Json, JsonObject, array_at, text_at


def default_vmi_spec(spec: JsonObject, config: ClusterConfig, behaviour: Behaviour) -> JsonObject:
    """The template's spec, defaulted. Raises ``DefaultsError`` when the default network is not possible."""
    spec = default_architecture(spec, config)
    machine_type = machine_type_of(config, text_at(spec, "architecture"), behaviour)
    spec = with_default(spec, ("domain", "machine", "type"), machine_type)
    spec = default_requests(spec, config, behaviour)
    if behaviour.defaults_guest_memory:
        spec = default_guest_memory(spec)
    spec = default_cpu_topology(spec)
    spec = _default_pull_policies(spec)
    if spec.get("evictionStrategy") is None:
        spec = {**spec, "evictionStrategy": config.eviction_strategy}
    return default_disks(default_network(spec, config, behaviour))


def default_architecture(spec: JsonObject, config: ClusterConfig) -> JsonObject:
    return with_default(spec, ("architecture",), config.default_architecture)


def machine_type_of(config: ClusterConfig, architecture: str, behaviour: Behaviour) -> str:
    """The machine type for an architecture; one that KubeVirt does not know gets that of amd64."""
    if config.machine_type:
        return config.machine_type
    if architecture == "s390x" and not behaviour.configures_s390x_machine:
        return DEFAULT_MACHINE_TYPES["s390x"] if behaviour.knows_s390x else config.machine_types["amd64"]
    known = architecture in config.machine_types and (architecture != "ppc64le" or behaviour.knows_ppc64le)
    return config.machine_types[architecture if known else "amd64"]


def _default_pull_policies(spec: JsonObject) -> JsonObject:
    before = array_at(spec, "volumes")
    after = [_with_pull_policy(volume) for volume in before]
    unchanged = all(new is old for new, old in zip(after, before, strict=True))
    return spec if unchanged else {**spec, "volumes": after}


def _with_pull_policy(volume: Json) -> Json:
    """The image is pulled always when it has the tag ``latest``, or neither tag nor digest."""
    if not isinstance(volume, dict) or not isinstance(volume.get("containerDisk"), dict):
        return volume
    image = text_at(volume, "containerDisk", "image")
    movable = image.endswith(":latest") or not (":" in image or "@" in image)
    policy = "Always" if movable else "IfNotPresent"
    return with_default(volume, ("containerDisk", "imagePullPolicy"), policy)
