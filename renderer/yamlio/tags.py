"""Scalars with an explicit tag."""

from __future__ import annotations

import base64

from renderer.model.json import Scalar
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.scalars import MAX_INT, Kind, ScalarRules, resolve

_CORE = "tag:yaml.org,2002:"
MERGE_TAG, STR_TAG = _CORE + "merge", _CORE + "str"

_KINDS = {_CORE + kind.name.lower(): kind for kind in Kind if kind is not Kind.STR}


class TagMismatchError(UnusableError):
    """The text is not of the type that its tag says."""


def tagged_scalar(tag: str, text: str, rules: ScalarRules) -> Scalar:
    """The value of ``!tag text``, with ``tag`` in its long form.

    go-yaml ``resolve.go``: tags that are not YAML's own leave a string.
    Raises ``TagMismatchError`` and ``NotJsonError``.
    """
    if tag == _CORE + "binary":
        return _binary(text)
    kind = _KINDS.get(tag)
    if kind is None:
        return text
    found = resolve(text, rules)
    if found.kind is kind or (kind is Kind.FLOAT and _fits_float(found.kind, found.value)):
        return found.value
    raise TagMismatchError(f"this is not a !!{kind.name.lower()}")


def _fits_float(kind: Kind, value: Scalar) -> bool:
    return kind is Kind.INT and isinstance(value, int) and value <= MAX_INT


def _binary(text: str) -> str:
    """As Go's JSON shows the bytes: what is not UTF-8 becomes U+FFFD."""
    try:
        data = base64.b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except ValueError:  # neither is text beyond ASCII
        raise TagMismatchError("!!binary holds text that is not base64") from None
    return data.decode("utf-8", "replace")
