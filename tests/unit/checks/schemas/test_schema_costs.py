"""Every keyword of a repository's schema is counted: how often it is asked, and what its failures hold."""

from __future__ import annotations

from contextvars import copy_context

import pytest

from renderer.checks.schemas.project_schema import ProjectSchema, UnusableSchemaError
from renderer.model.kube.json import Json, JsonObject
from renderer.model.run.work import WorkLimitError, begin_run, spent

NAMES = [f"{'a' * 12}{number}" for number in range(5000)]

EXPENSIVE: dict[str, tuple[JsonObject, Json]] = {
    "enum": ({"enum": NAMES}, "z"),
    "enum of objects": ({"enum": [{"a": name} for name in NAMES]}, {"a": NAMES[-1]}),
    "const": ({"anyOf": [{"const": name} for name in NAMES]}, NAMES[-1]),
    "oneOf": ({"oneOf": [{"enum": [number]} for number in range(5000)]}, 1),
    "allOf": ({"allOf": [{"minimum": number} for number in range(5000)]}, 1),
    "anyOf": ({"anyOf": [{"minimum": 5000 - number} for number in range(5000)]}, 1),
    "not": ({"not": {"anyOf": [{"const": name} for name in NAMES]}}, "z"),
    "required": ({"required": NAMES}, {}),
    "dependentRequired": ({"dependentRequired": {name: ["a", "b"] for name in NAMES}}, {"a": 1}),
    "patternProperties": (
        {"patternProperties": {name: {"type": "string"} for name in NAMES[:1500]}},
        {"a": 1},
    ),
    "under the name of a keyword": (
        {"properties": {"enum": {"properties": {"default": {"enum": NAMES}}}}},
        {"enum": {"default": "z"}},
    ),
    "referred to": ({"$ref": "#/$defs/names", "$defs": {"names": {"enum": NAMES}}}, "z"),
}


@pytest.mark.parametrize("keyword", EXPENSIVE)
def test_many_values_are_not_compared_with_many_others(keyword: str) -> None:
    part, value = EXPENSIVE[keyword]
    definitions = {"$defs": part["$defs"]} if "$defs" in part else {}
    schema: JsonObject = {**definitions, "properties": {"spec": {"items": part}}}

    def run() -> None:
        begin_run()
        checked = ProjectSchema(schema)
        with pytest.raises(WorkLimitError, match="schemas of the repository"):
            checked.is_valid({"spec": [value] * 20_000})

    copy_context().run(run)


@pytest.mark.parametrize("keyword", EXPENSIVE)
def test_failures_that_copy_too_much_are_reported_as_one(keyword: str) -> None:
    part, value = EXPENSIVE[keyword]
    definitions = {"$defs": part["$defs"]} if "$defs" in part else {}
    schema = ProjectSchema({**definitions, "properties": {"spec": {"items": part}}})
    content: JsonObject = {"spec": [value] * 20_000}
    [found] = schema.violations(content)
    assert found.value is content


def test_long_texts_are_not_copied_for_each_alternative() -> None:
    schema = ProjectSchema(
        {"properties": {"a": {"anyOf": [{"maxLength": number} for number in range(5000)]}}}
    )
    content: JsonObject = {"a": "x" * 100_000}
    [found] = schema.violations(content)
    assert found.value is content


def test_long_texts_are_counted_with_the_pattern_that_they_have_to_match() -> None:
    def steps(text: str, pattern: str) -> int:
        begin_run()
        schema = ProjectSchema({"properties": {"a": {"pattern": pattern}}})
        before = spent()
        schema.is_valid({"a": text})
        return spent() - before

    costly = "(a|b)*a(a|b){300}c"
    assert copy_context().run(steps, "ab" * 100, costly) == 0
    assert copy_context().run(steps, "ab" * 50_000, costly) > 50_000
    assert copy_context().run(steps, "ab" * 50_000, "b$") < 10_000


def test_ordinary_definition_costs_next_to_nothing() -> None:
    schema: JsonObject = {
        "properties": {
            "policy": {"enum": ["Always", "Never", "OnFailure"]},
            "target": {"oneOf": [{"required": ["name"]}, {"required": ["selector"]}]},
            "ports": {"items": {"properties": {"protocol": {"enum": ["TCP", "UDP", "SCTP"]}}}},
        }
    }
    content: JsonObject = {"policy": "Always", "target": {"name": "a"}, "ports": [{"protocol": "TCP"}] * 20}

    def run() -> int:
        begin_run()
        assert ProjectSchema(schema).is_valid(content)
        return spent()

    assert copy_context().run(run) < 500
    wrong = {**content, "ports": [{"protocol": "tcp"}] * 20}
    assert len(ProjectSchema(schema).violations(wrong)) == 20


def test_references_of_fields_named_as_keywords_are_counted() -> None:
    """A field may be called ``default``, and what it refers to counts like any other."""
    definitions: dict[str, Json] = {}
    for number in range(60):
        reference = {"$ref": f"#/$defs/d{number + 1}"}
        definitions[f"d{number}"] = {"properties": {"default": reference, "enum": reference}}
    with pytest.raises(UnusableSchemaError, match="more than 200000 parts"):
        ProjectSchema({"$ref": "#/$defs/d0", "$defs": {**definitions, "d60": {"type": "string"}}})
