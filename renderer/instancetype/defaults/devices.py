"""Disks for volumes, and the default network.

KubeVirt ``pkg/util/util.go`` (``SetDefaultVolumeDisk``) and ``pkg/network/vmispec/defaults.go``.
"""

from __future__ import annotations

from renderer.instancetype.behaviour import Behaviour
from renderer.instancetype.cause import Cause, DefaultsError
from renderer.instancetype.conflict import VMI_SPEC
from renderer.instancetype.vmi_template import with_section
from renderer.kubevirt.cluster import ClusterConfig
from renderer.model.codes import Code
from renderer.model.json import Json, JsonObject, array_at, object_at, text_at

_DEVICES = ("domain", "devices")
_NONE: tuple[Json, ...] = (None, [])


def default_disks(spec: JsonObject) -> JsonObject:
    """A disk for every volume that neither a disk nor a file system is named after."""
    devices = object_at(spec, *_DEVICES)
    disks = array_at(devices, "disks")
    named = {text_at(device, "name") for device in (*disks, *array_at(devices, "filesystems"))}
    volumes = (text_at(volume, "name") for volume in array_at(spec, "volumes"))
    # A volume that stands twice gets two disks, as in KubeVirt.
    missing: list[Json] = [{"name": name} for name in volumes if name not in named]
    if not missing or not isinstance(devices.get("disks"), list | None):
        return spec
    return with_section(spec, (*_DEVICES, "disks"), [*disks, *missing])


def default_network(spec: JsonObject, config: ClusterConfig, behaviour: Behaviour) -> JsonObject:
    """The pod network and an interface on it, where there are none.

    Raises ``DefaultsError`` when the cluster's default interface is not possible.
    """
    devices = object_at(spec, *_DEVICES)
    if devices.get("autoattachPodInterface") is False:
        return spec
    if spec.get("networks") not in _NONE or devices.get("interfaces") not in _NONE:
        return spec
    interface: JsonObject = {"name": "default", _binding(config, behaviour): {}}
    spec = with_section(spec, (*_DEVICES, "interfaces"), [interface])
    return {**spec, "networks": [{"name": "default", "pod": {}}]}


def _binding(config: ClusterConfig, behaviour: Behaviour) -> str:
    binding = config.default_interface
    if binding == "bridge" and not config.permits_bridge:
        raise _impossible("the cluster does not permit a bridge on the pod network")
    if binding == "slirp" and not (behaviour.permits_slirp and config.permits_slirp):
        raise _impossible("slirp, the cluster's default interface, is not permitted")
    return binding


def _impossible(reason: str) -> DefaultsError:
    at = VMI_SPEC.child("domain", "devices", "interfaces")
    message = f"the VM has no network of its own, and {reason}"
    hint = f"set {at} and {VMI_SPEC}.networks, or autoattachPodInterface: false"
    return DefaultsError(Cause.at_field(at, Code.DEFAULTS_FAILED, message, hint))
