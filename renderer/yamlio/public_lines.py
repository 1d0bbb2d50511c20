"""Which lines of a YAML text may be shown to whoever reads a log."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence

from yaml.error import YAMLError

from renderer.yamlio.documents import Chunk, split_documents, text_of
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.events import Position
from renderer.yamlio.nodes import Node, parse_nodes

#: Keys whose values are passwords, or the cloud-init data that holds them, in small letters.
_CONFIDENTIAL_KEYS = frozenset(
    {
        "binarydata",
        "data",
        "kubectl.kubernetes.io/last-applied-configuration",
        "networkdata",
        "networkdatabase64",
        "secretgenerator",
        "stringdata",
        "userdata",
        "userdatabase64",
    }
)
#: Volumes of which everything is confidential but these fields: the name of one may be misspelt.
_CLOUD_INIT = ("cloudInitConfigDrive", "cloudInitNoCloud")
_REFERENCES = ("networkDataSecretRef", "secretRef")
_KEYS = "|".join(map(re.escape, sorted(_CONFIDENTIAL_KEYS)))
_SECRET = re.compile(r"\bSecret(List)?\b")
_CONFIDENTIAL = re.compile(
    rf"""(?:^|[\s{{,"'/])(?:{_KEYS})(?:["']?\s*:|["'/\s]|$)""", re.MULTILINE | re.IGNORECASE
)
_ALIAS = "*"
#: Without one of these words in its text, no value of a document is confidential.
_WORDS = re.compile(rf"(?<!\w)(?:{_KEYS}|{'|'.join(_CLOUD_INIT)}|Secret(?:List)?)(?!\w)", re.IGNORECASE)


def is_confidential_key(key: object) -> bool:
    """Whether what stands below a key is confidential, however the key is capitalised."""
    return isinstance(key, str) and key.lower() in _CONFIDENTIAL_KEYS


def public_lines(content: bytes, wanted: Collection[int]) -> Mapping[int, str]:
    """The lines with the ``wanted`` numbers, from 1, that may be shown.

    None of a document that may be about a Secret, none of a value below a key that is confidential, and
    where that cannot be told none either.
    """
    try:
        text = text_of(content)
    except UnusableError:
        return {}
    lines = text.replace("\r\n", "\n").split("\n")
    hidden = [span for chunk in _chunks(text) for span in _hidden_in(chunk, wanted)]
    return {
        number: lines[number - 1]
        for number in wanted
        if 0 < number <= len(lines) and not any(first < number <= last + 1 for first, last in hidden)
    }


def _chunks(text: str) -> Sequence[Chunk]:
    try:
        return split_documents(text)
    except UnusableError:
        return [Chunk(text, 0)]


def _hidden_in(chunk: Chunk, wanted: Collection[int]) -> Iterator[tuple[int, int]]:
    """The first and last lines of the file, from 0, of what may not be shown of a document."""
    lines = chunk.text.removesuffix("\n").split("\n")
    if any(0 < number - chunk.first_line <= len(lines) for number in wanted):
        for first, last in _hidden(chunk.text, lines):
            yield chunk.first_line + first, chunk.first_line + last


def _hidden(text: str, lines: Sequence[str]) -> Sequence[tuple[int, int]]:
    """The same, counted in the document."""
    if "\\" not in text and not _WORDS.search(text):  # in quotes, a word may be spelt with escapes
        return []
    everything = [(0, len(lines) - 1)]
    try:
        root = parse_nodes(text)
    except YAMLError:
        return everything if _SECRET.search(text) or _CONFIDENTIAL.search(text) else []
    nodes = list(root.walk()) if root else []
    if any(node.text is not None and _SECRET.search(node.text) for node in nodes):
        return everything
    places = sorted({node.place for node in nodes})
    confidential = list(_confidential(nodes))
    if any(_is_alias(value, lines) for _, value in confidential):  # it is written elsewhere
        return everything
    return [_span(key.place, value, places, len(lines) - 1) for key, value in confidential]


def _confidential(nodes: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
    """Where it begins, and the value that it is."""
    for node in nodes:
        if node.text is not None and "\n" in node.text and _CONFIDENTIAL.search(node.text):
            yield node, node  # a patch as text
        for key, value in node.entries():
            if is_confidential_key(key.text):
                yield key, value
            elif key.text in _CLOUD_INIT:
                yield from ((field, data) for field, data in value.entries() if field.text not in _REFERENCES)
            elif key.text == "path" and _CONFIDENTIAL.search(value.text or ""):
                yield node, node  # an operation of a JSON patch


def _is_alias(value: Node, lines: Sequence[str]) -> bool:
    line, column = value.place
    return line < len(lines) and lines[line][column : column + 1] == _ALIAS


def _span(start: Position, value: Node, places: Sequence[Position], end: int) -> tuple[int, int]:
    """From ``start`` to before the next thing behind ``value``."""
    last = max(node.place for node in value.walk())
    following = bisect_right(places, last)
    next_line = places[following].line if following < len(places) else end + 1
    return start.line, max(last.line, next_line - 1)
