"""The rules by which a result equals KubeVirt's: which differences they allow, and which not."""

from __future__ import annotations

import pytest

from renderer.model.kube.json import Json
from tests.conformance.kubevirt.comparison import (
    cause_differences,
    differences,
    refusal_differences,
    vm_differences,
)


@pytest.mark.parametrize(
    ("actual", "expected", "written"),
    [
        ({"a": [1, "x"]}, {"a": [1, "x"]}, None),
        ({"guest": "1024Mi"}, {"guest": "1Gi"}, {"guest": "1024Mi"}),
        ({"guest": 1024}, {"guest": "1024"}, {"guest": 1024}),
        ({"cores": 0, "model": ""}, {}, {"cores": 0, "model": ""}),
        ({"disks": [{"io": None}]}, {"disks": [{}]}, {"disks": [{"io": None}]}),
        ({"domain": {}}, {"domain": {"devices": {}, "resources": {}}}, {}),
        ({"features": {}}, {"features": {"acpi": {}}}, {}),
    ],
)
def test_equal_results_match(actual: Json, expected: Json, written: Json) -> None:
    assert list(differences(actual, expected, written)) == []


@pytest.mark.parametrize(
    ("actual", "expected", "written"),
    [
        ({"a": 1}, {"a": True}, {"a": 1}),
        ({"a": 1}, {"a": "1"}, None),
        ({"a": 1.0}, {"a": 1}, {"a": 1.0}),
        ({"guest": "1024Mi"}, {"guest": "1Gi"}, {"guest": "1Gi"}),
        ({"guest": "1023Mi"}, {"guest": "1Gi"}, {"guest": "1023Mi"}),
        ({"model": ""}, {}, {}),
        ({"cores": 1}, {}, {"cores": 1}),
        ({}, {"features": {}}, {}),
        ({"domain": {}}, {"domain": {"devices": {"rng": {}}}}, {}),
        ({"disks": []}, {"disks": [{}]}, {"disks": []}),
        ({"boot": [1, 2]}, {"boot": [2, 2]}, None),
    ],
)
def test_different_results_do_not_match(actual: Json, expected: Json, written: Json) -> None:
    assert len(list(differences(actual, expected, written))) == 1


@pytest.mark.parametrize(
    ("actual", "expected", "same"),
    [
        ({"error": "ours"}, {"error": "theirs"}, True),
        ({"error": "ours"}, {"panic": "nil"}, True),
        ({"vm": {}}, {"panic": "nil"}, False),
        ({"vm": {}}, {"error": "theirs"}, False),
        ({"error": "ours"}, {"conflicts": ["a"]}, False),
        ({"conflicts": ["a", "b"]}, {"conflicts": ["a", "b"], "error": "theirs"}, True),
        ({"conflicts": ["a"]}, {"conflicts": ["a", "b"]}, False),
        ({"vm": {"a": 1}}, {"vm": {"a": 2}}, False),
        (None, {"vm": {}}, False),
    ],
)
def test_results_of_applying_are_compared(*, actual: Json, expected: Json, same: bool) -> None:
    assert (list(vm_differences(actual, expected, {})) == []) is same


_CAUSE: Json = {"field": "spec.a", "message": "ours"}


@pytest.mark.parametrize(
    ("actual", "expected", "same"),
    [
        ({"causes": [_CAUSE]}, {"causes": [{"field": "spec.a", "message": "theirs"}]}, True),
        ({"causes": [_CAUSE]}, {"causes": []}, False),
        ({"causes": [_CAUSE]}, {"causes": [{"field": "spec.b"}]}, False),
        ({"causes": []}, {"panic": "nil"}, False),
        ({"causes": [_CAUSE]}, {"panic": "nil"}, True),
        ({"causes": [], "error": "ours"}, {"causes": [], "error": "theirs"}, True),
        ({"causes": []}, {"causes": [], "error": "theirs"}, False),
    ],
)
def test_results_of_admission_are_compared(*, actual: Json, expected: Json, same: bool) -> None:
    assert (list(cause_differences(actual, expected)) == []) is same


def test_refusals_are_compared_by_type_and_field_in_order() -> None:
    one: Json = {"type": "FieldValueInvalid", "field": "spec.a", "message": "ours"}
    same: Json = {"type": "FieldValueInvalid", "field": "spec.a", "message": "theirs"}
    other: Json = {"type": "FieldValueRequired", "field": "spec.a", "message": "theirs"}

    assert not list(refusal_differences({"causes": [one]}, {"causes": [same]}))
    assert list(refusal_differences({"causes": [one]}, {"causes": [other]}))
    assert list(refusal_differences({"causes": [one, other]}, {"causes": [other, one]}))
    admitted, *_ = refusal_differences({"causes": []}, {"causes": [one]})
    assert admitted == "admitted in place of refused"
