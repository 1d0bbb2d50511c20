from __future__ import annotations

import pytest

from renderer.model.kube.field_path import ElementName, FieldPath, Segment
from renderer.yamlio import events
from renderer.yamlio.decode import decode_yaml11
from renderer.yamlio.documents import second_document
from renderer.yamlio.events import Backend
from renderer.yamlio.marks import Mark, MarkedFile
from renderer.yamlio.problems import repeated_keys
from renderer.yamlio.python_parser import PythonParser

TEXT = """\
# two documents
apiVersion: v1
kind: ConfigMap
---
apiVersion: kubevirt.io/v1
metadata: {name: db, labels: {"a/b": c}}
spec:
  template: &t
    disks:
    - name: root
      bus: virtio
    -   name: data
        bus: sata
    - [1, two, {three: 3}]
  copy: *t
  merged:
    <<: [*t, {other: 1}]
    own: 2
  own: 1
  own: 3
"""


@pytest.fixture(autouse=True, params=[events.BACKEND, PythonParser], ids=["libyaml", "python"])
def _backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    backend: Backend = request.param
    monkeypatch.setattr(events, "BACKEND", backend)


def mark(*segments: Segment, document: int = 1, text: str = TEXT) -> Mark | None:
    found = MarkedFile(text.encode()).find(document, FieldPath.of(*segments))
    return found and found._replace(end=0)


@pytest.mark.parametrize(
    ("segments", "line", "column"),
    [
        ((), 5, 1),
        (("apiVersion",), 5, 1),
        (("metadata", "name"), 6, 12),
        (("metadata", "labels", "a/b"), 6, 31),
        (("spec",), 7, 1),
        (("spec", "template", "disks"), 9, 5),
        (("spec", "template", "disks", 0), 10, 7),
        (("spec", "template", "disks", 0, "bus"), 11, 7),
        (("spec", "template", "disks", 1), 12, 9),
        (("spec", "template", "disks", ElementName("name", "data"), "bus"), 13, 9),
        (("spec", "template", "disks", 2, 1), 14, 11),
        (("spec", "template", "disks", 2, 2, "three"), 14, 17),
        (("spec", "copy"), 15, 3),
        (("spec", "copy", "disks", 0, "name"), 10, 7),
        (("spec", "merged", "own"), 18, 5),
        (("spec", "merged", "other"), 17, 15),
        (("spec", "merged", "disks", 0), 10, 7),
        (("spec", "own"), 20, 3),
    ],
)
def test_existing_field_is_marked(segments: tuple[Segment, ...], line: int, column: int) -> None:
    assert mark(*segments) == Mark(line, column, exact=True)


@pytest.mark.parametrize(
    ("segments", "line", "column"),
    [
        (("status",), 5, 1),
        (("spec", "template", "networks", 0), 8, 3),
        (("spec", "template", "disks", 7, "name"), 9, 5),
        (("spec", "template", "disks", -1), 9, 5),
        (("spec", "template", "disks", ElementName("name", "none")), 9, 5),
        (("spec", "template", "disks", "name"), 9, 5),
        (("spec", 0), 7, 1),
        (("apiVersion", "v1"), 5, 1),
    ],
)
def test_missing_field_is_marked_at_its_nearest_ancestor(
    segments: tuple[Segment, ...], line: int, column: int
) -> None:
    assert mark(*segments) == Mark(line, column, exact=False)


def test_documents_are_counted_as_they_are_decoded() -> None:
    assert mark("kind", document=0) == Mark(3, 1, exact=True)
    assert mark("kind", document=2) is None
    assert mark("b", document=2, text="# nothing\n---\na: 1\n---\nb: 2\n") == Mark(5, 1, exact=True)


@pytest.mark.parametrize("text", ["", "# nothing\n", "a: [\n", "a: 1\n--- b\n", "\x00"])
def test_unreadable_text_has_no_marks(text: str) -> None:
    assert mark("a", document=0, text=text) is None


def test_binary_content_has_no_marks() -> None:
    assert MarkedFile(b"\xff\xfe").find(0, FieldPath.of("a")) is None


@pytest.mark.parametrize(
    "text",
    [
        "a: &x\n  b: *x\n",
        "a: &x {<<: *x}\n",
        "a: &x [*x, *x]\nb: &y [*x, *y]\n",
        "a: *none\n",
        "a: {1: b, ~: c}\n",
    ],
)
def test_invalid_documents_still_have_marks(text: str) -> None:
    assert mark("a", document=0, text=text) == Mark(1, 1, exact=True)
    assert mark("a", "missing", document=0, text=text) == Mark(1, 1, exact=False)


def test_hostile_files_are_marked_quickly() -> None:
    bomb = "a0: &a0 x\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 20))

    assert mark("a19", 0, 0, document=0, text=bomb) == Mark(19, 12, exact=True)
    assert mark("a19", "none", document=0, text=bomb) == Mark(20, 1, exact=False)
    assert mark("a", document=0, text="[" * 100_000) == Mark(1, 1, exact=False)


