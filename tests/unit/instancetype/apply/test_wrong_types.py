"""Values that are not of their field's type stay as they are, so that the schema can name them."""

from __future__ import annotations

import pytest

from renderer.instancetype.apply.vmi import apply_to_template
from renderer.instancetype.behaviour import behaviour_of
from renderer.model.json import Json, JsonObject, object_at
from renderer.model.release import LATEST, Release

_SIZES: JsonObject = {"cpu": {"guest": 2}, "memory": {"guest": "1Gi", "overcommitPercent": 50}}
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
    applied = apply_to_template(_SIZES, _PREFERENCE, {"spec": {"domain": domain}}, behaviour_of(LATEST))
    assert not applied.conflicts
    return object_at(applied.template, "spec").get("domain")


@pytest.mark.parametrize("wrong", ["text", 4, True, ["a"]])
@pytest.mark.parametrize(
    "section", ["cpu", "memory", "resources", "devices", "features", "firmware", "machine", "clock"]
)
def test_a_section(section: str, wrong: Json) -> None:
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
def test_below_a_section(section: str, value: JsonObject) -> None:
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
def test_what_leads_to_a_field(template: JsonObject) -> None:
    instancetype: JsonObject = {
        **_SIZES,
        "annotations": {"a": "b"},
        "gpus": [{"name": "g"}],
        "ioThreads": {"supplementalPoolThreadCount": 2},
        "ioThreadsPolicy": "auto",
    }
    preference: JsonObject = {"annotations": {"c": "d"}, "preferredLaunchSecurity": {"sev": {}}}

    applied = apply_to_template(instancetype, preference, template, behaviour_of(LATEST)).template

    assert _without_what_was_added(applied, template) == template


def _without_what_was_added(value: Json, written: Json) -> Json:
    if isinstance(value, dict) and isinstance(written, dict):
        return {key: _without_what_was_added(value[key], written[key]) for key in written}
    return value


@pytest.mark.parametrize("template", [{"spec": "text"}, {"spec": {"domain": "text"}}])
def test_above_the_sections(template: JsonObject) -> None:
    assert apply_to_template(_SIZES, _PREFERENCE, template, behaviour_of(LATEST)).template == template


@pytest.mark.parametrize(
    "section", ["cpu", "devices", "features", "firmware", "machine", "clock", "annotations"]
)
@pytest.mark.parametrize("wrong", ["text", 4, ["a"]])
def test_in_a_preference_it_says_nothing(section: str, wrong: Json) -> None:
    template: JsonObject = {"spec": {"domain": {"devices": {"disks": [{"name": "root"}]}}}}
    applied = apply_to_template(None, {section: wrong}, template, behaviour_of(Release(1, 4)))
    assert applied.template == template
