"""The line reader gives the same result as libyaml's events, and refuses all other text."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from renderer.model.run.limits import lowered
from renderer.yamlio.builder import read_tree
from renderer.yamlio.dialects import RESOURCE, RESOURCE_AS_WRITTEN, WRITTEN_SCALARS, YAML11
from renderer.yamlio.documents import split_documents
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.events import MalformedError
from renderer.yamlio.line_reader import read_lines
from renderer.yamlio.node_tree import document_of_events, nodes_of_lines
from renderer.yamlio.nodes import Node
from tests.properties.examples import examples

ROOT = Path(__file__).parents[2]
DIALECTS = (RESOURCE, RESOURCE_AS_WRITTEN, YAML11)

_WORDS = """a b kubevirt.io/vm 1 0o7 010 1.0 1e3 yes null ~ true << 2020-01-02 .inf -1 - --x = 10Gi a:b a#b
a,b http://x:80/ é $(x) 02:00:0a ? a? *x &x !t % @ ` . .. ... --- a'b a"b \\n"""
WORDS = st.sampled_from(_WORDS.split())
QUOTED = st.builds(
    "{0}{1}{0}".format,
    st.sampled_from("\"'"),
    st.one_of(WORDS, st.sampled_from(["", "''", "x y", ": ", " #", "\ufeff", "\\"])),
)
SCALARS = st.one_of(WORDS, QUOTED, st.builds("{} {}".format, WORDS, WORDS))


