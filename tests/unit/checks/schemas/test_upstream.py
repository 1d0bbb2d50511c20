"""Objects that KubeVirt wrote or accepted, checked with its own release's schemas."""

from __future__ import annotations

from pathlib import Path

import pytest

from renderer.checks.schemas.registry import SchemaRegistry
from renderer.checks.schemas.validate import validate
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import LATEST, Release
from renderer.yamlio.decode import decode_documents
from tests.conformance.kubevirt.case import Case, read_cases
from tests.conformance.lines import VECTORS

SHARED = Path(__file__).parents[5] / "shared"
CATALOGS = SHARED / "catalogs"
NEEDS_CATALOGS = pytest.mark.skipif(not CATALOGS.is_dir(), reason="the rendered catalogs are not here")
SCHEMAS = SchemaRegistry()
CASES = [case for case in read_cases(VECTORS / "expansion.jsonl.xz") if case.mode == "vm"]
BY_RELEASE = {
    release: [case for case in CASES if case.release == release]
    for release in sorted({case.release for case in CASES if case.release})
}
OF_MAIN = {
    group: [case for case in CASES if case.group == group and not case.release]
    for group in sorted({case.group for case in CASES if not case.release})
}


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


#: The API server's, before the webhooks that the vectors record: an int32 in the CRD.
BEYOND_INT32 = "must be at most 2147483647"


@pytest.mark.parametrize("group", OF_MAIN)
def test_objects_that_kubevirt_admits_are_valid(group: str) -> None:
    for case in OF_MAIN[group]:
        if is_admitted(case):
            found = errors(judged(rendered(case), LATEST))
            assert [message for message in found if BEYOND_INT32 not in message] == [], case.id


@pytest.mark.parametrize("group", OF_MAIN)
def test_objects_written_by_kubevirt_have_only_known_fields(group: str) -> None:
    for case in OF_MAIN[group]:
        found = judged(rendered(case), LATEST)
        assert [d.message for d in found if d.code is Code.UNKNOWN_FIELD] == [], case.id


@pytest.mark.parametrize("release", BY_RELEASE)
def test_release_knows_the_fields_it_accepted(release: str) -> None:
    for case in BY_RELEASE[release]:
        given = [
            object_at(case.input, "vm"),
            *(mapping(content) for content in array_at(case.input, "objects")),
        ]
        found = judged([*given, *rendered(case)], case.target)
        assert [d.message for d in found if d.code is Code.UNKNOWN_FIELD] == [], case.id


def mapping(content: Json) -> JsonObject:
    return object_at(content)


def catalog(name: str) -> list[JsonObject]:
    path = CATALOGS / f"common-instancetypes-{name}.expected.yaml"
    return [mapping(document) for document in decode_documents(path.read_bytes(), path.name)]


@NEEDS_CATALOGS
@pytest.mark.parametrize(("name", "release"), [("v1.3.0", "1.5"), ("v1.3.0", "1.9"), ("v1.7.0", "1.9")])
def test_a_catalog_is_valid_for_its_release(name: str, release: str) -> None:
    contents = catalog(name)
    assert {text_at(content, "kind") for content in contents} >= {"VirtualMachineClusterInstancetype"}
    assert judged(contents, Release.parse(release)) == ()


@NEEDS_CATALOGS
def test_newer_fields_of_a_catalog_are_reported() -> None:
    found = judged(catalog("v1.7.0"), Release.parse("1.0"))
    assert found
    assert all("needs KubeVirt" in diagnostic.message for diagnostic in found), found
