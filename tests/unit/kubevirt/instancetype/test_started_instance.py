"""The instance that virt-controller starts, and the defaults written so that it starts the same."""

from __future__ import annotations

import pytest

from renderer.kubevirt.facts.cluster import Cluster, ClusterConfig
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.kubevirt.instancetype.expand import expand
from renderer.kubevirt.instancetype.stored_vm import start
from renderer.model.codes import Code
from renderer.model.kube.json import Json, JsonObject, object_at, with_value
from renderer.model.kube.resource import Resource
from renderer.model.quantity import Quantity
from renderer.model.release import LATEST, Release
from renderer.model.render_config import ExpandMode
from tests.kubevirt_objects import behaviour, catalog, instancetype, kubevirt, preference, resources, vm
from tests.started import differences_at_start

DEVICES = ("spec", "template", "spec", "domain", "devices")


def with_volumes(*names: str, devices: JsonObject | None = None, **spec: Json) -> dict[str, Json]:
    volumes: list[Json] = [{"name": name, "containerDisk": {"image": "fedora:42"}} for name in names]
    content = vm("db", {"devices": devices or {}}, **spec)
    return dict(with_value(content, ("spec", "template", "spec", "volumes"), volumes))


def written(content: JsonObject, *objects: JsonObject, release: Release = LATEST) -> JsonObject:
    """The VM as it is written; it starts as ``content`` does."""
    before = resources(content, *objects)
    outcome = expand(before, Catalog(), release, ExpandMode.APPLIED)
    assert not outcome.failed, outcome.diagnostics
    assert list(differences_at_start(before, outcome.value, Catalog(), release)) == []
    return next(iter(outcome.value)).content


VIRTIO = preference("linux", devices={"preferredDiskBus": "virtio", "preferredInterfaceModel": "virtio"})


def test_disks_and_network_of_the_preference_are_written() -> None:
    found = written(with_volumes("root", "seed", preference="linux"), VIRTIO, kubevirt())
    assert object_at(found, *DEVICES) == {
        "disks": [{"name": "root", "disk": {"bus": "virtio"}}, {"name": "seed", "disk": {"bus": "virtio"}}],
        "interfaces": [{"name": "default", "bridge": {}, "model": "virtio"}],
    }
    assert object_at(found, "spec", "template", "spec")["networks"] == [{"name": "default", "pod": {}}]


def test_fields_not_in_the_preference_are_not_written() -> None:
    found = written(with_volumes("root", preference="rng"), preference("rng", devices={"preferredRng": {}}))
    assert object_at(found, *DEVICES) == {"rng": {}}


def test_added_disk_of_a_volume_follows_the_others() -> None:
    devices: JsonObject = {"disks": [{"name": "seed", "cdrom": {}}], "autoattachPodInterface": False}
    found = written(with_volumes("root", "seed", devices=devices, preference="linux"), VIRTIO)
    assert object_at(found, *DEVICES)["disks"] == [
        {"name": "seed", "cdrom": {}},
        {"name": "root", "disk": {"bus": "virtio"}},
    ]


def test_input_device_is_written_if_the_preference_attaches_it() -> None:
    desktop = preference(
        "desktop", devices={"preferredAutoattachInputDevice": True, "preferredInputBus": "virtio"}
    )
    found = written(vm("db", {"devices": {"autoattachPodInterface": False}}, preference="desktop"), desktop)
    assert object_at(found, *DEVICES)["inputs"] == [{"name": "default-0", "bus": "virtio"}]


def test_a_preference_without_pod_interface_writes_no_network() -> None:
    lonely = preference(
        "lonely", devices={"preferredAutoattachPodInterface": False, "preferredInterfaceModel": "e1000"}
    )
    assert object_at(written(vm("db", preference="lonely"), lonely), *DEVICES) == {
        "autoattachPodInterface": False
    }


def test_network_of_the_cluster_is_used() -> None:
    masquerade = kubevirt(network={"defaultNetworkInterface": "masquerade"})
    found = written(vm("db", preference="linux"), VIRTIO, masquerade)
    assert object_at(found, *DEVICES)["interfaces"] == [
        {"name": "default", "masquerade": {}, "model": "virtio"}
    ]


def codes(mode: ExpandMode, *contents: JsonObject) -> list[Code]:
    return [each.code for each in expand(resources(*contents), Catalog(), LATEST, mode).diagnostics]


def test_unknown_cluster_network_is_noted_once() -> None:
    two = (vm("a", preference="linux"), vm("b", preference="linux"))
    assert codes(ExpandMode.APPLIED, *two, VIRTIO) == [Code.ASSUMED_NETWORK]
    assert codes(ExpandMode.APPLIED, *two, VIRTIO, kubevirt()) == []
    assert codes(ExpandMode.APPLIED, vm("a"), vm("b")) == []