def _bracketed(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    items = st.lists(inner, max_size=3)
    entries = st.lists(st.builds("{}: {}".format, SCALARS, inner), max_size=3)
    return st.one_of(items.map(", ".join).map("[{}]".format), entries.map(",".join).map("{{{}}}".format))


FLOW = st.recursive(SCALARS, _bracketed, max_leaves=5)
HEADERS = st.builds(str.__add__, st.sampled_from("|>"), st.sampled_from(["", "", "-", "+", "2", "-1", " x"]))
TEXT_LINES = st.sampled_from(["a", "b: c", "  x", "", "", " ", "# d", "\ty", "é", "- e", "---", "\x07"])
BLOCKS = st.builds("{}\n{}".format, HEADERS, st.lists(TEXT_LINES, min_size=1, max_size=5).map("\n".join))
ENDS = st.sampled_from(["", "", "", "", "", " # c", " #", "  ", "# c", "\t", " # é", " # \x07", ":"])
VALUES = st.one_of(SCALARS, SCALARS, FLOW, BLOCKS)

#: Lines without a plan.
LINES = st.one_of(
    st.builds(
        "{}{}{}{}{}".format,
        st.integers(0, 6).map(" ".__mul__),
        st.sampled_from(["", "", "- ", "-   ", "- - ", "? "]),
        st.one_of(st.just(""), st.builds(str.__add__, SCALARS, st.sampled_from([": ", ":", " : ", ":   "]))),
        st.one_of(st.just(""), VALUES),
        ENDS,
    ),
    st.sampled_from(["", "  ", "# c", "    # c", "---", "...", "--- # c", "\t", "    text", "-"]),
)


def _below(text: str) -> str:
    return text.replace("\n", "\n  ")


def _collections(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Mappings and lists as people write them, each with a line break before it."""
    entries = st.lists(
        st.builds("\n{}: {}{}".format, SCALARS, inner.map(_below), ENDS), min_size=1, max_size=4
    )
    items = st.lists(st.builds("\n- {}{}".format, inner.map(_below), ENDS), min_size=1, max_size=4)
    behind_dashes = entries.map("".join).map(lambda text: "\n- " + _below(text.lstrip()))
    return st.one_of(entries.map("".join), items.map("".join), behind_dashes)


DOCUMENTS = st.one_of(
    st.recursive(VALUES, _collections, max_leaves=12).map("{}\n".format),
    st.lists(LINES, max_size=10).map("\n".join),
    st.lists(LINES, max_size=6).map(lambda lines: "key:\n" + "".join(f"  {line}\n" for line in lines)),
)


def is_read_by_line(text: str) -> bool:
    """Return True if a dialect reads ``text``. The result must equal that of libyaml's events."""
    is_read = False
    for dialect in DIALECTS:
        try:
            tree = read_lines(text, dialect)
        except UnusableError:
            continue
        is_read = True
        try:
            expected = read_tree(text, dialect, None)
        except (UnusableError, MalformedError) as error:
            raise AssertionError(f"{text!r} is an error: {error}") from error
        assert repr(tree) == repr(expected), text
    return is_read


def has_line_nodes(text: str) -> bool:
    """Return True if nodes are made of lines: they must equal the nodes made of libyaml's events."""
    try:
        found = nodes_of_lines(text)
    except UnusableError:
        return False
    expected, end, is_whole = document_of_events(text)
    assert expected is not None
    assert (end, is_whole) == (len(text), True)
    for here, there in zip(found.walk(), expected.walk(), strict=True):
        assert _described(here) == _described(there), text
        for name in {key.text for key, _ in there.entries()} - {None}:
            assert _entry(here, name) == _entry(there, name), text
    return True


def _entry(node: Node, name: str | None) -> tuple[tuple[object, ...], ...]:
    return tuple(map(_described, node.entry(name or "") or ()))


def _described(node: Node) -> tuple[object, ...]:
    return node.start, node.end, node.position, node.text, node.style, node.is_mapping, len(node.items)


@examples(3)
@given(DOCUMENTS)
@example("---\n")
def test_generated_documents_are_read_alike(text: str) -> None:
    is_read_by_line(text)
    has_line_nodes(text)


@cache
def manifests() -> list[str]:
    """The documents of the golden cases and of the catalog, each once."""
    found = (
        document.text
        for folder in ("tests/cases", "catalog")
        for path in sorted((ROOT / folder).rglob("*.yaml"))
        for document in split_documents(path.read_text(encoding="utf-8", errors="replace"))
    )
    return [*dict.fromkeys(found)]


def test_manifests_are_read_by_the_line_reader() -> None:
    count = sum(map(is_read_by_line, manifests()))

    assert count / len(manifests()) > 0.95
    assert sum(map(has_line_nodes, manifests())) / len(manifests()) > 0.95


@examples(3)
@given(st.data())
def test_altered_manifests_are_read_alike(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(manifests()))
    lines = text.split("\n")
    at = data.draw(st.integers(0, len(lines) - 1))
    where = data.draw(st.integers(0, len(lines[at])))
    end = where + data.draw(st.integers(0, 2))
    new = data.draw(st.one_of(st.sampled_from(" -:#'\"[]{}|>&*!%@`?,\n\t\\<"), ENDS, LINES))

    lines[at] = lines[at][:where] + new + lines[at][end:]

    is_read_by_line("\n".join(lines))
    has_line_nodes("\n".join(lines))


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb:\n  c: x # comment\n\n# comment\nd:\n- e\n- f: 1\n  g:\n  - h\ni:\n",
        "- a\n- b: c\n  d:\n      e: f\n",
        "---\n# comment\na: 'it''s'\n\"b/c\": \"d: # e\"\n",
        "a: |\n  b\n\n    c\n  \n\nd: |-\n  e\nf: |+ # g\n\n  h\n\ni: >\n  j\n  k\n\n  l\n",
        "- |\n  a\n- b: |\n    c\n",
        "a: []\nb: {}\nc: [1, \"x\", [y z]]\nd: {e: f:1, 'g': {h: [null]}} # i\n",
        "a: -1\nb: --c=d\ne: f#g:h\nh: [i,]\nj: {k}\nl: [m: n] # o\np: {q: !!str 1}\n",
        "  a: 1\n  b: 2",
        "",
        "# comment\n",
    ],
)
def test_supported_text_is_read_by_the_line_reader(text: str) -> None:
    assert is_read_by_line(text)
    assert has_line_nodes(text) or not text.strip("# coment\n")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "a: 1\na: 2\n",
            "a: 1\n b: 2\n",
            "  a: 1\nb: 2\n",
            "a:\n    b: 1\n  c: 2\n",
            "- a\nb: 1\n",
            "a: 1\n- b\n",
        ),
        *(
            "a: b\n  c\n",
            "a:\n  b\n",
            "a: 'b\n  c'\n",
            "a: b: c\n",
            "a: b:\n",
            "a\n",
            "- - a\n",
            "-\n  a: 1\n",
        ),
        *("a: &b 1\n", "a: *b\n", "a: !c 1\n", "<<: {a: 1}\n", "? a\n", "a: @b\n", "a: - b\n", 'a: "\\n"\n'),
        *("a:\tb\n", "a: b\t\n", "\ta: 1\n", "a: 1\r\n", "a: \x07\n", "a: \x85\n", "# \x07\n", "a: \ufeff\n"),
        *(
            "a: |\n",
            "a: |2\n    b\n",
            "a: |\n  b",
            "a: |\n    b\n  c\n",
            "a: |\n    \n  b\n",
            "a: |\n  \x07\n",
        ),
        *(
            "a: [b\n",
            "a: {b: 1, b: 2}\n",
            "a: [b: c\n",
            "a: {b: c} d\n",
            "a: {1: b}\n",
            "a: {b: *c}\n",
            "a: [b]: c\n",
            "a: [b] c\n",
            "a: [?]\n",
        ),
        *(
            "a: 1\n---\nb: 1\n",
            "a: 1\n...\n",
            "--- a\n",
            "%YAML 1.1\n---\na: 1\n",
            "true: 1\n",
            "1: 1\n",
            "a: .inf\n",
        ),
    ],
)
def test_unsupported_text_is_left_to_libyaml(text: str) -> None:
    for dialect in (RESOURCE, RESOURCE_AS_WRITTEN):
        with pytest.raises(UnusableError):
            read_lines(text, dialect)
    is_read_by_line(text)
    has_line_nodes(text)


def test_key_with_its_value_below_is_not_a_scalar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scalars with a written text decide whether all documents are searched for them."""
    monkeypatch.setattr(WRITTEN_SCALARS, "has_made", False)

    read_lines("---\na-key:\n  another-key: b\n  a-third-key:\n  - c\n", RESOURCE_AS_WRITTEN)

    assert not WRITTEN_SCALARS.has_made


@pytest.mark.parametrize("line", ["a: {}", "- a: [b]", "a: {b: {c: [d]}}", "a:"])
def test_line_reader_respects_the_nesting_limit(line: str) -> None:
    """The limit is lowered, and the text nested deeper and deeper, until it is beyond it."""
    with lowered({"nesting": 12}):
        read = [
            is_read_by_line(
                "".join(f"{'  ' * depth}x:\n" for depth in range(deepest)) + "  " * deepest + line
            )
            for deepest in range(15)
        ]

    assert read == sorted(read, reverse=True)
    assert not read[-1]
