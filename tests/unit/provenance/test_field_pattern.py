from __future__ import annotations

import pytest

from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.model.kube.json import Json
from renderer.provenance.paths import indexed, leaves
from renderer.provenance.patterns import FieldPattern, nearest_fields

VM: Json = {
    "metadata": {"labels": {"app.kubernetes.io/name": "db", "a~b": "c"}},
    "spec": {"domain": {"disks": [{"name": "root", "bus": "sata"}, {"name": "swap", "bus": "ide"}]}},
    "data": {"0": "zero"},
}
SWAP = FieldPath.of("spec", "domain", "disks", ElementName("name", "swap"))
LABEL = FieldPath.of("metadata", "labels", "app.kubernetes.io/name")


def matched(text: str) -> set[FieldPath]:
    pattern = FieldPattern(text)
    return {path for path, _ in leaves(VM) if pattern.match(path, indexed(VM, path)) is not None}


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("spec.domain.disks[name=swap].bus", {SWAP.child("bus")}),
        ("spec.domain.disks[1]", {SWAP.child("name"), SWAP.child("bus")}),
        (".spec.domain.disks[1].bus", {SWAP.child("bus")}),
        ("/spec/domain/disks/1/bus", {SWAP.child("bus")}),
        ("spec...disks[name=swap].bus", {SWAP.child("bus")}),
        ("...[name=swap].bus", {SWAP.child("bus")}),
        ('metadata.labels["app.kubernetes.io/name"]', {LABEL}),
        ("metadata.labels.app.kubernetes.io/name", {LABEL}),
        ("/metadata/labels/app.kubernetes.io~1name", {LABEL}),
        ("/metadata/labels/a~0b", {FieldPath.of("metadata", "labels", "a~b")}),
        ("/data/0", {FieldPath.of("data", "0")}),
        ("metadata", {LABEL, FieldPath.of("metadata", "labels", "a~b")}),
        ("spec.domain.disk", set()),
        ("spec.domain.disks[2]", set()),
        ("domain", set()),
    ],
)
def test_field_is_found_in_common_notation(text: str, fields: set[FieldPath]) -> None:
    assert matched(text) == fields


@pytest.mark.parametrize("path", [path for path, _ in leaves(VM)], ids=str)
def test_a_path_matches_itself_as_it_is_printed(path: FieldPath) -> None:
    assert matched(str(path)) == {path}


@pytest.mark.parametrize("text", ["a[", "a]", "[", "a.b[0"])
def test_invalid_path_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not part of a field's path"):
        FieldPattern(text)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("spec.domain.disk", "spec.domain.disks"),
        ("disks", "spec.domain.disks"),
        ("spec.template.domain.disks", "spec.domain.disks"),
    ],
)
def test_unknown_path_has_a_suggestion(text: str, nearest: str) -> None:
    assert nearest in nearest_fields(text, (path for path, _ in leaves(VM)))
