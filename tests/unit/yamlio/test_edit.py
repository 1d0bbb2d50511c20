"""Lists and fields are edited in files of people; comments, order and layout are kept."""

from __future__ import annotations

import pytest

from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_edit import (
    AddField,
    AddItem,
    Edit,
    FieldEdit,
    MoveField,
    RemoveField,
    RemoveItem,
    RenameField,
    SetField,
)
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json
from renderer.model.run.work import begin_run, spent
from renderer.yamlio.decode import decode_yaml11
from renderer.yamlio.edit import (
    EditedText,
    RefusedEditError,
    add_entries,
    add_entry,
    edit_fields,
    edit_places,
    remove_entry,
)
from renderer.yamlio.node_tree import DocumentNodes, parse_document

PATH = "overlays/prod/kustomization.yaml"
PINS = ("pins", "./pins", "pins/")


def added(text: str, entry: str = "pins") -> str:
    return add_entry(text.encode(), PATH, "components", entry).decode()


def removed(text: str) -> str:
    return remove_entry(text.encode(), PATH, "components", PINS).decode()


#: A kustomization without and with the entry: everything else is unchanged.
ADDITIONS = {
    "no field": ("resources:\n- a\n", "resources:\n- a\ncomponents:\n- pins\n"),
    "indented sequences": (
        "resources:\n  - a  # why\n",
        "resources:\n  - a  # why\ncomponents:\n  - pins\n",
    ),
    "fields set apart": (
        "resources:\n- a\n\nnamespace: x\n",
        "resources:\n- a\n\nnamespace: x\n\ncomponents:\n- pins\n",
    ),
    "comments at the end": (
        "resources:\n- a\n# the end\n\n",
        "resources:\n- a\n# the end\ncomponents:\n- pins\n\n",
    ),
    "no line break at the end": ("resources:\n- a", "resources:\n- a\ncomponents:\n- pins"),
    "carriage returns": ("resources:\r\n- a\r\n", "resources:\r\n- a\r\ncomponents:\r\n- pins\r\n"),
    "an end of the document": (
        "---\nresources:\n- a\n...\n",
        "---\nresources:\n- a\ncomponents:\n- pins\n...\n",
    ),
    "a second document": (
        "resources:\n- a\n---\nignored: true\n",
        "resources:\n- a\ncomponents:\n- pins\n---\nignored: true\n",
    ),
    "an indented root": ("  resources:\n  - a\n", "  resources:\n  - a\n  components:\n  - pins\n"),
    "a byte order mark": ("\ufeffresources: [a]\n", "\ufeffresources: [a]\ncomponents:\n- pins\n"),
    "a block of text at the end": (
        "patches:\n- patch: |\n    a\n    b\n",
        "patches:\n- patch: |\n    a\n    b\ncomponents:\n- pins\n",
    ),
    "a block of text that keeps blank lines": (
        "patches:\n- patch: |-\n    a\n\n\n",
        "patches:\n- patch: |-\n    a\ncomponents:\n- pins\n\n\n",
    ),
    "block": (
        "components:\n- a # one\n# two\nresources: []\n",
        "components:\n- a # one\n- pins\n# two\nresources: []\n",
    ),
    "block, indented by four": ("components:\n    - a\n", "components:\n    - a\n    - pins\n"),
    "block, at the end of an unfinished line": ("components:\n- a", "components:\n- a\n- pins"),
    "block, with the item below its dash": (
        "components:\n-\n  a\nresources: []\n",
        "components:\n-\n  a\n- pins\nresources: []\n",
    ),
    "flow": ("components: [a, b] # c\n", "components: [a, b, pins] # c\n"),
    "flow, empty": ("components: [] # none\n", "components: [pins] # none\n"),
    "flow, over several lines": (
        "components: [\n  a, # one\n  b, # two\n]\n",
        "components: [\n  a, # one\n  b, pins, # two\n]\n",
    ),
    "flow, in double quotes": ('components: ["a"]\n', 'components: ["a", "pins"]\n'),
    "nothing": ("components: # none\nresources: [a]\n", "components: # none\n- pins\nresources: [a]\n"),
    "null": ("components: ~\n", "components: [pins]\n"),
    "JSON": ('{"resources": ["a"]}\n', '{"resources": ["a"], "components": ["pins"]}\n'),
    "JSON with the field": ('{"components": []}\n', '{"components": ["pins"]}\n'),
    "an empty mapping": ("{}\n", "{components: [pins]}\n"),
    "an empty file": ("", "components:\n- pins\n"),
    "comments alone": ("# why\n\n", "# why\ncomponents:\n- pins\n\n"),
    "the start of a document": ("--- # why\n", "--- # why\ncomponents:\n- pins\n"),
    "the start and the end of a document": ("---\n...\n", "---\ncomponents:\n- pins\n...\n"),
    "another case": ("Components:\n- a\n", "Components:\n- a\n- pins\n"),
    "characters beyond the first plane": (
        "# \U0001f600é\nnamePrefix: \U0001f600\ncomponents: [a]\n",
        "# \U0001f600é\nnamePrefix: \U0001f600\ncomponents: [a, pins]\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), ADDITIONS.values(), ids=ADDITIONS)
def test_an_entry_is_added_and_nothing_else_changes(before: str, after: str) -> None:
    assert added(before) == after
    assert added(after) == after


@pytest.mark.parametrize(
    "before", [text for text, _ in ADDITIONS.values() if "omponents" not in text and not text.startswith("{")]
)
def test_removing_an_added_entry_restores_the_text(before: str) -> None:
    assert removed(added(before)) == before


REMOVALS = {
    "first of a block": (
        "components:\n# p\n- pins # x\n# a\n- a\n",
        "components:\n# p\n# a\n- a\n",
    ),
    "last of a block": (
        "components:\n  - a\n  - pins\nresources: []\n",
        "components:\n  - a\nresources: []\n",
    ),
    "spelled otherwise": ("components:\n- a\n- './pins'\n- pins/\n", "components:\n- a\n"),
    "only one of a block": (
        "resources: [a]\n\n# kept\ncomponents:\n  # gone\n  - pins\n\nnamespace: x\n",
        "resources: [a]\n\n# kept\n\nnamespace: x\n",
    ),
    "only one, spaced": (
        "resources: [a]\n\ncomponents:\n- pins\n\nnamespace: x\n",
        "resources: [a]\n\nnamespace: x\n",
    ),
    "first of a flow": ("components: [pins, a]\n", "components: [a]\n"),
    "last of a flow": ("components: [a, pins]\n", "components: [a]\n"),
    "last of a flow, with a comma": ("components: [a, pins, ]\n", "components: [a, ]\n"),
    "last of a flow, behind a comment": (
        "components: [a, # a\n  pins]\n",
        "components: [a, # a\n  ]\n",
    ),
    "only one of a flow": ("components: [pins] # x\nresources: [a]\n", "resources: [a]\n"),
    "only one of JSON": ('{"components": ["pins"], "resources": []}', '{"resources": []}'),
    "only one of JSON, at its end": ('{"resources": [], "components": ["pins"]}', '{"resources": []}'),
    "not there": ("components: [a]\n", "components: [a]\n"),
    "no field": ("resources: [pins]\n", "resources: [pins]\n"),
}


@pytest.mark.parametrize(("before", "after"), REMOVALS.values(), ids=REMOVALS)
def test_an_entry_is_removed_and_nothing_else_changes(before: str, after: str) -> None:
    assert removed(before) == after


@pytest.mark.parametrize(
    "text",
    [
        "resources: &list\n- a\ncomponents: *list\n",
        "components: &list\n- a\nresources: *list\n",
        "components: a\n",
        "components: {a: b}\n",
        "- a\n",
        "null\n",
        "--- !!map\n",
        "&a\n",
        "b: &a [x]\ncomponents: *a\n",
        "resources: |+\n  a\n\n\n",
    ],
)
def test_unsafe_edit_is_refused(text: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        added(text)
    [finding] = caught.value.diagnostics
    assert finding.code is Code.EDIT_REFUSED
    assert finding.hint


def test_ambiguous_entry_is_quoted() -> None:
    for entry in ("yes", "1.5", "a: b", "#x", "null", "- x", "\u2028", "é", "a\nb"):
        assert decode_yaml11(added("resources: [a]\n", entry).encode(), PATH) == {
            "resources": ["a"],
            "components": [entry],
        }


def test_foreign_tags_and_anchors_are_kept() -> None:
    text = "components:\n- !!str a\n- &b b\n"
    assert added(text) == text + "- pins\n"


def added_first(text: str, value: str = "ours") -> str:
    return add_entry(text.encode(), "vmrender.yaml", "catalogs", {"path": value}, before=0).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "catalogs:\n- path: ours\n"),
        ("a: 1 # one\n", "a: 1 # one\ncatalogs:\n- path: ours\n"),
        ("a: 1", "a: 1\ncatalogs:\n- path: ours"),
        ("a: 1\r\n", "a: 1\r\ncatalogs:\r\n- path: ours\r\n"),
        (
            "catalogs:\n# first\n- path: x # x\nb: 1\n",
            "catalogs:\n# first\n- path: ours\n- path: x # x\nb: 1\n",
        ),
        ("catalogs:\n  - path: x\n    # y\n", "catalogs:\n  - path: ours\n  - path: x\n    # y\n"),
        ("catalogs: [{path: x}] # one\n", "catalogs: [{path: ours}, {path: x}] # one\n"),
        ("catalogs:\n", "catalogs:\n- path: ours\n"),
        ("catalogs: [] # none\n", "catalogs: [{path: ours}] # none\n"),
        ('{"a": 1}\n', '{"a": 1, "catalogs": [{"path": "ours"}]}\n'),
        ("a: 1\n...\n", "a: 1\ncatalogs:\n- path: ours\n...\n"),
        ("catalogs:\n- path: ours\n", "catalogs:\n- path: ours\n"),
        ("catalogs:\n- path: x\n- path: ours\n", "catalogs:\n- path: x\n- path: ours\n"),
    ],
)
def test_entry_is_added_first_and_the_rest_is_unchanged(before: str, after: str) -> None:
    assert added_first(before) == after


