"""The base class of plain values: a named tuple that is cheap to import."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from typing import NamedTuple as Record
else:
    from collections import _tuplegetter

    _new = tuple.__new__
    #: Reads the value of a field by its index, as in named tuples.
    _GETTERS = [_tuplegetter(index, "") for index in range(50)]
    #: Constructors by their number of fields, written out: compiling one costs as much as four classes.
    _CONSTRUCTORS: dict[int, FunctionType] = {
        made.__code__.co_argcount - 1: made
        for made in (
            lambda t, a: _new(t, (a,)),
            lambda t, a, b: _new(t, (a, b)),
            lambda t, a, b, c: _new(t, (a, b, c)),
            lambda t, a, b, c, d: _new(t, (a, b, c, d)),
            lambda t, a, b, c, d, e: _new(t, (a, b, c, d, e)),
            lambda t, a, b, c, d, e, f: _new(t, (a, b, c, d, e, f)),
            lambda t, a, b, c, d, e, f, g: _new(t, (a, b, c, d, e, f, g)),
            lambda t, a, b, c, d, e, f, g, h: _new(t, (a, b, c, d, e, f, g, h)),
            lambda t, a, b, c, d, e, f, g, h, i: _new(t, (a, b, c, d, e, f, g, h, i)),
            lambda t, a, b, c, d, e, f, g, h, i, j: _new(t, (a, b, c, d, e, f, g, h, i, j)),
            lambda t, a, b, c, d, e, f, g, h, i, j, k: _new(t, (a, b, c, d, e, f, g, h, i, j, k)),
            lambda t, a, b, c, d, e, f, g, h, i, j, k, m: _new(t, (a, b, c, d, e, f, g, h, i, j, k, m)),
            lambda t, a, b, c, d, e, f, g, h, i, j, k, m, n: _new(t, (a, b, c, d, e, f, g, h, i, j, k, m, n)),
            lambda t, a, b, c, d, e, f, g, h, i, j, k, m, n, o: _new(
                t, (a, b, c, d, e, f, g, h, i, j, k, m, n, o)
            ),
        )
    }

    def _constructor(name: str, fields: tuple[str, ...], defaults: dict[str, Any]) -> FunctionType:
        written = _CONSTRUCTORS.get(len(fields))
        if written is None:
            return _constructor_of_many(fields, defaults)
        code = written.__code__.replace(co_varnames=("_cls", *fields), co_qualname=f"{name}.__new__")
        return FunctionType(code, globals(), "__new__", (*defaults.values(),) or None)

    def _constructor_of_many(fields: tuple[str, ...], defaults: dict[str, Any]) -> FunctionType:
        """Return a slower constructor, for the few classes with more fields."""

        def __new__(_cls: type, *values: Any, **named: Any) -> Any:  # noqa: ANN401, N807 - any values
            given = dict(zip(fields, values, strict=False))
            made = {**defaults, **given, **named}
            if len(given) < len(values) or given.keys() & named.keys() or made.keys() != set(fields):
                raise TypeError(f"{_cls.__name__} takes the fields {', '.join(fields)}")
            return _new(_cls, map(made.__getitem__, fields))

        return __new__

    class _Methods:
        """The methods of named tuples; see ``collections.namedtuple``."""

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

    _METHODS = {name: method for name, method in vars(_Methods).items() if hasattr(method, "__get__")}

    class _Record(type):
        """Make a class with annotated fields a named tuple of these fields, with their defaults.

        ``typing.NamedTuple`` does the same, but compiles and checks every annotation, and compiles a
        constructor for each class. A command creates 170 such classes before it does anything, so classes
        with the same number of fields share a constructor, which gets the names of the fields. Methods are
        copied: with each base class, Python takes a twelfth longer to create a class.
        """

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = (*body["__annotations__"],)
            defaults = {field: body.pop(field) for field in fields if field in body}
            if bases[0] is not Record or (*defaults,) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"{name}: Record comes first, and fields with defaults come last")
            body = {
                **_METHODS,
                "__slots__": (),
                "__new__": _constructor(name, fields, defaults),
                "_fields": fields,
                "_field_defaults": defaults,
                "__match_args__": fields,
                **dict(zip(fields, _GETTERS[: len(fields)], strict=True)),
                **body,
            }
            return type(name, (tuple, *bases[1:]), body)

    class Record(metaclass=_Record):
        """Makes a class a frozen value with named fields. List it first; at run time it is not a base."""


__all__ = ["Record"]
