"""Snake, kebab and Pascal case as sprig's ``snakecase``, ``kebabcase`` and ``camelcase`` make them.

huandu/xstrings ``convert.go``: a number goes with the word before it, unless lower case letters follow it.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

_WORD = re.compile(
    r"(?P<connector>[-_\s]+)"
    r"|(?P<upper>[A-Z]+(?=[A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z][a-z]+)"
    r"|(?P<lower>[a-z]+)"
    r"|(?P<number>[0-9]+)"
    r"|(?P<punctuation>[!\"#%&'()*,./:;?@\[\\\]{}]+)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_CONNECTORS = "-_ \t\n\v\f\r"
_END = ("", "")
_NO_CONNECTOR_BEFORE = ("connector", "punctuation", "")


def joined_lower(text: str, connector: str) -> str:
    """The words of ``text`` in lower case, with ``connector`` between them."""
    return "".join(_parts(_words(text), connector))


def pascal_case(text: str) -> str:
    """The words between connectors, each with a capital; connectors at the beginning stay."""
    bare = text.lstrip(_CONNECTORS)
    lead = text[: len(text) - len(bare)]
    words = re.split(r"[-_\s]", bare)
    made, connectors = "", 0
    for word in words:
        if word:
            made += "_" * max(connectors - 1, 0) + word[0].upper() + word[1:]
            connectors = 0
        connectors += 1
    return lead + made + "_" * max(connectors - 1, 0)


def _words(text: str) -> Iterator[tuple[str, str]]:
    """Each word with its kind; two of the kind end follow the last."""
    for match in _WORD.finditer(text):
        yield match.lastgroup or "", match[0]
    yield _END
    yield _END


def _parts(words: Iterator[tuple[str, str]], connector: str) -> Iterator[str]:
    word = next(words)
    while word != _END:
        kind, text = word
        yield _lower(kind, text, connector)
        word = next(words)
        if kind in ("connector", "punctuation"):
            continue
        if kind == "number":
            word = yield from _following(word, words, connector)
        elif word[0] == "number":
            number, word = word, next(words)
            if word[0] == "lower":
                yield connector
                yield number[1]
                word = yield from _following(word, words, connector)
            else:
                yield number[1]
        if word[0] not in _NO_CONNECTOR_BEFORE:
            yield connector


def _following(
    word: tuple[str, str], words: Iterator[tuple[str, str]], connector: str
) -> Generator[str, None, tuple[str, str]]:
    """The lower case words and numbers that go with a number; returns the word behind them."""
    while word[0] in ("lower", "number"):
        yield _lower(*word, connector)
        word = next(words)
    return word


def _lower(kind: str, text: str, connector: str) -> str:
    return connector * len(text) if kind == "connector" else text.lower() if kind == "upper" else text
