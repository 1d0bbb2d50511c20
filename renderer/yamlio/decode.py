"""Read YAML files into JSON trees as kustomize reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json
from renderer.model.kube.sharing import share
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.run.limits import limits
from renderer.model.run.taint import taint, taint_texts
from renderer.model.whole_number import json_integer
from renderer.yamlio.dialects import (
    RESOURCE,
    RESOURCE_AS_WRITTEN,
    WRITTEN_SCALARS,
    YAML11,
    YAML11_UNIQUE,
    Dialect,
    WrittenScalar,
)
from renderer.yamlio.documents import Chunk, split_documents, text_of
from renderer.yamlio.errors import DuplicateKeyError, UnusableError
from renderer.yamlio.line_reader import read_lines

if TYPE_CHECKING:  # imported only for text that is not read line by line
    from yaml.error import YAMLError

    from renderer.yamlio.events import ValueCount

#: The values that a character can add: a pair is a key and a value, and either may be missing (``{a, b}``).
#: A collection replaces the value that was counted for the character before it. The last two begin the line
#: breaks beyond ASCII.
_VALUES = dict.fromkeys(b":?,{", 2) | dict.fromkeys(b"[-\t\n\r\xc2\xe2", 1)
_MOST_OF_A_CHARACTER = max(_VALUES.values())
_WITHOUT_VALUE = bytes({*range(256)} - _VALUES.keys())
_NO_CHUNK = Chunk("", 0)
_JSON_SPACE = " \t\r\n"
#: The line reader is given up when it has refused this many more documents of a file than it has read.
_TRIES = 2
#: The text before the value in a line of any format, and the characters that may enclose the value.
_BEFORE_VALUE = pattern(r"^[^=:]*[=:]\s*")
_AROUND_VALUE = "'\" ,"


def _value_count(content: bytes) -> ValueCount | None:
    """Return a counter for a file that may contain too many values."""
    most = limits().values
    if 2 + len(content) * _MOST_OF_A_CHARACTER <= most or most_values(content) <= most:
        return None
    from renderer.yamlio.events import ValueCount  # noqa: PLC0415 - most files are shorter

    return ValueCount()


def most_values(content: bytes) -> int:
    """Return an upper bound of the number of values in a file, without parsing it."""
    counted = content.translate(None, _WITHOUT_VALUE)
    return 2 + sum(values * counted.count(character) for character, values in _VALUES.items())


def decode_documents(content: bytes, path: str) -> tuple[Json, ...]:
    """Return the documents of a resource file, None for empty ones; ``path`` is for error messages.

    kyaml ``kio/byteio_reader.go`` and go-yaml v3, then Go's JSON: timestamps become RFC 3339 text, whole
    floats become integers. Aliases share the tree of their anchor. Raises ``DiagnosticError``.
    """
    return tuple(_decode_documents(content, path, RESOURCE))


class WrittenDocument(Record):
    """A document, and the paths and texts of the scalars whose texts differ from their values."""

    tree: Json
    texts: tuple[tuple[tuple[str | int, ...], str], ...]


def decode_written(content: bytes, path: str) -> tuple[WrittenDocument, ...]:
    """Return the documents of ``decode_documents``, with the texts of scalars that differ from their values.

    Equal subtrees of the documents are one object (``model.kube.sharing``): each document is shared before
    the next is read, otherwise a large file would be in memory in full.
    """
    return tuple(_written_document(tree) for tree in _decode_documents(content, path, RESOURCE_AS_WRITTEN))


def decode_applied(content: bytes, path: str) -> tuple[WrittenDocument, ...]:
    """Return the documents as the client that applies them reads them: ``yes`` and ``on`` are true.

    sigs.k8s.io/yaml (YAML 1.1), with which Flux, Argo CD and kubectl read what kustomize has written or left
    as it is. Raises ``DiagnosticError``.
    """
    return tuple(WrittenDocument(_shared(tree), ()) for tree in _decode_documents(content, path, YAML11))


def _written_document(tree: Json) -> WrittenDocument:
    if isinstance(tree, WrittenScalar):
        return WrittenDocument(tree.value, (((), tree.text),))
    if not WRITTEN_SCALARS.has_made or not _has_written_scalar(tree):
        return WrittenDocument(_shared(tree), ())
    found = list(_written_scalars(tree, ()))
    for collection, path, scalar in found:  # after the search, because aliases share collections
        collection[path[-1]] = scalar.value
    return WrittenDocument(_shared(tree), tuple((path, scalar.text) for _, path, scalar in found))


def _shared(tree: Json) -> Json:
    return share(tree) if isinstance(tree, dict | list) else tree


def _has_written_scalar(value: Json) -> bool:
    # A plain loop and exact types, because this goes through everything that is read.
    if type(value) is dict:
        children: Iterable[Json] = value.values()
    elif type(value) is list:
        children = value
    else:
        return False
    for child in children:
        kind = type(child)
        if kind is str:
            continue
        if kind is WrittenScalar or ((kind is dict or kind is list) and _has_written_scalar(child)):
            return True
    return False


def _written_scalars(
    value: Json, path: tuple[str | int, ...]
) -> Iterator[tuple[Any, tuple[str | int, ...], WrittenScalar]]:
    """Yield each collection that contains a written scalar, the scalar's path and the scalar."""
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, child in entries:
        if isinstance(child, WrittenScalar):
            yield value, (*path, key), child
        else:
            yield from _written_scalars(child, (*path, key))


