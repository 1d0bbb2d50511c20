"""Values as text: how templates write them, and what a person calls them."""

from __future__ import annotations

import math

from jinja2.runtime import LoopContext, Macro, Undefined
from jinja2.utils import Namespace

from renderer.templates.errors import TemplateError


def written(value: object) -> str:
    """A scalar as YAML has it: ``true`` and ``null``, not ``True`` and ``None``.

    Raises ``TemplateError`` for what is no scalar, and for what is undefined.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else _special(value)
    if isinstance(value, Undefined):
        return str(value)  # raises what Jinja has to say of it
    hint = "write it with | to_yaml or | to_json" if isinstance(value, list | tuple | dict | range) else None
    raise TemplateError(f"{called(value)} cannot be written as text", hint)


def called(value: object) -> str:
    """What a person would call a value; no text of it is shown, as it may be secret."""
    if value is None:
        return "null"
    for kind, name in _NAMES:
        if isinstance(value, kind):
            return name
    return "a function"


_NAMES: tuple[tuple[type, str], ...] = (
    (bool, "a boolean"),
    (int, "a whole number"),
    (float, "a number"),
    (str, "text"),
    (dict, "a mapping"),
    (list, "a list"),
    (tuple, "a list"),
    (range, "a range"),
    (Macro, "a macro"),
    (Namespace, "a namespace"),
    (LoopContext, "loop"),
    (Undefined, "an undefined value"),
)


def _special(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    return ".inf" if value > 0 else "-.inf"
