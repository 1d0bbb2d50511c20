"""Instance types and preferences applied to a template, also to one of wrong types."""

from __future__ import annotations

import pytest

from renderer.kubevirt.instancetype.apply.vmi import Applied, apply_to_template
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.model.kube.json import Json, JsonObject, object_at, with_value
from renderer.model.release import LATEST, Release

_SIZES: JsonObject = {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}
_APPLIED_SIZES: JsonObject = {
    "cpu": {"sockets": 1, "cores": 1, "threads": 1},
    "memory": {"guest": "1Gi"},
}


def _apply(fields: JsonObject, template: JsonObject) -> Applied:
    return apply_to_template({**_SIZES, **fields}, None, template, behaviour_of(LATEST))


def _template(path: tuple[str, ...], value: Json) -> JsonObject:
    return with_value({"spec": {"domain": {}}}, ("spec", *path), value)


_DOMAIN = ("domain",)
_EXCLUSIVE = [
    ({"nodeSelector": {"a": "b"}}, ("nodeSelector",), {"a": "b"}),
    ({"schedulerName": "mine"}, ("schedulerName",), "mine"),
    ({"ioThreadsPolicy": "auto"}, (*_DOMAIN, "ioThreadsPolicy"), "auto"),
    (
        {"ioThreads": {"supplementalPoolThreadCount": 4}},
        (*_DOMAIN, "ioThreads", "supplementalPoolThreadCount"),
        4,
    ),
    ({"launchSecurity": {"sev": {}}}, (*_DOMAIN, "launchSecurity"), {"sev": {}}),
    (
        {"gpus": [{"name": "g", "deviceName": "nvidia.com/A100"}]},
        (*_DOMAIN, "devices", "gpus"),
        [{"name": "g", "deviceName": "nvidia.com/A100"}],
    ),
    (
        {"hostDevices": [{"name": "h", "deviceName": "intel.com/qat"}]},
        (*_DOMAIN, "devices", "hostDevices"),
        [{"name": "h", "deviceName": "intel.com/qat"}],
    ),
]


@pytest.mark.parametrize(("fields", "path", "value"), _EXCLUSIVE)
def test_a_field_is_copied(fields: JsonObject, path: tuple[str, ...], value: Json) -> None:
    applied = _apply(fields, {"spec": {"domain": {}}})
    assert applied.template == _with_sizes(_template(path, value))


@pytest.mark.parametrize(("fields", "path", "value"), _EXCLUSIVE)
def test_field_set_by_both_conflicts(fields: JsonObject, path: tuple[str, ...], value: Json) -> None:
    template = _template(path, value)
    applied = _apply(fields, template)
    assert applied.template is template
    assert [conflict.path for conflict in applied.conflicts] == [".".join(("spec.template.spec", *path))]


@pytest.mark.parametrize(("fields", "path", "value"), _EXCLUSIVE)
def test_vm_may_set_fields_that_the_instance_type_does_not(
    fields: JsonObject, path: tuple[str, ...], value: Json
) -> None:
    absent: JsonObject = dict.fromkeys(fields)
    template = _template(path, value)
    assert _apply(absent, template).template == _with_sizes(template)


@pytest.mark.parametrize(
    ("fields", "path", "value"),
    [
        # Empty, yet set.
        ({"nodeSelector": {}}, ("nodeSelector",), {}),
        ({"ioThreadsPolicy": "auto"}, (*_DOMAIN, "ioThreadsPolicy"), ""),
        ({"launchSecurity": {}}, (*_DOMAIN, "launchSecurity"), {}),
        (
            {"ioThreads": {"supplementalPoolThreadCount": 0}},
            (*_DOMAIN, "ioThreads", "supplementalPoolThreadCount"),
            0,
        ),
    ],
)
def test_pointers_and_maps_conflict_even_if_empty(
    fields: JsonObject, path: tuple[str, ...], value: Json
) -> None:
    assert _apply(fields, _template(path, value)).conflicts


