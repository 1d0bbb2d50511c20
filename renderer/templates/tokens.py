"""A template's tokens, counted before Jinja's parser goes down into them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from jinja2.lexer import Token

from renderer.templates.errors import TemplateLimitError
from renderer.templates.limits import MAX_BRACKETS

_OPENING: Final = ("lbrace", "lbracket", "lparen")
_CLOSING: Final = ("rbrace", "rbracket", "rparen")


def read_tokens(stream: Iterable[Token]) -> list[Token]:
    """All tokens of the stream. Raises ``TemplateLimitError`` with its line."""
    tokens, depth = [], 0
    for token in stream:
        if token.type in _OPENING:
            depth += 1
        elif token.type in _CLOSING:
            depth -= 1
        if depth > MAX_BRACKETS:
            raise nested_too_deeply(token.lineno)
        tokens.append(token)
    return tokens


def nested_too_deeply(line: int) -> TemplateLimitError:
    return TemplateLimitError("the template is nested too deeply", "take it apart with {% set %}", line)
