"""Filters that write values as YAML or JSON."""

from __future__ import annotations

import json

from renderer.model.diagnostic import DiagnosticError
from renderer.model.json import Json
from renderer.templates.errors import TemplateError
from renderer.templates.words import as_text, describe
from renderer.yamlio.encode import encode

_MAX_INDENT = 8


def to_yaml(value: object) -> str:
    """Return the value as YAML in block style, without a line break at the end."""
    try:
        return encode([_tree(value)]).rstrip("\n")
    except DiagnosticError as error:
        raise TemplateError(error.diagnostics[0].message) from None


def to_json(value: object, indent: int | None = None) -> str:
    """Keys in the order in which they are written. It is YAML too."""
    width = None if indent is None else min(indent, _MAX_INDENT)
    try:
        return json.dumps(_tree(value), ensure_ascii=False, allow_nan=False, indent=width)
    except ValueError:
        raise TemplateError("a number that is not finite has no form in JSON") from None


def quote(value: object) -> str:
    """Return a scalar as text in quotes, for any content."""
    return json.dumps(as_text(value), ensure_ascii=False)


def _tree(value: object) -> Json:
    """The value as a JSON tree. Raises ``TemplateError`` for what has no form in one."""
    if isinstance(value, dict):
        return {_key(key): _tree(child) for key, child in value.items()}
    if isinstance(value, list | tuple | range):
        return [_tree(child) for child in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TemplateError(f"{describe(value)} has no form in YAML")


def _key(key: object) -> str:
    if isinstance(key, str):
        return key
    raise TemplateError(f"{describe(key)} is the key of a mapping", "the keys of a mapping have to be text")