def _decode_documents(content: bytes, path: str, dialect: Dialect) -> Iterator[Json]:
    try:
        chunks = split_documents(text_of(content))
    except UnusableError as error:
        raise _read_error(error, _NO_CHUNK, path) from None
    count = _value_count(content)
    balance = _TRIES if count is None else 0
    for chunk in chunks:
        if balance > 0:
            try:
                tree = read_lines(chunk.text, dialect)
            except UnusableError:
                balance -= 1
            else:
                balance += 1
                yield tree
                continue
        yield _decode_events(chunk, path, dialect, count)


def decode_yaml11(content: bytes, path: str, *, unique_keys: bool = False) -> Json:
    """Return the first document of a YAML 1.1 text; ``path`` is for error messages.

    sigs.k8s.io/yaml and go-yaml v2: the last of equal keys wins, unless ``unique_keys`` refuses them. Raises
    ``DiagnosticError``.
    """
    dialect = YAML11_UNIQUE if unique_keys else YAML11
    try:
        chunk = Chunk(text_of(content), 0)
    except UnusableError as error:
        raise _read_error(error, _NO_CHUNK, path) from None
    count = _value_count(content)
    if count is None:
        with suppress(UnusableError):
            return read_lines(chunk.text, dialect)
    return _decode_events(chunk, path, dialect, count)


def decode_json(content: bytes, path: str) -> Json:
    """Return the value of a JSON file; ``path`` is for error messages.

    Raises ``ValueError`` or ``RecursionError`` if it is not JSON, ``DiagnosticError`` for a repeated key.
    """
    import json  # noqa: PLC0415 - few manifests are JSON

    text = content.decode("utf-8-sig")
    start = len(text) - len(text.lstrip(_JSON_SPACE))
    value, end = decode_json_at(text, start, path)
    if rest := text[end:].lstrip(_JSON_SPACE):
        raise json.JSONDecodeError("Extra data", text, len(text) - len(rest))
    return value


def decode_json_at(text: str, start: int, path: str) -> tuple[Json, int]:
    """Return the JSON value that begins at ``start``, and the index after it. Raises as ``decode_json``."""
    import json  # noqa: PLC0415 - few manifests are JSON

    decoder = json.JSONDecoder(
        object_pairs_hook=_unique_pairs, parse_int=json_integer, parse_constant=_no_constant
    )
    try:
        return decoder.raw_decode(text, start)
    except DuplicateKeyError as error:
        chunk = Chunk(
            text[start:].replace("\t", " "), text.count("\n", 0, start)
        )  # as YAML, in which tabs indent nothing
        raise _read_error(error, chunk, path) from None


def _no_constant(text: str) -> Json:
    """Refuse ``NaN`` and ``Infinity``, which Python reads."""
    raise ValueError(f"{text} is not a value of JSON")


def _unique_pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    mapping: dict[str, Json] = {}
    for key, value in pairs:
        if key in mapping:
            raise DuplicateKeyError(key)
        mapping[key] = value
    return mapping


def _decode_events(chunk: Chunk, path: str, dialect: Dialect, count: ValueCount | None) -> Json:
    from renderer.yamlio.builder import read_tree  # noqa: PLC0415 - imports PyYAML
    from renderer.yamlio.events import MalformedError  # noqa: PLC0415 - as above

    try:
        return read_tree(chunk.text, dialect, count)
    except (UnusableError, MalformedError) as error:
        raise _read_error(error, chunk, path) from None


def _read_error(error: UnusableError | YAMLError, chunk: Chunk, path: str) -> DiagnosticError:
    """Return the error for a document that cannot be read."""
    from renderer.yamlio.problems import duplicate_keys, malformed, unusable  # noqa: PLC0415 - few are wrong

    if isinstance(error, DuplicateKeyError):
        return duplicate_keys(error, chunk, path)
    if isinstance(error, UnusableError):
        return unusable(error, path, chunk.first_line)
    return malformed(error, chunk, path)


def taint_content(content: bytes) -> None:
    """Record the values in a file: in its YAML, and in lines such as ``key=value``."""
    with suppress(DiagnosticError):
        for document in decode_documents(content, ""):
            taint_texts(document)
    lines = content.decode("utf-8", "replace").splitlines()
    taint(_BEFORE_VALUE.sub("", line).strip(_AROUND_VALUE) for line in lines)