@pytest.mark.parametrize(
    ("fields", "path", "value"),
    [
        ({"schedulerName": "mine"}, ("schedulerName",), ""),
        ({"gpus": [{"name": "g"}]}, (*_DOMAIN, "devices", "gpus"), []),
        ({"gpus": []}, (*_DOMAIN, "devices", "gpus"), [{"name": "g"}]),
        ({"hostDevices": [{"name": "h"}]}, (*_DOMAIN, "devices", "hostDevices"), None),
        ({"ioThreads": {}}, (*_DOMAIN, "ioThreads", "supplementalPoolThreadCount"), 1),
    ],
)
def test_empty_texts_and_lists_do_not_conflict(
    fields: JsonObject, path: tuple[str, ...], value: Json
) -> None:
    assert not _apply(fields, _template(path, value)).conflicts


def test_an_empty_node_selector_is_not_written() -> None:
    assert _apply({"nodeSelector": {}}, {"spec": {"domain": {}}}).template == _with_sizes(
        {"spec": {"domain": {}}}
    )


def test_annotations_are_added_to_the_vms() -> None:
    template: JsonObject = {"metadata": {"annotations": {"b": "2", "c": "3"}}, "spec": {"domain": {}}}
    applied = _apply({"annotations": {"a": "1", "b": "2"}}, template)
    assert applied.template["metadata"] == {"annotations": {"a": "1", "b": "2", "c": "3"}}


def test_annotations_with_other_values_conflict_in_order() -> None:
    template: JsonObject = {"metadata": {"annotations": {"z": "1", "a.b/c": "1", "same": ""}}, "spec": {}}
    conflicts = _apply({"annotations": {"z": "2", "a.b/c": "2", "same": None}}, template).conflicts
    assert [conflict.path for conflict in conflicts] == ["annotations.a.b/c", "annotations.z"]
    assert str(conflicts[0].field) == 'spec.template.metadata.annotations["a.b/c"]'
    assert str(conflicts[0].instancetype_field) == 'spec.annotations["a.b/c"]'


def test_conflicts_of_all_fields_are_reported_at_once() -> None:
    fields: JsonObject = {"annotations": {"a": "1"}, "schedulerName": "mine", "nodeSelector": {}}
    template: JsonObject = {
        "metadata": {"annotations": {"a": "2"}},
        "spec": {
            "nodeSelector": {},
            "schedulerName": "other",
            "domain": {"cpu": {"cores": 2}, "memory": {"guest": "1Gi"}},
        },
    }
    applied = _apply(fields, template)
    assert applied.template is template
    assert [conflict.path for conflict in applied.conflicts] == [
        "spec.template.spec.nodeSelector",
        "spec.template.spec.schedulerName",
        "spec.template.spec.domain.cpu.cores",
        "spec.template.spec.domain.memory.guest",
        "annotations.a",
    ]


def test_with_conflicts_the_preference_is_not_applied() -> None:
    template: JsonObject = {"spec": {"domain": {"cpu": {"cores": 2}}}}
    preference: JsonObject = {"preferredSubdomain": "x"}
    applied = apply_to_template(_SIZES, preference, template, behaviour_of(LATEST))
    assert applied.template is template


def test_without_instance_type_and_preference_nothing_changes() -> None:
    template: JsonObject = {"spec": {"domain": {"cpu": {"cores": 2}}}}
    assert apply_to_template(None, None, template, behaviour_of(LATEST)) == Applied(template)


def test_an_empty_instance_type_still_sizes() -> None:
    applied = apply_to_template({}, None, {"spec": {"domain": {}}}, behaviour_of(LATEST))
    domain = {"cpu": {"cores": 1, "threads": 1}, "memory": {"guest": "0"}}
    assert applied.template == {"spec": {"domain": domain}}


def _with_sizes(template: JsonObject) -> JsonObject:
    for section, value in _APPLIED_SIZES.items():
        template = with_value(template, ("spec", "domain", section), value)
    return template


