"""Fields changed in a file that its author goes on editing."""

from __future__ import annotations

import pytest

from renderer.model.field_edit import AddField, FieldEdit, RemoveField, RenameField, SetField
from renderer.model.field_path import FieldPath
from renderer.yamlio.field_edits import EditedText, RefusedEditError, edit_fields

RUNNING = FieldPath.of("spec", "running")
STRATEGY = FieldPath.of("spec", "runStrategy")
RENAMED = (RenameField(RUNNING, "runStrategy"), SetField(STRATEGY, "Always"))

FIRST = EditedText()


def changed(before: str, *edits: FieldEdit, where: EditedText = FIRST) -> str:
    return edit_fields(before.encode(), where, edits).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("spec:\n  running: true  # why\n", "spec:\n  runStrategy: Always  # why\n"),
        ("spec:\n    running:    true\n    a: b", "spec:\n    runStrategy:    Always\n    a: b"),
        ("spec: {running: true, a: b}\n", "spec: {runStrategy: Always, a: b}\n"),
        ('{"spec":{"running":true}}', '{"spec":{"runStrategy":"Always"}}'),
        ("'spec':\n  'running': true\n", "'spec':\n  'runStrategy': 'Always'\n"),
        ("spec:\n  running: !!bool true\n", "spec:\n  runStrategy: Always\n"),
        ("spec: &spec\n  running: true\n", "spec: &spec\n  runStrategy: Always\n"),
        ("on: &on true\nspec:\n  running: *on\n", "on: &on true\nspec:\n  runStrategy: Always\n"),
        ("spec:\n  running:\n", "spec:\n  runStrategy: Always\n"),
        ("spec:\r\n  running: true\r\n", "spec:\r\n  runStrategy: Always\r\n"),
        ("\ufeffspec:\n  running: true\n", "\ufeffspec:\n  runStrategy: Always\n"),
        ("spec:\n  ? running\n  : true\n", "spec:\n  ? runStrategy\n  : Always\n"),
        ("spec:\n  ü: 😀\n  running: true\n", "spec:\n  ü: 😀\n  runStrategy: Always\n"),
    ],
)
def test_a_field_gets_another_name_and_value(before: str, after: str) -> None:
    assert changed(before, *RENAMED) == after


@pytest.mark.parametrize(
    "before",
    [
        "x: &x {running: true}\nspec: *x\n",
        "x: &x {running: true}\nspec:\n  <<: *x\n",
        "spec: &x\n  running: true\nother: *x\n",
        "spec: {running: &on true}\nother: *on\n",
        "spec: {running: [true]}\n",
        "spec:\n  running: |\n    true\n",
        "other: 1\n",
    ],
)
def test_what_is_used_elsewhere_or_written_otherwise_is_refused(before: str) -> None:
    with pytest.raises(RefusedEditError):
        changed(before, *RENAMED)


def test_the_other_documents_stay() -> None:
    before = "spec: {running: true}\n---\n# two\nspec: {running: true}\n--- # three\nspec: {running: true}\n"
    after = (
        "spec: {running: true}\n---\n# two\nspec: {runStrategy: Always}\n--- # three\nspec: {running: true}\n"
    )
    assert changed(before, *RENAMED, where=EditedText(1)) == after


