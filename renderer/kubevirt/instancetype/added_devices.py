"""The devices that virt-controller adds to a VirtualMachine before it applies instance type and preference.

KubeVirt ``pkg/virt-controller/watch/vm/vm.go`` (``startVMI``). A preference therefore affects devices that
the VirtualMachine does not name. A VirtualMachine that is rendered without its preference has to list those
that the preference would have changed.
"""

from __future__ import annotations

from collections.abc import Sequence

from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.kubevirt.instancetype.cause import DefaultsError
from renderer.kubevirt.instancetype.defaults import default_disks, default_network
from renderer.kubevirt.instancetype.preference.devices import (
    AFFECTING_ADDED_DEVICES,
    apply_autoattach,
    apply_disks,
    apply_inputs,
    apply_interfaces,
)
from renderer.kubevirt.instancetype.vmi_template import devices_of, with_section
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at

_DEVICES = ("domain", "devices")


def with_added_devices(template: JsonObject, cluster: Cluster) -> JsonObject:
    """Return ``spec.template`` with the devices that virt-controller adds: disks, an input, the network.

    Raises ``DefaultsError`` if the cluster's default interface is not possible.
    """
    spec = default_disks(object_at(template, "spec"))
    devices = object_at(spec, *_DEVICES)
    if devices.get("autoattachInputDevice") is True and not array_at(devices, "inputs"):
        spec = with_section(spec, (*_DEVICES, "inputs"), [{"name": "default-0"}])
    spec = default_network(spec, cluster.config, behaviour_of(cluster.release))
    return template if spec is object_at(template, "spec") else {**template, "spec": spec}


def with_preferred_devices(
    template: JsonObject, preference: JsonObject | None, cluster: Cluster
) -> JsonObject:
    """Return ``spec.template`` with the added devices that ``preference``, a spec, changes when applied.

    A machine written from the result then starts the same without its preference as with it. Devices that the
    preference leaves as KubeVirt adds them are not written. Neither is a default network that is not
    possible; admission rejects it.
    """
    if preference is None or AFFECTING_ADDED_DEVICES.isdisjoint(object_at(preference, "devices")):
        return template
    specs = AppliedSpecs(EMPTY, preference, behaviour_of(cluster.release))
    before = apply_autoattach(specs, template)
    try:
        added = with_added_devices(before, cluster)
    except DefaultsError:
        return template
    if added is before:
        return template
    applied = apply_inputs(specs, apply_interfaces(specs, apply_disks(specs, added)))
    # A preference changes either all added devices of a kind or none, so their order stays.
    for kind in ("disks", "interfaces", "inputs"):
        plain = list(array_at(devices_of(added), kind))
        first_added = len(array_at(devices_of(before), kind))
        preferred = array_at(devices_of(applied), kind)
        if _without_empty_disk(plain[first_added:]) != _without_empty_disk(preferred[first_added:]):
            template = with_section(template, ("spec", *_DEVICES, kind), plain)
            if kind == "interfaces":
                template = with_section(template, ("spec", "networks"), object_at(added, "spec")["networks"])
    return template


def _without_empty_disk(devices: Sequence[Json]) -> list[JsonObject]:
    """Return the devices without ``disk: {}``, which KubeVirt gives a disk of no kind in any case."""
    return [
        {key: value for key, value in object_at(each).items() if value != {} or key != "disk"}
        for each in devices
    ]