_WRONG_SIZES: JsonObject = {"cpu": {"guest": 2}, "memory": {"guest": "1Gi", "overcommitPercent": 50}}
_PREFERENCE: JsonObject = {
    "clock": {"preferredTimer": {}},
    "devices": {
        "preferredDiskBus": "virtio",
        "preferredInputBus": "usb",
        "preferredInterfaceModel": "virtio",
        "preferredSoundModel": "ich9",
        "preferredVideoType": "vga",
    },
    "features": {"preferredSmm": {}, "preferredHyperv": {"relaxed": {}}},
    "firmware": {"preferredUseEfi": True},
    "machine": {"preferredMachineType": "q35"},
}


def _domain(domain: Json) -> Json:
    applied = apply_to_template(_WRONG_SIZES, _PREFERENCE, {"spec": {"domain": domain}}, behaviour_of(LATEST))
    assert not applied.conflicts
    return object_at(applied.template, "spec").get("domain")


@pytest.mark.parametrize("wrong", ["text", 4, True, ["a"]])
@pytest.mark.parametrize(
    "section", ["cpu", "memory", "resources", "devices", "features", "firmware", "machine", "clock"]
)
def test_malformed_section_is_kept(section: str, wrong: Json) -> None:
    domain = _domain({section: wrong})
    assert isinstance(domain, dict)
    assert domain[section] == wrong


@pytest.mark.parametrize(
    ("section", "value"),
    [
        ("firmware", {"bootloader": "efi"}),
        ("features", {"hyperv": True, "smm": {}}),
        ("devices", {"sound": "ich9", "video": "vga"}),
        ("devices", {"disks": "all", "inputs": {"a": 1}, "interfaces": 1, "video": {"type": "vga"}}),
        ("devices", {"disks": ["root", None, {"disk": "virtio"}], "video": {"type": "vga"}}),
    ],
)
def test_malformed_field_of_a_section_is_kept(section: str, value: JsonObject) -> None:
    domain = _domain({section: value})
    assert isinstance(domain, dict)
    assert domain[section] == value


@pytest.mark.parametrize(
    "template",
    [
        {"metadata": "text"},
        {"metadata": {"annotations": "text"}},
        {"spec": {"domain": "text"}},
        {"spec": {"domain": {"devices": ["a"], "ioThreads": 4}}},
    ],
)
def test_malformed_parent_is_kept(template: JsonObject) -> None:
    instancetype: JsonObject = {
        **_WRONG_SIZES,
        "annotations": {"a": "b"},
        "gpus": [{"name": "g"}],
        "ioThreads": {"supplementalPoolThreadCount": 2},
        "ioThreadsPolicy": "auto",
    }
    preference: JsonObject = {"annotations": {"c": "d"}, "preferredLaunchSecurity": {"sev": {}}}

    applied = apply_to_template(instancetype, preference, template, behaviour_of(LATEST)).template

    assert _without_additions(applied, template) == template


def _without_additions(value: Json, written: Json) -> Json:
    if isinstance(value, dict) and isinstance(written, dict):
        return {key: _without_additions(value[key], written[key]) for key in written}
    return value


@pytest.mark.parametrize("template", [{"spec": "text"}, {"spec": {"domain": "text"}}])
def test_malformed_spec_is_kept(template: JsonObject) -> None:
    assert apply_to_template(_WRONG_SIZES, _PREFERENCE, template, behaviour_of(LATEST)).template == template


@pytest.mark.parametrize(
    "section", ["cpu", "devices", "features", "firmware", "machine", "clock", "annotations"]
)
@pytest.mark.parametrize("wrong", ["text", 4, ["a"]])
def test_malformed_preference_changes_nothing(section: str, wrong: Json) -> None:
    template: JsonObject = {"spec": {"domain": {"devices": {"disks": [{"name": "root"}]}}}}
    applied = apply_to_template(None, {section: wrong}, template, behaviour_of(Release.parse("1.4")))
    assert applied.template == template
