"""Values that libvirt and QEMU reject, and where they are reported."""

from __future__ import annotations

import pytest

from renderer.checks.rules import obsolete_hardware, unusable_value
from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding
from renderer.kubevirt.facts.cpu_models import is_known_model, is_obsolete_model
from renderer.kubevirt.facts.machine_types import (
    MachineTypeState,
    is_unknown_machine_type,
    machine_type_state,
)
from renderer.model.field_edit import SetField, apply_edits
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.release import LATEST
from tests.kubevirt_objects import instancetype, namespaced, resources, vm


def messages_about_domain(**domain: Json) -> list[str]:
    machine = vm("web", {"memory": {"guest": "2Gi"}, "devices": {}, **domain})
    everything = resources(machine)
    return [found.message for found in unusable_value.RULE.check(Context(everything, everything, LATEST))]


def test_value_of_an_instance_type_in_the_overlay_is_reported_there_alone() -> None:
    size = namespaced(instancetype("small", memory=0, cpu={"guest": 2, "model": "qemu64"}))
    matcher = {"kind": "VirtualMachineInstancetype", "name": "small"}
    written = vm("web", instancetype=matcher)
    expanded = vm("web", {"cpu": {"model": "qemu64"}, "memory": {"guest": 0}, "devices": {}})
    context = Context(resources(size, expanded), resources(size, written), LATEST)
    found = [
        (each.resource.kind, str(each.field))
        for rule in (unusable_value.RULE, obsolete_hardware.RULE)
        for each in rule.check(context)
    ]
    assert found == [
        ("VirtualMachineInstancetype", "spec.memory.guest"),
        ("VirtualMachineInstancetype", "spec.cpu.model"),
    ]


def test_value_of_an_instance_type_elsewhere_is_reported_at_the_machine() -> None:
    written = vm("web", instancetype="small")
    expanded = vm("web", {"memory": {"guest": 0}, "devices": {}})
    context = Context(resources(expanded), resources(written), LATEST)
    found = [(each.resource.kind, str(each.field)) for each in unusable_value.RULE.check(context)]
    assert found == [("VirtualMachine", "spec.template.spec.domain.memory.guest")]


@pytest.mark.parametrize(
    "model",
    ["host-model", "host-passthrough", "EPYC", "EPYC-v4", "EPYC-Genoa-v2", "Skylake-Client-IBRS", "486"],
)
def test_known_models(model: str) -> None:
    assert is_known_model(model)


@pytest.mark.parametrize("model", ["EPYC-4", "epyc", "host_model", "Skylake", "Zen4", "max", "EPYC-v", "-v1"])
def test_unknown_models(model: str) -> None:
    assert not is_known_model(model)


@pytest.mark.parametrize(("architecture", "count"), [("arm64", 0), ("s390x", 0), ("amd64", 1), ("", 1)])
def test_models_are_checked_on_amd64(architecture: str, count: int) -> None:
    domain: Json = {"memory": {"guest": "2Gi"}, "cpu": {"model": "cortex-a53"}, "devices": {}}
    everything = resources(vm("web", template={"spec": {"architecture": architecture, "domain": domain}}))
    assert len([*unusable_value.RULE.check(Context(everything, everything, LATEST))]) == count


@pytest.mark.parametrize("model", ["qemu64", "kvm32-v1", "Conroe", "Opteron_G2"])
def test_obsolete_models(model: str) -> None:
    assert is_obsolete_model(model)


@pytest.mark.parametrize(
    ("machine_type", "state"),
    [
        ("pc-q35-rhel7.6.0", MachineTypeState.DEPRECATED),
        ("pc-q35-rhel8.10.0", MachineTypeState.DEPRECATED),
        ("pc-i440fx-rhel7.6.0", MachineTypeState.DEPRECATED),
        ("pc-q35-rhel7.5.0", MachineTypeState.GONE),
        ("rhel6.6.0", MachineTypeState.GONE),
        ("pc-i440fx-2.12", MachineTypeState.GONE),
        ("pc-q35-rhel9.6.0", None),
        ("pc-q35-rhel10.0.0", None),
        ("pc-q35-10.0", None),
        ("pc-q35-noble", None),
        ("q35", None),
        ("pc-q35-4.0.1", None),
        ("s390-ccw-virtio-rhel8.6.0", None),
        ("virt-rhel8.6.0", None),
    ],
)
def test_state_of_a_machine_type(machine_type: str, state: MachineTypeState | None) -> None:
    assert machine_type_state(machine_type) is state


@pytest.mark.parametrize(
    ("machine_type", "is_unknown"),
    [
        ("q35-rhel9.6.0", True),
        ("pc-q35", True),
        ("pc-q35-rhel9.6", True),
        ("pc-q35-9.6.0", True),
        ("q35", False),
        ("pc-q35-4.0.1", False),
        ("pc-q35-10.0", False),
        ("pc-q35-noble-hpb", False),
        ("pc-q35-rhel9.6.0", False),
    ],
)
def test_machine_type_that_no_hypervisor_has(machine_type: str, is_unknown: bool) -> None:  # noqa: FBT001 - expected
    assert is_unknown_machine_type(machine_type) is is_unknown
    assert len(messages_about_domain(machine={"type": machine_type})) == int(is_unknown)


@pytest.mark.parametrize(("bus", "most"), [("scsi", 36), ("usb", 36), ("virtio", 20), ("sata", 20)])
def test_longest_serial_of_a_bus(bus: str, most: int) -> None:
    def about(length: int) -> list[str]:
        disk: Json = {"name": "data", "serial": "x" * length, "disk": {"bus": bus}}
        return messages_about_domain(devices={"disks": [disk]})

    assert about(most) == []
    assert len(about(most + 1)) == 1


@pytest.mark.parametrize("bus", ["virtio", "sata"])
def test_uuid_as_serial_may_be_cut(bus: str) -> None:
    serial = "5d307ca9-b3ef-428c-8861-06e72d69f223"
    assert messages_about_domain(devices={"disks": [{"serial": serial, "disk": {"bus": bus}}]}) == []


@pytest.mark.parametrize(
    "domain",
    [
        {"cpu": {"model": "host-passthru"}},
        {"cpu": {"features": [{"name": "vmx"}, {"name": "sse4_1", "policy": "require"}]}},
        {"clock": {"timezone": "Europe/berlin"}},
        {"devices": {"disks": [{"name": "san", "lun": {"bus": "virtio"}}]}},
        {"devices": {"disks": [{"name": "san", "lun": {"readonly": True}}]}},
        {"devices": {"disks": [{"name": "a", "io": "native", "cache": "writeback", "disk": {}}]}},
        {"devices": {"gpus": [{"name": "nvidia.com/a100", "deviceName": "nvidia.com/A100"}]}},
    ],
)
def test_following_the_hint_removes_the_finding(domain: dict[str, Json]) -> None:
    def findings(machine: JsonObject) -> list[Finding]:
        everything = resources(machine)
        return [*unusable_value.RULE.check(Context(everything, everything, LATEST))]

    machine = vm("web", {"memory": {"guest": "2Gi"}, "devices": {}, **domain})
    (found,) = findings(machine)
    assert isinstance(found.fix, SetField)
    assert findings(object_at(apply_edits(machine, [found.fix]))) == []
