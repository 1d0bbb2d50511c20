"""A VirtualMachinePool, and its template, which is checked as written."""

from __future__ import annotations

import pytest

from renderer.model.kube.json import JsonObject, with_value
from tests.unit.kubevirt.admission.valid_vm import VALID, kind_refusals

INVALID = "FieldValueInvalid"
POOL: JsonObject = {
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "virtualMachineTemplate": {"metadata": {"labels": {"app": "web"}}, "spec": VALID},
    }
}


def refusals(path: str = "", value: object = None) -> list[tuple[str, str]]:
    pool = with_value(POOL, path.split("/"), value) if path else POOL  # type: ignore[arg-type] # JSON, in rows below
    return kind_refusals("VirtualMachinePool", pool)


def test_valid_pool_is_admitted() -> None:
    assert refusals() == []


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("spec/selector", {"matchLabels": {"app": "db"}}, "spec.selector"),
        (
            "spec/selector",
            {"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]},
            "spec.selector",
        ),
        ("spec/selector", {"matchExpressions": [{"key": "app", "operator": "In"}]}, "spec.selector"),
        ("spec/maxUnavailable", 0, "spec.maxUnavailable"),
        ("spec/maxUnavailable", "all", "spec.maxUnavailable"),
        ("spec/maxUnavailable", "101%", "spec.maxUnavailable"),
        ("spec/maxUnavailable", "half%", "spec.maxUnavailable"),
        ("spec/updateStrategy", {"unmanaged": {}, "proactive": {}}, "spec.updateStrategy"),
        ("spec/scaleInStrategy", {"unmanaged": {}, "opportunistic": {}}, "spec.scaleInStrategy"),
        (
            "spec/virtualMachineTemplate/spec/template/spec/hostname",
            "Web",
            "spec.virtualMachineTemplate.spec.template.spec.hostname",
        ),
    ],
)
def test_invalid_pool_is_refused(path: str, value: object, field: str) -> None:
    assert refusals(path, value) == [(INVALID, field)]


@pytest.mark.parametrize(
    "selector",
    [
        {},
        {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "db"]}]},
        {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["db"]}]},
        {"matchExpressions": [{"key": "app", "operator": "Exists"}]},
    ],
)
def test_selector_must_match_the_template(selector: JsonObject) -> None:
    assert refusals("spec/selector", selector) == []


def test_pool_gets_no_default_architecture() -> None:
    spec = "spec/virtualMachineTemplate/spec/template/spec"
    without = with_value(VALID, ["template", "spec", "architecture"], None)
    pool = with_value(POOL, ["spec", "virtualMachineTemplate", "spec"], without)
    encrypted = with_value(pool, [*spec.split("/"), "domain", "launchSecurity"], {"sev": {}})

    assert kind_refusals("VirtualMachinePool", encrypted) == [
        (INVALID, f"{spec.replace('/', '.')}.architecture")
    ]
