"""``$(NAME)`` in texts (kustomize ``api/filters/refvar/expand.go``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from renderer.model.json import Json, Scalar
from renderer.yamlio.go_numbers import format_float

#: An escaped dollar sign, a reference, or a dollar sign that means nothing.
_DOLLAR = re.compile(r"\$(?:(\$)|\(([^)]*)\))")


def expanded(text: str, values: Mapping[str, Scalar], used: Callable[[str], object]) -> Scalar:
    """``text`` with its references replaced and ``$$`` made a dollar sign.

    A text that is nothing but one reference takes the type of the value. What is not in ``values``
    stays as it is; ``used`` is told the names of those that are.
    """

    def replaced(match: re.Match[str]) -> str:
        name = match[2]
        if match[1]:
            return "$"
        if name not in values:
            return match[0]
        used(name)
        return _shown(values[name])

    whole = _DOLLAR.fullmatch(text)
    if whole and whole[2] in values:
        used(whole[2])
        return values[whole[2]]
    return _DOLLAR.sub(replaced, text)


def _shown(value: Scalar) -> str:
    """As Go prints it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return format_float(value) if isinstance(value, float) else str(value)


def expanded_field(value: Json, expand: Callable[[str], Scalar]) -> Json:
    """A field with the texts in it expanded: itself, or the entries of a mapping or list.

    Raises ``NotTextError`` for lists that hold anything else.
    """
    if isinstance(value, str):
        return expand(value)
    if isinstance(value, dict):
        return {key: expand(child) if isinstance(child, str) else child for key, child in value.items()}
    if isinstance(value, list):
        return [_expanded_element(element, expand) for element in value]
    return value


class NotTextError(Exception):
    """An element of a list is no text."""


def _expanded_element(element: Json, expand: Callable[[str], Scalar]) -> Scalar:
    if not isinstance(element, str):
        raise NotTextError
    return expand(element)
