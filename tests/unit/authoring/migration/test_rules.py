"""The rules on objects, on JSON 6902 patches and on kustomizations."""

from __future__ import annotations

import pytest

from renderer.authoring.migration.change import Change, NotMigrated
from renderer.authoring.migration.rules import findings, with_deprecations_rewritten
from renderer.authoring.migration.sources import findings_in_patch
from renderer.model.field_edit import apply_edits
from renderer.model.kube.json import Json, JsonObject, object_at


def virtual_machine(spec: JsonObject, version: str = "v1") -> JsonObject:
    return {"apiVersion": f"kubevirt.io/{version}", "kind": "VirtualMachine", "spec": spec}


def preference(spec: JsonObject) -> JsonObject:
    kind = "VirtualMachinePreference"
    return {"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": kind, "spec": spec}


def spec_today(content: JsonObject) -> JsonObject:
    return object_at(with_deprecations_rewritten(content), "spec")


def messages(content: JsonObject) -> list[str]:
    return [found.message for found in findings(content) if isinstance(found, NotMigrated)]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"running": True}, {"runStrategy": "Always"}),
        ({"running": False}, {"runStrategy": "Halted"}),
        ({"running": None}, {"runStrategy": None}),
        ({"running": None, "runStrategy": "Manual"}, {"runStrategy": "Manual"}),
        ({"running": True, "runStrategy": None}, {"runStrategy": "Always"}),
        ({"running": True, "runStrategy": "Always"}, {"running": True, "runStrategy": "Always"}),
        ({"running": "${ON}"}, {"running": "${ON}"}),
        ({"running": "yes"}, {"running": "yes"}),
        ({"runStrategy": "Manual"}, {"runStrategy": "Manual"}),
    ],
)
def test_running_becomes_run_strategy(spec: JsonObject, expected: JsonObject) -> None:
    assert spec_today(virtual_machine(spec)) == expected


def test_virtual_machine_in_a_pool_is_migrated() -> None:
    pool: JsonObject = {
        "apiVersion": "pool.kubevirt.io/v1alpha1",
        "kind": "VirtualMachinePool",
        "spec": {"running": True, "virtualMachineTemplate": {"spec": {"running": True}}},
    }
    assert with_deprecations_rewritten(pool) == {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "spec": {"running": True, "virtualMachineTemplate": {"spec": {"runStrategy": "Always"}}},
    }


def test_the_machine_of_a_vm_template_is_migrated() -> None:
    template: JsonObject = {
        "apiVersion": "template.kubevirt.io/v1alpha1",
        "kind": "VirtualMachineTemplate",
        "spec": {"virtualMachine": {"spec": {"running": True}}, "running": True},
    }
    assert with_deprecations_rewritten(template) == {
        "apiVersion": "template.kubevirt.io/v1beta1",
        "kind": "VirtualMachineTemplate",
        "spec": {"virtualMachine": {"spec": {"runStrategy": "Always"}}, "running": True},
    }
    filled_in: JsonObject = {**template, "spec": {"virtualMachine": {"spec": {"running": "${{ON}}"}}}}
    assert messages(filled_in) == ["running is deprecated, and ${{ON}} is filled in only later"]


def test_objects_of_other_groups_are_ignored() -> None:
    other: JsonObject = {
        "apiVersion": "example.com/v1alpha1",
        "kind": "VirtualMachine",
        "spec": {"running": True},
    }
    assert not list(findings(other))
    assert not list(findings({"apiVersion": "notkubevirt.io/v1alpha3", "kind": "VirtualMachine"}))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("kubevirt.io/v1alpha3", "kubevirt.io/v1"),
        ("instancetype.kubevirt.io/v1alpha1", "instancetype.kubevirt.io/v1beta1"),
        ("instancetype.kubevirt.io/v1alpha2", "instancetype.kubevirt.io/v1beta1"),
        ("snapshot.kubevirt.io/v1alpha1", "snapshot.kubevirt.io/v1beta1"),
        ("export.kubevirt.io/v1alpha1", "export.kubevirt.io/v1beta1"),
        ("clone.kubevirt.io/v1alpha1", "clone.kubevirt.io/v1beta1"),
        ("pool.kubevirt.io/v1alpha1", "pool.kubevirt.io/v1beta1"),
        ("template.kubevirt.io/v1alpha1", "template.kubevirt.io/v1beta1"),
        ("migrations.kubevirt.io/v1alpha1", "migrations.kubevirt.io/v1alpha1"),
    ],
)
def test_api_versions(old: str, new: str) -> None:
    assert with_deprecations_rewritten({"apiVersion": old, "kind": "Any"}) == {
        "apiVersion": new,
        "kind": "Any",
    }


@pytest.mark.parametrize("name", ["Sockets", "Cores", "Threads", "Spread", "Any"])
def test_topologies(name: str) -> None:
    spec = spec_today(preference({"cpu": {"preferredCPUTopology": f"prefer{name}"}}))
    assert spec == {"cpu": {"preferredCPUTopology": name.lower()}}


RATIO = "preferSpreadSocketToCoreRatio"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({RATIO: 4}, {"cpu": {"spreadOptions": {"ratio": 4}}}),
        (
            {RATIO: 4, "cpu": {"preferredCPUTopology": "spread"}},
            {"cpu": {"preferredCPUTopology": "spread", "spreadOptions": {"ratio": 4}}},
        ),
        (
            {RATIO: 4, "cpu": {"spreadOptions": {"across": "CoresThreads"}}},
            {"cpu": {"spreadOptions": {"across": "CoresThreads", "ratio": 4}}},
        ),
        ({RATIO: 4, "cpu": {"spreadOptions": {"ratio": 3}}}, {"cpu": {"spreadOptions": {"ratio": 3}}}),
        ({RATIO: 0}, {RATIO: 0}),
        ({RATIO: "4"}, {RATIO: "4"}),
    ],
)
def test_the_ratio_of_a_spread(spec: JsonObject, expected: JsonObject) -> None:
    assert spec_today(preference(spec)) == expected


