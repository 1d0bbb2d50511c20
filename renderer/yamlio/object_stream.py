"""Read a stream of objects as Kubernetes' clients do: JSON values, one after another, or YAML documents.

apimachinery ``pkg/util/yaml/decoder.go`` YAMLOrJSONDecoder, with which Argo CD and the Flux operator read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import Json
from renderer.model.kube.location import Location
from renderer.model.pattern import pattern
from renderer.yamlio.decode import decode_json_at, decode_yaml11

#: The bytes among which the decoder looks for a character that is not a space of Go's ``unicode.IsSpace``.
_LOOKED_AT = 4096
_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_JSON_SPACE = pattern(r"[ \t\r\n]*")
#: The decoder finds no YAML after a JSON value in fewer bytes.
_LEAST_YAML = 4
_SEPARATOR = pattern(r"^---([^\n]*)\n?", re.MULTILINE)


def begins_with_json(text: str) -> bool:
    """Return True if the decoder tries JSON first: the stream begins with ``{``."""
    start = text[:_LOOKED_AT].encode(errors="replace")[:_LOOKED_AT].decode(errors="replace")
    return start.lstrip(_SPACE).startswith("{")


def decode_stream(text: str, path: str) -> Iterator[tuple[int, Json]]:
    """Yield each value of a stream and the number of its document; the value of an empty document is None.

    A stream that begins with ``{`` is JSON. If its first or second value is not JSON, the rest is YAML. The
    decoder keeps the last of equal keys; here they are refused. Raises ``DiagnosticError``, after the values
    before the mistake.
    """
    if not begins_with_json(text):
        yield from _yaml_documents(text, 0, path)
        return
    at, count = 0, 0
    while (start := _JSON_SPACE.match(text, at).end()) < len(text):  # type: ignore[union-attr]  # may be empty
        try:
            value, at = decode_json_at(text, start, path)
        except (ValueError, RecursionError):
            if count > 1:
                raise _not_json(text, start, path) from None
            yield from _yaml_documents(text, _start_of_yaml(text, at, path), path)
            return
        yield count, value
        count += 1


def _start_of_yaml(text: str, at: int, path: str) -> int:
    """Return where the YAML after a JSON value begins: space up to a line feed is skipped."""
    for index in range(at, len(text)):
        if len(text[index : index + _LEAST_YAML].encode(errors="replace")) < _LEAST_YAML:
            break
        if text[index] not in _SPACE:
            return index
        if text[index] == "\n":
            return index + 1
    raise _not_json(text, at, path)


def _yaml_documents(text: str, start: int, path: str) -> Iterator[tuple[int, Json]]:
    """Yield the documents of ``text[start:]`` between lines that begin with ``---``."""
    rest, lines = text[start:], text.count("\n", 0, start)
    number, begin = 0, 0
    for separator in _SEPARATOR.finditer(rest):
        after = separator[1].strip(_SPACE)
        if after and not after.startswith("#"):
            message, hint = (
                "nothing but a comment may follow --- on its line",
                "write the rest on its own line",
            )
            raise _refused(text, start + separator.start(), path, message, hint)
        if start or begin or rest[: separator.start()].strip():
            yield number, _decode_document(rest, begin, separator.start(), path, lines)
            number += 1
        begin = separator.end()
    yield number, _decode_document(rest, begin, len(rest), path, lines)


def _decode_document(text: str, begin: int, end: int, path: str, lines: int) -> Json:
    """Return the document ``text[begin:end]``; ``lines`` are above the text. Raises ``DiagnosticError``."""
    document = text[begin:end].encode()
    try:
        return decode_yaml11(document, path, unique_keys=True)
    except DiagnosticError:  # decode again, to get the lines of the file
        above = b"\n" * (lines + text.count("\n", 0, begin))
        return decode_yaml11(above + document, path, unique_keys=True)


def _not_json(text: str, at: int, path: str) -> DiagnosticError:
    hint = "write only JSON objects, or a line --- above each object but the first"
    return _refused(text, at, path, "what follows a JSON object is not JSON", hint)


def _refused(text: str, at: int, path: str, message: str, hint: str) -> DiagnosticError:
    location = Location(path, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))
    return Diagnostic.in_file(location, Code.YAML_SYNTAX, message, hint).error()
