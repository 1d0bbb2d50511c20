"""Label selector expressions, equality and set based (``k8s.io/apimachinery/pkg/labels/selector.go``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.model.pattern import pattern
from renderer.model.record import Record

_TOKEN = pattern(r"[ \t\r\n]*(?:([^=!(),<> \t\r\n]+)|(==|!=|[=!(),<>])|(\Z))")
_SET_OPERATORS = ("in", "notin")
_VALUE_OPERATORS = ("=", "==", "!=", ">", "<")
_INTEGER = pattern(r"[+-]?[0-9]{1,19}")
_KEY = pattern(
    r"(?:(?=.{1,253}/)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*/)?"
    r"(?=.{1,63}\Z)[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?"
)
_VALUE = pattern(r"(?=.{0,63}\Z)(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?")


class SelectorError(Exception):
    """The text is no selector; the message says why."""


class _Token(Record):
    text: str
    is_word: bool


_END = _Token("", is_word=False)


class Requirement(Record):
    """One condition on the value of a label; ``operator`` as written, ``exists`` or ``!`` without a value."""

    key: str
    operator: str
    values: frozenset[str] = frozenset()

    def matches(self, labels: Mapping[str, str]) -> bool:
        value = labels.get(self.key)
        if self.operator in ("!=", "notin"):
            return value is None or value not in self.values
        if value is None:
            return self.operator == "!"
        if self.operator in ("=", "==", "in"):
            return value in self.values
        if self.operator in (">", "<"):
            return self._compares(value)
        return self.operator == "exists"

    def _compares(self, value: str) -> bool:
        if not _INTEGER.fullmatch(value):
            return False
        limit = int(next(iter(self.values)))
        return int(value) > limit if self.operator == ">" else int(value) < limit


def parse_selector(text: str) -> tuple[Requirement, ...]:
    """Return the requirements, all of which must hold; none for an empty text. Raises ``SelectorError``."""
    return tuple(_SelectorParser(text).requirements())


class _SelectorParser:
    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._position = 0

    def requirements(self) -> Iterator[Requirement]:
        while self._next != _END:
            yield self._requirement()
            if self._next != _END:
                self._expect(",")
                if self._next == _END:
                    raise SelectorError("nothing follows the last comma")

    @property
    def _next(self) -> _Token:
        return self._tokens[self._position]

    def _take(self) -> _Token:
        token = self._next
        self._position += token != _END
        return token

    def _expect(self, symbol: str) -> None:
        token = self._take()
        if token.is_word or token.text != symbol:
            raise SelectorError(f"{_shown(token)} stands where {symbol} is expected")

    def _requirement(self) -> Requirement:
        negated = self._next == _Token("!", is_word=False) and bool(self._take())
        key = self._word()
        if not _KEY.fullmatch(key):
            raise SelectorError(f"{key} is no label key")
        if negated or self._next.text in ("", ","):
            return Requirement(key, "!" if negated else "exists")
        operator = self._take().text
        return Requirement(key, operator, self._values(operator))

    def _values(self, operator: str) -> frozenset[str]:
        if operator in _SET_OPERATORS:
            values = self._value_set()
        elif operator in _VALUE_OPERATORS:
            values = frozenset([self._value(operator)])
        else:
            raise SelectorError(f"{operator} is no operator")
        for value in values:
            if not _VALUE.fullmatch(value):
                raise SelectorError(f"{value} is no label value")
        return values

    def _word(self) -> str:
        token = self._take()
        if not token.is_word:
            raise SelectorError(f"{_shown(token)} stands where a name is expected")
        return token.text

    def _value(self, operator: str) -> str:
        value = "" if not self._next.is_word and self._next.text in ("", ",") else self._word()
        if operator in (">", "<") and not _INTEGER.fullmatch(value):
            raise SelectorError(f"{value or 'nothing'} is compared with {operator} but no integer")
        return value

    def _value_set(self) -> frozenset[str]:
        self._expect("(")
        values = {self._optional_word()}
        while self._next == _Token(",", is_word=False):
            self._take()
            values.add(self._optional_word())
        self._expect(")")
        return frozenset(values)

    def _optional_word(self) -> str:
        return self._word() if self._next.is_word else ""


def _tokens(text: str) -> Iterator[_Token]:
    position = 0
    while match := _TOKEN.match(text, position):
        word, symbol, _ = match.groups()
        if word is None and symbol is None:
            break
        yield _Token(word or symbol, is_word=symbol is None)
        position = match.end()
    yield _END


def _shown(token: _Token) -> str:
    return "the end" if token == _END else token.text
