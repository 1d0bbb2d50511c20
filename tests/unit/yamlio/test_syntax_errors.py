"""A mistake is located on its own line, and described in its author's terms."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.yamlio import events
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.python_parser import PythonParser


@pytest.fixture(params=["libyaml", "Python"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "Python":
        monkeypatch.setattr(events, "BACKEND", PythonParser)


def problem(text: str) -> Diagnostic:
    with pytest.raises(DiagnosticError) as error:
        decode_documents(text.encode(), "vm.yaml")
    return error.value.diagnostics[0]


CONFLICT = "a merge conflict of Git is not resolved"
TAB = "the line is indented with a tab"
MISFIT = "the indentation of this line matches none of the lines above"
ODD = "the indentation of this line does not match that of the lines below"
DEEPER = "the line is indented deeper than the one above, which has a value already"
NO_COLON = "this line has no colon after a key, and is not an entry of a list"
GLUED_COLON = "a space is missing after the colon"
GLUED_DASH = "a space is missing after the dash"
DOUBLE, SINGLE = "this double quote is not closed", "this single quote is not closed"
INNER_SINGLE = "text continues after the closing single quote"
INNER_DOUBLE = "text continues after the closing double quote"
COLON = "the value contains a colon and a space"
BRACES = "YAML reads {{ as a mapping that is the key of another one, and keys have to be strings"
ALIAS, ANCHOR, TAG, DIRECTIVE = (
    f"text that begins with {character} is read as {kind}"
    for character, kind in (("*", "an alias"), ("&", "an anchor"), ("!", "a tag"), ("%", "a directive"))
)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\nc: 1\n", 2, 1, CONFLICT),
        ("<<<<<<< HEAD\na: 1\n||||||| base\na: 0\n=======\na: 2\n>>>>>>> x\n", 1, 1, CONFLICT),
        ("a: |\n  x\n<<<<<<< HEAD\n  y\n=======\n  z\n>>>>>>> x\n", 3, 1, CONFLICT),
        ("a:\r\n<<<<<<< HEAD\r\n  b: 1\r\n=======\r\n  b: 2\r\n>>>>>>> x\r\n", 2, 1, CONFLICT),
        ("spec:\n\ta: 1\n", 2, 1, TAB),
        ("spec:\n  b: 1\n\ta: 1\n", 3, 1, TAB),
        ("spec:\n  b: 1\n  \ta: 1\n", 3, 3, TAB),
        ('spec:\n  a: "x\n  b: 1\n  c: 2\n', 2, 6, DOUBLE),
        ('spec:\n  a: "x\n  b: 1\n  c: "y"\n  d: 1\n', 2, 6, DOUBLE),
        ("spec:\n  a: 'x\n  b: 1\n", 2, 6, SINGLE),
        ("spec:\n  a: 'x\n  b: 'y'\n", 2, 6, SINGLE),
        ("l:\n- 'x\n- 'y'\n", 2, 3, SINGLE),
        ("spec:\n  a: 'it's'\n  b: 1\n", 2, 10, INNER_SINGLE),
        ('spec:\n  a: "say "x" now"\n  b: 1\n', 2, 12, INNER_DOUBLE),
        ('spec:\n  a: "x" y\n', 2, 10, INNER_DOUBLE),
        ("a:\n  b: [1, 2\n  c: 3\n", 2, 6, "this [ is not closed"),
        ("a:\n  b: {x: 1\n  c: 3\n", 2, 6, "this { is not closed"),
        ("a:\n  b: [\n  c: 3\nd: 1\n", 2, 6, "this [ is not closed"),
        ("a: [\n", 1, 4, "this [ is not closed"),
        ("&x [", 1, 4, "this [ is not closed"),
        ('{"a": 1,\n "b": 2\n', 1, 1, "this { is not closed"),
        ('{"a": 1\n "b": 2}\n', 1, 8, "a comma is missing after this entry"),
        ("a: [1]]\nb: 1\n", 1, 7, "no bracket is open that ] could close"),
        ("a: b: c\n", 1, 4, COLON),
        ("spec:\n  cmd: echo x: y\n  d: 1\n", 2, 8, COLON),
        ("a: 1\n  b: 2\n", 2, 3, DEEPER),
        ("spec:\n  a: 1\n    b: 2\n  c: 3\n", 3, 5, DEEPER),
        ("l:\n- a: 1\n  b: 2\n   c: 3\n", 4, 4, DEEPER),
        ("spec:\n  a: 1\n b: 2\n", 3, 2, MISFIT),
        ("spec:\n    a:\n        x: 1\n   b: 2\n", 4, 4, MISFIT),
        ("disks:\n  - name: a\n   bus: x\n", 3, 4, MISFIT),
        ("disks:\n  - name: a\n - name: b\n", 3, 2, MISFIT),
        ("a: |\n    x\n  y\nb: 1\n", 3, 3, MISFIT),
        ("a:\n   b:\n     c: 1\n  d:\n    e: 1\n    f:\n      g: 1\n", 2, 4, ODD),
        ("l:\n  - a\n  b: 1\n", 3, 3, "a field among the entries of a list"),
        ("m:\n  a: 1\n  - b\n", 3, 3, "an entry of a list among the fields of a mapping"),
        ("spec:\n  running true\n  x: 1\n", 2, 3, NO_COLON),
        ("spec:\n  x: 1\n  running true\n", 3, 3, NO_COLON),
        ("hello\na: 1\n", 1, 1, NO_COLON),
        ("l:\n  - name x\n    b: 1\n", 2, 3, NO_COLON),
        ("spec:\n  running:true\n  x: 1\n", 2, 3, GLUED_COLON),
        ("spec:\n  x: 1\n  running:true\n", 3, 3, GLUED_COLON),
        ("l:\n  - name:x\n    b: 1\n", 2, 3, GLUED_COLON),
        ("l:\n  - a\n  -b\n", 3, 3, GLUED_DASH),
        ("l:\n  -a: 1\n    b: 1\n", 2, 3, GLUED_DASH),
        ("a: @x\n", 1, 4, "a value cannot begin with @"),
        ("a: `x`\n", 1, 4, "a value cannot begin with `"),
        ("a: *.yaml\n", 1, 4, ALIAS),
        ("a: & b\n", 1, 4, ANCHOR),
        ("a: !<x\n", 1, 4, TAG),
        ("%FOO\na: 1\n", 1, 1, DIRECTIVE),
        ("a: | text\n  x\n", 1, 6, "only -, + or a digit may follow |"),
        ('a: "\\d"\n', 1, 5, "invalid escape \\d in double quotes"),
        ("a: - b\n", 1, 4, "a list cannot begin on the line of its key"),
        ("a: {{ x }}-y\nb: 1\n", 1, 5, BRACES),
        ("a: {[x]: y}\nb: 1\n", 1, 5, "the keys of a mapping have to be strings"),
        ("a: 1\x07\n", 1, 5, "the control character U+0007 is not allowed in YAML"),
        ("a: &x &y 1\n", 1, 7, "unexpected text after a value"),
    ],
)
def test_mistake_is_located(text: str, line: int, column: int, message: str) -> None:
    found = problem(text)
    assert found.message == message
    assert found.location
    assert found.location[1:3] == (line, column)
    assert found.hint


def test_the_lines_around_a_mistake_are_named() -> None:
    found = problem("x: 1\n---\nspec:\n  a: 1\n b: 2\n")
    assert [(each.message, each.location and each.location.line) for each in found.related] == [
        ("a mapping begins here", 3),
        ("a mapping begins here", 4),
    ]


MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
  labels: {app: "shop", tier: 'front'}
  annotations:
    note: "a: b"
    other: 'it is'
spec:
  runStrategy: Always
  instancetype:
    name: u1.small
  dataVolumeTemplates:
  - metadata:
      name: disk
    spec:
      storage:
        accessModes: [ReadWriteOnce, "ReadWriteMany"]
        resources:
          requests:
            storage: 10Gi
  template:
    spec:
      domain:
        devices:
          disks:
            - name: root
              disk:
                bus: virtio
            - name: data
              serial: "x1"
          interfaces: []
      volumes:
        - name: root
          dataVolume:
            name: disk
""".splitlines()


