"""Schemas of the repository's own: CustomResourceDefinitions and JSON Schemas."""

from __future__ import annotations

from tests.fuzz.judging import project_target

TARGET = project_target(
    "schemas", "schemas/gadgets.yaml", "schemas/example.org/v1/widget.json", "app/things.yaml"
)
