"""Reject arguments of a wrong type with a plain message, before a function of the library uses them.

A notebook or a script is rarely checked by mypy. A text in place of a list of names would be read letter by
letter, and a list in place of an object would be read as an empty object.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, signature

from renderer.app.project import Project
from renderer.model.render_config import Overlay

#: The types that each parameter annotation accepts, and the words for them.
_ACCEPTED: Mapping[str, tuple[tuple[type, ...], str]] = {
    "Project": ((Project,), "a Project, as open_project returns,"),
    "Project | None": ((Project, type(None)), "a Project, as open_project returns,"),
    "Manifest": ((Mapping,), "a mapping"),
    "Iterable[Manifest]": ((Iterable,), "a list of mappings"),
    "Iterable[str | Overlay]": ((Iterable,), "a list of names, paths or Overlays"),
    "Mapping[str, str] | None": ((Mapping, type(None)), "a mapping"),
    "bool": ((bool,), "a bool"),
    "str": ((str,), "a str"),
    "str | None": ((str, type(None)), "a str"),
    "str | Overlay": ((str, Overlay), "a name, a path or an Overlay"),
    "str | Path": ((str, os.PathLike), "a str or a Path"),
}
#: Iterable types that are never intended as a list.
_NO_LISTS = (str, bytes, Mapping)


def check_arguments(
    function: Callable[..., object], arguments: tuple[object, ...], options: Mapping[str, object]
) -> None:
    """Raise ``TypeError`` if an argument does not have the annotated type of its parameter."""
    described = signature(function)
    try:
        bound = described.bind(*arguments, **options)
    except TypeError as error:
        raise TypeError(f"{function.__name__}: {error}") from None
    for name, given in bound.arguments.items():
        parameter = described.parameters[name]
        several = parameter.kind is Parameter.VAR_POSITIONAL
        types, words = _ACCEPTED[parameter.annotation]
        for each in given if several else (given,):
            if not isinstance(each, types) or (Iterable in types and isinstance(each, _NO_LISTS)):
                of = f"each of its {name}" if several else name
                raise TypeError(f"{function.__name__} takes {words} as {of}, not {_type_of(each)}")


def check_mapping(given: object, name: str) -> None:
    """Raise ``TypeError`` if an element of a list is not a mapping; ``name`` is its place."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} must be a mapping, not {_type_of(given)}")


def paths_of(overlays: Iterable[str | Overlay]) -> tuple[str, ...]:
    """Return the path of each ``Overlay``; return names and paths unchanged."""
    return tuple(each.path if isinstance(each, Overlay) else each for each in overlays)


def _type_of(given: object) -> str:
    name = type(given).__name__
    return "None" if given is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
