"""What a name or key stands for that is not there."""

from __future__ import annotations

from functools import partial
from typing import cast

from jinja2 import StrictUndefined, TemplateRuntimeError, UndefinedError
from jinja2.utils import missing

from renderer.templates.words import called


class UndefinedValueError(UndefinedError):
    """``owner`` is the mapping that has no such key, or ``missing`` when there is no value of that name."""

    def __init__(self, message: str, name: str, owner: object) -> None:
        super().__init__(message)
        self.name = name
        self.owner = owner


class UndefinedValue(StrictUndefined):
    """Complains when it is used for anything but ``is defined`` and ``default``."""

    __slots__ = ()

    def __init__(
        self,
        hint: str | None = None,
        obj: object = missing,
        name: str | None = None,
        exc: type[TemplateRuntimeError] = UndefinedError,  # noqa: ARG002 - Jinja's signature; ours says more
    ) -> None:
        shown = str(name)
        message = hint or (
            f"there is no value {shown}" if obj is missing else f"{called(obj)} has no {shown}"
        )
        says = partial(UndefinedValueError, name=shown, owner=obj)
        super().__init__(message, obj, shown, cast("type[TemplateRuntimeError]", says))


def fail_if_undefined(*values: object) -> None:
    """Raises ``UndefinedValueError``."""
    for value in values:
        if isinstance(value, StrictUndefined):
            str(value)