def mistakes(line: str) -> Iterator[str]:
    """Return the line with one typo."""
    indent = len(line) - len(line.lstrip())
    yield f" {line}"
    if indent:
        yield line[1:]
        yield "\t" + line[1:]
        yield line[: indent - 1] + "\t" + line[indent:]
    yield line.replace(": ", ":", 1)
    yield re.sub(r":( |$)", r"\1", line, count=1)
    for character in "\"'[]{}":
        yield line.replace(character, "", 1)
        yield "".join(reversed("".join(reversed(line)).replace(character, "", 1)))
    if re.match(r"\s*\w+: \w", line):
        yield f"{line}: more"
        for character in "@*&`%|":
            yield line.replace(": ", f": {character}", 1)
    yield line.replace("- ", "-", 1)


def test_nearly_every_typo_is_located_on_its_line() -> None:
    found = missed = 0
    for number, line in enumerate(MACHINE, start=1):
        for wrong in {*mistakes(line)} - {line}:
            text = "\n".join([*MACHINE[: number - 1], wrong, *MACHINE[number:], ""])
            try:
                decode_documents(text.encode(), "vm.yaml")
            except DiagnosticError as error:
                location = error.diagnostics[0].location
                found += location is not None and location.line == number
                missed += location is None or location.line != number
    assert found > 220
    assert missed <= 4
