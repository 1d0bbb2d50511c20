"""The methods and functions that a template may call. There are no others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from jinja2.runtime import LoopContext
from jinja2.utils import Namespace

from renderer.authoring.templates.errors import TemplateError
from renderer.authoring.templates.filters.collections import pairs
from renderer.authoring.templates.filters.text import join, replace, split
from renderer.authoring.templates.limits import check_items
from renderer.authoring.templates.values import as_text

#: The attributes of ``loop``.
LOOP_FIELDS = (
    "index",
    "index0",
    "revindex",
    "revindex0",
    "first",
    "last",
    "length",
    "previtem",
    "nextitem",
    "depth",
    "depth0",
)


@dataclass(frozen=True, slots=True)
class Function:
    """A callable for templates, with the value it is bound to; macros are the only other callables."""

    name: str
    run: Callable[..., object]
    owner: object = None

    def __repr__(self) -> str:
        return self.name

    def __call__(self, *args: object, **kwargs: object) -> object:
        return self.run(*args, **kwargs)


def method_of(value: object, name: str) -> Function | None:
    """Return the method of that name, bound to the value; None if the value has no such method."""
    for kind, methods in _METHODS.items():
        if isinstance(value, kind) and name in methods:
            return Function(name, partial(methods[name], value), value)
    return None


def methods_of(value: object) -> tuple[str, ...]:
    """Return the names of the methods that templates can call on the value."""
    return tuple(name for kind, methods in _METHODS.items() if isinstance(value, kind) for name in methods)


def _index(values: list[object], value: object) -> int:
    if value in values:
        return values.index(value)
    raise TemplateError("the list has no such value")


_TEXT_METHODS: Mapping[str, Callable[..., object]] = {
    "capitalize": str.capitalize,
    "count": str.count,
    "endswith": str.endswith,
    "find": str.find,
    "isdigit": str.isdigit,
    "join": lambda text, values: join(values, text),
    "lower": str.lower,
    "lstrip": str.lstrip,
    "removeprefix": str.removeprefix,
    "removesuffix": str.removesuffix,
    "replace": replace,
    "rstrip": str.rstrip,
    "split": split,
    "splitlines": str.splitlines,
    "startswith": str.startswith,
    "strip": str.strip,
    "title": str.title,
    "upper": str.upper,
}
_MAPPING_METHODS: Mapping[str, Callable[..., object]] = {
    "get": dict.get,
    "items": pairs,
    "keys": list,
    "values": lambda mapping: list(mapping.values()),
}
_LIST_METHODS: Mapping[str, Callable[..., object]] = {"count": list.count, "index": _index}
_LOOP_METHODS: Mapping[str, Callable[..., object]] = {
    "changed": LoopContext.changed,
    "cycle": LoopContext.cycle,
}
_METHODS: Mapping[type, Mapping[str, Callable[..., object]]] = {
    str: _TEXT_METHODS,
    dict: _MAPPING_METHODS,
    list: _LIST_METHODS,
    LoopContext: _LOOP_METHODS,
}


def _range(*bounds: int) -> range:
    numbers = range(*bounds)
    step = numbers.step
    check_items((numbers.stop - numbers.start + step - (1 if step > 0 else -1)) // step)  # len() may overflow
    return numbers


def _fail(message: object) -> NoReturn:
    """Stop a template that cannot continue: ``{{ fail("no zone " ~ zone) }}``."""
    raise TemplateError(as_text(message))


FUNCTIONS: Mapping[str, Function] = {
    "dict": Function("dict", dict),
    "fail": Function("fail", _fail),
    "namespace": Function("namespace", Namespace),
    "range": Function("range", _range),
}
