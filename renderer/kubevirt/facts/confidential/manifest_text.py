"""Tell from a text, before it is parsed, whether it may be a manifest with something confidential in it."""

from __future__ import annotations

import re

from renderer.kubevirt.facts.confidential.fields import (
    ANSWER_FILES,
    CONFIDENTIAL_KEYS,
    SECTIONS,
)
from renderer.kubevirt.facts.confidential.meant_keys import has_values_of_secret
from renderer.model.credential_text.names import mentions_credential
from renderer.model.pattern import pattern

_KEYS = sorted({*CONFIDENTIAL_KEYS, *ANSWER_FILES, *SECTIONS})
#: In lower case. In quotes, a word may be escaped.
_MENTIONS = ("secret", "stringdata", r"\u", r"\x", *map(str.lower, _KEYS))
_KIND_PUT_IN_LATER = pattern(r"kind\W+(?:[${]|<<)")
_KIND = pattern(r"kind\W{1,9}(\w+)")
_PATCH = pattern(r"patch[\"']?\s{0,9}:")
#: A field of each operation of a JSON patch.
_OPERATION = pattern(r"(?<!\w)op[\"']?\s{0,9}:")
_SECRET = r"kind\W{1,9}secret|stringData|secretGenerator"  # noqa: S105 - a pattern
_KIND_OF_SECRET = pattern(rf"(?i){_SECRET}")
_CONFIDENTIAL = pattern(rf"(?i){_SECRET}|(?:{'|'.join(map(re.escape, _KEYS))})['\"]?\s*:|/(?:binary)?data/")


def may_be_confidential(text: str) -> bool:
    """Return False if a text is surely no manifest with something confidential in it."""
    lowered = text.lower()
    return (
        any(word in lowered for word in _MENTIONS)
        or ("patch" in lowered and _PATCH.search(lowered) is not None)
        or ("path" in lowered and _OPERATION.search(lowered) is not None)
        or ("kind" in lowered and _has_kind_put_in_later_or_misspelt(lowered))
        or (_has_lines_or_braces(text) and mentions_credential(text))
    )


def _has_lines_or_braces(text: str) -> bool:
    """Return True if a text may be more than one sentence: a colon is also in prose."""
    stripped = text.strip()
    return "\n" in stripped or stripped.startswith(("{", "["))


def _has_kind_put_in_later_or_misspelt(lowered: str) -> bool:
    kinds = _KIND.findall(lowered)
    return any(map(has_values_of_secret, kinds)) or _KIND_PUT_IN_LATER.search(lowered) is not None


def seems_confidential(text: str) -> bool:
    """Return True if a text that cannot be parsed seems to be such a manifest."""
    return _CONFIDENTIAL.search(text) is not None or _OPERATION.search(text) is not None


def seems_to_hold_secret(text: str) -> bool:
    """Return True if a text that cannot be parsed seems to be a manifest with a Secret in it."""
    return _KIND_OF_SECRET.search(text) is not None
