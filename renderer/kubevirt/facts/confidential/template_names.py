"""The names of parameters that a text uses, in the template languages of OpenShift, Flux and Argo CD."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.pattern import pattern
from renderer.model.run.work import spend

#: Stands for a variable of a template, which may have the value of any parameter.
VARIABLE = "$"

_PARAMETER = pattern(r"\$\{\{?([a-zA-Z0-9_]+)\}?\}")
_LINE_OF_ACTION = pattern(r"(?m)^[ \t]*<<[^<>\n]*>>[ \t]*\n")
_NAME_IN_ACTION = pattern(r"\.([A-Za-z_]\w*)")
_TAG, _NAME_IN_TAG = pattern(r"(?s)\{\{(.*?)\}\}"), pattern(r"[A-Za-z_][\w-]*")
#: A parameter alone, without a function.
_ONE_IN_ACTION = pattern(r"<<-?\s*+inputs((?:\.[A-Za-z_]\w*+)++)\s*+-?>>")
_ONE_IN_TAG = pattern(r"\{\{-?\s*+\.?([A-Za-z_][\w.]*+(?:-\w++)*+)\s*+-?\}\}")
#: Characters that are searched in one step (``model.run.work``).
_CHARACTERS_PER_STEP = 32


def names_of_parameters(text: str) -> Iterator[str]:
    """Yield the names of an OpenShift Template's parameters: in ``${NAME}`` and ``${{NAME}}``."""
    yield from _PARAMETER.findall(text)


def names_in_actions(text: str) -> Iterator[str]:
    """Yield the names after a dot in the actions of a ResourceSet, and ``VARIABLE`` for a variable alone."""
    for action in _actions(text):
        yield from _NAME_IN_ACTION.findall(action) or (VARIABLE if VARIABLE in action else ())


def names_shown_by_actions(text: str) -> Iterator[str]:
    """Yield the names in the actions of a ResourceSet that put in a value as it is, without a function."""
    for path in _ONE_IN_ACTION.findall(text):
        yield from path.split(".")[1:]


def _actions(template: str) -> Iterator[str]:
    """Yield what is between ``<<`` and ``>>``."""
    end = 0
    while (start := template.find("<<", end)) >= 0 and (end := template.find(">>", start)) >= 0:
        yield template[start:end]


def without_lines_of_actions(template: str) -> str:
    """Return the template of a ResourceSet without its lines that are one action, such as ``range``."""
    return _LINE_OF_ACTION.sub("", template)


def names_in_tags(text: str) -> Iterator[str]:
    """Yield every name between ``{{`` and ``}}`` of an ApplicationSet, of a function as well."""
    spend(1 + len(text) // _CHARACTERS_PER_STEP, "looking for confidential values")
    for tag in _TAG.findall(text[: text.rfind("}}") + 2]):  # none begins after that
        yield from _NAME_IN_TAG.findall(tag)


def names_shown_by_tags(text: str) -> Iterator[str]:
    """Yield the names in the tags of an ApplicationSet that put in a value as it is, without a function."""
    for path in _ONE_IN_TAG.findall(text):
        yield from path.split(".")
