"""Fields inside of a text that is JSON or YAML itself (kustomize ``api/filters/replacement``)."""

from __future__ import annotations

import json

from renderer.compose.name_hash import go_json
from renderer.compose.replacement_paths import PathError, PathMatcher, SetSlot, lookup
from renderer.compose.values import ABSENT
from renderer.model.diagnostic import DiagnosticError
from renderer.model.json import Json, scalar_text
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.encode import encode


def split_at_text(content: Json, steps: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The steps to the first single value on the way, and those that go on inside of it; None without any."""
    for length in range(1, len(steps)):
        try:
            found = lookup(content, steps[:length])
        except PathError:
            continue
        if found is not ABSENT and not isinstance(found, dict | list) and _parsed(found) is not None:
            return steps[:length], steps[length:]
    return None


def count_within(value: Json, steps: tuple[str, ...], *, creates: bool) -> int:
    """How many fields ``steps`` lead to inside of the text ``value``. Raises ``PathError``."""
    matcher = PathMatcher(lambda old: None if old is ABSENT else old, creates, _nothing_within)
    matcher.visit(_parsed(value), steps)
    return matcher.matches


def changed_text(value: Json, steps: tuple[str, ...], change: SetSlot, *, creates: bool) -> str:
    """The text ``value`` with the fields inside of it changed, JSON as JSON and YAML as YAML.

    Raises ``PathError`` when there are none.
    """
    matcher = PathMatcher(change, creates, lambda inner, rest: count_within(inner, rest, creates=creates))
    parsed = matcher.visit(_parsed(value), steps)
    if not matcher.matches:
        raise PathError("there is no such field in the text")
    return _serialized(parsed, scalar_text(value))


def _nothing_within(_value: Json, _steps: tuple[str, ...]) -> int:
    return 0


def _parsed(value: Json) -> Json:
    """The tree in a text; None when there is none in it."""
    text = value if isinstance(value, str) else scalar_text(value)
    try:
        return decode_documents(text.encode(), "")[0]
    except (DiagnosticError, UnicodeEncodeError):
        return None


def _serialized(tree: Json, original: str) -> str:
    """kustomize keeps two forms of JSON apart: indented by two, and compact."""
    if original.lstrip()[:1] not in ("{", "["):
        return encode((tree,)).strip()
    if "\n" not in original or "  " not in original:
        return go_json(tree)
    return json.dumps(json.loads(go_json(tree)), indent=2, ensure_ascii=False)
