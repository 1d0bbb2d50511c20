"""One wrong value in a machine makes findings about that value only, and hides none in another part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import renderer

MACHINE: dict[str, Any] = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {
        "runStrategy": "Always",
        "dataVolumeTemplates": [
            {
                "metadata": {"name": "web-root"},
                "spec": {"source": {"blank": {}}, "storage": {"resources": {"requests": {"storage": "5Gi"}}}},
            }
        ],
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "hostname": "web",
                "terminationGracePeriodSeconds": 30,
                "evictionStrategy": "None",
                "domain": {
                    "cpu": {"cores": 1, "sockets": 2, "threads": 1, "features": [{"name": "vmx"}]},
                    "memory": {"guest": "2Gi", "hugepages": {"pageSize": "2Mi"}},
                    "resources": {"requests": {"memory": "2Gi"}},
                    "features": {"smm": {"enabled": True}, "acpi": {}},
                    "firmware": {"bootloader": {"efi": {"secureBoot": True}}},
                    "clock": {"utc": {}, "timer": {"rtc": {"tickPolicy": "catchup"}}},
                    "devices": {
                        "rng": {},
                        "disks": [
                            {"name": "root", "disk": {"bus": "virtio"}, "bootOrder": 1},
                            {"name": "ci", "cdrom": {"bus": "sata"}},
                        ],
                        "interfaces": [{"name": "default", "masquerade": {}, "ports": [{"port": 80}]}],
                        "inputs": [{"type": "tablet", "bus": "usb", "name": "tablet"}],
                    },
                },
                "readinessProbe": {"tcpSocket": {"port": 80}, "periodSeconds": 5},
                "networks": [{"name": "default", "pod": {}}],
                "volumes": [
                    {"name": "root", "dataVolume": {"name": "web-root"}},
                    {"name": "ci", "cloudInitNoCloud": {"userData": "#cloud-config\n"}},
                ],
            },
        },
    },
}
#: A value that KubeVirt's webhook refuses, by part.
REFUSED = {
    "storage": ("spec.template.spec.domain.devices.disks.0.name", "other"),
    "network": ("spec.template.spec.domain.devices.interfaces.0.name", "other"),
    "probe": ("spec.template.spec.readinessProbe.httpGet", {"port": 80}),
}


def places(value: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:  # noqa: ANN401 - a JSON tree
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield (*path, key)
        yield from places(child, *path, key)


def changed(value: Any, path: tuple[str | int, ...], new: object) -> Any:  # noqa: ANN401 - as above
    if not path:
        return new
    head, *rest = path
    copy = list(value) if isinstance(value, list) else dict(value)
    copy[head] = changed(value[head] if rest else None, tuple(rest), new)  # type: ignore[index]
    return copy


def refusals(machine: Any) -> list[str]:  # noqa: ANN401 - as above
    return [found.message for found in renderer.validate_object(machine) if found.code == "admission"]


def in_spec(path: tuple[str | int, ...]) -> bool:
    return path[:1] == ("spec",)


def test_the_machine_is_right_and_each_wrong_value_is_refused() -> None:
    assert renderer.validate_object(MACHINE) == ()
    for name, (path, value) in REFUSED.items():
        steps = tuple(int(step) if step.isdecimal() else step for step in path.split("."))
        assert refusals(changed(MACHINE, steps, value)), name


@pytest.mark.parametrize("wrong", [{"x": {}}, [[]], "\t", -1, True], ids=repr)
def test_value_of_a_wrong_type_is_not_followed_by_refusals(wrong: object) -> None:
    for path in filter(in_spec, places(MACHINE)):
        machine = changed(MACHINE, path, wrong)
        found = renderer.validate_object(machine)
        if any(each.code in ("schema", "unknown-field") and each.severity == "error" for each in found):
            assert [each.message for each in found if each.code == "admission"] == [], path


@pytest.mark.parametrize("part", REFUSED)
def test_value_of_a_wrong_type_hides_no_refusal_in_another_part(part: str) -> None:
    path, value = REFUSED[part]
    steps = tuple(int(step) if step.isdecimal() else step for step in path.split("."))
    machine = changed(MACHINE, steps, value)
    expected = refusals(machine)
    other = ("spec", "template", "spec", "domain", "clock", "timer", "rtc", "tickPolicy")
    assert refusals(changed(machine, other, {"x": {}})) == expected
