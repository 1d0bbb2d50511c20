"""Go's text/template with the functions of sprig that give the same result everywhere.

Python has no maintained library for it, and an ApplicationSet needs only a small part: actions, pipelines,
``if``, ``with``, ``range``, variables, ``define``, and functions. Functions for clock, random values and
certificates are refused by name.
"""

from __future__ import annotations

from collections.abc import Iterable

from renderer.golang.template.evaluate import Evaluation
from renderer.golang.template.functions import FUNCTIONS
from renderer.golang.template.parse import parse
from renderer.golang.template.values import GoTemplateError

__all__ = ["GoTemplateError", "render"]


def render(text: str, values: object, options: Iterable[str] = ()) -> str:
    """Return the output of the template ``text`` for ``values``; ``options`` are Go's: ``missingkey=error``.

    Raises ``GoTemplateError``.
    """
    if "{{" not in text:
        return text
    return Evaluation(parse(text, FUNCTIONS.keys()), FUNCTIONS, missing_key(options)).render(values)


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
