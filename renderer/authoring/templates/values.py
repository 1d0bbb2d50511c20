"""Values in templates: as text, by the names that users know, and undefined ones."""

from __future__ import annotations

import math
from functools import partial
from typing import cast

from jinja2 import StrictUndefined, TemplateRuntimeError, UndefinedError
from jinja2.runtime import LoopContext, Macro, Undefined
from jinja2.utils import Namespace, missing

from renderer.authoring.templates.errors import TemplateError

_TYPE_NAMES: tuple[tuple[type, str], ...] = (
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


def as_text(value: object) -> str:
    """Return a scalar as in YAML: ``true`` and ``null``, not ``True`` and ``None``.

    Raises ``TemplateError`` for a value that is not a scalar, and for an undefined one.
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
        return repr(value) if math.isfinite(value) else _non_finite_text(value)
    if isinstance(value, Undefined):
        return str(value)  # raises Jinja's own error
    hint = "write it with | to_yaml or | to_json" if isinstance(value, list | tuple | dict | range) else None
    raise TemplateError(f"{describe(value)} cannot be written as text", hint)


def describe(value: object) -> str:
    """Return a user's word for a value; its own text may be secret and is not shown."""
    if value is None:
        return "null"
    for kind, name in _TYPE_NAMES:
        if isinstance(value, kind):
            return name
    return "a function"


def _non_finite_text(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    return ".inf" if value > 0 else "-.inf"


class UndefinedValueError(UndefinedError):
    """``owner`` is the mapping without the key, or ``missing`` if no variable has that name."""

    def __init__(self, message: str, name: str, owner: object) -> None:
        super().__init__(message)
        self.name = name
        self.owner = owner


class UndefinedValue(StrictUndefined):
    """Raises an error if it is used for anything except ``is defined`` and ``default``."""

    __slots__ = ()

    def __init__(
        self,
        hint: str | None = None,
        obj: object = missing,
        name: str | None = None,
        exc: type[TemplateRuntimeError] = UndefinedError,  # noqa: ARG002 - Jinja's signature; ours error more
    ) -> None:
        name = str(name)
        message = hint or (
            f"there is no value {name}" if obj is missing else f"{describe(obj)} has no {name}"
        )
        error = partial(UndefinedValueError, name=name, owner=obj)
        super().__init__(message, obj, name, cast("type[TemplateRuntimeError]", error))


def fail_if_undefined(*values: object) -> None:
    """Raise ``UndefinedValueError`` if one of the values is undefined."""
    for value in values:
        if isinstance(value, StrictUndefined):
            str(value)
