"""Nearly valid inputs: seeds, changed in a few places."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import yaml
from hypothesis import strategies as st

from renderer.model.kube.json import Json

#: Values of unexpected types.
VALUES: Sequence[Json] = (
    *(None, True, False, 0, 1, -1, 7, 1.5, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, 1e308, 5e-324),
    *("", " ", "a", "A.b_c", "-", "~", "~1", "/", "/a/0", "..", "../x", "./", "*", "**", "[", "(", "\\", "%"),
    *("1", "0", "-1", "1.5", "1e9", "1Gi", "-1Gi", "1.5e999999999", "0x10", "yes", "null", "2020-01-01"),
    *("${x}", "$(x)", "${", "{{ x }}", "{%", "!x", "&x", "*x", "a: b", "- a", "|", "\n", "a\nb: c\n", "\t"),
    *(
        "\x00",
        "\x1b[31m",
        "\x85",
        "\u2028",
        "\ufeff",
        "\ud800",
        "é",
        "😀",
        "x" * 300,
        "a/b/c",
        "a.b.c/d",
        "a=b",
    ),
    *(
        "a in (b)",
        "!a",
        "=",
        "(a+)+$",
        "[name=x]",
        "spec.[name=x]",
        "a.*.b",
        "eyJhIjoxfQ==",
        "kubevirt.io/v1",
    ),
    *(
        [],
        {},
        [None],
        [[]],
        [{}],
        {"": None},
        {"a": None},
        {"a": {}},
        {"a": []},
        {"name": "x"},
        ["a", "a"],
        [1],
    ),
    *(
        [{"name": "x"}, {"name": "x"}],
        {"$patch": "delete"},
        {"$patch": "x"},
        [{"$patch": "replace"}],
        {"x": [{}]},
    ),
)
KEYS = (
    "",
    "a",
    "name",
    "kind",
    "namespace",
    "spec",
    "$patch",
    "metadata",
    "apiVersion",
    "a.b/c",
    "0",
    "-",
    "~",
    "x" * 130,
)
TOKENS = (
    *"-?:,[]{}&*!|>'\"%@`#=~.\\/$()<> \n\t\r",
    *(
        "\n  ",
        "\n- ",
        "---\n",
        "\n---\n",
        "...\n",
        ": ",
        "? ",
        "<<: *x",
        "&x ",
        "*x",
        "!!binary ",
        "!!int ",
        "|\n",
    ),
    *(
        "${x}",
        "${x:-y}",
        "$${",
        "{{",
        "}}",
        "{%",
        "%}",
        "{#",
        "\x00",
        "\x1b",
        "\x85",
        "\u2028",
        "\ufeff",
        "é",
        "😀",
    ),
    *("null", "true", "[]", "{}", "0", "1e400", "- - - ", "a: ", "# ", "\\ud800", "x" * 200),
)
#: The fields that say what an object is, and the ones around them.
IDENTITY = frozenset(
    (
        *("apiVersion", "kind", "metadata", "name", "namespace", "generateName", "items", "objects", "spec"),
        *("labels", "annotations", "template", "resources", "patches", "target", "generators", "components"),
        "data",
    )
)
#: Objects and lists of objects that are none, as JSON.
_HOSTILE_OBJECTS = (
    '[{"apiVersion": "v1", "kind": {}, "metadata": {"name": "a"}}, {"kind": [], "metadata": []}]',
    '{"apiVersion": "v1", "kind": "List", "items": {}}',
    '{"apiVersion": "v1", "kind": "List", "items": ["a", [], {}, null, {"kind": {}}]}',
)
#: What such a field never is; each kind of value, and names that are paths.
RETYPED: Sequence[Json] = (
    *(None, True, 0, -1, 1.5, 10**400, "", " ", "\x00", "x" * 70_000, "a\nb", "é", "A"),
    *([], {}, [None], [[]], [{}], {"": None}, {"a": {}}, [{"name": {}}], {"name": []}, {"kind": {}}),
    *(json.loads(text) for text in _HOSTILE_OBJECTS),
    *("../../clusters/prod", "/etc", ".", "..", "a/b", ".git", "a:b", "List", "VirtualMachine", "v1"),
)

Place = tuple[str | int, ...]


def project(folder: Path) -> Mapping[str, bytes]:
    """The files below a folder, by path."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@st.composite
def mutated_file(draw: st.DrawFn, content: bytes) -> bytes:
    """A file changed as a text or, if it is YAML, as what it means."""
    text = content.decode()
    try:
        documents = list(yaml.safe_load_all(text))
    except yaml.YAMLError:
        return (draw(mutated_text(text))).encode("utf-8", "surrogatepass")
    if not documents or draw(st.integers(0, 4)) == 0:
        return draw(mutated_text(text)).encode("utf-8", "surrogatepass")
    index = draw(st.integers(0, len(documents) - 1))
    documents[index] = draw(mutated(documents[index]))
    return dumped(documents)


