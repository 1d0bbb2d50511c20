"""The result of ``customize`` for an instance type or preference, without files and releases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import pytest

from renderer.authoring.sizes.customize import Copy, SpecChanges, customized_content, problems, target_of
from renderer.authoring.sizes.switch_values import SwitchError
from renderer.authoring.sizes.switches import INSTANCETYPE_SWITCHES, SWITCHES, Switch
from renderer.kubevirt.instancetype.api.instancetype import INSTANCETYPE_SPEC
from renderer.kubevirt.instancetype.api.preference import PREFERENCE_SPEC
from renderer.kubevirt.instancetype.api.types import Decoding
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, with_value
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

PREFIX = "instancetype.kubevirt.io/"
CX1: JsonObject = {
    "apiVersion": "instancetype.kubevirt.io/v1alpha2",
    "kind": "VirtualMachineClusterInstancetype",
    "metadata": {
        "name": "cx1.medium",
        "uid": "0",
        "labels": {
            "team": "a",
            f"{PREFIX}class": "compute.exclusive",
            f"{PREFIX}common-instancetypes-version": "v1.2.0",
            f"{PREFIX}cpu": "1",
            f"{PREFIX}memory": "2Gi",
            f"{PREFIX}size": "medium",
            f"{PREFIX}hugepages": "true",
            f"{PREFIX}numa": "true",
        },
        "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
            f"{PREFIX}displayName": "Compute",
        },
    },
    "spec": {
        "cpu": {
            "guest": 1,
            "maxSockets": 2,
            "dedicatedCPUPlacement": True,
            "numa": {"guestMappingPassthrough": {}},
        },
        "memory": {"guest": "2Gi", "hugepages": {"pageSize": "2Mi"}},
        "gpus": [{"name": "a", "deviceName": "x/a"}, {"name": "b", "deviceName": "x/b", "tag": "t"}],
        "nodeSelector": {"zone": "a"},
    },
}
FEDORA: JsonObject = {
    "apiVersion": "instancetype.kubevirt.io/v1beta1",
    "kind": "VirtualMachineClusterPreference",
    "metadata": {
        "name": "fedora",
        "labels": {f"{PREFIX}os-type": "linux", f"{PREFIX}required-cpu": "1", f"{PREFIX}arch": "amd64"},
    },
    "spec": {
        "firmware": {"preferredEfi": {"secureBoot": True}},
        "preferredArchitecture": "amd64",
        "requirements": {"cpu": {"guest": 1}},
    },
}


Given: TypeAlias = str | int | list[str]


def asked_for(cleared: tuple[str, ...], given: Mapping[str, Given]) -> SpecChanges:
    """``given`` are switches with ``_`` for ``-``: a text, several in a list, or True for one without."""
    texts = {
        key.replace("_", "-"): tuple(value)
        if isinstance(value, list)
        else (str(value),) * (value is not True)
        for key, value in given.items()
    }
    return SpecChanges(texts, frozenset(cleared))


def copied(source: JsonObject, *cleared: str, **given: Given) -> JsonObject:
    copy = Copy(name="my.size", changes=asked_for(cleared, given))
    return customized_content(Resource(source, Site("")), copy)


def labelled(source: JsonObject, *cleared: str, **given: Given) -> JsonObject:
    copy = Copy(name="my.size", keep_labels=True, changes=asked_for(cleared, given))
    return customized_content(Resource(source, Site("")), copy)


def spec(source: JsonObject, *cleared: str, **given: Given) -> JsonObject:
    return object_at(copied(source, *cleared, **given), "spec")


def refused(source: JsonObject, *cleared: str, **given: Given) -> str:
    with pytest.raises(SwitchError) as caught:
        copied(source, *cleared, **given)
    return str(caught.value)


def messages_of(source: JsonObject, *cleared: str, **given: Given) -> list[str]:
    copy = copied(source, *cleared, **given)
    return [finding.message for finding in problems(copy, target_of(Resource(copy, Site(""))))]


def test_example_of_the_proposal_is_reproduced() -> None:
    u1: JsonObject = {"kind": CX1["kind"], "spec": {"cpu": {"guest": 1}, "memory": {"guest": "4Gi"}}}
    copy = Copy(name="u1.mysize", changes=asked_for((), {"vcpus": 4, "memory": "4Gi"}))
    assert customized_content(Resource(u1, Site("")), copy) == {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineInstancetype",
        "metadata": {"name": "u1.mysize"},
        "spec": {"cpu": {"guest": 4}, "memory": {"guest": "4Gi"}},
    }


def test_other_fields_are_copied_and_the_source_is_unchanged() -> None:
    before = repr(CX1)
    assert spec(CX1) == CX1["spec"]
    spec(CX1, "gpu", vcpus=4)
    assert repr(CX1) == before


def test_only_foreign_labels_and_annotations_are_kept() -> None:
    assert copied(CX1)["metadata"] == {"name": "my.size", "labels": {"team": "a"}}


def test_kept_labels_match_the_copy() -> None:
    copy = labelled(CX1, "numa-passthrough", vcpus=4, memory="8Gi", hugepages="1Gi")
    assert copy["metadata"] == {
        "name": "my.size",
        "labels": {
            "team": "a",
            f"{PREFIX}class": "compute.exclusive",
            f"{PREFIX}cpu": "4",
            f"{PREFIX}memory": "8Gi",
            f"{PREFIX}size": "size",
            f"{PREFIX}hugepages": "1Gi",
            f"{PREFIX}dedicatedCPUPlacement": "true",
            f"{PREFIX}gpus": "true",
        },
        "annotations": {f"{PREFIX}displayName": "Compute"},
    }


def test_missing_labels_are_not_added() -> None:
    bare = with_value(CX1, ["metadata", "labels"], {"team": "a"})
    assert object_at(labelled(bare), "metadata", "labels") == {"team": "a"}


def test_kept_labels_of_a_preference_match_its_requirements() -> None:
    copy = labelled(FEDORA, "architecture", min_vcpus=2, min_memory="1.5Gi")
    assert object_at(copy, "metadata", "labels") == {
        f"{PREFIX}os-type": "linux",
        f"{PREFIX}required-cpu": "2",
        f"{PREFIX}required-memory": "1.5Gi",
    }


@pytest.mark.parametrize(
    ("is_cluster_wide", "kind"),
    [(False, "VirtualMachineInstancetype"), (True, "VirtualMachineClusterInstancetype")],
)
def test_requested_scope_is_used(*, is_cluster_wide: bool, kind: str) -> None:
    copy = Copy(name="x", is_cluster_wide=is_cluster_wide)
    for source in ("VirtualMachineInstancetype", "VirtualMachineClusterInstancetype"):
        assert customized_content(Resource({**CX1, "kind": source}, Site("")), copy)["kind"] == kind


@pytest.mark.parametrize("name", ["U1", "a_b", "-a", "a/b", "../x", "", "a" * 254])
def test_invalid_names_are_refused(name: str) -> None:
    with pytest.raises(SwitchError, match="cannot be a name"):
        customized_content(Resource(CX1, Site("")), Copy(name=name))


def test_ratio_of_sockets_to_vcpus_is_kept() -> None:
    assert object_at(spec(CX1, vcpus=4), "cpu")["maxSockets"] == 8
    assert object_at(spec(CX1, vcpus=4, max_sockets=5), "cpu")["maxSockets"] == 5
    assert "maxSockets" not in object_at(spec(CX1, "max-sockets", vcpus=4), "cpu")
    odd = with_value(with_value(CX1, ["spec", "cpu", "guest"], 2), ["spec", "cpu", "maxSockets"], 3)
    assert object_at(spec(odd, vcpus=4), "cpu")["maxSockets"] == 3
    assert messages_of(odd, vcpus=4) == [
        "spec.cpu.maxSockets is 3, less than the 4 vCPUs, each of which is a socket"
    ]


def test_devices_are_added_replaced_and_removed() -> None:
    assert spec(CX1, gpu=["name:b,devicename:y", "deviceName=z,name=c"])["gpus"] == [
        {"name": "a", "deviceName": "x/a"},
        {"name": "b", "deviceName": "y"},
        {"name": "c", "deviceName": "z"},
    ]
    assert spec(CX1, "gpu", gpu=["name=c,deviceName=z"])["gpus"] == [{"name": "c", "deviceName": "z"}]
    assert "gpus" not in spec(CX1, "gpu")
    for wrong in ("", "a", "name=a", "name=a,deviceName=", "name=a,deviceName=b,tag=c", "name=a,name=b"):
        assert "--gpu must be name=NAME,deviceName=NAME" in refused(CX1, gpu=[wrong])


def test_pairs_are_added_to_existing_ones() -> None:
    assert spec(CX1, node_selector=["disk=ssd", "empty="])["nodeSelector"] == {
        "zone": "a",
        "disk": "ssd",
        "empty": "",
    }
    for wrong in ("zone", "a b=c", "zone=a b", "/zone=a", f"zone={'a' * 64}"):
        assert f"must be KEY=VALUE that can be a label, not {wrong!r}" in refused(CX1, node_selector=[wrong])


def test_names_are_valid_for_virtual_machines() -> None:
    assert spec(FEDORA, subdomain="a.example")["preferredSubdomain"] == "a.example"
    for switch in ("subdomain", "storage_class"):
        for wrong in ("", "Fast", "a_b", "a b", "-a", "a" * 254):
            assert "must be a name" in refused(FEDORA, **{switch: wrong})


def test_huge_pages_are_named_as_on_nodes() -> None:
    for size in ("1Gi", "1024Mi", "1048576Ki"):
        assert object_at(spec(CX1, hugepages=size), "memory")["hugepages"] == {"pageSize": "1Gi"}


FIRMWARE: dict[str, tuple[list[str], dict[str, Given], Json]] = {
    "EFI is removed as a whole": (["efi"], {}, None),
    "BIOS takes its place": ([], {"bios": True}, {"preferredUseBios": True}),
    "secure boot is turned off": (["secure-boot"], {}, {"preferredEfi": {"secureBoot": False}}),
    "EFI keeps its options": ([], {"efi": True}, {"preferredEfi": {"secureBoot": True}}),
    "an option more": (
        [],
        {"persistent_efi": True},
        {"preferredEfi": {"secureBoot": True, "persistent": True}},
    ),
}


@pytest.mark.parametrize(("cleared", "given", "firmware"), FIRMWARE.values(), ids=FIRMWARE)
def test_firmware(cleared: list[str], given: dict[str, Given], firmware: Json) -> None:
    assert spec(FEDORA, *cleared, **given).get("firmware") == firmware


def test_empty_mappings_are_removed() -> None:
    assert spec(FEDORA, "min-vcpus", "architecture", "efi") == EMPTY


def test_secure_boot_adds_its_prerequisites() -> None:
    assert object_at(spec(FEDORA, secure_boot=True), "features") == {"preferredSmm": {}}


def test_disabling_an_option_does_not_create_the_device() -> None:
    assert "devices" not in spec(FEDORA, "persistent-tpm")
    assert object_at(spec(FEDORA, "persistent-tpm", tpm=True), "devices") == {"preferredTPM": {}}


def test_deprecated_firmware_fields_are_replaced_where_firmware_changes() -> None:
    older = with_value(
        FEDORA, ["spec", "firmware"], {"preferredUseEfi": True, "preferredUseSecureBoot": True}
    )
    assert spec(older)["firmware"] == object_at(older, "spec", "firmware")
    assert spec(older, "secure-boot")["firmware"] == {"preferredEfi": {"secureBoot": False}}


def test_off_is_written_if_a_missing_field_means_on() -> None:
    assert spec(FEDORA, "graphics")["devices"] == {"preferredAutoattachGraphicsDevice": False}


WRONG_VALUES = {
    "vcpus": ("0", "-1", "4294967296", "1.5", "x", "", "9" * 5000),
    "memory": ("4GB", "4GiB", "0", "-1Gi", "1.5", "1m", "4096", "8Ei", "", " 4Gi", "x"),
    "max_sockets": ("0",),
    "hugepages": ("0", "2MB", "1"),
    "overcommit_percent": ("-1", "101", "50%"),
    "io_threads_policy": ("",),
}


@pytest.mark.parametrize(
    ("switch", "text"), [(s, text) for s, texts in WRONG_VALUES.items() for text in texts]
)
def test_wrong_values_are_refused_by_the_switch(switch: str, text: str) -> None:
    assert refused(CX1, **{switch: text}).startswith(f"--{switch.replace('_', '-')} must ")


def test_common_unit_spellings_have_a_hint() -> None:
    for text in ("4GB", "4GiB", "4gb", "4 Gi", "4gi"):
        assert "did you mean 4Gi?" in refused(CX1, memory=text)
    assert refused(CX1, memory="4096").endswith("did you mean 4096Mi?")


def test_switches_of_the_other_kind_are_refused() -> None:
    assert refused(CX1, topology="cores") == "--topology is for preferences; cx1.medium is an instance type"
    assert refused(FEDORA, "hugepages") == "--no-hugepages is for instance types; fedora is a preference"


def test_contradictory_switches_are_refused() -> None:
    assert (
        refused(CX1, "hugepages", hugepages="1Gi") == "--hugepages and --no-hugepages contradict each other"
    )
    assert refused(FEDORA, bios=True, efi=True).endswith("contradict each other")


def test_a_size_that_is_left_to_the_vm_must_be_given() -> None:
    custom = with_value(CX1, ["spec"], {"cpu": {}, "memory": {"hugepages": {"pageSize": "2Mi"}}})
    assert refused(custom, vcpus=1) == "--memory is needed: cx1.medium leaves it to the virtual machine"
    assert spec(custom, vcpus=1, memory="2Gi")["cpu"] == {"guest": 1}


CONTRADICTIONS: list[tuple[list[str], dict[str, Given], list[str]]] = [
    ([], {}, []),
    (["dedicated-cpus"], {}, ["spec.cpu.numa needs spec.cpu.dedicatedCPUPlacement"]),
    (["hugepages"], {}, ["spec.cpu.numa needs spec.memory.hugepages"]),
    (["numa-passthrough"], {"realtime": True}, ["spec.cpu.realtime needs spec.cpu.numa"]),
    ([], {"hugepages": "3Mi"}, ["huge pages cannot have the size 3Mi"]),
    ([], {"memory": "2049Mi"}, ["2049Mi of memory are not a multiple of huge pages of 2Mi"]),
    ([], {"memory": "1Gi", "hugepages": "2Gi"}, ["1Gi of memory are not a multiple of huge pages of 2Gi"]),
    ([], {"max_guest_memory": "4Gi"}, ["memory cannot be hot-plugged with spec.cpu.numa"]),
    (["numa-passthrough"], {"max_guest_memory": "4Gi"}, []),
    (
        ["numa-passthrough"],
        {"max_guest_memory": "1Gi"},
        ["spec.memory.maxGuest is 1Gi, less than the 2Gi of memory"],
    ),
    (
        ["numa-passthrough"],
        {"max_guest_memory": "2560Mi", "hugepages": "1Gi"},
        ["spec.memory.maxGuest must be a multiple of 1Gi, as memory can be hot-plugged"],
    ),
    (
        ["numa-passthrough"],
        {"max_guest_memory": "1Gi", "memory": "512Mi"},
        ["memory can be hot-plugged from 1Gi of memory on"],
    ),
    ([], {"io_threads_policy": "supplementalPool", "io_threads": "4"}, []),
    (
        [],
        {"io_threads_policy": "supplementalPool"},
        ["spec.ioThreadsPolicy supplementalPool needs the number of its threads"],
    ),
]


@pytest.mark.parametrize(("cleared", "given", "messages"), CONTRADICTIONS)
def test_values_that_every_vm_would_be_refused_for_are_errors(
    cleared: list[str], given: dict[str, Given], messages: list[str]
) -> None:
    assert messages_of(CX1, *cleared, **given) == messages


def test_huge_amounts_cost_no_time() -> None:
    for amount in ("1e999999999", "1e-999999999", "-1e999999999", "x"):
        for path in (["spec", "memory", "guest"], ["spec", "memory", "hugepages", "pageSize"]):
            assert len(messages_of(with_value(CX1, path, amount))) <= 1
    for amount in ("1e999999999", "1e-999999999"):
        assert "--memory must be" in refused(CX1, memory=amount)


def test_name_from_a_file_is_escaped_for_the_terminal() -> None:
    hostile = with_value(CX1, ["metadata", "name"], "\x1b[2J")
    assert "\x1b" not in refused(hostile, topology="cores")


def test_every_switch_has_its_own_name_and_field() -> None:
    names = [name for switch in SWITCHES.values() for name in (switch.name, switch.alias) if name]
    assert len(set(names)) == len(names)
    assert len({switch.path for switch in SWITCHES.values()}) == len(SWITCHES)


SAMPLES = {
    "QUANTITY": "4Gi",
    "SIZE": "1Gi",
    "KEY=VALUE": "a=b",
    "name=NAME,deviceName=NAME": "name=a,deviceName=b",
}


@pytest.mark.parametrize("switch", SWITCHES.values(), ids=SWITCHES)
def test_every_field_is_one_of_the_api(switch: Switch) -> None:
    metavar = switch.value.metavar
    is_number = metavar in ("N", "SECONDS")
    texts = () if not metavar else ("1" if is_number else SAMPLES.get(metavar, "x"),)
    source, api = (CX1, INSTANCETYPE_SPEC) if switch in INSTANCETYPE_SWITCHES else (FEDORA, PREFERENCE_SPEC)
    ways = [SpecChanges({switch.name: texts})] + [
        SpecChanges({}, frozenset({switch.name}))
    ] * switch.is_optional
    for changes in ways:
        copy = customized_content(Resource(source, Site("")), Copy(name="x", changes=changes))
        assert api.decode(copy["spec"], Decoding(strict=True))
