from __future__ import annotations

import pytest

from renderer.kustomize.reader.resources import read_json_patch, read_patch
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.location import Site
from renderer.model.source_tree import JsonPatch, StrategicMergePatches

SITE = Site("patch.yaml")


def code_of(text: str) -> Code:
    with pytest.raises(DiagnosticError) as error:
        read_patch(text.encode(), SITE)
    return error.value.diagnostics[0].code


def test_documents_are_a_strategic_merge_patch() -> None:
    content = read_patch(b"kind: A\nmetadata: {name: a}\n---\nkind: B\nmetadata: {name: b}\n", SITE)
    assert isinstance(content, StrategicMergePatches)
    assert [document.name for document in content.documents] == ["a", "b"]


@pytest.mark.parametrize(
    "text", ["- op: add\n  path: /a\n  value: yes\n", '[{"op": "add", "path": "/a", "value": true}]']
)
def test_a_list_is_a_json_patch_whose_yaml_is_1_1(text: str) -> None:
    content = read_patch(text.encode(), SITE)
    assert isinstance(content, JsonPatch)
    assert content.operations == ({"op": "add", "path": "/a", "value": True},)


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}", "[]", "---\n"])
def test_empty_text_is_an_empty_patch(text: str) -> None:
    assert read_patch(text.encode(), SITE) == StrategicMergePatches(SITE, ())


def test_a_list_in_brackets_has_to_be_json() -> None:
    assert code_of("[{op: add, path: /a}]") is Code.PATCH_INVALID


def test_error_refers_to_the_apparent_kind_of_patch() -> None:
    assert code_of("- just text\n") is Code.PATCH_INVALID
    assert code_of("metadata: {name: a}\n") is Code.RESOURCE_INVALID
    assert code_of("kind: [\n") is Code.YAML_SYNTAX


@pytest.mark.parametrize("text", ["[" * 100_000, "[NaN]", "[1e999999]", "[" + "9" * 5000 + "]"])
def test_hostile_json_is_an_error(text: str) -> None:
    assert code_of(text) is Code.PATCH_INVALID


def test_deprecated_field_refuses_an_empty_patch() -> None:
    with pytest.raises(DiagnosticError):
        read_json_patch(b"[]", SITE)
