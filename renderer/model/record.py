"""The base of values that are only carried around: a named tuple that is cheap to import."""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from typing import NamedTuple as Record
else:

    @cache
    def _template(size: int) -> type:
        """Return a named tuple of so many fields, whose constructor and fields serve all of that size."""
        return namedtuple("_", [f"field{number}" for number in range(size)])  # noqa: PYI024 - has no types

    class _Values(tuple):
        """The methods of named tuples, the same for all sizes; see ``collections.namedtuple``."""

        __slots__ = ()

        @classmethod
        def _make(cls, values: Any) -> Self:  # noqa: ANN401 - any iterable
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **values: Any) -> Self:  # noqa: ANN401 - of any field
            made = self._make(map(values.pop, self._fields, self))
            if values:
                raise ValueError(f"Got unexpected field names: {list(values)!r}")
            return made

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            fields = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({fields})"

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

    class _Record(type):
        """Make a class with annotated fields a named tuple of them, with the defaults that they are given.

        ``typing.NamedTuple`` does the same, but compiles and checks every annotation, and compiles a
        constructor for each class. A command makes a hundred such classes before it does anything, so a
        constructor is compiled once for each number of fields, and gets the names of the fields.
        """

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = tuple(body["__annotations__"])
            defaults = {field: body.pop(field) for field in fields if field in body}
            template = _template(len(fields))
            made = template.__new__
            code = made.__code__.replace(co_varnames=(made.__code__.co_varnames[0], *fields))
            constructor = FunctionType(code, made.__globals__, "__new__", tuple(defaults.values()) or None)
            constructor.__qualname__ = f"{name}.__new__"
            members = dict(zip(fields, map(vars(template).get, template._fields), strict=True))
            body = {
                "__slots__": (),
                "__new__": constructor,
                "_fields": fields,
                "_field_defaults": defaults,
                "__match_args__": fields,
                **members,
                **body,
            }
            return type(name, (_Values, *bases[1:]), body)

    class Record(metaclass=_Record):
        """The base class of frozen values with named fields; name it before ``Generic``."""


__all__ = ["Record"]