@pytest.mark.parametrize(
    ("firmware", "expected"),
    [
        ({"preferredUseEfi": True}, {"preferredEfi": {}}),
        (
            {"preferredUseSecureBoot": False, "preferredUseEfi": True},
            {"preferredEfi": {"secureBoot": False}},
        ),
        (
            {"preferredUseEfi": True, "preferredEfi": {"secureBoot": True}},
            {"preferredEfi": {"secureBoot": True}},
        ),
        ({"preferredUseSecureBoot": True}, {"preferredUseSecureBoot": True}),
        ({"preferredUseEfi": False}, {"preferredUseEfi": False}),
        ({"preferredUseEfi": "${EFI}"}, {"preferredUseEfi": "${EFI}"}),
        ({"preferredUseBios": True}, {"preferredUseBios": True}),
    ],
)
def test_firmware(firmware: JsonObject, expected: JsonObject) -> None:
    assert spec_today(preference({"firmware": firmware})) == {"firmware": expected}


def test_removed_fields_are_reported() -> None:
    interfaces: Json = [{"name": "a", "slirp": {}}, {"name": "b", "bridge": {}}]
    template: JsonObject = {"spec": {"domain": {"devices": {"interfaces": interfaces}}}}
    reported = list(findings(virtual_machine({"liveUpdateFeatures": {}, "template": template})))
    assert [str(found.field) for found in reported] == [
        "spec.liveUpdateFeatures",
        "spec.template.spec.domain.devices.interfaces[0].slirp",
    ]
    assert [found.since.as_bound for found in reported] == ["1.2", "1.3"]


def test_mediated_devices_of_a_cluster_get_their_new_name() -> None:
    configuration: JsonObject = {
        "mediatedDevicesConfiguration": {
            "mediatedDevicesTypes": ["a"],
            "nodeMediatedDeviceTypes": [{"mediatedDevicesTypes": ["b"]}],
        },
        "machineType": "q35",
    }
    spec: JsonObject = {"configuration": configuration}
    cluster: JsonObject = {"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "spec": spec}
    assert object_at(
        with_deprecations_rewritten(cluster), "spec", "configuration", "mediatedDevicesConfiguration"
    ) == {
        "mediatedDeviceTypes": ["a"],
        "nodeMediatedDeviceTypes": [{"mediatedDeviceTypes": ["b"]}],
    }
    assert messages(cluster) == ["machineType is deprecated"]


def patched(operation: JsonObject, kinds: str = "VirtualMachine") -> Json:
    """The operation after every change to it."""
    document: Json = [operation]
    for found in findings_in_patch([operation], kinds):
        assert isinstance(found, Change), found
        document = apply_edits(document, found.edits)
    return document[0] if isinstance(document, list) else None


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (
            {"op": "replace", "path": "/spec/running", "value": True},
            {"op": "replace", "path": "/spec/runStrategy", "value": "Always"},
        ),
        (
            {"op": "test", "path": "/spec/running", "value": False},
            {"op": "test", "path": "/spec/runStrategy", "value": "Halted"},
        ),
        ({"op": "remove", "path": "/spec/running"}, {"op": "remove", "path": "/spec/runStrategy"}),
        (
            {"op": "add", "path": "/spec", "value": {"running": True}},
            {"op": "add", "path": "/spec", "value": {"runStrategy": "Always"}},
        ),
        (
            {"op": "replace", "path": "/apiVersion", "value": "kubevirt.io/v1alpha3"},
            {"op": "replace", "path": "/apiVersion", "value": "kubevirt.io/v1"},
        ),
        (
            {"op": "add", "path": "/spec/template/spec/running", "value": True},
            {"op": "add", "path": "/spec/template/spec/running", "value": True},
        ),
    ],
)
def test_operations(operation: JsonObject, expected: JsonObject) -> None:
    assert patched(operation) == expected


def test_operations_on_preferences() -> None:
    operation: JsonObject = {"op": "add", "path": "/spec/firmware/preferredUseEfi", "value": True}
    expected = {"op": "add", "path": "/spec/firmware/preferredEfi", "value": {}}
    assert patched(operation, "VirtualMachine(Cluster)?Preference") == expected
    assert patched(operation) == operation
    assert patched(operation, "") == expected
    assert patched(operation, "((") == operation


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "move", "from": "/spec/running", "path": "/spec/other"},
        {"op": "copy", "from": "/spec/other", "path": "/spec/running"},
        {"op": "add", "path": "/spec/running", "value": "${ON}"},
    ],
)
def test_operations_that_need_manual_changes_are_reported(operation: JsonObject) -> None:
    [found] = findings_in_patch([operation], "")
    assert isinstance(found, NotMigrated)


def test_operation_that_would_need_two_is_reported() -> None:
    operation: JsonObject = {"op": "add", "path": f"/spec/{RATIO}", "value": 4}
    [found] = findings_in_patch([operation], "VirtualMachinePreference")
    assert isinstance(found, NotMigrated)
    assert found.hint == "write cpu.spreadOptions.ratio: 4"