VALUES = """\
plain: two words # comment
quoted: "a \\" # b" # comment
single: 'it''s'
flow: {a: [1, "]"], b: c, d: 'e'}  # comment
list:
- name: root  # comment
  bus: sata
- plain
- {name: data}
block:
  key: value
text: |-
  one
long: "one
  two"
folded: one  # comment
next:
  below
nothing:
tagged: !!str 5
anchored: &here text
alias: *here
"wide ü": 日本
"""


@pytest.mark.parametrize(
    ("segments", "marked"),
    [
        (("plain",), "two words"),
        (("quoted",), '"a \\" # b"'),
        (("single",), "'it''s'"),
        (("flow",), """{a: [1, "]"], b: c, d: 'e'}"""),
        (("flow", "a"), '[1, "]"]'),
        (("flow", "a", 1), '"]"'),
        (("flow", "b"), "c"),
        (("flow", "d"), "'e'"),
        (("list",), "list"),
        (("list", 0), "name: root"),
        (("list", 0, "bus"), "sata"),
        (("list", 1), "plain"),
        (("list", 2), "{name: data}"),
        (("list", 2, "name"), "data"),
        (("block",), "block"),
        (("text",), "|-"),
        (("long",), '"one'),
        (("folded",), "one"),
        (("next",), "below"),
        (("nothing",), "nothing"),
        (("tagged",), "5"),
        (("anchored",), "text"),
        (("alias",), "*here"),
        (("wide ü",), "日本"),
        (("plain", "missing"), "plain"),
    ],
)
def test_value_is_marked_up_to_the_end_of_its_line(segments: tuple[Segment, ...], marked: str) -> None:
    found = MarkedFile(VALUES.encode()).find(0, FieldPath.of(*segments), of_value=True)
    assert found
    assert VALUES.split("\n")[found.line - 1][found.column - 1 : found.end - 1] == marked


def test_key_is_marked_on_request() -> None:
    found = MarkedFile(VALUES.encode()).find(0, FieldPath.of("wide ü"))
    assert found == Mark(23, 1, exact=True, end=9)


@pytest.mark.parametrize("value", ["{" * 20_000, '{"\\"' * 20_000, "{'" * 20_000, "a" + " " * 50_000 + "b"])
def test_the_work_for_long_lines_is_bounded(value: str) -> None:
    found = MarkedFile(f"a: {value}\n".encode()).find(0, FieldPath.of("a"), of_value=True)
    assert found is None or found.line == 1


@pytest.mark.parametrize("line_break", ["\u2028", "\u2029", "\x85", "\r"])
@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a: 1 # x{}\nb: {{c: 1}}\n", 2, 5),
        ('a: "x{}y"\nb: {{c: 1}}\n', 2, 5),
        ("a: 'x{0}{0}\n  y'\r\nb: {{c: 1}}\n", 3, 5),
        ("a: |\n  x{}  y\nb: {{c: 1}}\n", 3, 5),
        ("a: x{}b: {{c: 1}}\n", 1, 10),
        ("x: y\n---\na: [1, # {}\n 2]\nb:\n  c: 1\n", 6, 3),
    ],
)
def test_only_line_feeds_end_lines(line_break: str, text: str, line: int, column: int) -> None:
    text = text.format(line_break)
    place = mark("b", "c", document=text.count("---"), text=text)
    assert place == Mark(line, column, exact=True)


@pytest.mark.parametrize("line_break", ["\x85", "\r"])
def test_scalar_text_has_no_lines_after_another_line_break(line_break: str) -> None:
    text = f"a: |\n  b: 1\n  c: 2 # {line_break}  d: 3\n  e: 4\n"
    assert mark("a", "b", document=0, text=text) == Mark(2, 3, exact=True)
    assert mark("a", "e", document=0, text=text) == Mark(1, 4, exact=True)


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("", 1),
        ("---\n", 2),
        ("# x\n---\n", 3),
        ("\n---\n", 3),
        ("---\n# x\n", 3),
        ("# x\n\n  # y\n\n--- # z\n", 6),
        ("%YAML 1.1\n---\n", 3),
        ("# x\n%YAML 1.1\n%TAG ! y\n---\n", 5),
        ("\ufeff# x\n---\n", 3),
        ("\ufeff---\n", 2),
        ("# x\r\n---\r\n", 3),
    ],
)
@pytest.mark.parametrize("end", ["", "---\nc: 2\n"])
def test_comments_and_directives_before_the_dashes_are_not_a_document(head: str, line: int, end: str) -> None:
    text = f"{head}a: 1\n{end}"
    assert decode_yaml11(text.encode(), "") == {"a": 1}
    assert mark("a", document=0, text=text) == Mark(line, 1, exact=True)
    assert bool(second_document(text.encode())) == bool(end)
    repeated = repeated_keys(f"{head}a: 1\na: 2\n{end}".encode(), "")
    assert [found.location and found.location.line for found in repeated] == [line + 1]


@pytest.mark.parametrize("text", ["---\n---\na: 1\n", "# x\n---\n# y\n---\na: 1\n", "# x\n"])
def test_empty_first_document_has_no_field(text: str) -> None:
    assert decode_yaml11(text.encode(), "") is None
    found = mark("a", document=0, text=text)
    assert found is None or not found.exact
