"""Go's regular expressions (RE2) for Python's ``re``: what means the same is kept, the rest translated.

An expression that Go refuses is refused, even where Python has a meaning for it.
"""

from __future__ import annotations

import re

_POSIX_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_ESCAPED_LETTERS = frozenset("AbBdDsSwWafnrtvx0")
_ESCAPED_LETTERS_IN_CLASS = frozenset("dDsSwWafnrtvx0")
_CLASS = r"\[ (?P<class> \^? \]? (?: \[:\w+:\] | \\x\{[0-9A-Fa-f]+\} | \\. | [^\]\\] )* ) \]"
_TOKEN = re.compile(
    rf"""
      \\Q (?P<quoted> .*? ) (?: \\E | \Z )
    | \\ (?P<escape> x\{{[0-9A-Fa-f]+\}} | . )
    | {_CLASS}
    | (?P<group> \( (?: \? (?: P?<\w+> | [ims]*(?:-[ims]+)?[:)] ) )? )
    | (?P<repeat> [*+?] | \{{ [0-9]{{1,4}} (?: , [0-9]{{0,4}} )? \}} ) \??
    | (?P<other> . )
    """,
    re.DOTALL | re.VERBOSE,
)
_CLASS_TOKEN = re.compile(r"\[:(\w+):\]|\\(x\{[0-9A-Fa-f]+\}|.)|(.)", re.DOTALL)
_MAX_REPEAT = 1000


class RegexpError(ValueError):
    """The expression is none in Go; says why."""


def compile_regexp(pattern: str) -> re.Pattern[str]:
    """The expression, which matches what it matches in Go. Raises ``RegexpError``."""
    try:
        return re.compile(_Translation(pattern).text, re.ASCII)
    except (re.error, RecursionError, OverflowError) as error:
        raise RegexpError(str(error)) from None


class _Translation:
    """An expression while it is translated.

    Flags that count from where they stand become a group up to the end of the one they stand in:
    ``_unclosed`` has, for each group that is open, how many such groups end with it.
    """

    def __init__(self, pattern: str) -> None:
        self._unclosed = [0]
        self._end_of_text = "$" if "(?m" in pattern else r"\Z"
        parts: list[str] = []
        repeatable = False
        for token in _TOKEN.finditer(pattern):
            if token["repeat"] and not repeatable:
                raise RegexpError(f"{token['repeat']} has nothing to repeat")
            repeatable = not (token["repeat"] or token["group"] or token["other"] == "|")
            parts.append(self._translated(token))
        if len(self._unclosed) > 1:
            raise RegexpError("a parenthesis is not closed")
        self.text = "".join(parts) + ")" * self._unclosed[0]

    def _translated(self, token: re.Match[str]) -> str:
        kind = token.lastgroup
        text = token[kind] if kind else ""
        if kind == "quoted":
            return re.escape(text)
        if kind == "escape":
            return _escaped(text, _ESCAPED_LETTERS)
        if kind == "class":
            return f"[{''.join(map(_in_class, _CLASS_TOKEN.finditer(text)))}]"
        if kind == "group":
            return self._group(text)
        if kind == "repeat":
            return _repeat(token)
        return self._other(text)

    def _group(self, opening: str) -> str:
        if opening.endswith(")"):
            self._unclosed[-1] += 1
            return f"{opening[:-1]}:"
        self._unclosed.append(0)
        return opening.replace("(?<", "(?P<")

    def _other(self, character: str) -> str:
        if character == ")":
            if len(self._unclosed) == 1:
                raise RegexpError("a parenthesis is closed that is not open")
            return ")" * (self._unclosed.pop() + 1)
        if character == "[":
            raise RegexpError("a bracket is not closed")
        if character == "{":
            return r"\{"
        return self._end_of_text if character == "$" else character


def _repeat(token: re.Match[str]) -> str:
    if any(int(number) > _MAX_REPEAT for number in re.findall("[0-9]+", token["repeat"])):
        raise RegexpError(f"{token['repeat']} repeats more than {_MAX_REPEAT} times")
    return token[0]


def _escaped(text: str, letters: frozenset[str]) -> str:
    if len(text) > 1:
        return re.escape(chr(min(int(text[2:-1], 16), 0x10FFFF)))
    if text == "z" and letters is _ESCAPED_LETTERS:
        return r"\Z"
    if text.isascii() and text.isalnum() and text not in letters:
        raise RegexpError(rf"\{text} has no meaning")
    return rf"\{text}"


def _in_class(token: re.Match[str]) -> str:
    posix, escape, character = token.groups()
    if posix is not None:
        if posix not in _POSIX_CLASSES:
            raise RegexpError(f"there is no class [:{posix}:]")
        return _POSIX_CLASSES[posix]
    if escape is not None:
        return _escaped(escape, _ESCAPED_LETTERS_IN_CLASS)
    return rf"\{character}" if character in "[&~|" else str(character)
