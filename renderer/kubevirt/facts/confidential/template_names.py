"""The names of parameters that a text uses, in the template languages of OpenShift, Flux and Argo CD."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from renderer.model.pattern import pattern
from renderer.model.run.work import spend

#: Stands for a variable of a template, which may have the value of any parameter.
VARIABLE = "$"
#: Stands for every parameter, except the ones that are listed with ``NOT`` before their names.
ALL, NOT = "*", "!"

_PARAMETER = pattern(r"\$\{\{?([a-zA-Z0-9_]+)\}?\}")
_LINE_OF_ACTION = pattern(r"(?m)^[ \t]*<<[^<>\n]*>>[ \t]*\n")
_NAME_IN_ACTION = pattern(r"\.([^\W\d]\w*)")
_TEXT = r"""(?:"[^"\\]*"|`[^`]*`)"""
#: Functions of Go templates and sprig that look up a name, which is written out.
_LOOKUP = rf"\b(?:get|index)\s+(?:ROOT)((?:\s+{_TEXT})+)"
_LOOKUP_OF_INPUT = pattern(_LOOKUP.replace("ROOT", "inputs"))
_LOOKUP_OF_ELEMENT = pattern(_LOOKUP.replace("ROOT", r"\$|\."))
#: A text that does not end goes to the end: otherwise each quote in it would be tried as a beginning.
_QUOTED = pattern(r"\"(?:[^\"\\]|\\[\s\S])*(?:\"|\\?\Z)|`[^`]*`")
#: The value of ``with`` and ``range``, or all parameters: a dot without a name, and the inputs likewise.
_WHOLE = r"(?<![\w.)\]$])\.(?![\w.])"
_ALL_INPUTS = pattern(rf"\binputs\b(?!\s*\.\s*[^\W\d])|{_WHOLE}")
_ALL_ELEMENTS = pattern(rf"{_WHOLE}|\$(?![\w.])")
_TAG, _NAME_IN_TAG = pattern(r"(?s)\{\{(.*?)\}\}"), pattern(r"[^\W\d][\w-]*")
#: A parameter alone, without a function.
_ONE_IN_ACTION = pattern(r"<<-?\s*+inputs((?:\.[A-Za-z_]\w*+)++)\s*+-?>>")
_ONE_IN_TAG = pattern(r"\{\{-?\s*+\.?([A-Za-z_][\w.]*+(?:-\w++)*+)\s*+-?\}\}")
#: Characters that are searched in one step (``model.run.work``).
_CHARACTERS_PER_STEP = 32


def names_of_parameters(text: str) -> Iterator[str]:
    """Yield the names of an OpenShift Template's parameters: in ``${NAME}`` and ``${{NAME}}``."""
    yield from _PARAMETER.findall(text)


def names_in_actions(text: str) -> Iterator[str]:
    """Yield the names of inputs that the actions of a ResourceSet use.

    They are after a dot, or written out in ``index`` and ``get``. ``VARIABLE`` is yielded for a variable,
    and ``ALL`` for an action that may use any of them: with all inputs as a value, or a dot alone.
    """
    for action in _actions(text):
        yield from _names_looked_up(_LOOKUP_OF_INPUT, action)
        rest = _QUOTED.sub("", _LOOKUP_OF_INPUT.sub("", action))
        if _ALL_INPUTS.search(rest):
            yield ALL
        yield from _NAME_IN_ACTION.findall(rest) or (VARIABLE if VARIABLE in rest else ())


def _names_looked_up(lookup: re.Pattern[str], action: str) -> Iterator[str]:
    for texts in lookup.findall(action):
        yield from (text[1:-1] for text in _QUOTED.findall(texts))


def is_used(name: str, names: Collection[str]) -> bool:
    """Return True if a parameter is among ``names``, as the functions here yield them."""
    return name in names or (ALL in names and f"{NOT}{name}" not in names)


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
    """Yield every name between ``{{`` and ``}}`` of an ApplicationSet, of a function as well.

    A tag without ``goTemplate`` may be a name of any characters, and is yielded as a whole, too. ``ALL`` is
    yielded for a tag that may use any parameter.
    """
    spend(1 + len(text) // _CHARACTERS_PER_STEP, "looking for confidential values")
    for tag in _TAG.findall(text[: text.rfind("}}") + 2]):  # none begins after that
        if name := tag.strip():
            yield name
        yield from _NAME_IN_TAG.findall(tag)
        yield from _names_looked_up(_LOOKUP_OF_ELEMENT, tag)
        if _ALL_ELEMENTS.search(_QUOTED.sub("", _LOOKUP_OF_ELEMENT.sub("", tag))):
            yield ALL


def names_shown_by_tags(text: str) -> Iterator[str]:
    """Yield the names in the tags of an ApplicationSet that put in a value as it is, without a function."""
    for path in _ONE_IN_TAG.findall(text):
        yield from path.split(".")
