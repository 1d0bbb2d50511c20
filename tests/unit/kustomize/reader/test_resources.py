from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.findings.run_findings import locate
from renderer.kustomize.reader.resources import read_resources
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.location import Location, Site

SITE = Site("vm.yaml")


def names(text: str) -> list[tuple[str, Site]]:
    return [(resource.name, resource.origin) for resource in read_resources(text.encode(), SITE)]


def document(kind: str, name: str) -> str:
    return f"kind: {kind}\nmetadata: {{name: {name}}}\n"


def test_empty_documents_are_omitted_but_counted() -> None:
    text = "---\n# nothing\n---\n" + document("A", "a") + "---\n{}\n---\n" + document("B", "b")
    found = read_resources(text.encode(), SITE)
    assert [resource.name for resource in found] == ["a", "b"]
    assert [resource.origin.document for resource in found] == [1, 3]


def test_single_list_in_a_file_is_expanded_in_place() -> None:
    text = "kind: List\nitems:\n- {kind: A, metadata: {name: a}}\n- {}\n- {kind: B, metadata: {name: b}}\n"
    assert names(text) == [
        ("a", SITE.child(FieldPath.of("items", 0))),
        ("b", SITE.child(FieldPath.of("items", 2))),
    ]


def test_items_of_a_typed_list_follow_other_resources() -> None:
    text = "kind: FooList\nitems: [{kind: Foo, metadata: {name: in-list}}]\n---\n" + document("Bar", "bar")
    assert [name for name, _ in names(text)] == ["bar", "in-list"]


def test_empty_list_and_list_kind_without_items_are_read() -> None:
    assert names("kind: FooList\nitems:\n") == []
    assert names(document("AccessList", "acl"))[0][0] == "acl"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("metadata: {name: a}\n", "no kind"),
        ("kind: VirtualMachine\n", "no metadata.name"),
        ("kind: VirtualMachine\nmetadata: {name: {}}\n", "no metadata.name"),
        ("- kind: VirtualMachine\n", "mapping"),
        ("just text\n", "mapping"),
        ("kind: FooList\nitems: {a: b}\n---\nkind: A\nmetadata: {name: a}\n", "not a list"),
    ],
)
def test_non_object_is_refused(text: str, says: str) -> None:
    with pytest.raises(DiagnosticError) as error:
        read_resources(text.encode(), SITE)
    (problem,) = error.value.diagnostics
    assert problem.code is Code.RESOURCE_INVALID
    assert says in problem.message


def test_numeric_name_is_kept_as_written() -> None:
    resource = read_resources(b"kind: A\nmetadata: {name: 007}\n", SITE)[0]

    assert resource.name == "007"
    assert resource.content["metadata"] == {"name": 7}


def test_error_in_an_inline_text_is_located_in_the_text() -> None:
    site = Site("kustomization.yaml").below("patches", 0, "patch")
    with pytest.raises(DiagnosticError) as error:
        read_resources(b"a: b\nkind: [\n", site)
    (problem,) = error.value.diagnostics
    assert problem.location == Location("kustomization.yaml", 2, 7)
    assert problem.sites == (site,)
    assert "line" not in problem.message
    file = b"patches:\n- patch: |-\n    a: b\n    kind: [\n    more: []\n"
    (located,) = locate(MemoryFileSystem({"kustomization.yaml": file}), [problem])
    assert located.location == Location("kustomization.yaml", 4, 11)


def test_empty_fields_are_distinguished_from_null() -> None:
    spec = "  blank:\n  explicit: null\n  tilde: ~\n  text: ''\n  list:\n  - x:\n"
    text = f"---\nkind: A\nmetadata:\n  name: a\nspec:\n{spec}"
    (resource,) = read_resources(text.encode(), SITE)
    assert resource.blank_fields == (FieldPath.of("spec", "blank"), FieldPath.of("spec", "list", 0, "x"))


def test_numeric_annotations_become_text() -> None:
    text = (
        "kind: A\nmetadata:\n  name: a\n  annotations: {version: 1.10, octal: 0777, truth: True, text: x}\n"
    )
    (resource,) = read_resources(text.encode(), SITE)
    assert resource.annotations == {"version": "1.10", "octal": "0777", "truth": "True", "text": "x"}
