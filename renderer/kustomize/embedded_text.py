"""Fields inside a text that is itself JSON or YAML (kustomize ``api/filters/replacement``)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache

from renderer.kustomize.name_hash import as_go_escapes, go_json
from renderer.kustomize.replacement_paths import PathError, PathMatcher, lookup_place
from renderer.kustomize.replacement_value import ReplacementValue
from renderer.kustomize.scalar_nodes import ScalarNode
from renderer.kustomize.values import ABSENT, Slot
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import Json, scalar_text
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import FieldOptions
from renderer.model.run.work import spend
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.encode import encode
from renderer.yamlio.rewritten_text import NewValue, NotRewritableError, rewritten_text

#: Steps to read a text of any length (``model.run.work``).
_READING = 60


def text_on_path(
    resource: Resource, steps: tuple[str, ...]
) -> tuple[tuple[Segment, ...], tuple[str, ...]] | None:
    """Return the place of the first scalar on the path that is YAML or JSON, and the steps inside it."""
    for length in range(1, len(steps)):
        try:
            value, place = lookup_place(resource.content, steps[:length])
        except PathError:
            continue
        if value is not ABSENT and not isinstance(value, dict | list):
            try:
                _parse(resource.written_text(*place))
            except PathError:
                continue
            return place, steps[length:]
    return None


def count_within(text: str, steps: tuple[str, ...], *, creates: bool) -> int:
    """Return the number of fields inside ``text`` that match ``steps``. Raises ``PathError``."""

    def within(scalar: Json, _at: tuple[Segment, ...], rest: tuple[str, ...]) -> int:
        return count_within(scalar_text(scalar), rest, creates=creates)

    matcher = PathMatcher(lambda old, _at: None if old is ABSENT else old, within, creates=creates)
    matcher.visit(_parse_non_blank(text), steps)
    return matcher.matches


def changed_text(
    text: str, steps: tuple[str, ...], value: ReplacementValue, *, creates: bool
) -> tuple[str, int]:
    """Return ``text`` with the fields inside it changed, JSON as JSON and YAML as YAML.

    Also return the number of fields in a text inside the text: they are not changed. Raises ``PathError``
    if there are no fields.
    """
    changes: list[tuple[tuple[Segment, ...], Json | ScalarNode]] = []

    def set_field(old: Slot, at: tuple[Segment, ...]) -> Json:
        new = value.into(old, None, FieldOptions())
        changes.append((at, new))
        return new.value if isinstance(new, ScalarNode) else new

    matcher = PathMatcher(
        set_field,
        lambda scalar, _at, rest: count_within(scalar_text(scalar), rest, creates=creates),
        creates=creates,
    )
    tree = matcher.visit(_parse_non_blank(text), steps)
    if not matcher.matches:
        raise PathError("there is no such field in the text")
    is_json = text.lstrip()[:1] in ("{", "[")
    changed = _as_json(tree, text) if is_json else _as_yaml(tree, text, changes)
    return changed, matcher.matches_within


def _parse_non_blank(text: str) -> Json:
    """Return the tree in a text. Raises ``PathError`` for an empty text, which is not a node."""
    if not text.strip():
        raise PathError("a field on the path is blank")
    return _parse(text)


@lru_cache(maxsize=4)  # callers ask for several fields of one text; trees are read-only
def _parse(text: str) -> Json:
    """Return the tree in a text. Raises ``PathError`` for a text that is neither YAML nor JSON."""
    spend(_READING + 4 * len(text), "reading YAML inside texts")
    try:
        return decode_documents(text.encode(), "")[0]
    except (DiagnosticError, UnicodeEncodeError):
        raise PathError("the text is neither YAML nor JSON") from None


def _as_json(tree: Json, original: str) -> str:
    """Return the tree as Go writes JSON: indented by two if the original was indented, else compact."""
    if "\n" not in original or "  " not in original:
        return go_json(tree)
    return as_go_escapes(json.dumps(tree, indent=2, ensure_ascii=False, sort_keys=True))


def _as_yaml(
    tree: Json, original: str, changes: Iterable[tuple[tuple[Segment, ...], Json | ScalarNode]]
) -> str:
    """Return the original with the changes, or the tree if the text cannot be kept, as with anchors."""
    written = (
        (
            tuple(segment for segment in at if isinstance(segment, str | int)),
            NewValue(new.value, new.text) if isinstance(new, ScalarNode) else NewValue(new, ""),
        )
        for at, new in changes
    )
    try:
        return rewritten_text(original, written)
    except NotRewritableError:
        return encode((tree,)).strip()
