from __future__ import annotations

import pytest

from renderer.kubevirt.instancetype.api.instancetype import INSTANCETYPE_SPEC
from renderer.kubevirt.instancetype.api.preference import PREFERENCE_SPEC
from renderer.kubevirt.instancetype.api.types import DecodeError, Decoding
from renderer.model.kube.json import Json, JsonObject
from renderer.model.release import Release

SIZE: JsonObject = {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}


def decoded(spec: Json, how: Decoding = Decoding()) -> Json:  # noqa: B008 - it is frozen
    return INSTANCETYPE_SPEC.decode(spec, how)


def refused_field(spec: Json, how: Decoding = Decoding()) -> str:  # noqa: B008 - it is frozen
    with pytest.raises(DecodeError) as error:
        decoded(spec, how)
    return str(error.value.field)


def same(one: JsonObject, other: JsonObject) -> bool:
    return INSTANCETYPE_SPEC.normal(decoded(one)) == INSTANCETYPE_SPEC.normal(decoded(other))


def test_missing_required_fields_get_their_zero_value() -> None:
    assert decoded({}) == {"cpu": {"guest": 0}, "memory": {"guest": "0"}}
    assert PREFERENCE_SPEC.decode({}, Decoding()) == {}


def test_null_and_unknown_fields_are_dropped_and_empty_values_kept() -> None:
    assert decoded({**SIZE, "gpus": None, "other": 1, "nodeSelector": {}, "annotations": {"a": None}}) == {
        **SIZE,
        "nodeSelector": {},
        "annotations": {"a": ""},
    }


def test_null_element_is_an_empty_one() -> None:
    assert decoded({**SIZE, "gpus": [None]}) == {**SIZE, "gpus": [{"name": ""}]}


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ([], ""),
        ({"cpu": {"realtime": {"mask": 1}}}, "cpu.realtime.mask"),
        ({"gpus": [{"name": "a"}, {"name": []}]}, "gpus[1].name"),
        ({"nodeSelector": {"a.b/c": 1}}, 'nodeSelector["a.b/c"]'),
        ({"memory": {"overcommitPercent": 1.0}}, "memory.overcommitPercent"),
        ({"cpu": {"guest": True}}, "cpu.guest"),
        ({"memory": {"guest": []}}, "memory.guest"),
    ],
)
def test_wrong_type_is_located(spec: Json, field: str) -> None:
    assert refused_field(spec) == field


def test_unknown_field_is_an_error_in_strict_mode() -> None:
    assert refused_field({"cpu": {"gest": 1}}, Decoding(strict=True)) == "cpu.gest"


def test_a_field_that_the_release_does_not_have_is_unknown() -> None:
    spec: JsonObject = {**SIZE, "gpus": [{"name": "a", "claimName": "c"}]}

    assert decoded(spec, Decoding(release=Release.parse("1.5"))) == {**SIZE, "gpus": [{"name": "a"}]}
    assert decoded(spec, Decoding(release=Release.parse("1.6"))) == spec


def test_quantities_are_kept_as_written() -> None:
    spec: JsonObject = {"cpu": {"guest": 1}, "memory": {"guest": "1024Mi", "maxGuest": 1000}}

    assert decoded(spec) == spec
    assert decoded(spec, Decoding(rewrites_quantities=True)) == {
        "cpu": {"guest": 1},
        "memory": {"guest": "1Gi", "maxGuest": "1k"},
    }


@pytest.mark.parametrize(
    ("difference", "is_same"),
    [
        ({"nodeSelector": {}, "gpus": [], "schedulerName": ""}, True),
        ({"memory": {"guest": "1024Mi", "overcommitPercent": 0}}, True),
        ({"cpu": {"guest": 1, "model": ""}}, False),
        ({"cpu": {"guest": 1, "dedicatedCPUPlacement": False}}, False),
        ({"cpu": {"guest": 1, "realtime": {}}}, False),
        ({"launchSecurity": {}}, False),
        ({"gpus": [{"name": "a"}]}, False),
    ],
)
def test_equality_is_that_of_kubernetes(difference: JsonObject, *, is_same: bool) -> None:
    assert same({**SIZE, **difference}, SIZE) == is_same
