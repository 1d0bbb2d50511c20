"""What strings and numbers go through on their way from kustomize's JSON to its YAML."""

from __future__ import annotations

import re
from math import isfinite

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.yamlio.go_numbers import format_float, json_number

_NEXT_LINES = re.compile("\x20*\x85[\x20\x85]*")
_REFUSED = re.compile("[\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


def through_json(text: str) -> str:
    """``text`` once go-yaml v2 has read it from the JSON that Go wrote.

    NEL is a line break to YAML 1.1 and folds into a space. Raises ``DiagnosticError`` for
    the characters that the reader refuses (go-yaml v2 ``readerc.go``).
    """
    refused = _REFUSED.search(text)
    if refused:
        raise _refusal(
            f"the control character U+{ord(refused[0]):04X}", "encode the text, for example as base64"
        )
    return _NEXT_LINES.sub(_fold, text) if "\x85" in text else text


def key_through_json(key: str) -> str:
    """As ``through_json``, for the key of a mapping; go-yaml looks for the end of one on its own line."""
    if "\x85" in key:
        raise _refusal("a key with the line break U+0085", "write it without")
    return through_json(key)


def number_through_json(value: float) -> str:
    """The text of a float, which is an integer's if it is whole. Raises ``DiagnosticError`` for infinity."""
    if not isfinite(value):
        raise _refusal(f"the number {value}", "write a finite number, or text in quotes")
    number = json_number(value)
    return format_float(number) if isinstance(number, float) else str(number)


def _refusal(what: str, hint: str) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(code=Code.OUTPUT_INVALID, message=f"{what} cannot be written to YAML", hint=hint)
    )


def _fold(match: re.Match[str]) -> str:
    return "\n" * (match[0].count("\x85") - 1) or " "
