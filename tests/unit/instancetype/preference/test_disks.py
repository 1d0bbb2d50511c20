"""Preferences for disks."""

from __future__ import annotations

import pytest

from renderer.instancetype.apply.vmi import apply_to_template
from renderer.instancetype.behaviour import behaviour_of
from renderer.model.json import Json, JsonObject, array_at
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
def test_bus(disk: JsonObject, result: JsonObject) -> None:
    assert _disk(_BUSES, disk) == result


def test_a_disk_of_no_kind_becomes_a_disk_with_any_devices_section() -> None:
    assert _disk({}, {"name": "d"}) == {"name": "d", "disk": {}}
    assert _disk(None, {"name": "d"}) == {"name": "d"}


def test_options_are_for_disks_alone() -> None:
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
def test_dedicated_io_thread(disk: JsonObject, *, since_1_3: bool, before: bool) -> None:
    preferred = {**_BUSES, "preferredDiskDedicatedIoThread": True}
    for release, expected in ((Release(1, 3), since_1_3), (Release(1, 2), before)):
        result = _disk(preferred, disk, release)
        assert isinstance(result, dict)
        assert ("dedicatedIOThread" in result) is expected


def test_the_users_io_thread_stays() -> None:
    preferred: JsonObject = {**_BUSES, "preferredDiskDedicatedIoThread": True}
    disk: JsonObject = {"disk": {"bus": "virtio"}, "dedicatedIOThread": False}
    assert _disk(preferred, disk) == disk
