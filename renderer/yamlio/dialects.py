"""The two ways in which kustomize reads YAML, each as a table of rules.

kyaml keeps a resource as YAML nodes, and converts it to JSON by writing them with go-yaml v3 and reading that
text (kyaml ``rnode.go`` MarshalJSON). This changes some scalars.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from renderer.model.kube.json import Scalar, scalar_text
from renderer.model.kube.sharing import Memo
from renderer.model.record import Record
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.go_numbers import format_float32
from renderer.yamlio.scalar_text import (
    LINE_BREAKS,
    block_hints,
    has_space_before_break,
    has_unprintable,
    is_plain_word,
)
from renderer.yamlio.scalars import CORE_RULES, MAX_INT, YAML11_RULES, Kind, ScalarRules, resolve

MERGE_KEY = "<<"
_BLOCK_STYLES = "|>"
_BLANKS = " \t"


def rewritten_plain(text: str) -> str | None:
    """Return the text of a plain scalar between brackets that kustomize quotes; None for all others."""
    return text if not text or ":" in text else None


def rewritten(text: str, style: str) -> str:
    """Return the text of a quoted or block scalar of that ``style`` after kustomize has written it.

    Folded text gains blank lines around lines that are indented more (go-yaml v3 ``emitterc.go``). Raises
    ``UnusableError`` for a block that begins with a tab, because it cannot be read again.
    """
    if style not in _BLOCK_STYLES or not text:
        return text
    if text[-1] == " " or has_space_before_break(text) or has_unprintable(text.replace("\t", "")):
        return text  # it is written in quotes
    if text[0] == "\t":
        raise UnusableError(
            "kustomize cannot read a block of text that begins with a tab",
            hint='write the text in double quotes, with "\\t" for the tab',
        )
    return _refolded(text) if style == ">" else text


def _refolded(text: str) -> str:
    from renderer.yamlio.events import MalformedError, read_scalar  # noqa: PLC0415 - imports PyYAML

    end = "" if text[-1] in LINE_BREAKS else "\n"
    try:
        return read_scalar(f">{block_hints(text)}\n{folded_lines(text)}{end}")
    except MalformedError:
        raise UnusableError("kustomize cannot read this folded block again once it has written it") from None


def folded_lines(text: str) -> str:
    """Return the lines of a folded block, with double breaks unless the text begins with a blank."""
    doubles = text.lstrip(LINE_BREAKS)[:1] not in _BLANKS
    written: list[str] = []
    line_start = is_indented = True
    for character in text:
        if character in LINE_BREAKS:
            doubled = doubles and character == "\n" and not line_start and not is_indented
            written.append("\n\n" if doubled else character)
            line_start = True
        else:
            if line_start:
                is_indented = character in _BLANKS
            written.append(f"  {character}" if line_start else character)
            line_start = False
    return "".join(written)


class Scalars(Record):
    """The meaning of scalars without a tag.

    ``values`` maps plain scalars to their values. ``keys`` maps them to their text as keys, and to None if
    they cannot be keys: ``<<``, null and, in resource files, anything but a string. ``styled`` returns the
    text of a quoted or block scalar for its text and style.
    """

    values: Memo[Scalar]
    keys: Memo[str | None]
    styled: Callable[[str, str], str]


class Dialect(Record):
    """The rules of one reader: ``flow`` holds for scalars between brackets, ``block`` for all others.

    ``string_keys``: keys must be strings, except in the root mapping, where they are kept as written.
    ``unique_keys``: a repeated key is an error, otherwise the last one wins. ``merges_in_place``: ``<<``
    overwrites the entries before it, otherwise it overwrites nothing.
    """

    rules: ScalarRules
    block: Scalars
    flow: Scalars
    string_keys: bool
    unique_keys: bool
    merges_in_place: bool


def _resource_value(text: str) -> Scalar:
    return resolve(text, CORE_RULES).value


def _resource_flow_value(text: str) -> Scalar:
    quoted = rewritten_plain(_without_question_mark(text))
    return resolve(text, CORE_RULES).value if quoted is None else quoted


class WrittenScalar(Record):
    """A scalar whose text does not follow from its value; ``decode_written`` finds it in a tree."""

    value: Scalar
    text: str


class _WrittenScalars:
    """Creates written scalars. Until it ``has_made`` one, which is rare, no tree contains one."""

    def __init__(self) -> None:
        self.has_made = False

    def scalar(self, value: Scalar, text: str) -> Scalar:
        """Return the value, with its text if that does not follow from the value."""
        if scalar_text(value) == text:
            return value
        self.has_made = True
        return cast("Scalar", WrittenScalar(value, text))


WRITTEN_SCALARS = _WrittenScalars()
_written = WRITTEN_SCALARS.scalar


def _written_value(text: str) -> Scalar:
    return text if is_plain_word(text) else _written(_resource_value(text), text)


def _written_flow_value(text: str) -> Scalar:
    return _written(_resource_flow_value(text), text)


def _written_block(text: str, style: str) -> str:
    return cast("str", _written(rewritten(text, style), text))


def _resource_key(text: str) -> str | None:
    """Return the text of a plain key, None if it is not a string. kustomize quotes empty keys, too."""
    is_text = not text or (text != MERGE_KEY and resolve(text, CORE_RULES).kind is Kind.STR)
    return text if is_text else None


def _resource_flow_key(text: str) -> str | None:
    return _resource_key(_without_question_mark(text))


def _yaml11_value(text: str) -> Scalar:
    return text if is_plain_word(text) else resolve(text, YAML11_RULES).value


def _yaml11_flow_value(text: str) -> Scalar:
    return _yaml11_value(_without_question_mark(text))


def _yaml11_key(text: str) -> str | None:
    """Return the text of a plain key (sigs.k8s.io/yaml convertToJSONableObject)."""
    kind, value = resolve(text, YAML11_RULES)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float) and kind is Kind.FLOAT:
        return format_float32(value)
    if isinstance(value, int | float):
        return str(value) if value <= MAX_INT else None
    return None if value == MERGE_KEY else value


def _yaml11_flow_key(text: str) -> str | None:
    return _yaml11_key(_without_question_mark(text))


def _unchanged(text: str, _style: str) -> str:
    return text


def _without_question_mark(text: str) -> str:
    """Refuse a question mark, which begins a key in go-yaml (``scannerc.go``) and is text in libyaml."""
    if "?" in text:
        raise UnusableError("a question mark ends plain text between brackets", "put the text in quotes")
    return text


#: Resource files: go-yaml v3 through kyaml.
RESOURCE = Dialect(
    rules=CORE_RULES,
    block=Scalars(Memo(_resource_value), Memo(_resource_key), rewritten),
    flow=Scalars(Memo(_resource_flow_value), Memo(_resource_flow_key), rewritten),
    string_keys=True,
    unique_keys=True,
    merges_in_place=False,
)

#: Resource files with the texts of scalars (``decode_written``).
RESOURCE_AS_WRITTEN = RESOURCE._replace(
    block=Scalars(Memo(_written_value), RESOURCE.block.keys, _written_block),
    flow=Scalars(Memo(_written_flow_value), RESOURCE.flow.keys, _written_block),
)

#: kustomization.yaml and JSON 6902 patches: go-yaml v2 through sigs.k8s.io/yaml.
YAML11 = Dialect(
    rules=YAML11_RULES,
    block=Scalars(Memo(_yaml11_value), Memo(_yaml11_key), _unchanged),
    flow=Scalars(Memo(_yaml11_flow_value), Memo(_yaml11_flow_key), _unchanged),
    string_keys=False,
    unique_keys=False,
    merges_in_place=True,
)

#: Manifests that Argo CD reads like that, but in which a repeated key loses a part of an object.
YAML11_UNIQUE = YAML11._replace(unique_keys=True)
