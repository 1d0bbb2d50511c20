"""The quick check accepts common objects, and never an object that jsonschema-rs refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator

from renderer.checks.schemas.kind_schema import KindSchema
from renderer.checks.schemas.kubernetes_formats import MAC_ADDRESS, QUANTITY_PATTERN
from renderer.checks.schemas.surely_valid import _TEXTS, is_surely_valid
from renderer.files.bundled import data_folder
from renderer.model.kube.json import Json
from tests.benchmarks.inputs import virtual_machines

DOCUMENT = json.loads((data_folder("schemas") / "kubevirt/1.9/virtualmachine.json").read_bytes())
ENGINE = Draft202012Validator(DOCUMENT)
MACHINE = yaml.safe_load(virtual_machines(1))
MACHINE["spec"]["template"]["spec"]["domain"] |= {
    "cpu": {"cores": 2, "features": [{"name": "vmx", "policy": "require"}]},
    "memory": {"guest": "4Gi"},
    "resources": {"requests": {"cpu": "500m", "memory": 2}},
}
VALUES: tuple[Json, ...] = (
    *(None, True, False, 0, 1, -1, 1.0, 1.5, 1 << 70, [], {}, [1], ["a", "a"], {"x": 1}, {"": ""}),
    *(
        "",
        "a",
        "A-b",
        "a.b",
        "a_b",
        "-a",
        "a\n",
        "é",
        "٣",
        "4Gi",
        "1e3",
        "500m",
        ".5",
        "1.",
        "require",
        "Always",
    ),
    *("a" * 64, "a" * 254, "a/b", "A.b/c", "/a", "02:00:0a:00:00:00", "02-00-0a-00-00-00", "0:0:0:0:0:0"),
)


def changed(value: Json) -> Iterator[Json]:
    """Yield ``value`` with each of its parts replaced by each of the values, or named otherwise."""
    yield from VALUES
    if isinstance(value, dict):
        for name, child in value.items():
            others = {key: each for key, each in value.items() if key != name}
            yield others
            yield {**others, "strange": child}
            yield from ({**others, name: each} for each in changed(child))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from ([*value[:index], each, *value[index + 1 :]] for each in changed(child))


def test_common_machine_is_surely_valid() -> None:
    assert is_surely_valid(MACHINE, DOCUMENT, DOCUMENT["$defs"])


def test_never_valid_if_the_engine_refuses() -> None:
    answers = [(is_surely_valid(each, DOCUMENT, DOCUMENT["$defs"]), each) for each in changed(MACHINE)]
    sure = [each for is_sure, each in answers if is_sure]

    assert len(sure) > 300
    assert [each for each in sure if not ENGINE.is_valid(each)] == []


@pytest.mark.parametrize("pattern", _TEXTS)
@given(text=st.text("aZ09-_./:\n+é٣KMGikm", max_size=8) | st.text("0aF:-.", min_size=14, max_size=17))
@example("")
@example("a" * 63)
@example("a" * 64)
@example("02:00:0a:00:00:00")
@example("20Gi")
@example("5K")
@example("5mi")
def test_text_is_matched_against_its_pattern(pattern: str, text: str) -> None:
    if _TEXTS[pattern](text):
        assert Draft202012Validator({"pattern": pattern}).is_valid(text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [(QUANTITY_PATTERN, "20Gi"), (QUANTITY_PATTERN, "2"), (MAC_ADDRESS, "02:00:0a:00:00:00")],
)
def test_common_texts_are_valid(pattern: str, text: str) -> None:
    assert _TEXTS[pattern](text)


@pytest.mark.parametrize(
    "schema", [False, None, {"anyOf": [{}]}, {"pattern": "^(a+)+$"}, {"$ref": "#/$defs/b"}]
)
def test_unknown_constructs_are_left_to_the_engine(schema: object) -> None:
    assert not is_surely_valid("a" * 40 + "!", schema, {"a": {}})  # type: ignore[arg-type] # no schema at all


@pytest.mark.parametrize("value", ["a", "b", "c"])
@pytest.mark.parametrize(
    "schema",
    [{"enum": ["a", "b"]}, {"const": "a"}, {"enum": ["a", "b"], "const": "b"}, {"enum": ["a"], "const": "b"}],
)
def test_value_is_checked_against_enum_and_constant(value: str, schema: dict[str, Json]) -> None:
    assert is_surely_valid(value, schema, {}) == Draft202012Validator(schema).is_valid(value)


def test_many_objects_are_left_to_the_engine() -> None:
    schema = KindSchema({"type": "object"})

    assert schema.is_valid({})
    assert "_validator" not in vars(schema)
    assert all(schema.is_valid({}) for _ in range(100))
    assert "_validator" in vars(schema)


def test_engine_checks_all_objects_if_many_are_expected() -> None:
    few, many = KindSchema({"type": "object"}), KindSchema({"type": "object"})
    few.expect(10)
    many.expect(100)

    assert few.is_valid({})
    assert many.is_valid({})
    assert ["_validator" in vars(schema) for schema in (few, many)] == [False, True]
