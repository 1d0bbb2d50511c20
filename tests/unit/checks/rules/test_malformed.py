"""Rules also run on objects that schemas refuse, and none may fail."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from renderer.checks.rules.context import Context
from renderer.checks.rules.judge import judge
from renderer.model.codes import RULE_CODES
from renderer.model.kube.json import Json, JsonObject
from renderer.model.release import LATEST
from renderer.model.rule_settings import Level, RuleSetting, RuleSettings
from tests.kubevirt_objects import resources, vm

_Way = tuple[str | int, ...]

_MACHINE: JsonObject = {
    "domain": {
        "memory": {"guest": "4Gi", "hugepages": {"pageSize": "2Mi"}},
        "resources": {"requests": {"memory": "2Gi"}},
        "firmware": {"bootloader": {"efi": {}}},
        "devices": {
            "disks": [{"name": "root", "disk": {"bus": "virtio"}}],
            "interfaces": [{"name": "lan", "bridge": {}, "macAddress": "02:00:00:00:00:01"}],
        },
    },
    "networks": [{"name": "lan", "multus": {"networkName": "lan"}}],
    "accessCredentials": [{"sshPublicKey": {"source": {"secret": {"secretName": "keys"}}}}],
    "volumes": [
        {"name": "root", "dataVolume": {"name": "web-root"}},
        {"name": "init", "cloudInitNoCloud": {"secretRef": {"name": "web-init"}}},
    ],
}
_TEMPLATE: JsonObject = {
    "metadata": {"name": "web-root"},
    "spec": {"sourceRef": {"kind": "DataSource", "name": "fedora"}, "storage": {}},
}
_SPEC: JsonObject = {
    "runStrategy": "Always",
    "instancetype": {"name": "medium"},
    "dataVolumeTemplates": [_TEMPLATE],
    "template": {"metadata": {"labels": {}}, "spec": _MACHINE},
}

_ODD_VALUES: tuple[Json, ...] = (
    None,
    True,
    7,
    "",
    "${A}",
    [],
    [None],
    [[]],
    {},
    {"name": {}},
    {"name": ["lan"]},
)
_EVERYTHING = RuleSettings(tuple(RuleSetting(code, Level.ERROR, strict=True) for code in RULE_CODES))


def _ways(value: Json, way: _Way = ()) -> Iterator[_Way]:
    yield way
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, child in children:
        yield from _ways(child, (*way, key))


def _with(value: Json, way: _Way, odd: Json) -> Json:
    if not way:
        return odd
    key, *rest = way
    if isinstance(value, dict):
        return {
            name: _with(child, tuple(rest), odd) if name == key else child for name, child in value.items()
        }
    assert isinstance(value, list)
    return [_with(child, tuple(rest), odd) if index == key else child for index, child in enumerate(value)]


@pytest.mark.parametrize("way", tuple(_ways(_SPEC)), ids=lambda way: ".".join(map(str, way)) or "spec")
def test_no_rule_fails_on_a_field_of_any_type(way: _Way) -> None:
    whole: JsonObject = {**vm("whole"), "spec": _SPEC}
    for odd in _ODD_VALUES:
        broken: JsonObject = {**vm("broken"), "spec": _with(_SPEC, way, odd)}
        those = resources(broken, whole)

        assert judge(Context(those, those, LATEST), (), _EVERYTHING).value == those
