"""The conversion of upstream's CRDs to JSON Schemas."""

from __future__ import annotations

import json

import pytest

from renderer.checks.schemas.kind_schema import SchemaTree
from renderer.checks.schemas.kubernetes_formats import QUANTITY_PATTERN, SEVERITY
from renderer.checks.schemas.kubevirt_kinds import KINDS, KubevirtKind
from renderer.checks.schemas.schema_import import encoded, import_schema
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at
from renderer.model.release import Release

VM = KINDS[0]
INSTANCETYPE = next(kind for kind in KINDS if kind.name == "VirtualMachineInstancetype")
POOL = next(kind for kind in KINDS if kind.name == "VirtualMachinePool")
PREFERENCE = next(kind for kind in KINDS if kind.name == "VirtualMachinePreference")


def imported(spec: JsonObject, *path: str, kind: KubevirtKind = VM, release: str = "1.9") -> JsonObject:
    """Return the schema imported from ``spec`` at ``path`` below the spec of a CRD."""
    for name in reversed(path):
        spec = {"type": "object", "properties": {name: spec}}
    crd: JsonObject = {
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": spec,
        },
        "required": ["spec"],
    }
    schema: JsonObject = json.loads(encoded(import_schema(crd, kind, Release.parse(release))))
    found = SchemaTree(schema).at(FieldPath.of("spec", *path))
    assert found is not None
    return found


def test_mapping_allows_only_its_fields() -> None:
    assert imported({"type": "object"})["additionalProperties"] is False


def test_map_allows_any_key() -> None:
    texts: JsonObject = {"type": "object", "additionalProperties": {"type": "string"}}
    assert imported(texts, "nodeSelector") == texts


def test_descriptions_are_dropped() -> None:
    assert imported({"type": "string", "description": "Their words."}, "word") == {"type": "string"}


def test_template_metadata_is_strict_although_the_api_server_keeps_all() -> None:
    metadata = imported(
        {"type": "object", "nullable": True, "x-kubernetes-preserve-unknown-fields": True}, "metadata"
    )
    assert metadata["additionalProperties"] is False
    assert metadata["type"] == "object"


def test_fields_next_to_preserved_unknown_ones_are_strict() -> None:
    clock = imported(
        {
            "type": "object",
            "properties": {"utc": {"type": "object"}},
            "x-kubernetes-preserve-unknown-fields": True,
        },
        "clock",
    )
    assert clock["additionalProperties"] is False


QUANTITY: JsonObject = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "pattern": QUANTITY_PATTERN,
    "x-kubernetes-int-or-string": True,
}


def test_quantity_may_have_a_fraction_if_kubevirt_rewrites_the_object() -> None:
    assert imported(QUANTITY, "amount")["type"] == ["number", "string"]
    assert imported(QUANTITY, "amount", kind=INSTANCETYPE)["type"] == ["integer", "string"]


def test_int_or_string_is_not_a_quantity() -> None:
    assert imported({"x-kubernetes-int-or-string": True}, "port") == {
        "title": "number or text",
        "type": ["integer", "string"],
        "minimum": -(2**31),
        "maximum": 2**31 - 1,
    }


@pytest.mark.parametrize(
    ("field", "width", "low", "high"),
    [
        ("cores", "int32", 0, 2**31 - 1),
        ("cores", "", 0, 2**32 - 1),
        ("priority", "int32", -(2**31), 2**31 - 1),
        ("seconds", "int64", -(2**63), 2**63 - 1),
        ("seconds", "", -(2**63), 2**63 - 1),
    ],
)
def test_whole_numbers_have_the_bounds_of_their_go_type(field: str, width: str, low: int, high: int) -> None:
    """And of the format in the CRD, where that is narrower."""
    schema: JsonObject = {"type": "integer", **({"format": width} if width else {})}
    number = imported(schema, field, kind=INSTANCETYPE)
    assert (number["minimum"], number["maximum"]) == (low, high)


def test_webhook_accepts_integers_that_json_represents_exactly() -> None:
    seconds: JsonObject = {"type": "integer", "format": "int64"}
    number = imported(seconds, "terminationGracePeriodSeconds")
    assert (number["minimum"], number["maximum"]) == (-(2**53) + 1, 2**53 - 1)


def test_upstream_bounds_override_bounds_of_the_type() -> None:
    number = imported({"type": "integer", "minimum": 0, "maximum": 100}, "overcommitPercent")
    assert (number["minimum"], number["maximum"]) == (0, 100)


def test_nullable_fields_may_be_null_and_their_values_too() -> None:
    policy = imported({"type": "string", "enum": ["reference"], "nullable": True}, "referencePolicy")
    assert policy == {"type": ["string", "null"], "enum": ["reference", None]}


