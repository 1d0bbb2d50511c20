"""Editing a list in a kustomization changes that list and nothing else, however the file is written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from renderer.model.json import JsonObject
from renderer.yamlio.decode import decode_yaml11
from renderer.yamlio.edit import add_entry, remove_entry

PATH = "kustomization.yaml"

names = st.sampled_from(["a", "../b", "./c", "d.yaml", "pins.yaml", "x y", "1", "true", "ü"])
comments = st.sampled_from(["", "  # why", " # - pins", "  #components: [x]"])
breaks = st.sampled_from(["\n", "\r\n"])


def quoted(name: str, style: str) -> str:
    plain = name.isascii() and " " not in name and name not in ("1", "true")
    return name if plain and style == "" else f'"{name}"' if style == '"' else f"'{name}'"


@st.composite
def lists(draw: st.DrawFn, key: str) -> list[str]:
    """The lines of a field that lists names, in one of the styles there are."""
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
def test_an_entry_comes_to_the_end_of_its_list(content: bytes) -> None:
    before = read(content)
    after = add_entry(content, PATH, "components", "pins")
    entries = before["components"]
    assert isinstance(entries, list)
    assert read(after) == {**before, "components": [*entries, "pins"]}
    assert add_entry(after, PATH, "components", "pins") == after


@given(kustomizations("resources", "crds"))
def test_a_field_that_was_added_goes_without_a_trace(content: bytes) -> None:
    added = add_entry(content, PATH, "components", "pins")
    assert read(added) == {**read(content), "components": ["pins"]}
    assert remove_entry(added, PATH, "components", ["pins"]) == content


@given(kustomizations("resources", "components"), st.sets(names))
def test_entries_go_and_the_rest_stays(content: bytes, unwanted: set[str]) -> None:
    before = read(content)
    entries = before["components"]
    assert isinstance(entries, list)
    kept = [entry for entry in entries if entry not in unwanted]
    expected = {**before, "components": kept}
    if not kept and entries:
        del expected["components"]
    assert read(remove_entry(content, PATH, "components", unwanted)) == expected
