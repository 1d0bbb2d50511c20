"""Texts that stay texts without quotes; kustomize writes the keys it sets without, and fails over others."""

from __future__ import annotations

from renderer.yamlio.scalars import CORE_RULES, Kind, NotJsonError, resolve

#: First characters of what YAML takes for something else than text; the empty text is nothing.
_MEANINGFUL = frozenset(("", *"+-.0123456789~tTfFnN"))


def is_bare_text(text: str) -> bool:
    if text[:1] not in _MEANINGFUL:
        return True
    try:
        return resolve(text, CORE_RULES).kind is Kind.STR
    except NotJsonError:
        return False