def test_set_has_unique_elements() -> None:
    users: JsonObject = {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}
    assert imported(users, "users")["uniqueItems"] is True


def test_patterns_mean_the_same_in_every_language() -> None:
    assert imported({"type": "string", "pattern": r"^\d+$"}, "overhead")["pattern"] == "^[0-9]+$"


def test_cel_rules_become_patterns() -> None:
    rules: JsonObject = {
        "type": "string",
        "x-kubernetes-validations": [
            {"rule": "self.startsWith('/')"},
            {"rule": "!self.contains('..')"},
        ],
    }
    assert imported(rules, "path")["title"] == "absolute path without .."


def test_known_values_match_the_release() -> None:
    model: JsonObject = {
        "type": "array",
        "items": {"type": "object", "properties": {"model": {"type": "string"}}},
    }
    for release, known in (("1.3", False), ("1.4", True)):
        interfaces = imported(model, "interfaces", release=release)
        tree = SchemaTree({"properties": {"interfaces": interfaces}})
        found = tree.at(FieldPath.of("interfaces", 0, "model")) or {}
        values = found["enum"]
        assert isinstance(values, list)
        assert ("igb" in values) is known
        assert "" in values


def test_values_that_kubevirt_does_not_check_are_marked() -> None:
    text: JsonObject = {"type": "string"}
    for release, severity in (("1.3", "warning"), ("1.4", None)):
        topology = imported(text, "cpu", "preferredCPUTopology", kind=PREFERENCE, release=release)
        assert topology.get(SEVERITY) == severity


@pytest.mark.parametrize(
    ("release", "kind", "values", "severity"),
    [
        ("0.59", VM, ["", "HTTP", "HTTPS"], "warning"),
        ("1.0", VM, ["HTTP", "HTTPS"], None),
        ("1.9", VM, ["HTTP", "HTTPS"], None),
        ("1.9", POOL, ["", "HTTP", "HTTPS"], "warning"),
    ],
)
def test_webhook_schema_refuses_unlisted_values(
    release: str, kind: KubevirtKind, values: list[str], severity: str | None
) -> None:
    text: JsonObject = {"type": "string"}
    scheme = imported(text, "livenessProbe", "httpGet", "scheme", kind=kind, release=release)
    assert scheme["enum"] == values
    assert scheme.get(SEVERITY) == severity


def test_access_modes_are_listed_since_1_4_and_one_volume_mode_since_1_5() -> None:
    modes: JsonObject = {"type": "array", "items": {"type": "string"}}
    elements = [
        object_at(imported(modes, "pvc", "accessModes", release=release), "items")
        for release in ("1.3", "1.4")
    ]
    assert [element.get(SEVERITY) for element in elements] == ["warning", None]
    text: JsonObject = {"type": "string"}
    volume_modes = [
        imported(text, "pvc", "volumeMode", release=release)["enum"] for release in ("1.4", "1.5")
    ]
    assert volume_modes == [["Block", "Filesystem"], ["Block", "Filesystem", "FromStorageProfile"]]


def test_pointer_that_go_writes_as_null_is_required_if_the_spec_is_rewritten() -> None:
    source: JsonObject = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("apiGroup", "kind", "name")},
        "required": ["kind", "name"],
    }
    assert imported(source, "pvc", "dataSource")["required"] == ["apiGroup", "kind", "name"]
    assert imported(source, "pvc", "dataSource", kind=POOL)["required"] == ["kind", "name"]


def test_empty_text_that_go_omits_is_allowed_by_an_enum_of_the_crd() -> None:
    kinds: JsonObject = {"type": "string", "enum": ["kubevirt", "archive"]}
    content = imported(kinds, "dataVolumeTemplates", "spec", "contentType")
    assert content["enum"] == ["", "kubevirt", "archive"]


def test_values_of_lists_are_known_too() -> None:
    modes: JsonObject = {"type": "array", "items": {"type": "string"}}
    items = imported(modes, "pvc", "accessModes")["items"]
    assert isinstance(items, dict)
    assert "ReadWriteOnce" in items["enum"]


def test_repeated_parts_are_written_once() -> None:
    probe: JsonObject = {
        "type": "object",
        "properties": {"command": {"type": "array", "items": {"type": "string"}}, "host": {"type": "string"}},
    }
    crd: JsonObject = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"a": probe, "b": probe}}},
    }
    schema = import_schema(crd, VM, Release.parse("1.9"))
    definitions = schema["$defs"]
    assert isinstance(definitions, dict)
    assert "a" in definitions
    assert encoded(schema).count('"command"') == 1


def test_import_does_not_change_its_input() -> None:
    crd: JsonObject = {"type": "object", "properties": {"spec": {"type": "object", "properties": {}}}}
    before = json.dumps(crd)
    import_schema(crd, VM, Release.parse("1.9"))
    assert json.dumps(crd) == before
