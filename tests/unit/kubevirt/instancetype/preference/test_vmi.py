"""Every field of a preference's spec is applied, or listed here as read elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from renderer.kubevirt.instancetype.api.preference import PREFERENCE_SPEC
from renderer.kubevirt.instancetype.api.types import GoType, Scalar, Struct
from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.kubevirt.instancetype.preference.vmi import PREFERENCE_APPLIERS, apply_preference
from renderer.model.kube.json import EMPTY, Json, JsonObject
from renderer.model.release import LATEST

#: The fields without an applier, and their readers.
READ_ELSEWHERE = {
    "cpu.preferredCPUTopology": "instancetype/topology.py",
    "cpu.spreadOptions": "instancetype/topology.py",
    "devices.preferredVirtualGPUOptions": "nothing, in KubeVirt neither",
    "preferSpreadSocketToCoreRatio": "instancetype/topology.py",
    "requirements": "instancetype/requirements.py",
    "volumes": "instancetype/webhook_fields.py",
}
#: Values of fields that are not applied whatever they are.
VALUES: dict[str, Json] = {
    "annotations": {"a": "b"},
    "clock.preferredClockOffset": {"utc": {}},
    "cpu.preferredCPUFeatures": [{"name": "vmx"}],
    "features.preferredHyperv": {"vapic": {}},
}
DEVICES: JsonObject = {
    "disks": [{"name": "a", "disk": {}}, {"name": "b", "cdrom": {}}, {"name": "c", "lun": {}}],
    "interfaces": [{"name": "default"}],
    "inputs": [{"name": "tablet"}],
    "panicDevices": [{}],
    "sound": {"name": "s"},
}
#: With none and with each of the boot loaders, whose options a preference completes; the disk is on virtio.
MACHINES: list[JsonObject] = [
    {"spec": {"networks": [{"name": "default", "pod": {}}], "domain": {"cpu": {}, "devices": DEVICES}}},
    {"spec": {"domain": {"firmware": {"bootloader": {"bios": {}}}}}},
    {"spec": {"domain": {"firmware": {"bootloader": {"efi": {}}}}}},
    {"spec": {"domain": {"devices": {"disks": [{"name": "a", "disk": {"bus": "virtio"}}]}}}},
]
GROUPS = {applier.field for applier in PREFERENCE_APPLIERS}


def fields(spec: Struct) -> Iterator[tuple[str, GoType]]:
    """The fields of the spec, of groups those in them."""
    for name, field_type in spec.fields.items():
        if isinstance(field_type, Struct) and name in GROUPS and not name.startswith("preferred"):
            yield from ((f"{name}.{key}", below) for key, below in field_type.fields.items())
        else:
            yield name, field_type


def value_of(name: str, field_type: GoType) -> Json:
    if name in VALUES:
        return VALUES[name]
    if isinstance(field_type, Scalar):
        return "some" if field_type.zero == "" else 1 if field_type.zero == 0 and field_type.maximum else True
    return {"some": {}}


def is_applied(name: str, value: Json) -> bool:
    group, _, key = name.partition(".")
    preference: JsonObject = {group: {key: value} if key else value}
    specs = AppliedSpecs(EMPTY, preference, behaviour_of(LATEST))
    machines = MACHINES if group != "cpu" else MACHINES[:1]  # KubeVirt crashes on features without a CPU
    return any(apply_preference(specs, machine) != machine for machine in machines)


FIELDS = dict(fields(PREFERENCE_SPEC))


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_is_applied_or_read_elsewhere(name: str) -> None:
    assert is_applied(name, value_of(name, FIELDS[name])) is (name not in READ_ELSEWHERE)
