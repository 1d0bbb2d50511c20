"""Schemas with the names of a project's catalogs: editors offer them, validators accept no others."""

from __future__ import annotations

from renderer.checks.schemas.editor_schema import FieldNames, with_choices
from renderer.model.kube.json import JsonObject, object_at

DOCUMENT: JsonObject = {
    "properties": {
        "instancetype": {"properties": {"name": {"type": "string", "pattern": "^[a-z]+$"}}},
        "preference": {"properties": {"name": {"type": "string"}}},
    }
}
CHOICES: dict[FieldNames, list[str]] = {("instancetype", "name"): ["small", "large"]}


def test_only_the_given_names_are_accepted() -> None:
    made = with_choices(DOCUMENT, CHOICES)
    name = object_at(made, "properties", "instancetype", "properties", "name")

    assert name == {"type": "string", "enum": ["small", "large"]}
    assert object_at(made, "properties", "preference") == object_at(DOCUMENT, "properties", "preference")


def test_editors_offer_names_and_accept_others() -> None:
    made = with_choices(DOCUMENT, CHOICES, offered=True)
    name = object_at(made, "properties", "instancetype", "properties", "name")

    assert name == {"type": "string", "pattern": "^[a-z]+$", "examples": ["small", "large"]}
