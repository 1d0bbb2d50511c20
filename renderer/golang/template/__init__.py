"""Go's text/template with the functions of sprig that give the same result everywhere.

Python has no maintained library for it, and an ApplicationSet needs only a small part: actions, pipelines,
``if``, ``with``, ``range``, variables, ``define``, and functions. Functions for clock, random values and
certificates are refused by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from renderer.golang.template.errors import GoTemplateError
from renderer.golang.template.evaluate import Evaluation, GoFunction
from renderer.golang.template.functions import FUNCTIONS
from renderer.golang.template.nodes import TemplateTree
from renderer.golang.template.parse import BRACES, Delimiters, parse
from renderer.golang.template.values import deep_copy
from renderer.model.kube.json import EMPTY
from renderer.model.run.work import begin_outside_run

__all__ = ["Delimiters", "GoTemplateError", "render"]

#: Texts that are parsed once, although they are rendered for each Application: so many, up to a length.
_PARSED_TEXTS, _LONGEST_PARSED_TEXT = 256, 4096
#: The parts of names of functions that change a mapping in place.
_CHANGING = ("set", "merge", "Merge")


def render(
    text: str,
    values: Mapping[str, object],
    options: Iterable[str] = (),
    *,
    delimiters: Delimiters = BRACES,
    functions: Mapping[str, GoFunction] = EMPTY,
) -> str:
    """Return the output of the template ``text`` for ``values``; ``options`` are Go's: ``missingkey=error``.

    ``functions`` are further ones beside Go's and sprig's. What the template sets in its values is lost at
    its end: Argo CD keeps it, for texts in an order that it does not promise. Raises ``GoTemplateError``.
    """
    if delimiters.left not in text:
        return text
    begin_outside_run()
    names = tuple(functions)
    is_short = len(text) <= _LONGEST_PARSED_TEXT
    tree = (_parsed if is_short else _parsed.__wrapped__)(text, delimiters, names)
    own = deep_copy(values) if any(name in text for name in _CHANGING) else values
    try:
        return Evaluation(tree, {**FUNCTIONS, **functions}, missing_key(options)).render(own)
    except RecursionError:
        raise GoTemplateError("the template and its values are nested too deep") from None


@lru_cache(_PARSED_TEXTS)
def _parsed(text: str, delimiters: Delimiters, functions: tuple[str, ...]) -> TemplateTree:
    return parse(text, FUNCTIONS.keys() | set(functions), delimiters)


def missing_key(options: Iterable[str]) -> str:
    """Return the mode for absent keys: ``default``, ``zero`` or ``error``.

    ``text/template`` ``option.go``.
    """
    mode = "default"
    for option in options:
        name, _, value = option.partition("=")
        if name != "missingkey" or value not in ("default", "invalid", "zero", "error"):
            raise GoTemplateError(f"unrecognized option {option}")
        mode = "default" if value == "invalid" else value
    return mode
