"""Which fields of instance types and preferences a release knows, against the schemas that ship."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from renderer.kubevirt.instancetype.api.instancetype import INSTANCETYPE_SPEC
from renderer.kubevirt.instancetype.api.preference import PREFERENCE_SPEC
from renderer.kubevirt.instancetype.api.types import GoType, ListOf, Struct
from renderer.model.kube.json import JsonObject, object_at
from renderer.model.release import NEWEST, OLDEST, Release

SCHEMAS = Path(__file__).parents[4] / "schemas/kubevirt"
RELEASES = [Release.parse(f"1.{minor}") for minor in range(OLDEST.minor, NEWEST.minor + 1)]


@pytest.mark.parametrize("release", RELEASES, ids=str)
@pytest.mark.parametrize(
    ("kind", "spec"),
    [("instancetype", INSTANCETYPE_SPEC), ("preference", PREFERENCE_SPEC)],
    ids=["instancetype", "preference"],
)
def test_fields_match_the_schema(kind: str, spec: Struct, release: Release) -> None:
    schema = json.loads((SCHEMAS / str(release) / f"virtualmachine{kind}.json").read_text(encoding="utf-8"))

    assert sorted(known_fields(spec, release)) == sorted(
        described(object_at(schema, "properties", "spec"), schema)
    )


def known_fields(field_type: GoType, release: Release, path: str = "") -> Iterator[str]:
    if isinstance(field_type, ListOf):
        yield from known_fields(field_type.element, release, f"{path}[]")
    if isinstance(field_type, Struct):
        for key, below in field_type.fields.items():
            if field_type.later.get(key, release) <= release:
                yield f"{path}.{key}"
                yield from known_fields(below, release, f"{path}.{key}")


def described(schema: JsonObject, root: JsonObject, path: str = "") -> Iterator[str]:
    reference = schema.get("$ref")
    if isinstance(reference, str):
        schema = object_at(root, *reference.removeprefix("#/").split("/"))
    for key, below in object_at(schema, "properties").items():
        assert isinstance(below, dict)
        yield f"{path}.{key}"
        yield from described(below, root, f"{path}.{key}")
    items = schema.get("items")
    if isinstance(items, dict):
        yield from described(items, root, f"{path}[]")