A = FieldPath.of("a")


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        ("a: 1 # x\nb: 2\n", SetField(A, {"c": {"d": True}}), "a: # x\n  c:\n    d: true\nb: 2\n"),
        ("a: 1", SetField(A, {"c": 2}), "a:\n  c: 2"),
        ("a: 1\r\nb: 2\r\n", SetField(A, {"c": 2}), "a:\r\n  c: 2\r\nb: 2\r\n"),
        ("a: 1\n", SetField(A, {}), "a: {}\n"),
        ("{a: 1}\n", SetField(A, {"c": {"d": "e"}}), "{a: {c: {d: e}}}\n"),
        ('{"a": 1}\n', SetField(A, {"c": "d"}), '{"a": {"c": "d"}}\n'),
        ("a:\n    b: 1 # x\n\nc: 2\n", AddField(A, "d", 3), "a:\n    b: 1 # x\n    d: 3\n\nc: 2\n"),
        (
            "a:\n  b: |\n    x\n\n# c\n",
            AddField(A, "d", {"e": 1}),
            "a:\n  b: |\n    x\n  d:\n    e: 1\n\n# c\n",
        ),
        (
            "a:\n  b:\n  - c: [1,\n      2] # x\n",
            AddField(A, "d", 3),
            "a:\n  b:\n  - c: [1,\n      2] # x\n  d: 3\n",
        ),
        ("a: {}\n", AddField(A, "d", 3), "a: {d: 3}\n"),
        ("a: {b: 1} # x\n", AddField(A, "d", 3), "a: {b: 1, d: 3} # x\n"),
        ("# x\na: 1 # y\n# z\nb: 2\n", RemoveField(A), "# x\n# z\nb: 2\n"),
        ("b: 2\na:\n  c: 1\n  d: 2", RemoveField(A), "b: 2\n"),
        ("{a: 1, b: 2}\n", RemoveField(A), "{b: 2}\n"),
        ("{b: 2, a: 1}\n", RemoveField(A), "{b: 2}\n"),
    ],
)
def test_a_field_is_set_added_or_removed(before: str, edit: FieldEdit, after: str) -> None:
    assert changed(before, edit) == after


def test_the_first_field_of_an_element_is_removed() -> None:
    assert changed("l:\n- a: 1\n  b: 2\n", RemoveField(FieldPath.of("l", 0, "a"))) == "l:\n- b: 2\n"


@pytest.mark.parametrize(
    ("before", "edit"),
    [
        ("b:\n  a: 1\n", RemoveField(FieldPath.of("b", "a"))),
        ("a:\n", AddField(A, "d", 3)),
        ("a: [1]\n", AddField(A, "d", 3)),
        ("a: 1\n", SetField(FieldPath.of("a", "b"), 1)),
    ],
)
def test_what_would_leave_nothing_or_has_no_mapping_is_refused(before: str, edit: FieldEdit) -> None:
    with pytest.raises(RefusedEditError):
        changed(before, edit)


INLINE = EditedText(inline=FieldPath.of("patches", 0, "patch"), is_kustomization=True)
OPERATION = (
    SetField(FieldPath.of(0, "path"), "/spec/runStrategy"),
    SetField(FieldPath.of(0, "value"), "Always"),
)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_patch_in_a_kustomization_keeps_its_lines(newline: str) -> None:
    before = newline.join(
        [
            "patches:",
            "- patch: |-",
            "    - op: add # a",
            " ",
            "      path: /spec/running",
            "      value: true",
            "",
            "  # z",
            "",
        ]
    )
    after = before.replace("/spec/running", "/spec/runStrategy").replace("true", "Always")
    assert changed(before, *OPERATION, where=INLINE) == after


def test_a_patch_in_single_quotes() -> None:
    before = """patches: [{patch: '[{"op": "add", "path": "/spec/running", "value": true}]'}]\n"""
    after = """patches: [{patch: '[{"op": "add", "path": "/spec/runStrategy", "value": "Always"}]'}]\n"""
    assert changed(before, *OPERATION, where=INLINE) == after


def test_lines_are_added_to_a_patch_with_its_indentation() -> None:
    before = "patches:\n- patch: |\n    a: 1\n    b: 2\n- path: c\n"
    after = "patches:\n- patch: |\n    a:\n      c: 1\n    b: 2\n- path: c\n"
    assert changed(before, SetField(A, {"c": 1}), where=INLINE) == after


def test_a_patch_whose_text_is_folded_is_refused() -> None:
    with pytest.raises(RefusedEditError):
        changed("patches:\n- patch: >\n    a: 1\n", SetField(A, 2), where=INLINE)
    with pytest.raises(RefusedEditError):
        changed('patches:\n- patch: "a: 1\\n"\n', SetField(A, 2), where=INLINE)
