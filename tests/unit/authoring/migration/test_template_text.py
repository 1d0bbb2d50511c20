"""The text of a VirtualMachineTemplate, made of that of an OpenShift Template line by line."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.authoring.migration.template_text import migrated_text
from renderer.authoring.migration.vm_template import converted
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import JsonObject, object_at
from renderer.model.release import LATEST
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.edit import RefusedEditError

HEAD = "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: web}\n"


def content_of(text: str) -> JsonObject:
    [document] = decode_documents(text.encode(), "")
    return object_at(document)


def migrated(text: str) -> str:
    before = content_of(text)
    return migrated_text(text, before, converted(before, LATEST))


VM = "spec:\n  virtualMachine:\n    kind: VM"
CASES = [
    ("- kind: VM  # one\n  spec: {}\n", f"{VM}  # one\n    spec: {{}}\n"),
    (
        "    -   kind: VM\n        a: |\n          x\n\n           y\n",
        f"{VM}\n    a: |\n      x\n\n       y\n",
    ),
    ("  # of\n  -\n    kind: VM\n", "spec:\n  virtualMachine:\n  # of\n    kind: VM\n"),
    ("  # of\n  - kind: VM\n", "spec:\n  virtualMachine:\n    # of\n    kind: VM\n"),
    ("- {kind: VM}\n", None),
    ("- kind: VM # one\r\n  a: b\r\n", None),
    ("- kind: VM\n  a: |2\n     x\n    y\n", f"{VM}\n    a: |2\n       x\n      y\n"),
    ("- kind: VM\n  a: 'x\n\n   y'\n", f"{VM}\n    a: 'x\n\n     y'\n"),
    ("- kind: VM\nparameters:\n- &p {name: A}\n- *p\n", None),
    ("- kind: VM\n  a: b", f"{VM}\n    a: b\n"),
    ("- kind: VM\n  metadata: {name: a}\n# The labels.\nlabels: {a: b}\n", None),
    ("- kind: VM\n  metadata:\n    labels: {a: c}  # c\nlabels: {a: b}\n", None),
]


@pytest.mark.parametrize(("old", "new"), CASES)
def test_lines_move_below_spec(old: str, new: str | None) -> None:
    text = f"{HEAD}objects:\n{old}"
    result = migrated(text)
    assert content_of(result) == converted(content_of(text), LATEST)
    assert result.count("#") == text.count("#")
    if new is not None:
        assert result.endswith(new)


def test_a_text_whose_comments_cannot_be_kept_is_refused() -> None:
    with pytest.raises(RefusedEditError):
        migrated(HEAD + "objects: [{kind: VM}]  # one\n")
    with pytest.raises(RefusedEditError):
        migrated(HEAD + "x: &o\n- kind: VM  # one\nobjects: *o\n")


def test_json_stays_json() -> None:
    text = json.dumps({**content_of(HEAD), "objects": [{"kind": "VM", "note": "#"}]})
    assert json.loads(migrated(text))["spec"] == {"virtualMachine": {"kind": "VM", "note": "#"}}


LINES = st.sampled_from(
    ["a: 1", "b: |", "  x", "", "    y", "# c", "- d", "d:", "- e: f", "  g: 'h", "  i'", "j: >-", "\tk"]
)


@given(
    st.lists(LINES, max_size=8),
    st.integers(0, 5),
    st.sampled_from(["", "message: m\n", "parameters:\n- name: A\n"]),
)
def test_any_text_keeps_its_meaning_or_is_refused(lines: list[str], column: int, other: str) -> None:
    item = "".join(f"{' ' * (column + 2)}{line}\n" if line else "\n" for line in lines)
    text = f"{HEAD}objects:\n{' ' * column}- kind: VM\n{item}{other}"
    try:
        before = content_of(text)
        after = converted(before, LATEST)
    except (DiagnosticError, ValueError):  # not a document
        return
    with suppress(RefusedEditError):
        assert content_of(migrated_text(text, before, after)) == after
