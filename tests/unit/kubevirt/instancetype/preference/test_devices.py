"""Preferences for devices: disks, interfaces, inputs, and devices as a whole."""

from __future__ import annotations

import pytest

from renderer.kubevirt.instancetype.apply.vmi import apply_to_template
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.model.kube.json import Json, JsonObject, array_at, object_at
from renderer.model.release import LATEST, Release

_BUSES: JsonObject = {
    "preferredDiskBus": "virtio",
    "preferredCdromBus": "sata",
    "preferredLunBus": "scsi",
}
_OPTIONS: JsonObject = {
    "preferredDiskCache": "none",
    "preferredDiskIO": "native",
    "preferredDiskBlockSize": {"matchVolume": {}},
}


def _disk(preferred: Json, disk: JsonObject, release: Release = LATEST) -> Json:
    template: JsonObject = {"spec": {"domain": {"devices": {"disks": [disk]}}}}
    applied = apply_to_template(None, {"devices": preferred}, template, behaviour_of(release))
    (result,) = array_at(applied.template, "spec", "domain", "devices", "disks")
    return result


@pytest.mark.parametrize(
    ("disk", "result"),
    [
        ({"name": "d"}, {"name": "d", "disk": {"bus": "virtio"}}),
        ({"disk": {}}, {"disk": {"bus": "virtio"}}),
        ({"disk": {"bus": ""}}, {"disk": {"bus": "virtio"}}),
        ({"disk": {"bus": "scsi"}}, {"disk": {"bus": "scsi"}}),
        ({"cdrom": {}}, {"cdrom": {"bus": "sata"}}),
        ({"lun": {"readonly": True}}, {"lun": {"readonly": True, "bus": "scsi"}}),
        ({"cdrom": {}, "lun": {}}, {"cdrom": {"bus": "sata"}, "lun": {}}),
        ({"disk": None, "cdrom": {"bus": "ide"}}, {"disk": None, "cdrom": {"bus": "ide"}}),
    ],
)
def test_preferred_bus_is_applied(disk: JsonObject, result: JsonObject) -> None:
    assert _disk(_BUSES, disk) == result


def test_a_disk_of_no_kind_becomes_a_disk_with_any_devices_section() -> None:
    assert _disk({}, {"name": "d"}) == {"name": "d", "disk": {}}
    assert _disk(None, {"name": "d"}) == {"name": "d"}


def test_options_apply_only_to_disks() -> None:
    assert _disk(_OPTIONS, {"disk": {}, "io": "threads"}) == {
        "disk": {},
        "io": "threads",
        "cache": "none",
        "blockSize": {"matchVolume": {}},
    }
    assert _disk(_OPTIONS, {"cdrom": {}}) == {"cdrom": {}}
    assert _disk(_OPTIONS, {"lun": {}}) == {"lun": {}}


@pytest.mark.parametrize(
    ("disk", "since_1_3", "before"),
    [
        ({"disk": {"bus": "virtio"}}, True, True),
        ({"disk": {}}, True, True),
        ({}, True, True),
        ({"disk": {"bus": "sata"}}, False, True),
        ({"cdrom": {"bus": "virtio"}}, False, False),
        ({"lun": {"bus": "virtio"}}, False, False),
    ],
)
def test_preferred_dedicated_io_thread_is_applied(disk: JsonObject, *, since_1_3: bool, before: bool) -> None:
    preferred = {**_BUSES, "preferredDiskDedicatedIoThread": True}
    for release, expected in ((Release.parse("1.3"), since_1_3), (Release.parse("1.2"), before)):
        result = _disk(preferred, disk, release)
        assert isinstance(result, dict)
        assert ("dedicatedIOThread" in result) is expected


def test_io_thread_of_the_user_is_kept() -> None:
    preferred: JsonObject = {**_BUSES, "preferredDiskDedicatedIoThread": True}
    disk: JsonObject = {"disk": {"bus": "virtio"}, "dedicatedIOThread": False}
    assert _disk(preferred, disk) == disk


def _devices(
    preferred: JsonObject | None,
    devices: JsonObject,
    release: Release = LATEST,
    networks: Json = None,
) -> JsonObject:
    template: JsonObject = {"spec": {"domain": {"devices": devices}, "networks": networks}}
    applied = apply_to_template(None, {"devices": preferred}, template, behaviour_of(release))
    return object_at(applied.template, "spec", "domain", "devices")


_FIELDS = [
    ("preferredUseVirtioTransitional", "useVirtioTransitional", False),
    ("preferredBlockMultiQueue", "blockMultiQueue", True),
    ("preferredNetworkInterfaceMultiQueue", "networkInterfaceMultiqueue", True),
    ("preferredRng", "rng", {}),
    ("preferredTPM", "tpm", {"persistent": True}),
    ("preferredAutoattachGraphicsDevice", "autoattachGraphicsDevice", False),
    ("preferredAutoattachMemBalloon", "autoattachMemBalloon", False),
    ("preferredAutoattachPodInterface", "autoattachPodInterface", False),
    ("preferredAutoattachSerialConsole", "autoattachSerialConsole", False),
    ("preferredAutoattachInputDevice", "autoattachInputDevice", True),
]


@pytest.mark.parametrize(("name", "field", "value"), _FIELDS)
def test_preference_sets_missing_fields(name: str, field: str, value: Json) -> None:
    assert _devices({name: value}, {}) == {field: value}
    assert _devices({name: value}, {field: None}) == {field: value}


