"""The shipped ``schemas/``: complete, closed, self-contained, and true to the releases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from jsonschema_rs import meta

from renderer.checks.schemas.kind_schema import ELEMENT, KEY, SchemaTree
from renderer.checks.schemas.known_values import KNOWN_FORMATS, KNOWN_VALUES, UNSIGNED, KnownValues
from renderer.checks.schemas.kubernetes_formats import TEMPLATE_METADATA
from renderer.checks.schemas.kubevirt_kinds import KINDS
from renderer.checks.schemas.registry import SchemaRegistry
from renderer.files.bundled import data_folder
from renderer.model.digest_list import checksums
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, array_at
from renderer.model.kube.res_id import Gvk
from renderer.model.release import Release

SCHEMAS = data_folder("schemas")
FILES = sorted(SCHEMAS.rglob("*.json"))
FOLDERS = sorted({path.parent for path in FILES})
KUBEVIRT_FOLDERS = [folder for folder in FOLDERS if folder.parent.name == "kubevirt"]
MAPPING = ("object", ["object", "null"])
RELEASES = tuple(
    map(Release.parse, [f"0.{minor}" for minor in range(56, 60)] + [f"1.{minor}" for minor in range(11)])
)
REGISTRY = SchemaRegistry()


def name(path: Path) -> str:
    return path.relative_to(SCHEMAS).as_posix()


@cache
def document(path: Path) -> JsonObject:
    content: JsonObject = json.loads(path.read_text())
    return content


@cache
def tree(release: Release, kind: str) -> SchemaTree:
    group = next(known.group for known in KINDS if known.name == kind)
    return REGISTRY.schema(release, Gvk(group, "", kind)).tree


def parts(schema: object) -> Iterator[Mapping[str, object]]:
    """Every mapping inside a schema document."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from parts(value)
    elif isinstance(schema, list):
        for element in schema:
            yield from parts(element)


def test_every_release_has_every_kind() -> None:
    expected = {f"kubevirt/{release}/{kind.file_name}" for release in RELEASES for kind in KINDS}
    found = {name(path) for folder in KUBEVIRT_FOLDERS for path in folder.iterdir()}
    assert found == expected
    assert REGISTRY.releases == RELEASES


def test_checksums_match_the_files() -> None:
    files = {name(path): path.read_bytes() for path in FILES}
    assert (SCHEMAS / "SHA256SUMS").read_text() == checksums(files)


def test_total_size_is_small() -> None:
    assert sum(path.stat().st_size for path in FILES) < 3_450_000


@pytest.mark.parametrize("folder", [each for each in FOLDERS if each.name != "kubernetes"], ids=name)
def test_file_is_a_self_contained_schema(folder: Path) -> None:
    for path in folder.glob("*.json"):
        meta.validate(dict(document(path)))
        definitions = document(path)["$defs"]
        assert isinstance(definitions, dict)
        used = {str(part["$ref"]) for part in parts(document(path)) if "$ref" in part}
        roots = {"#/$defs/line"} if path.name == "diff.json" else set()  # of JSON lines
        assert used | roots == {f"#/$defs/{definition}" for definition in definitions}


def test_jsonschema_accepts_the_files() -> None:
    paths = sorted((SCHEMAS / "kubevirt/1.9").glob("virtualmachine*preference.json"))
    assert len(paths) == 2
    for path in paths:
        Draft202012Validator.check_schema(document(path))


@pytest.mark.parametrize("folder", KUBEVIRT_FOLDERS, ids=name)
def test_no_description_of_upstream_is_shipped(folder: Path) -> None:
    for path in folder.glob("*.json"):
        assert not [part for part in parts(document(path)) if isinstance(part.get("description"), str)]


@pytest.mark.parametrize("folder", KUBEVIRT_FOLDERS, ids=name)
def test_no_mapping_allows_unknown_fields(folder: Path) -> None:
    managed_fields = {"type": "object"}
    for path in folder.glob("*.json"):
        mappings = [part for part in parts(document(path)) if part.get("type") in MAPPING]
        assert mappings
        assert all("additionalProperties" in part or part == managed_fields for part in mappings)


@pytest.mark.parametrize(
    ("kind", "served"),
    [
        ("VirtualMachine", {"kubevirt.io/v1": RELEASES, "kubevirt.io/v1alpha3": RELEASES}),
        (
            "VirtualMachinePool",
            {"pool.kubevirt.io/v1alpha1": RELEASES, "pool.kubevirt.io/v1beta1": RELEASES[11:]},
        ),
        (
            "VirtualMachineClusterPreference",
            {
                "instancetype.kubevirt.io/v1alpha1": RELEASES[:10],
                "instancetype.kubevirt.io/v1alpha2": RELEASES[2:10],
                "instancetype.kubevirt.io/v1beta1": RELEASES[4:],
            },
        ),
    ],
)
def test_api_versions_match_each_release(kind: str, served: Mapping[str, tuple[Release, ...]]) -> None:
    for release in RELEASES:
        schema = tree(release, kind).at(FieldPath.of("apiVersion")) or {}
        expected = {version for version, releases in served.items() if release in releases}
        assert set(array_at(schema, "enum")) == expected


