"""What another cluster does to a machine, whatever its manifest: an upgrade, or another ``KubeVirt`` object.

After an upgrade, KubeVirt moves the instances that the old release runs to the new one, as
``workloadUpdateMethods`` say (``pkg/virt-controller/watch/workload-updater``).
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.cluster import Cluster, read_cluster_config
from renderer.kubevirt.facts.kinds import KUBEVIRT
from renderer.kubevirt.facts.virtual_machine import HALTED
from renderer.kubevirt.impact.migratable import obstacle_in_cluster, unknown_claims
from renderer.kubevirt.impact.state import InstanceState, Update, VmChange
from renderer.model.difference import Effect, Impact
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource

#: The fields of a ``KubeVirt`` object from which virt-operator takes the images of KubeVirt.
_IMAGES = ("imageRegistry", "imageTag")
_CONFIGURATION = ("spec", "configuration")
_NO_POD = "KubeVirt makes no pod for its next start or live migration"
_OPERATOR = "pkg/virt-operator/util/config.go GetTargetConfigFromKV"
_BINDINGS = "pkg/network/netbinding/netbinding.go netBindingPluginSidecar"
_PERMITTED = "pkg/virt-controller/services/renderresources.go validatePermittedHostDevices"
_DEVICES = "pkg/virt-handler/device-manager/device_controller.go refreshPermittedDevices"
UPDATER = "pkg/virt-controller/watch/workload-updater/workload-updater.go getUpdateData"


def lost_start(change: VmChange) -> Impact | None:
    """Return the impact of a cluster that refuses the next instance, where the one before would not."""
    is_halted = change.after.run_strategy == HALTED
    if not change.start_refusal or not change.was_startable or is_halted:
        return None
    return Impact(Effect.NO_START, f"the next instance is refused: {change.start_refusal}")


def lost_support(instance: JsonObject, before: JsonObject, after: JsonObject) -> Impact | None:
    """Return the impact of a ``KubeVirt`` object that no longer has what an instance needs.

    ``instance`` is the spec of the instance; ``before`` and ``after`` are the contents of the object. Nothing
    is known of a side that is empty.
    """
    return next(_lost_support(instance, before, after), None) if before and after else None


def _lost_support(instance: JsonObject, before: JsonObject, after: JsonObject) -> Iterator[Impact]:
    devices = object_at(instance, "domain", "devices")
    old, new = (object_at(each, *_CONFIGURATION, "network", "binding") for each in (before, after))
    for interface in array_at(devices, "interfaces"):
        plugin = text_at(object_at(interface), "binding", "name")
        if plugin in old and plugin not in new:
            reason = f"network.binding of the KubeVirt object no longer has the plugin {plugin}: {_NO_POD}"
            yield Impact(Effect.NO_START, reason, _BINDINGS)
    permitted, permits = (read_cluster_config(each).permitted_devices for each in (before, after))
    offered = _offered_devices(before)
    for device in (*array_at(devices, "gpus"), *array_at(devices, "hostDevices")):
        name = text_at(object_at(device), "deviceName")
        lost = f"permittedHostDevices of the KubeVirt object no longer has {name}"
        was_permitted = permitted is None or name in permitted
        if name and permits is not None and name not in permits and was_permitted:
            yield Impact(Effect.NO_START, f"{lost}: {_NO_POD}", _PERMITTED)
        elif permits is None and name in offered:
            reason = f"{lost}: no node offers the device to its next start or live migration"
            yield Impact(Effect.NO_START, reason, _DEVICES)


def _offered_devices(kubevirt: JsonObject) -> frozenset[str]:
    """Return the devices that virt-handler itself offers: those without ``externalResourceProvider``."""
    permitted = object_at(kubevirt, *_CONFIGURATION, "permittedHostDevices")
    lists = (array_at(permitted, key) for key in permitted)
    devices = (object_at(device) for each in lists for device in each)
    return frozenset(
        text_at(each, "resourceName")
        for each in devices
        if text_at(each, "resourceName") and each.get("externalResourceProvider") is not True
    )


def has_other_images(before: JsonObject, after: JsonObject) -> bool:
    """Return True if two ``KubeVirt`` objects name other images of KubeVirt; an empty one names none."""
    return bool(before and after) and _images_of(before) != _images_of(after)


def installation(before: Resource, after: Resource) -> Impact | None:
    """Return what virt-operator does if a ``KubeVirt`` object names other images of KubeVirt."""
    if after.kind != KUBEVIRT or not has_other_images(before.content, after.content):
        return None
    reason = (
        "virt-operator replaces KubeVirt with another image (imageRegistry, imageTag), up or down;"
        " virtual machines run on, unless workloadUpdateMethods say otherwise"
    )
    return Impact(Effect.LIVE, reason, _OPERATOR)


def _images_of(kubevirt: JsonObject) -> tuple[str, ...]:
    return tuple(text_at(kubevirt, "spec", each) for each in _IMAGES)


def workload_update(change: VmChange, cluster: Cluster) -> Impact | None:
    """Return what KubeVirt does to a running machine after another KubeVirt has been installed."""
    methods = cluster.workload_update_methods or ()
    if change.before.run_strategy == HALTED or not methods:
        return None
    instance = InstanceState(change.before.instance)
    obstacle = obstacle_in_cluster(cluster, change.access_modes, instance)
    if "LiveMigrate" in methods and not obstacle:
        update = Update(change.before, change.after, cluster, change.access_modes)
        reason = "KubeVirt live-migrates it after the upgrade"
        return Impact(Effect.MIGRATION, "; ".join((reason, *_doubts(update, instance, methods))), UPDATER)
    if "Evict" not in methods:
        return None
    reason = "KubeVirt evicts the instance after the upgrade (workloadUpdateMethods: Evict)"
    return Impact(Effect.EVICTED, f"{reason}: {obstacle}" if obstacle else reason, UPDATER)


def _doubts(update: Update, instance: InstanceState, methods: tuple[str, ...]) -> Iterator[str]:
    claims = " and ".join(dict.fromkeys(unknown_claims(update, instance)))
    if claims:
        others = "evicts it" if "Evict" in methods else "leaves it as it is"
        yield f"unless {claims} can be mounted by many nodes (ReadWriteMany), it {others}"