def test_ambiguous_value_is_quoted() -> None:
    assert added_first("", "a: b") == 'catalogs:\n- path: "a: b"\n'


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
def test_field_is_renamed_with_a_new_value(before: str, after: str) -> None:
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
def test_shared_or_unsupported_value_is_refused(before: str) -> None:
    with pytest.raises(RefusedEditError):
        changed(before, *RENAMED)


def test_other_documents_are_unchanged() -> None:
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
        ("b: 2\na:\n  c: 1\n  d: 2", RemoveField(A), "b: 2"),
        ("a: [1] # x\n", AddItem(A, "d, e"), 'a: [1, "d, e"] # x\n'),
        (
            "b:\n- 1\na:\n  - c: 1 # x\n\n  # y\n",
            AddItem(A, {"d": {"e": 1}, "f": "g"}),
            "b:\n- 1\na:\n  - c: 1 # x\n  - d:\n      e: 1\n    f: g\n\n  # y\n",
        ),
        ("a:\n- 1 # x\n# y\n- 2\n", AddItem(A, 3, 1), "a:\n- 1 # x\n# y\n- 3\n- 2\n"),
        ("a: [1, 2]\n", AddItem(A, 3, 1), "a: [1, 3, 2]\n"),
        ("a: # x\nb:\n  - 1\n", AddItem(A, "c"), "a: # x\n  - c\nb:\n  - 1\n"),
        ("a:\n- 1 # x\n# y\n- 2\n", RemoveItem(A.child(1)), "a:\n- 1 # x\n# y\n"),
        ("a: [1, 2] # x\n", RemoveItem(A.child(0)), "a: [2] # x\n"),
        ("a: [1] # x\n", RemoveItem(A.child(0)), "a: [] # x\n"),
        ("a: # x\n- 1 # y\nb: 2\n", RemoveItem(A.child(0)), "a: [] # x\nb: 2\n"),
        ("# z\na: 1 # x\n", RemoveField(A), "# z\n"),
        ("{a: 1, b: 2}\n", RemoveField(A), "{b: 2}\n"),
        ("{b: 2, a: 1}\n", RemoveField(A), "{b: 2}\n"),
        ("{b: 2, a: 1, c: 3} # x\n", RemoveField(A), "{b: 2, c: 3} # x\n"),
        ("{\n  b: 2, # x\n  a: 1, # y\n  c: 3\n}\n", RemoveField(A), "{\n  b: 2, # x\n  c: 3\n}\n"),
        ("{\n  b: 2, # x\n  a: 1, c: 3\n}\n", RemoveField(A), "{\n  b: 2, # x\n  c: 3\n}\n"),
        ("{\n  b: 2, # x\n  # z\n  a: 1 # y\n}\n", RemoveField(A), "{\n  b: 2 # x\n  # z\n}\n"),
        ("{\n  b: 2, # x\n  a: 1}\n", RemoveField(A), "{\n  b: 2 # x\n}\n"),
        ("{\n  b: 2,\n  a: 1 # y\n}\n", RemoveField(A), "{\n  b: 2\n}\n"),
        ("{\n  b: 2, # x\n  a: 1, # y\n}\n", RemoveField(A), "{\n  b: 2, # x\n}\n"),
        ("{ b: 2 # x\n, a: 1 # y\n, c: 3 }\n", RemoveField(A), "{ b: 2 # x\n, c: 3 }\n"),
        ("{ b: 2 # x\n, a: 1 }\n", RemoveField(A), "{ b: 2 # x\n }\n"),
        ("{\n  a: 1, # y\n  # x\n  b: 2\n}\n", RemoveField(A), "{\n  # x\n  b: 2\n}\n"),
        ("{a: 1, # y\n  # x\n  b: 2\n}\n", RemoveField(A), "{ # x\n  b: 2\n}\n"),
        ('{\r\n  "b": 2,\r\n  "a": 1\r\n}\r\n', RemoveField(A), '{\r\n  "b": 2\r\n}\r\n'),
    ],
)
def test_a_field_is_set_added_or_removed(before: str, edit: FieldEdit, after: str) -> None:
    assert changed(before, edit) == after


