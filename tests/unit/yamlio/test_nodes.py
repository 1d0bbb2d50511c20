"""The spans of nodes in the text, however it is parsed."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread

import pytest

from renderer.model.run.limits import lowered
from renderer.yamlio import events
from renderer.yamlio.events import Backend
from renderer.yamlio.node_tree import document_of_events, parse_document
from renderer.yamlio.nodes import Node, Source
from renderer.yamlio.python_parser import PythonParser

TEXT = """\
plain: two words  # comment
'single': 'it''s'
"double": "a \\" # b"
list: # comment
- a
-   b: c
    d: [1, "]", {e: f}]  # comment
text: |-  # comment
  one

  two

# comment
folded: >
    one
    two
anchored: &x {g: h}
alias: *x
tagged: !!str 5
over lines: "one
  two"
plain over lines: one
  two
nothing:
astral: \U0001f600 # comment
last: i # comment
# the end
"""


@pytest.fixture(autouse=True, params=[events.BACKEND, PythonParser], ids=["libyaml", "python"])
def _backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    backend: Backend = request.param
    monkeypatch.setattr(events, "BACKEND", backend)


def written(node: Node) -> str:
    return node.source.text[node.start : node.end]


def value(text: str, *way: str | int) -> Node:
    node = parse_document(text).root
    assert node
    for step in way:
        if isinstance(step, int):
            node = node.elements()[step]
        else:
            entry = node.entry(step)
            assert entry
            node = entry[1]
    return node


@pytest.fixture(params=["", "\ufeff", "\ufeff\ufeff"], ids=["", "mark", "marks"])
def mark(request: pytest.FixtureRequest) -> str:
    """Characters that libyaml does not count."""
    found: str = request.param
    return found


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\u2028", "\x85"])
@pytest.mark.parametrize(
    ("way", "expected"),
    [
        (("plain",), "two words"),
        (("single",), "'it''s'"),
        (("double",), '"a \\" # b"'),
        (("list",), '- a\n-   b: c\n    d: [1, "]", {e: f}]'),
        (("list", 0), "a"),
        (("list", 1), 'b: c\n    d: [1, "]", {e: f}]'),
        (("list", 1, "d"), '[1, "]", {e: f}]'),
        (("list", 1, "d", 2), "{e: f}"),
        (("text",), "|-  # comment\n  one\n\n  two"),
        (("folded",), ">\n    one\n    two"),
        (("anchored",), "&x {g: h}"),
        (("alias",), "*x"),
        (("alias", "g"), "h"),
        (("tagged",), "!!str 5"),
        (("over lines",), '"one\n  two"'),
        (("plain over lines",), "one\n  two"),
        (("nothing",), ""),
        (("astral",), "\U0001f600"),
        (("last",), "i"),
    ],
)
def test_span_has_the_value_as_written(
    way: tuple[str | int, ...], expected: str, newline: str, mark: str
) -> None:
    text = mark + TEXT.replace("\n", newline)
    assert written(value(text, *way)) == expected.replace("\n", newline)


@pytest.mark.parametrize("text", ["a: 1\nb:\n- [c] # d\n", "- a\n", "a: {b: c, d: [e]}\n"])
def test_line_reader_and_events_give_equal_spans(text: str) -> None:
    by_line, by_event = parse_document(text).root, document_of_events(text).root
    assert by_line
    assert by_event
    assert [*map(written, by_line.walk())] == [*map(written, by_event.walk())]


def test_lines_and_columns_are_counted_with_line_feeds_only() -> None:
    assert value("a: 1 # \u2028\nb:\n  c: 2\n", "b", "c").position == (2, 5)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        *(("a: 1\n", 5), ("a: 1\n# end\n", 11), ("a: 1\n---\nb: 2\n", 5), ("a: 1\n...\n", 5)),
        *(("", 0), ("# a\n", 4), ("---\n", 4), ("&x a\n---\n", 5)),
    ],
)
def test_a_document_ends_before_the_next_one(text: str, end: int, mark: str) -> None:
    assert parse_document(mark + text).end == len(mark) + end


def test_the_tree_ends_where_the_nesting_is_too_deep() -> None:
    with lowered({"nesting": 3}):
        assert document_of_events("[[[a]]]").is_whole
        root, _, is_whole = document_of_events("[[[[a]]]]")
    assert not is_whole
    assert root
    assert written(root) == "[[[[a]]]]"


def test_aliases_of_an_unfinished_or_unknown_anchor_are_handled() -> None:
    assert value("a: &x [1, *x]\n", "a", 1, 1, 1, 0).text == "1"
    unknown = value("a: *x\n", "a")
    assert (unknown.text, unknown.is_alias, written(unknown)) == (None, True, "*x")


def test_entries_found_one_by_one_match_all_entries() -> None:
    names = [f"k{number}" for number in range(12)]
    text = "".join(f"{name}: {{v: {name}}}\n" for name in names)
    root = parse_document(text).root
    assert root
    assert [value(text, name, "v").text for name in names] == names
    assert [entry[1].entry("v") is not None for entry in root.entries()] == [True] * 12
    assert root.entry("k13") is None


class _Slow:
    """Items whose creation another thread does not wait for."""

    def __init__(self) -> None:
        self.found: list[Sequence[Node]] = []

    def fill(self, node: Node) -> None:
        if not self.found:
            self.found.append(())
            other = Thread(target=lambda: self.found.append(node.items))
            other.start()
            other.join()
        node.items = (Node(node.source, 0, 1, "a", ""),)

    def find(self, key: str) -> tuple[Node, Node] | None:
        raise AssertionError(key)


def test_two_threads_may_need_the_items_of_a_node() -> None:
    slow = _Slow()
    node = Node.lazy(Source("a"), 0, "", slow, is_mapping=False)
    assert [each.text for each in node.items] == ["a"]
    assert [each.text for each in slow.found[1]] == ["a"]