def test_warning_about_a_pool_names_the_pool() -> None:
    machine = vm("db", preference="linux")
    template: JsonObject = {"spec": machine["spec"]}
    pool: JsonObject = {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": machine["metadata"],
        "spec": {"replicas": 2, "virtualMachineTemplate": template},
    }
    [found] = expand(resources(pool, VIRTIO), Catalog(), LATEST, ExpandMode.APPLIED).diagnostics
    assert found.message.startswith("db names no network; ")


def test_expand_endpoint_adds_no_input_device() -> None:
    desktop = preference(
        "desktop", devices={"preferredAutoattachInputDevice": True, "preferredInputBus": "virtio"}
    )
    machine = vm("db", preference="desktop")
    assert codes(ExpandMode.DEFAULTS, machine, desktop) == [Code.INPUT_DEVICE_LEFT_OUT]
    assert codes(ExpandMode.APPLIED, machine, desktop) == []
    own = vm(
        "db", {"devices": {"inputs": [{"name": "t", "type": "tablet", "bus": "usb"}]}}, preference="desktop"
    )
    assert codes(ExpandMode.DEFAULTS, own, desktop) == []


def started(content: JsonObject, release: str = "1.9", config: ClusterConfig | None = None) -> JsonObject:
    (resource,) = resources(content)
    cluster = Cluster(behaviour(release).release, config or ClusterConfig())
    return object_at(start(resource, catalog(instancetype("large", 200, "64Gi")), cluster), "spec")


def plan(spec: JsonObject) -> tuple[Json, Json]:
    return (
        object_at(spec, "domain", "cpu").get("maxSockets"),
        object_at(spec, "domain", "memory").get("maxGuest"),
    )


def sized(cpu: JsonObject, memory: JsonObject, architecture: str = "amd64") -> dict[str, Json]:
    content = vm("db", {"devices": {}, "cpu": cpu, "memory": memory})
    return dict(with_value(content, ("spec", "template", "spec", "architecture"), architecture))


@pytest.mark.parametrize(
    ("content", "release", "config", "expected"),
    [
        (sized({"sockets": 2}, {"guest": "4Gi"}), "1.9", ClusterConfig(), (8, "16Gi")),
        (
            sized({"sockets": 2}, {"guest": "4Gi"}),
            "1.5",
            ClusterConfig(),
            (None, None),
        ),  # Stage is the default until 1.6
        (
            sized({"sockets": 2}, {"guest": "4Gi"}),
            "1.9",
            ClusterConfig(vm_rollout_strategy="Stage"),
            (None, None),
        ),
        (
            sized({"sockets": 2, "maxSockets": 3}, {"guest": "4Gi", "maxGuest": "6Gi"}),
            "1.9",
            ClusterConfig(),
            (3, "6Gi"),
        ),
        (sized({"sockets": 2}, {"guest": "4Gi"}), "1.9", ClusterConfig(max_cpu_sockets=6), (6, "16Gi")),
        (sized({"sockets": 8}, {"guest": "4Gi"}), "1.9", ClusterConfig(max_cpu_sockets=6), (8, "16Gi")),
        (sized({"sockets": 2}, {"guest": "4Gi"}), "1.9", ClusterConfig(max_hotplug_ratio=2), (4, "8Gi")),
        (
            sized({"sockets": 2}, {"guest": "4Gi"}),
            "1.9",
            ClusterConfig(max_guest=Quantity.parse("5Gi")),
            (8, "5Gi"),
        ),
        (sized({"sockets": 100, "cores": 2}, {"guest": "4Gi"}), "1.9", ClusterConfig(), (400, "16Gi")),
        (
            sized({"sockets": 100, "cores": 2, "threads": 1}, {"guest": "4Gi"}),
            "1.9",
            ClusterConfig(),
            (256, "16Gi"),
        ),
        (sized({"sockets": 2}, {"guest": "512Mi"}), "1.9", ClusterConfig(), (8, None)),
        (sized({"sockets": 2}, {"guest": "1025Mi"}), "1.9", ClusterConfig(), (8, None)),
        (sized({"sockets": 2}, {"guest": "4Gi"}, "arm64"), "1.9", ClusterConfig(), (None, None)),
        (sized({"sockets": 2}, {"guest": "4Gi"}, "s390x"), "1.9", ClusterConfig(), (8, None)),
        (sized({"sockets": 2, "realtime": {}}, {"guest": "4Gi"}), "1.9", ClusterConfig(), (8, None)),
    ],
)
def test_hotplug_room_is_planned_at_the_start(
    content: JsonObject, release: str, config: ClusterConfig, expected: tuple[Json, Json]
) -> None:
    assert plan(started(content, release, config)) == expected


def test_given_firmware_uuid_is_kept() -> None:
    content = vm("db", {"devices": {}, "firmware": {"uuid": "x"}})
    assert object_at(started(content), "domain", "firmware")["uuid"] == "x"


def test_conflicting_instance_type_starts_no_instance() -> None:
    content = vm("db", {"devices": {}, "cpu": {"cores": 2}}, instancetype="large")
    resource: Resource = next(iter(resources(content)))
    with pytest.raises(Exception, match="is set by"):
        start(resource, catalog(instancetype("large")), Cluster(behaviour("1.9").release))
