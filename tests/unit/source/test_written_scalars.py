from __future__ import annotations

import pytest

from renderer.model.field_path import FieldPath
from renderer.model.location import Site
from renderer.source.resources import read_resources
from renderer.yamlio import marks
from renderer.yamlio.events import Chunk, split_documents
from renderer.yamlio.nodes import Node, parse_nodes

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
def test_every_object_has_what_its_tree_leaves_out(text: str) -> None:
    resources = read_resources(text.encode(), Site("a.yaml"))

    assert [resource.annotations for resource in resources] == [{"version": "1.10"}] * 3
    assert {resource.blank_fields for resource in resources} == {
        (FieldPath.of("metadata", "creationTimestamp"),)
    }


@pytest.mark.parametrize(
    ("text", "documents"), [("---\n".join([DOCUMENT] * 3), 3), (ITEMS, 1)], ids=["documents", "items"]
)
def test_a_file_is_cut_once_and_each_document_parsed_once(
    monkeypatch: pytest.MonkeyPatch, text: str, documents: int
) -> None:
    cut: list[str] = []
    parsed: list[str] = []

    def split(text: str) -> list[Chunk]:
        cut.append(text)
        return split_documents(text)

    def parse(text: str) -> Node | None:
        parsed.append(text)
        return parse_nodes(text)

    monkeypatch.setattr(marks, "split_documents", split)
    monkeypatch.setattr(marks, "parse_nodes", parse)
    read_resources(text.encode(), Site("a.yaml"))

    assert (len(cut), len(parsed)) == (1, documents)
