"""Items of a list are read as libyaml reads them from the whole list, whichever reader each of them gets."""

from __future__ import annotations

from io import BytesIO

import pytest

from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import JsonObject
from renderer.yamlio.stream import LARGEST_OBJECT, stream_yaml

HEAD = "apiVersion: v1\nitems:\n"
TAIL = 'kind: List\nmetadata:\n  resourceVersion: ""\n'
#: A first line that no reader of lines accepts: libyaml reads all that follows.
BY_LIBYAML = b"--- # a list\n"
OWNED = """\
- apiVersion: v1
  metadata:
    managedFields:
    - fieldsV1:
        f:spec:
          .: {}
          f:ports:
            k:{"port":80,"protocol":"TCP"}:
              .: {}
          f:finalizers:
            v:"kubevirt.io/protected": {}
            v:"two words": {}
      manager: virt-controller
"""
WRAPPED = "- message: the first line\n    and the second\n  next: 'it''s\n    here'\n  last: \"tab\\t\"\n"
ITEMS = {
    "plain": "- a: 1\n- b: [x, y]\n",
    "managed fields": OWNED * 3,
    "wrapped": WRAPPED + "- b: 2\n" + WRAPPED,
    "block": "- a: |\n    x\n\n    - y\n  b: >-\n    z\n- c: |2\n     d\n",
    "anchor of another item": "- a: &x 1\n- b: *x\n- c: *x\n",
    "ampersand": "- a: x & y\n- b: 'p & q\n    r'\n- c: 1\n",
    "comments": "# first\n- a: 1\n# between\n- b: 2\n  # inside\n  c: 3\n",
    "dash alone": "- a: 1\n-\n  b: 2\n- c: 3\n",
    "scalars": "- a\n- 'b'\n- 3\n- ~\n",
    "list in a list": "- - a\n  - b\n- c: 1\n",
    "dash in quotes": '- a: "x\n- y"\n- b: 1\n',
    "key in quotes": '- a: "x\nkind: y"\n- b: 1\n',
    "dash in brackets": "- a: [x,\n- y]\n- b: 1\n",
    "repeated key": "- a: 1\n- b: 1\n  b: 2\n",
    "not closed": "- a: 1\n- b: 'x\n",
    "tab": "- a: 1\n-\tb: 2\n- c: 3\n",
    "carriage returns": "- a: 1\r\n- b: 2\r\n",
    "end of document": "- a: 1\n...\n---\n- b: 2\n---\n",
    "next document": "- a: 1\n---\nitems:\n- b: 2\n",
    "two lists": "- a: 1\nitems:\n- b: 2\n",
    "indented": "  - a: 1\n  - b: 2\n",
    "octal and time": "- a: 010\n  b: 1:30\n  c: 1e3\n  1:30: x\n- d: yes\n",
    "line separator": "- a: x\u2028y\n- b: é\n",
    "deep": "- a: 1\n- " + "- " * 300 + "b\n",
    "merge": "- a: 1\n  <<: {b: 2}\n- c: 3\n",
    "empty": "- {}\n- []\n- a: {}\n  b: []\n",
    "tag": "- a: !!str 1\n- b: 2\n",
}


def read(content: bytes, *, lines_before: int = 0) -> tuple[list[object], JsonObject | None]:
    """Return the values with their lines, the fields of the last list, and the error if there is one."""
    found: list[object] = []
    fields: JsonObject | None = None
    try:
        for each in stream_yaml(BytesIO(content), "dump.yaml"):
            found.append((each.value, each.line - lines_before))
            fields = each.list_fields or fields
    except DiagnosticError as error:
        (diagnostic,) = error.diagnostics
        assert diagnostic.location
        line = diagnostic.location.line
        found.append((diagnostic.code, diagnostic.message, line and line - lines_before))
    return found, fields


@pytest.mark.parametrize("items", ITEMS.values(), ids=ITEMS.keys())
@pytest.mark.parametrize("end", [TAIL, "", "kind: List", "items: []\n", "- z: 1"], ids=repr)
def test_items_are_read_as_in_the_whole_list(items: str, end: str) -> None:
    text = (HEAD + items + end).encode()
    assert read(text) == read(BY_LIBYAML + text, lines_before=1)


@pytest.mark.parametrize(
    "head", ["", "items:\n", "kind: FooList\nmetadata:\nitems:\n", "a: [b,\nitems:\n", "a: 'b\nitems:\n"]
)
def test_whatever_comes_before_the_items(head: str) -> None:
    text = (head + "- a: 1\n- b: 2\n" + TAIL).encode()
    assert read(text) == read(BY_LIBYAML + text, lines_before=1)


def test_text_that_is_not_utf8_is_left_to_libyaml() -> None:
    text = HEAD.encode() + b"- a: 1\n- b: \xff\n" + TAIL.encode()
    (*_, found), _ = read(text)
    assert [found] == read(BY_LIBYAML + text, lines_before=1)[0]


def test_items_may_be_larger_than_a_window() -> None:
    items = "".join(f"- name: n{number}\n  text: {'x' * 400_000}\n" for number in range(9))
    text = (HEAD + items + WRAPPED + items + TAIL).encode()
    assert read(text) == read(BY_LIBYAML + text, lines_before=1)


def test_an_item_has_a_largest_size() -> None:
    items = f"- a: 1\n- b: {'x' * (LARGEST_OBJECT + 1)}\n"
    found = read((HEAD + items + TAIL).encode())
    assert "an object is larger than" in repr(found)
    assert "{'a': 1}" in repr(found)
