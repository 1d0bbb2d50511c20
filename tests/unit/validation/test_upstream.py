"""What KubeVirt itself wrote or took, judged by its own release's schemas. Skipped where it is not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.location import Site
from renderer.model.release import LATEST, Release
from renderer.model.resource import Resource, ResourceSet
from renderer.validation.registry import SchemaRegistry
from renderer.validation.validate import validate
from renderer.yamlio.decode import decode_documents

SHARED = Path(__file__).parents[4] / "shared"
VECTORS = sorted((SHARED / "conformance" / "kubevirt").glob("*.jsonl"))
BY_RELEASE = sorted((SHARED / "conformance" / "kubevirt-releases").glob("*.jsonl"))
CATALOGS = SHARED / "catalogs"
SCHEMAS = SchemaRegistry()

pytestmark = pytest.mark.skipif(not VECTORS, reason="KubeVirt's recorded results are not here")


class Case(NamedTuple):
    identity: str
    input: JsonObject
    output: JsonObject


def cases(path: Path) -> Iterator[Case]:
    for line in path.read_text().splitlines():
        content = json.loads(line)
        if content["mode"] == "vm":
            yield Case(content["id"], content["input"], content["output"])


def judged(contents: list[JsonObject], release: Release) -> tuple[Diagnostic, ...]:
    resources = tuple(Resource(content, Site("case")) for content in contents)
    return validate(ResourceSet(resources), release, SCHEMAS)


def rendered(case: Case) -> list[JsonObject]:
    """The virtual machines KubeVirt made of the case."""
    found = (object_at(case.output, key, "vm") for key in ("applied", "expand"))
    return [content for content in found if content]


def is_admitted(case: Case) -> bool:
    return all(
        isinstance(verdict := case.output.get(step), dict) and verdict == {"causes": []}
        for step in ("admit", "validate")
    )


def errors(diagnostics: tuple[Diagnostic, ...]) -> list[str]:
    return [diagnostic.message for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_what_kubevirt_admits_is_valid(path: Path) -> None:
    for case in cases(path):
        if is_admitted(case):
            assert errors(judged(rendered(case), LATEST)) == [], case.identity


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_what_kubevirt_writes_has_known_fields_only(path: Path) -> None:
    for case in cases(path):
        found = judged(rendered(case), LATEST)
        assert [d.message for d in found if d.code is Code.UNKNOWN_FIELD] == [], case.identity


@pytest.mark.parametrize("path", BY_RELEASE, ids=lambda path: path.stem)
def test_a_release_knows_the_fields_it_took(path: Path) -> None:
    release = Release.parse(path.stem)
    for case in cases(path):
        given = [
            object_at(case.input, "vm"),
            *(mapping(content) for content in array_at(case.input, "objects")),
        ]
        found = judged([*given, *rendered(case)], release)
        assert [d.message for d in found if d.code is Code.UNKNOWN_FIELD] == [], case.identity


def mapping(content: Json) -> JsonObject:
    return object_at(content)


def catalog(name: str) -> list[JsonObject]:
    path = CATALOGS / f"common-instancetypes-{name}.expected.yaml"
    return [mapping(document) for document in decode_documents(path.read_bytes(), path.name)]


@pytest.mark.parametrize(("name", "release"), [("v1.3.0", "1.5"), ("v1.3.0", "1.9"), ("v1.7.0", "1.9")])
def test_a_catalog_is_valid_for_its_release(name: str, release: str) -> None:
    contents = catalog(name)
    assert {text_at(content, "kind") for content in contents} >= {"VirtualMachineClusterInstancetype"}
    assert judged(contents, Release.parse(release)) == ()


def test_a_catalog_says_which_of_its_fields_are_too_new() -> None:
    found = judged(catalog("v1.7.0"), Release.parse("1.0"))
    assert found
    assert all("needs KubeVirt" in diagnostic.message for diagnostic in found), found
