from __future__ import annotations

from collections.abc import Iterator

import pytest

from renderer.kustomize.reader.resources import read_resources
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json
from renderer.model.kube.location import Site

DOCUMENT = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  creationTimestamp:
  annotations:
    version: 1.10
data: null
"""
ITEMS = "apiVersion: v1\nkind: List\nitems:\n" + "".join(
    f"- {line}" if line.startswith("apiVersion") else f"  {line}"
    for line in (DOCUMENT * 3).splitlines(keepends=True)
)


@pytest.mark.parametrize("text", ["---\n".join([DOCUMENT] * 3), ITEMS], ids=["documents", "items"])
def test_every_object_has_the_spellings_its_tree_omits(text: str) -> None:
    resources = read_resources(text.encode(), Site("a.yaml"))

    assert [resource.annotations for resource in resources] == [{"version": "1.10"}] * 3
    assert {resource.blank_fields for resource in resources} == {
        (FieldPath.of("metadata", "creationTimestamp"),)
    }


SPELLED = """\
kind: A
metadata: {name: a}
int: 0644
float: 1.10
bool: True
date: 2020-01-01
nothing: ~
blank:
"null": null
text: "1.10"
folded: >
  a
   b
list:
- name: first
  value: 0x10
- [1_000]
anchor: &a 1e3
alias: *a
"""


def test_scalar_text_is_stored_if_the_value_does_not_determine_it() -> None:
    resource = read_resources(SPELLED.encode(), Site("a.yaml"))[0]

    assert {str(each.field): (each.text, each.value) for each in resource.spellings} == {
        "int": ("0644", 420),
        "float": ("1.10", 1.1),
        "bool": ("True", True),
        "date": ("2020-01-01", "2020-01-01T00:00:00Z"),
        "nothing": ("~", None),
        "blank": ("", None),
        "folded": ("a\n b\n", "a\n\n b\n"),
        "list[name=first].value": ("0x10", 16),
        "list[1][0]": ("1_000", 1000),
        "anchor": ("1e3", 1000),
        "alias": ("1e3", 1000),
    }
    assert resource.written_text("list", 0, "value") == "0x10"
    assert resource.written_text("text") == "1.10"


def test_spelling_is_valid_only_while_the_field_has_its_value() -> None:
    resource = read_resources(SPELLED.encode(), Site("a.yaml"))[0]
    changed = resource.with_content({**resource.content, "int": 421, "float": "1.1", "bool": False})

    assert [changed.written_text(key) for key in ("int", "float", "bool")] == ["421", "1.1", "false"]


@pytest.mark.parametrize(
    "content", [resource.content for resource in read_resources(SPELLED.encode(), Site("a"))]
)
def test_trees_have_only_plain_values(content: Json) -> None:
    def scalars(value: Json) -> Iterator[Json]:
        if isinstance(value, dict | list):
            for child in value.values() if isinstance(value, dict) else value:
                yield from scalars(child)
        else:
            yield value

    assert {type(each) for each in scalars(content)} <= {str, int, float, bool, type(None)}