def test_the_first_field_of_an_element_is_removed() -> None:
    assert changed("l:\n- a: 1\n  b: 2\n", RemoveField(FieldPath.of("l", 0, "a"))) == "l:\n- b: 2\n"


def test_comment_above_the_second_field_of_an_element_is_kept() -> None:
    written = "l:\n- a: 1 # y\n  # x\n  b: 2\n"
    assert changed(written, RemoveField(FieldPath.of("l", 0, "a"))) == "l:\n- # x\n  b: 2\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("b:\n  a: 1\n", "b: {}\n"),
        ("b:   # why\n  a:\n    c: 1\nd: 2\n", "b: {}   # why\nd: 2\n"),
        ("b: { a: 1 }\n", "b: {}\n"),
        ("b:\n  a: 1", "b: {}"),
    ],
)
def test_mapping_without_its_last_field_is_empty(before: str, after: str) -> None:
    edited = edit_fields(before.encode(), EditedText(), [RemoveField(FieldPath.of("b", "a"))])
    assert edited.decode() == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "spec:\n  template:\n    # the size\n    size:\n    - name: x # small\n    spec: 1\n",
            "spec:\n  size:\n  - name: x # small\n  template:\n    # the size\n    spec: 1\n",
        ),
        (
            "spec:\n  size: {name: x}\n  template:\n    spec: 1\nlast: 1\n",
            None,
        ),
        ("spec: {template: {size: 'x', b: 1}}\n", "spec: {template: {b: 1}, size: 'x'}\n"),
        (
            "spec:\n  template:\n    size: |\n      a\n\n       b\n",
            "spec:\n  size: |\n    a\n\n     b\n  template: {}\n",
        ),
    ],
)
def test_field_is_moved_up_as_written(before: str, after: str | None) -> None:
    edit = MoveField(FieldPath.of("spec", "template", "size"), FieldPath.of("spec", "size"))
    if after is None:
        edit = MoveField(edit.to, edit.field)
        after = "spec:\n  template:\n    spec: 1\n    size: {name: x}\nlast: 1\n"
    assert edit_fields(before.encode(), EditedText(), [edit]).decode() == after