@pytest.mark.parametrize(
    ("kind", "counts"),
    [
        ("VirtualMachineInstancetype", (36, 36, 36, 36, 39, 47, 47, 49, 49, 49, 53, 57, 57, 57, 57)),
        (
            "VirtualMachinePreference",
            (111, 112, 112, 114, 127, 130, 130, 133, 137, 137, 138, 141, 145, 155, 155),
        ),
    ],
)
def test_no_field_is_lost_or_invented(kind: str, counts: tuple[int, ...]) -> None:
    """Against the number of nodes in each release's own CRD, metadata's fields left out."""
    for release, count in zip(RELEASES, counts, strict=True):
        below_spec = {place for place in places(tree(release, kind)) if place[0] == "spec"}
        root_version_kind_metadata = 4
        assert len(below_spec) + root_version_kind_metadata == count


def places(schema: SchemaTree) -> Iterator[tuple[str, ...]]:
    def walk(field: FieldPath) -> Iterator[tuple[str, ...]]:
        here = schema.at(field) or {}
        properties = here.get("properties")
        names: list[str | int] = list(properties) if isinstance(properties, dict) else []
        names += [0] if "items" in here else []
        names += [KEY] if isinstance(here.get("additionalProperties"), dict) else []
        for segment in names:
            below = field.child(segment)
            yield tuple(ELEMENT if isinstance(part, int) else str(part) for part in below.segments)
            yield from walk(below)

    return walk(FieldPath())


@pytest.mark.parametrize(
    ("kind", "field", "first", "last"),
    [
        ("VirtualMachineInstancetype", "spec.memory.overcommitPercent", "1.0", "1.10"),
        ("VirtualMachineInstancetype", "spec.cpu.maxSockets", "1.3", "1.10"),
        ("VirtualMachineInstancetype", "spec.ioThreads.supplementalPoolThreadCount", "1.7", "1.10"),
        ("VirtualMachinePreference", "spec.devices.preferredAutoattachInputDevice", "0.57", "1.10"),
        ("VirtualMachinePreference", "spec.volumes.preferredStorageClassName", "0.59", "1.10"),
        ("VirtualMachinePreference", "spec.devices.preferredVideoType", "1.9", "1.10"),
        ("VirtualMachine", "spec.instancetype.inferFromVolume", "0.59", "1.10"),
        ("VirtualMachine", "spec.liveUpdateFeatures", "1.0", "1.1"),
        ("VirtualMachine", "spec.template.spec.domain.ioThreads", "1.5", "1.10"),
        ("VirtualMachine", "spec.template.spec.domain.rebootPolicy", "1.8", "1.10"),
        ("VirtualMachine", "spec.template.spec.serviceAccountName", "1.9", "1.10"),
    ],
)
def test_a_field_is_known_from_its_first_release_to_its_last(
    kind: str, field: str, first: str, last: str
) -> None:
    knowing = [release for release in RELEASES if tree(release, kind).at(FieldPath.of(*field.split(".")))]
    expected = [release for release in RELEASES if Release.parse(first) <= release <= Release.parse(last)]
    assert knowing == expected


def schemas_ending(release: Release, end: tuple[str, ...]) -> Iterator[JsonObject]:
    for kind in KINDS:
        schema = tree(release, kind.name)
        for place in schema.places(end[-1]):
            if tuple(part for part in place if part != ELEMENT)[-len(end) :] == end:
                found = schema.at(FieldPath(tuple(0 if part == ELEMENT else part for part in place))) or {}
                yield element if isinstance(element := found.get("items"), dict) else found


@pytest.mark.parametrize("known", KNOWN_VALUES, ids=lambda known: known.field)
def test_known_values_are_in_the_schema_of_a_release(known: KnownValues) -> None:
    found = [
        schema
        for release in (Release.parse("0.56"), Release.parse("1.9"))
        if known.at(release)
        for schema in schemas_ending(release, tuple(known.field.split(".")))
    ]
    assert found


@pytest.mark.parametrize("field", KNOWN_FORMATS)
def test_known_formats_are_in_the_newest_schemas(field: str) -> None:
    titles = {schema.get("title") for schema in schemas_ending(Release.parse("1.9"), tuple(field.split(".")))}
    assert titles
    assert titles <= {KNOWN_FORMATS[field]["title"], "quantity"}


@pytest.mark.parametrize("field", UNSIGNED)
def test_unsigned_fields_are_in_the_newest_schemas(field: str) -> None:
    bounds = {schema.get("minimum") for schema in schemas_ending(Release.parse("1.9"), (field,))}
    assert bounds
    assert bounds <= {0, 1, 512, None}


def test_metadata_of_templates_allows_no_unknown_fields() -> None:
    for kind in ("VirtualMachine", "VirtualMachinePool"):
        templates = [
            part
            for part in parts(document(SCHEMAS / "kubevirt/1.9" / f"{kind.lower()}.json"))
            if part.get("title") == TEMPLATE_METADATA
        ]
        assert templates
        assert all(part["additionalProperties"] is False for part in templates)