@pytest.mark.parametrize(("name", "field", "value"), _FIELDS)
@pytest.mark.parametrize("users", [False, True, {}, {"persistent": False}])
def test_preference_keeps_fields_of_the_user(name: str, field: str, value: Json, users: Json) -> None:
    assert _devices({name: value}, {field: users}) == {field: users}


@pytest.mark.parametrize(("name", "field", "value"), _FIELDS)
def test_no_preference_changes_nothing(name: str, field: str, value: Json) -> None:
    del value
    assert field not in _devices({name: None}, {})


@pytest.mark.parametrize(
    ("preferred", "users", "result"),
    [
        (True, False, {"disableHotplug": True}),
        (True, None, {"disableHotplug": True}),
        (False, True, {}),
        (False, False, {"disableHotplug": False}),
        (None, True, {"disableHotplug": True}),
    ],
)
def test_hotplug_comes_from_the_preference(preferred: Json, users: Json, result: JsonObject) -> None:
    assert _devices({"preferredDisableHotplug": preferred}, {"disableHotplug": users}) == result


@pytest.mark.parametrize(
    ("devices", "result"),
    [
        ({}, {}),
        ({"sound": {"name": "s"}}, {"sound": {"name": "s", "model": "ich9"}}),
        ({"sound": {"name": "s", "model": ""}}, {"sound": {"name": "s", "model": "ich9"}}),
        ({"sound": {"name": "s", "model": "ac97"}}, {"sound": {"name": "s", "model": "ac97"}}),
    ],
)
def test_sound_gets_a_model_only_if_present(devices: JsonObject, result: JsonObject) -> None:
    assert _devices({"preferredSoundModel": "ich9"}, devices) == result


@pytest.mark.parametrize(
    ("model", "devices", "result"),
    [
        ("vga", {}, {"video": {"type": "vga"}}),
        ("vga", {"video": {}}, {"video": {"type": "vga"}}),
        ("vga", {"video": {"type": "bochs"}}, {"video": {"type": "bochs"}}),
        ("", {}, {"video": {}}),
        (None, {}, {}),
    ],
)
def test_video_is_created(model: Json, devices: JsonObject, result: JsonObject) -> None:
    assert _devices({"preferredVideoType": model}, devices) == result


@pytest.mark.parametrize(
    ("release", "devices", "result"),
    [
        (Release.parse("1.9"), None, [{"model": "hyperv"}]),
        (Release.parse("1.9"), [], [{"model": "hyperv"}]),
        (Release.parse("1.8"), None, None),
        (Release.parse("1.8"), [], []),
        (Release.parse("1.9"), [{}, {"model": "isa"}], [{"model": "hyperv"}, {"model": "isa"}]),
        (Release.parse("1.8"), [{}, {"model": ""}], [{"model": "hyperv"}, {"model": ""}]),
    ],
)
def test_preferred_panic_devices_are_applied(release: Release, devices: Json, result: Json) -> None:
    preferred: JsonObject = {"preferredPanicDeviceModel": "hyperv"}
    assert _devices(preferred, {"panicDevices": devices}, release)["panicDevices"] == result


def test_preferred_input_devices_are_applied() -> None:
    preferred: JsonObject = {"preferredInputBus": "virtio", "preferredInputType": "tablet"}
    inputs: Json = [{"name": "a"}, {"name": "b", "bus": "usb", "type": ""}, {"name": "c", "type": "keyboard"}]
    assert _devices(preferred, {"inputs": inputs})["inputs"] == [
        {"name": "a", "bus": "virtio", "type": "tablet"},
        {"name": "b", "bus": "usb", "type": "tablet"},
        {"name": "c", "bus": "virtio", "type": "keyboard"},
    ]


_POD: Json = [{"name": "pod", "pod": {}}, {"name": "lan", "multus": {}}, {"name": "lan", "pod": {}}]


@pytest.mark.parametrize(
    ("interface", "since_1_1", "in_1_0"),
    [
        ({"name": "pod"}, True, True),
        ({"name": "lan"}, False, True),
        ({"name": "stray"}, False, True),
        ({"name": "pod", "bridge": {}}, False, True),
        ({"name": "pod", "binding": {"name": "mine"}}, False, True),
        ({"name": "pod", "passtBinding": {}}, False, True),
        ({"name": "pod", "bridge": None}, True, True),
    ],
)
def test_preferred_masquerade_is_applied(interface: JsonObject, *, since_1_1: bool, in_1_0: bool) -> None:
    preferred: JsonObject = {"preferredInterfaceMasquerade": {}}
    for release, expected in (
        (LATEST, since_1_1),
        (Release.parse("1.1"), since_1_1),
        (Release.parse("1.0"), in_1_0),
    ):
        devices = _devices(preferred, {"interfaces": [interface]}, release, _POD)
        assert devices["interfaces"] == [{**interface, "masquerade": {}} if expected else interface]


def test_preferred_interface_model_is_applied() -> None:
    interfaces: Json = [{"name": "pod", "masquerade": {"x": 1}}, {"name": "lan", "model": "e1000"}]
    preferred: JsonObject = {"preferredInterfaceModel": "virtio", "preferredInterfaceMasquerade": {}}
    assert _devices(preferred, {"interfaces": interfaces}, networks=_POD)["interfaces"] == [
        {"name": "pod", "masquerade": {"x": 1}, "model": "virtio"},
        {"name": "lan", "model": "e1000"},
    ]


def test_virtual_gpu_options_are_not_applied() -> None:
    gpus: Json = [{"name": "g", "deviceName": "d"}]
    preferred: JsonObject = {"preferredVirtualGPUOptions": {"display": {"enabled": True}}}
    assert _devices(preferred, {"gpus": gpus}) == {"gpus": gpus}