@pytest.mark.parametrize(
    ("before", "edit"),
    [
        ("- a: 1\n", RemoveField(FieldPath.of(0, "a"))),
        ("a:\n", AddField(A, "d", 3)),
        ("a: x\n", AddItem(A, 1)),
        ("a: {b: 1}\n", AddItem(A, 1)),
        ("a:\n-\n  1\n- 2\n", RemoveItem(A.child(0))),
        ("", SetField(A, 1)),
        ("a: [1]\n", AddField(A, "d", 3)),
        ("a: 1\n", SetField(FieldPath.of("a", "b"), 1)),
        ("b: {c: {\n  d: 1}}\na:\n  e: 1\n", MoveField(FieldPath.of("b", "c"), FieldPath.of("a", "c"))),
        ("b:\n  c: 1\na: x\n", MoveField(FieldPath.of("b", "c"), FieldPath.of("a", "c"))),
        ("a:\n- c: 1\n  d: 2\n", MoveField(FieldPath.of("a", 0, "d"), FieldPath.of("b", "c"))),
    ],
)
def test_edit_that_empties_or_lacks_a_mapping_is_refused(before: str, edit: FieldEdit) -> None:
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


def test_patch_in_single_quotes_is_edited() -> None:
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


@pytest.mark.parametrize(
    "text", ["", "x: 1\n", "l: []\n", "l: [a]\n", "l:\n- a\n", "l:\n  - a", "l:\n- a # x\n\ny: 1\n"]
)
def test_adding_many_entries_equals_adding_them_in_turn(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entries: list[Json] = ["b", {"path": "c", "expand": "off"}, "a", "d", "b", *map(str, range(30))]
    expected = text.encode()
    for entry in entries:
        expected = add_entry(expected, PATH, "l", entry)
    parsed: list[str] = []

    def counted(text: str) -> DocumentNodes:
        parsed.append(text)
        return parse_document(text)

    monkeypatch.setattr("renderer.yamlio.edit.parse_document", counted)
    assert add_entries(text.encode(), PATH, "l", entries) == expected
    assert len(parsed) <= 2


#: Each is edited alone as well, which parses all of them.
PLACES = 15
BLOCK_LIST = (
    "items:\n" + "".join(f"# {n}\n- a: {n}  # x\n  b:\n    c: [1]\n\n" for n in range(PLACES)) + "z: 1\n"
)
FLOW_LIST = "items: [" + ", ".join(f"{{a: {n}, b: {{c: [1]}}}}" for n in range(PLACES)) + "]\n"
PATCHES = "items:\n" + "".join(f"- patch: |-\n    a: {n}\n    b:\n      c: [1]\n" for n in range(PLACES))


@pytest.mark.parametrize("text", [BLOCK_LIST, BLOCK_LIST.replace("\n", "\r\n"), FLOW_LIST, PATCHES])
def test_editing_many_places_equals_editing_them_in_turn(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    inline = text is PATCHES
    places: list[tuple[EditedText, list[Edit]]] = []
    for number in range(PLACES):
        element = FieldPath.of("items", number, "patch") if inline else FieldPath.of()
        top = () if inline else ("items", number)
        edits: list[Edit] = [
            RenameField(FieldPath.of(*top, "a"), "new"),
            SetField(FieldPath.of(*top, "new"), "x" * number),
        ]
        edits += [AddField(FieldPath.of(*top, "b"), "d", {"e": number})] * (number % 3 == 0)
        edits += [RemoveField(FieldPath.of(*top, "b"))] * (number % 3 == 1)
        places.append((EditedText(inline=element), edits))
    expected = text.encode()
    for where, each in places:
        expected = edit_fields(expected, where, each)
    parsed: list[str] = []

    def counted(text: str) -> DocumentNodes:
        parsed.append(text)
        return parse_document(text)

    monkeypatch.setattr("renderer.yamlio.edit.parse_document", counted)
    assert edit_places(text.encode(), places) == expected
    assert parsed.count(text) == 1
    assert sum(len(one) > len(text) // 2 for one in parsed) == 3


def test_shared_place_is_refused() -> None:
    places = [(EditedText(), [SetField(FieldPath.of("items", number, "a"), 2)]) for number in range(2)]
    with pytest.raises(RefusedEditError):
        edit_places(b"items:\n- &x {a: 1}\n- {a: 1}\nb: *x\n", places)


@pytest.mark.parametrize("character", "\u202e\u200b\xad\U000e0041\u2028\x85")
def test_an_edit_shows_what_nobody_sees(character: str) -> None:
    value = f"always{character}x"
    edited = edit_fields(b"a: never\n", EditedText(), [SetField(FieldPath.of("a"), value)])
    assert edited.decode().replace("\n", "").isprintable()
    assert decode_yaml11(edited, "") == {"a": value}


@pytest.mark.parametrize(("text", "most_per_character"), [("a: 1\n", 2), ("a: 1\nb: [c:]\n", 60)])
def test_only_text_that_libyaml_refuses_is_expensive(text: str, most_per_character: int) -> None:
    text += "# a comment\n" * 1_000
    begin_run()
    edit_fields(text.encode(), EditedText(), [SetField(FieldPath.of("a"), 2)])
    assert len(text) <= spent() <= most_per_character * len(text)
    assert (spent() > 2 * len(text)) is ("[" in text)
