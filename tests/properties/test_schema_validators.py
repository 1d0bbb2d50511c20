"""jsonschema-rs, which decides, and jsonschema, which explains, agree on every schema that ships."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from random import Random

import pytest

from renderer.checks.schemas.kind_schema import KindSchema, SchemaTree
from renderer.checks.schemas.kubevirt_kinds import KINDS, KubevirtKind
from renderer.checks.schemas.registry import SchemaRegistry
from renderer.checks.schemas.validate import validate
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release

REGISTRY = SchemaRegistry()
ROUNDS = 6

#: What people and attackers put into a field.
VALUES: tuple[Json, ...] = (
    *(None, True, False, 0, 1, -1, 2**31, 2**32, 2**63, 2**64, 10**40, 0.5, 4.0, -0.0, 1e300),
    *(float("inf"), float("nan"), "", "4", "4Gi", "4GiB", "4Gi\n", "a b", "a", "A", "Always", "virtio", "é"),
    *([], [None], ["a", "a"], {}, {"a": 1}, {"": None}, "x" * 300),
)


def schema(release: Release, kind: KubevirtKind) -> KindSchema:
    return REGISTRY.schema(release, Gvk(kind.group, "", kind.name))


def grown(tree: SchemaTree, field: FieldPath, random: Random, density: float) -> Json:
    """A value for ``field``: every required field and some of the others, each with a value that fits."""
    here = tree.at(field) or EMPTY
    if "const" in here:
        return here["const"]
    values = here.get("enum")
    if isinstance(values, list):
        value: Json = random.choice(values)
        return value
    types = here.get("type")
    kind = types[0] if isinstance(types, list) else types
    properties, required = here.get("properties"), here.get("required")
    if isinstance(properties, dict):
        return {
            name: grown(tree, field.child(name), random, density)
            for name in properties
            if random.random() < density or (isinstance(required, list) and name in required)
        }
    if kind == "object":
        return {"a": grown(tree, field.child("a"), random, density)} if has_values(here) else {}
    if kind == "array":
        return [grown(tree, field.child(0), random, density) for _ in range(random.randrange(3))]
    return sample(str(kind), here, random)


def has_values(here: Mapping[str, Json]) -> bool:
    return isinstance(here.get("additionalProperties"), dict)


def sample(kind: str, here: Mapping[str, Json], random: Random) -> Json:
    if kind in ("integer", "number"):
        low = here.get("minimum", 0)
        return low if isinstance(low, int) else 0
    return random.choice([True, False]) if kind == "boolean" else "a"


def mutated(value: Json, random: Random) -> Json:
    """``value`` with one part removed, added or changed to another type."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        key = random.choice(sorted(value))
        change = random.randrange(8)
        if change == 0:
            return {name: child for name, child in value.items() if name != key}
        if change == 1:
            return {**value, random.choice(["x", key.upper(), f"{key}s"]): random.choice(VALUES)}
        return {**value, key: mutated(value[key], random)}
    if isinstance(value, list) and value and random.random() < 0.8:
        index = random.randrange(len(value))
        return [*value[:index], mutated(value[index], random), *value[index + 1 :]]
    return random.choice(VALUES)


@cache
def objects(kind: KubevirtKind, release: Release) -> tuple[JsonObject, ...]:
    """Yield valid objects of the kind, and ones with one to three errors; always the same."""
    random = Random(f"{kind.name} {release}")
    made: list[JsonObject] = []
    for round_number in range(ROUNDS):
        value = grown(schema(release, kind).tree, FieldPath(), random, (0.1, 0.3, 0.6)[round_number % 3])
        for _ in range(4):
            if isinstance(value, dict):
                made.append(value)
            value = mutated(value, random)
    return tuple(made)


def for_every_schema(test: Callable[[KubevirtKind, Release], None]) -> Callable[..., None]:
    by_release = pytest.mark.parametrize("release", REGISTRY.releases, ids=str)
    by_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
    marked: Callable[..., None] = by_release(by_kind(test))
    return marked


