from __future__ import annotations

import pytest

from renderer.yamlio.decode import decode_documents
from renderer.yamlio.rewritten_text import NewValue, NotRewritableError, rewritten_text

#: Texts as people write them, and as go-yaml v3 writes their nodes.
REWRITTEN = {
    "indentation": ("a:\n    b: 1\n    c:\n      - x\n      -   y\n", "a:\n  b: 1\n  c:\n  - x\n  - y"),
    "lists in lists": ("- - a\n  - b\n-\n  - c\n", "- - a\n  - b\n- - c"),
    "mappings in lists": ("- a: 1\n  b:\n    - c: 2\n      d: 3\n", "- a: 1\n  b:\n  - c: 2\n    d: 3"),
    "quotes": ("a: 'x'\nb: \"y\\n\"\nc: yes\n'd': 0x1F\n", "a: 'x'\nb: \"y\\n\"\nc: yes\n'd': 0x1F"),
    "brackets": ("a: { b: 1,c: [x,  y] }\nd: {}\ne: []\n", "a: {b: 1, c: [x, y]}\nd: {}\ne: []"),
    "brackets over lines": ("a: [x,\n  y]\n", "a: [x, y]"),
    "nothing": ("a:\nb: ~\nc: null\n", "a:\nb: ~\nc: null"),
    "plain over lines": ("a: x\n  y\nb: z\n", "a: x y\nb: z"),
    "literal": ("a: |\n   x\n     y\n\n   z\nb: |-\n  q\n", "a: |\n  x\n    y\n\n  z\nb: |-\n  q"),
    "literal in a list": ("- |\n  x\n- y\n", "- |\n  x\n- y"),
    "folded": ("a: >\n  x\n  y\nb: 1\n", "a: >\n  x y\n\nb: 1"),
    "comments": (
        "# file\n\n# a\na: 1   # one\n\n# b\nb:   # two\n    # c\n    c: 3\nd:\n  # e\n  - e # five\n# end\n",
        "# file\n\n# a\na: 1 # one\n# b\nb: # two\n  # c\n  c: 3\nd:\n# e\n- e # five\n# end",
    ),
    "signs of comments in texts": ("a: 'x # y'\nb: x#y # z\n", "a: 'x # y'\nb: x#y # z"),
}


@pytest.mark.parametrize(("text", "written"), REWRITTEN.values(), ids=REWRITTEN)
def test_content_is_kept(text: str, written: str) -> None:
    assert rewritten_text(text, ()) == written
    assert decode_documents(rewritten_text(text, ()).encode(), "") == decode_documents(text.encode(), "")
    assert rewritten_text(written, ()) == written


@pytest.mark.parametrize(
    ("text", "path", "value", "written"),
    [
        ("a: 'x' # c\nb: 1\n", ("a",), "y", "a: 'y' # c\nb: 1"),
        ("a: x\n", ("a",), "12", 'a: "12"'),
        ("a: x\n", ("a",), ".inf", 'a: ".inf"'),
        ("a: |\n  x\nb: 1 # c\n", ("a",), "", 'a: ""\nb: 1 # c'),
        ("a: x\n", ("a",), "b: c", "a: 'b: c'"),
        ("a: x\n", ("a",), "# c", "a: '# c'"),
        ("a: 1.5\n", ("a",), "1.10", "a: 1.10"),
        ("a: x\n", ("b",), "12", "a: x\nb: 12"),
        ("a: x\n", ("b", "c"), "y", "a: x\nb:\n  c: y"),
        ("- a\n- b: [1, 2]\n", (1, "b", 0), "3", "- a\n- b: [3, 2]"),
        ("a: [x]\n", ("a", 0), "y, z", "a: ['y, z']"),
        ("a: [x]\n", ("a", 0), "y\nz", 'a: ["y\\nz"]'),
        ("a: x\n", ("a",), "y\nz\n", "a: |\n  y\n  z"),
    ],
)
def test_value_gets_the_quotes_it_needs(
    text: str, path: tuple[str | int, ...], value: str, written: str
) -> None:
    assert rewritten_text(text, [(path, NewValue(value, value))]) == written


def test_mapping_is_written_as_a_block() -> None:
    value = NewValue({"x": [1, "2"], "y": {}}, "")

    assert rewritten_text("a: [1]\nb: 2\n", [(("a",), value)]) == 'a:\n  x:\n  - 1\n  - "2"\n  y: {}\nb: 2'


@pytest.mark.parametrize(
    "text", ["a: &x 1\nb: *x\n", "a: !!str 1\n", "? [a]\n: 1\n", "a: [ # c\n  1]\n", "a: [\n", "a: 1\na: 2\n"]
)
def test_text_that_cannot_be_kept_is_refused(text: str) -> None:
    with pytest.raises(NotRewritableError):
        rewritten_text(text, ())
