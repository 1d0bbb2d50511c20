"""The base of values that are only carried around: a named tuple that is cheap to import."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import NamedTuple as Record
else:

    class _NamedTuple(type):
        """Makes a class with annotated fields a named tuple of them, with the defaults that they are given.

        ``typing.NamedTuple`` does the same, but compiles and checks every annotation first, which costs twice
        as much as all the rest. A command makes a hundred such classes before it does anything.
        """

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body["__annotations__"]
            defaults = [body.pop(field) for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body.pop("__module__"))  # noqa: PYI024 - as said
            if len(bases) > 1 or "__classcell__" in body:  # Generic, or a method that calls super()
                return type(
                    name, (made, *bases[1:]), {"__slots__": (), "__module__": made.__module__, **body}
                )
            for attribute, value in body.items():
                setattr(made, attribute, value)
            return made

    class Record(metaclass=_NamedTuple):
        """What a class derives from, before ``Generic``."""


__all__ = ["Record"]