def explained(judge: KindSchema, content: JsonObject) -> set[tuple[FieldPath, str]]:
    """Return jsonschema's errors of the whole object: each path with its violated keyword."""
    whole = judge.violations_by_jsonschema(content, [()])
    return {(violation.place, violation.keyword) for violation in whole}


@for_every_schema
def test_validators_agree(kind: KubevirtKind, release: Release) -> None:
    judge = schema(release, kind)
    verdicts = []
    for content in objects(kind, release):
        explained_violations = explained(judge, content)
        is_valid = judge.is_valid(content)
        assert is_valid is not any(explained_violations), content
        found = {(violation.place, violation.keyword) for violation in judge.violations(content)}
        assert is_valid or found <= explained_violations, content
        assert is_valid or {place for place, _ in found} == {place for place, _ in explained_violations}, (
            content
        )
        verdicts.append(is_valid)
    assert any(verdicts)
    assert not all(verdicts)


@for_every_schema
def test_every_violation_is_reported_and_nothing_else(kind: KubevirtKind, release: Release) -> None:
    judge = schema(release, kind)
    for content in objects(kind, release)[::5]:
        resource = Resource({**content, "apiVersion": f"{kind.group}/v1", "kind": kind.name}, Site("f"))
        found = validate(ResourceSet((resource,)), release, REGISTRY)
        assert bool(found) is any(judge.violations(resource.content))
        assert all(diagnostic.message and diagnostic.sites for diagnostic in found)


#: Keywords that give a value further schemas.
COMBINING = ("allOf", "anyOf", "dependentSchemas", "if", "not", "oneOf", "patternProperties", "prefixItems")


def small_schema(random: Random, depth: int) -> JsonObject:
    """A schema that a ``small_value`` fits or breaks, as a project may have it."""
    kind = random.choice(["object", "array", "integer"]) if depth else "integer"
    schema: dict[str, Json] = {"type": kind} if random.random() < 0.8 else {}
    if kind == "object":
        schema["properties"] = {name: small_schema(random, depth - 1) for name in "ab"}
        schema |= {"required": ["a"]} if random.random() < 0.5 else {"additionalProperties": False}
    elif kind == "array":
        schema |= {"items": small_schema(random, depth - 1), "minItems": random.randrange(2)}
    else:
        schema |= {"minimum": 1} if random.random() < 0.5 else {"enum": [0, 1]}
    return schema | combination(random, depth - 1) if depth and random.random() < 0.4 else schema


def combination(random: Random, depth: int) -> dict[str, Json]:
    keyword = random.choice(COMBINING)
    one, other = small_schema(random, depth), small_schema(random, depth)
    if keyword == "if":
        return {"if": one, "then": other}
    if keyword in ("dependentSchemas", "patternProperties"):
        return {keyword: {"a": one}}
    return {keyword: one if keyword == "not" else [one, other]}


def small_value(random: Random, depth: int) -> Json:
    kind = random.randrange(3) if depth else 2
    if kind == 0:
        return {name: small_value(random, depth - 1) for name in "abc" if random.random() < 0.6}
    if kind == 1:
        return [small_value(random, depth - 1) for _ in range(random.randrange(3))]
    return random.randrange(3)


def test_validators_agree_on_combined_schemas() -> None:
    random = Random(5)
    broken: set[str] = set()
    for _ in range(400):
        judge = KindSchema(
            {"type": "object", "properties": {"a": small_schema(random, 3)}, "required": ["a"]}
        )
        for _ in range(5):
            content: JsonObject = {"a": small_value(random, 3)}
            explained_violations = explained(judge, content)
            found = {(violation.place, violation.keyword) for violation in judge.violations(content)}
            assert judge.is_valid(content) is not any(explained_violations), (judge.document, content)
            assert bool(found) is bool(explained_violations), (judge.document, content)
            assert found <= explained_violations, (judge.document, content)
            broken |= {keyword for _, keyword in found}
    assert broken >= {"anyOf", "enum", "minimum", "minItems", "not", "oneOf", "required", "type"}