@st.composite
def retyped_file(draw: st.DrawFn, content: bytes) -> bytes:
    """A file of which a field that says what an object is has another type, or is a hostile name.

    Fields of documents that a text of the file contains, such as a patch, are among them.
    """
    try:
        documents = list(yaml.safe_load_all(content))
    except yaml.YAMLError:
        return draw(mutated_file(content))
    for _ in range(draw(st.integers(1, 2))):
        places = [place for place in _places(documents) if place[-1:] and place[-1] in IDENTITY]
        inner = [place for place in _places(documents) if _inner(_at(documents, place)) is not None]
        if inner and draw(st.integers(0, 3)) == 0:
            place = draw(st.sampled_from(inner))
            text = draw(retyped_file(str(_at(documents, place)).encode()))
            documents = _edited(documents, place, text.decode("utf-8", "replace"))  # type: ignore[assignment]
        elif places:
            place, new = draw(st.sampled_from(places)), draw(st.sampled_from(RETYPED))
            documents = _edited(documents, place, new)  # type: ignore[assignment] # a list stays one
    return dumped(documents)


def _inner(value: Json) -> Json:
    """Return the mapping or list that a text is, if it has several lines; None for other values."""
    if not isinstance(value, str) or "\n" not in value:
        return None
    try:
        found = yaml.safe_load(value)
    except (yaml.YAMLError, ValueError):
        return None
    return found if isinstance(found, dict | list) else None


@st.composite
def mutated(draw: st.DrawFn, tree: Json) -> Json:
    """A tree with up to four values changed, added, repeated, moved or left out."""
    for _ in range(draw(st.integers(1, 4))):
        places = list(_places(tree))
        place = draw(st.sampled_from(places))
        tree = _edited(tree, place, draw(_other(_at(tree, place), tree, places)))
    return tree


@st.composite
def mutated_text(draw: st.DrawFn, text: str) -> str:
    """A text with up to five pieces left out, repeated, moved or put in."""
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 2, 5, 20])))
        piece = draw(st.sampled_from(["", text[start:end] * 2, *TOKENS]))
        text = text[:start] + piece + text[end:]
    return text


def dumped(documents: Sequence[Json]) -> bytes:
    """Documents as JSON, which is YAML."""
    return "\n---\n".join(json.dumps(document, default=str) for document in documents).encode()


@st.composite
def _other(draw: st.DrawFn, value: Json, tree: Json, places: Sequence[Place]) -> Json:
    kinds = ["value", "elsewhere", "wrapped"]
    if isinstance(value, dict):
        kinds += ["field", "without", "rename"]
    if isinstance(value, list):
        kinds += ["element", "without"]
    kind = draw(st.sampled_from(kinds))
    new = draw(st.sampled_from(VALUES))
    if kind in ("field", "element", "elsewhere") and draw(st.booleans()):
        new = _at(tree, draw(st.sampled_from(places)))
    if kind in ("value", "elsewhere"):
        return new
    if kind == "wrapped":
        wrapped: Sequence[Json] = ([value], {"a": value}, [value, value])
        return draw(st.sampled_from(wrapped))
    if isinstance(value, dict):
        return _other_mapping(value, kind, draw(st.sampled_from([*value, *KEYS])), new)
    assert isinstance(value, list)
    index = draw(st.integers(0, len(value)))
    return (
        [*value[:index], *value[index + 1 :]] if kind == "without" else [*value[:index], new, *value[index:]]
    )


def _other_mapping(value: Mapping[str, Json], kind: str, key: str, new: Json) -> Json:
    if kind == "field":
        return {**value, key: new}
    kept = {name: child for name, child in value.items() if name != key}
    return kept if kind == "without" or key not in value else {**kept, f"{key}x": value[key]}


def _places(tree: Json, place: Place = ()) -> Iterator[Place]:
    yield place
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, child in children:
        yield from _places(child, (*place, key))


def _at(tree: Json, place: Place) -> Json:
    for key in place:
        tree = tree[key]  # type: ignore[index] # places are those of the tree
    return tree


def _edited(tree: Json, place: Place, new: Json) -> Json:
    """The tree with ``new`` at a place of it."""
    if not place:
        return new
    key, rest = place[0], place[1:]
    if isinstance(tree, dict):
        return {**tree, key: _edited(tree[key], rest, new)}
    assert isinstance(tree, list)
    return [_edited(child, rest, new) if index == key else child for index, child in enumerate(tree)]
