"""Editing a list in a kustomization changes that list and nothing else, however the file is written."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from renderer.model.field_edit import (
    AddField,
    AddItem,
    Edit,
    RemoveField,
    RemoveItem,
    SetField,
    apply_edits,
)
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.yamlio.decode import decode_documents, decode_yaml11
from renderer.yamlio.edit import EditedText, RefusedEditError, add_entry, edit_fields, remove_entry
from tests.properties.examples import examples

PATH = "kustomization.yaml"

names = st.sampled_from(["a", "../b", "./c", "d.yaml", "pins.yaml", "x y", "1", "true", "ü"])
comments = st.sampled_from(["", "  # why", " # - pins", "  #components: [x]"])
breaks = st.sampled_from(["\n", "\r\n"])


def quoted(name: str, style: str) -> str:
    plain = name.isascii() and " " not in name and name not in ("1", "true")
    return name if plain and style == "" else f'"{name}"' if style == '"' else f"'{name}'"


@st.composite
def lists(draw: st.DrawFn, key: str) -> list[str]:
    """The lines of a field that lists names, in any YAML style."""
    entries = [
        quoted(name, draw(st.sampled_from(["", '"', "'"]))) for name in draw(st.lists(names, max_size=4))
    ]
    note = draw(comments)
    style = draw(st.sampled_from(["block", "indented", "flow", "lines"]))
    if style == "flow" or not entries:
        return [f"{key}: [{', '.join(entries)}]{note}"]
    if style == "lines":
        return [f"{key}: [{note}", *(f"  {entry},{draw(comments)}" for entry in entries), "]"]
    indent = "  " if style == "indented" else ""
    return [f"{key}:{note}", *(f"{indent}- {entry}{draw(comments)}" for entry in entries)]


@st.composite
def kustomizations(draw: st.DrawFn, *keys: str) -> bytes:
    lines: list[str] = draw(st.sampled_from([[], ["---"], ["# first", ""]]))[:]
    for key in draw(st.permutations(keys)):
        lines += draw(lists(key))
        lines += draw(st.sampled_from([[], [""], ["# about the next"], ["", "# - pins", ""]]))
    newline = draw(breaks)
    return (newline.join(lines) + draw(st.sampled_from(["", newline]))).encode()


def read(content: bytes) -> JsonObject:
    root = decode_yaml11(content, PATH)
    assert isinstance(root, dict)
    return root


@given(kustomizations("resources", "components", "crds"))
def test_added_entry_is_the_last_of_its_list(content: bytes) -> None:
    before = read(content)
    after = add_entry(content, PATH, "components", "pins")
    entries = before["components"]
    assert isinstance(entries, list)
    assert read(after) == {**before, "components": [*entries, "pins"]}
    assert add_entry(after, PATH, "components", "pins") == after


@given(kustomizations("resources", "crds"))
def test_removing_an_added_field_restores_the_text(content: bytes) -> None:
    added = add_entry(content, PATH, "components", "pins")
    assert read(added) == {**read(content), "components": ["pins"]}
    assert remove_entry(added, PATH, "components", ["pins"]) == content


@given(kustomizations("resources", "components"), st.sets(names))
def test_removing_entries_keeps_the_rest(content: bytes, unwanted: set[str]) -> None:
    before = read(content)
    entries = before["components"]
    assert isinstance(entries, list)
    kept = [entry for entry in entries if entry not in unwanted]
    expected = {**before, "components": kept}
    if not kept and entries:
        del expected["components"]
    assert read(remove_entry(content, PATH, "components", unwanted)) == expected


scalars = st.sampled_from(["x", "'a: b'", '"#c"', "1", "true", "null", "2020-01-01"])
values = st.sampled_from(
    ["new", "a: b", "- x", "yes", "", "#", "a,b", "[", "\u2028", "ü\n", 7, None, {"k": {"l": "m: n"}}]
)
remarks = st.sampled_from([[], [""], ["# remark"], ["", "# - remark: {", ""]])


@st.composite
def trees(draw: st.DrawFn, indent: int = 0, depth: int = 2) -> list[str]:
    """The lines of a mapping in block style, with comments, whose keys are ``a`` to ``c``."""
    lines: list[str] = []
    pad = " " * indent
    for key in draw(st.sampled_from(["ab", "abc", "ca"])):
        note = draw(st.sampled_from(["", "  # note", " # {a: 1"]))
        kind = draw(st.sampled_from(["scalar", "text", "flow", "items", "mapping"]))
        if kind == "mapping" and depth:
            lines += [f"{pad}{key}:{note}", *draw(trees(indent + 2, depth - 1))]
        elif kind == "items":
            deeper = " " * draw(st.sampled_from([0, 2]))
            items = draw(st.lists(scalars, min_size=1, max_size=3))
            lines += [f"{pad}{key}:{note}", *(f"{pad}{deeper}- {item}{note}" for item in items)]
        elif kind == "flow":
            lines.append(f"{pad}{key}: [{draw(scalars)}, {{a: {draw(scalars)}}}]{note}")
        elif kind == "text":
            lines += [f"{pad}{key}: |", f"{pad}  some # text", "", f"{pad}  more"]
        else:
            lines.append(f"{pad}{key}: {draw(scalars)}{note}")
        lines += draw(remarks)
    return lines


def edits_of(value: Json, at: FieldPath = ROOT) -> Iterator[FieldPath]:
    yield at
    if isinstance(value, dict):
        for key, child in value.items():
            yield from edits_of(child, at.child(key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from edits_of(child, at.child(index))


def edit_of(kind: int, document: Json, at: FieldPath, new: Json) -> Edit:
    value = document
    for segment in at.segments:
        value = value[segment]  # type: ignore[index]
    if isinstance(value, dict) and kind % 2:
        return AddField(at, "new", new)
    if isinstance(value, list) and kind % 2:
        return AddItem(at, new, None if kind == 1 or not value else len(str(new)) % len(value))
    if not at.segments or isinstance(value, dict | list):
        return AddField(ROOT, "new", [new])
    if isinstance(at.segments[-1], int):
        return RemoveItem(at)
    return RemoveField(at) if kind > 1 else SetField(at, new)


@examples(1.5)
@given(trees(), st.data(), st.integers(0, 3), values, breaks)
def test_edit_changes_only_its_own_lines(
    lines: list[str], data: st.DataObject, kind: int, new: Json, newline: str
) -> None:
    before = newline.join([*lines, *data.draw(st.sampled_from([[], [""]]))]).encode()
    [document] = decode_documents(before, PATH)
    edit = edit_of(kind, document, data.draw(st.sampled_from(list(edits_of(document)))), new)
    try:
        after = edit_fields(before, EditedText(), [edit])
    except RefusedEditError:
        # Nothing would be left, the value is not on one line, or a text at the end would get a line break.
        assert isinstance(edit, RemoveItem | RemoveField | SetField) or not before.endswith(b"\n")
        return
    assert list(decode_documents(after, PATH)) == [apply_edits(document, [edit])]
    old, current = before.split(b"\n"), after.split(b"\n")
    kept = sum(
        block.size for block in SequenceMatcher(None, old, current, autojunk=False).get_matching_blocks()
    )
    in_brackets = any(b"[" in line for line in old)
    match edit:
        case AddField() | AddItem():
            assert kept >= len(old) - (1 if in_brackets or not before.endswith(b"\n") else 0)
        case SetField():
            assert kept >= len(old) - 1
        case _:
            assert len(current) - 1 <= kept
