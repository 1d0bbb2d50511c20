"""The parameters of an Argo CD application, which reach a plugin in its environment.

https://argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins/: a parameter of the
application is an entry of the JSON list ``ARGOCD_APP_PARAMETERS``, a variable ``NAME`` of its ``env`` is
``ARGOCD_ENV_NAME``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeVar

import click

from renderer.cli.options import release_of
from renderer.model.fields import nearest_hint
from renderer.model.json import Json, object_at, text_at
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode

_LIST = "ARGOCD_APP_PARAMETERS"
_PREFIX = "ARGOCD_ENV_VMRENDER_"
_FLAGS = {"true": True, "false": False}
_NAMES = ("overlay", "kubevirt", "expand", "write-instancetypes")

T = TypeVar("T")


class ApplicationParameters(NamedTuple):
    """What an application says itself; what it leaves out is None and comes from the project."""

    overlay: str | None = None
    kubevirt: Release | None = None
    expand: ExpandMode | None = None
    write_instancetypes: bool | None = None

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> ApplicationParameters:
        """From the parameters, and from ``env`` for what they do not say. Raises ``click.UsageError``."""
        given = {**dict(_variables(environment)), **dict(_listed(environment.get(_LIST)))}
        for name in given:
            if name not in _NAMES:
                raise click.UsageError(f"unknown parameter {name}; {nearest_hint(name, _NAMES)}")
        return cls(
            given.get("overlay"),
            _read(given, "kubevirt", release_of),
            _read(given, "expand", _mode),
            _read(given, "write-instancetypes", _flag),
        )


def _variables(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for variable, value in environment.items():
        if variable.startswith(_PREFIX) and value:
            yield variable.removeprefix(_PREFIX).lower().replace("_", "-"), value


def _listed(text: str | None) -> Iterator[tuple[str, str]]:
    """Argo CD's form for a parameter without a value is one with an empty text."""
    entries = _decoded(text) if text else []
    if entries is not None and not isinstance(entries, list):
        raise click.UsageError(f"{_LIST} holds no list")
    for entry in entries or ():
        name = text_at(entry, "name")
        if not name:
            raise click.UsageError(f"{_LIST} holds a parameter without a name")
        if "array" in object_at(entry) or "map" in object_at(entry):
            raise click.UsageError(f"the parameter {name} is a string, not an array or map")
        value = text_at(entry, "string")
        if value:
            yield name, value


def _decoded(text: str) -> Json:
    from json import JSONDecodeError, loads  # noqa: PLC0415 - most applications have no parameters

    try:
        decoded: Json = loads(text)
    except (JSONDecodeError, RecursionError) as error:
        raise click.UsageError(f"{_LIST} is no JSON: {error}") from None
    return decoded


def _read(given: Mapping[str, str], name: str, parse: Callable[[str], T]) -> T | None:
    if name not in given:
        return None
    try:
        return parse(given[name])
    except (ValueError, click.BadParameter) as error:
        raise click.UsageError(f"parameter {name}: {error}") from None


def _mode(text: str) -> ExpandMode:
    if text not in set(ExpandMode):
        raise ValueError(f"{text!r} is none of {', '.join(ExpandMode)}")
    return ExpandMode(text)


def _flag(text: str) -> bool:
    if text not in _FLAGS:
        raise ValueError(f"{text!r} is neither true nor false")
    return _FLAGS[text]
