"""A template cut into text and the tokens of its actions (``text/template/parse`` ``lex.go``)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from renderer.gitops.gotemplate.errors import GoTemplateError

_SPACES = " \t\r\n"
_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    |(?P<text>"(?:[^"\\\n]|\\.)*")
    |(?P<raw>`[^`]*`)
    |(?P<character>'(?:[^'\\\n]|\\.[^']*)')
    |(?P<number>[+-]?(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9]+)?
       |\.[0-9]+(?:[eE][+-]?[0-9]+)?))
    |(?P<field>\.[A-Za-z_\u0080-\U0010ffff][\w]*)
    |(?P<variable>\$[\w]*)
    |(?P<word>[A-Za-z_\u0080-\U0010ffff][\w]*)
    |(?P<symbol>:=|=|\||\(|\)|,|\.)""",
    re.VERBOSE,
)
_ESCAPES = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
}
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))", re.DOTALL)


class Token(NamedTuple):
    """``kind`` is the name of a group above; ``spaced`` says whether a space stands before it."""

    kind: str
    text: str
    spaced: bool


def cut(text: str) -> Iterator[str | list[Token]]:
    """The texts of the template and, between them, the tokens of each action. Raises ``GoTemplateError``."""
    at, trims = 0, False
    while True:
        start = text.find("{{", at)
        literal = text[at:] if start < 0 else text[at:start]
        if trims:
            literal = literal.lstrip(_SPACES)
        if start < 0:
            yield literal
            return
        inner = start + 2
        if text.startswith("-", inner) and text[inner + 1 : inner + 2] in tuple(_SPACES):
            literal = literal.rstrip(_SPACES)
            inner += 1
        yield literal
        tokens, at, trims = _action(text, inner)
        if tokens is not None:
            yield tokens


def unquoted(text: str) -> str:
    """The value of a quoted Go string or character."""
    return _ESCAPE.sub(_escaped, text[1:-1])


def _escaped(match: re.Match[str]) -> str:
    if match[5]:
        try:
            return _ESCAPES[match[5]]
        except KeyError:
            raise GoTemplateError(f"unknown escape sequence \\{match[5]}") from None
    return chr(int(match[1] or match[2] or match[3], 16) if not match[4] else int(match[4], 8))


def _action(text: str, start: int) -> tuple[list[Token] | None, int, bool]:
    """Its tokens, None for a comment; where it ends, and whether spaces behind it go."""
    comment = re.compile(r"[ \t\r\n]*/\*.*?\*/([ \t\r\n]+-)?\}\}", re.DOTALL).match(text, start)
    if comment:
        return None, comment.end(), comment[1] is not None
    at, spaced, tokens = start, False, list[Token]()
    while not text.startswith("}}", at):
        if spaced and text.startswith("-}}", at):
            return tokens, at + 3, True
        match = _TOKEN.match(text, at)
        if match is None:
            if at >= len(text):
                raise GoTemplateError("unclosed action")
            raise GoTemplateError(f"unexpected {text[at]!r} in an action")
        kind = match.lastgroup or ""
        if kind != "space":
            tokens.append(Token(kind, match[0], spaced))
        spaced = kind == "space"
        at = match.end()
    return tokens, at + 2, False
