"""Selectors that the rule ``service-selector`` ignores, as it cannot know what they select."""

from __future__ import annotations

import pytest

from renderer.checks.rules.context import Context
from renderer.checks.rules.judge import judge
from renderer.model.codes import Code
from renderer.model.kube.json import Json, JsonObject
from renderer.model.release import LATEST
from renderer.model.rule_settings import RuleSettings
from tests.kubevirt_objects import NAMESPACE, resources


def machine(labels: JsonObject, own: JsonObject) -> JsonObject:
    template: JsonObject = {"metadata": {"labels": labels}, "spec": {"domain": {"devices": {}}}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "web", "namespace": NAMESPACE, "labels": own},
        "spec": {"runStrategy": "Always", "template": template},
    }


def is_reported(selector: JsonObject, labels: JsonObject, own: JsonObject | None = None) -> bool:
    service: JsonObject = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": NAMESPACE},
        "spec": {"selector": selector, "ports": [{"port": 80}]},
    }
    everything = resources(service, machine(labels, own or {}))
    found = judge(Context(everything, everything, LATEST), (), RuleSettings()).diagnostics
    return any(finding.code is Code.SERVICE_SELECTOR for finding in found)


@pytest.mark.parametrize("key", ["kubevirt.io/domain", "kubevirt.io/size", "vm.kubevirt.io/name"])
def test_labels_set_by_kubevirt_are_not_compared(key: str) -> None:
    assert not is_reported({key: "wbe"}, {key: "web"})
    assert is_reported({"example.com/name": "wbe"}, {"example.com/name": "web"})


@pytest.mark.parametrize(
    "selector", [{"app": "wbe", "tier": 5}, {"app": "wbe", "tier": None}, {"app": "wbe", "tier": "${TIER}"}]
)
def test_selector_is_compared_only_as_a_whole(selector: dict[str, Json]) -> None:
    assert not is_reported(selector, {"app": "web", "tier": "${TIER}"})
    assert is_reported({"app": "wbe"}, {"app": "web"})


def test_a_value_that_is_filled_in_later_is_not_compared() -> None:
    assert not is_reported({"app": "${APP}"}, {"app": "web"}, own={"app": "${APP}"})
    assert is_reported({"app": "shop"}, {"app": "web"}, own={"app": "shop"})
