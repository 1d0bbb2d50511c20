"""Label selectors, as an expression and as an object, and the labels that they select.

``k8s.io/apimachinery``: ``pkg/labels/selector.go``, and ``pkg/apis/meta/v1/helpers.go`` for objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum

_TOKEN = pattern(r"[ \t\r\n]*(?:([^=!(),<> \t\r\n]+)|(==|!=|[=!(),<>])|(\Z))")
_INTEGER = pattern(r"[+-]?[0-9]{1,19}")
_KEY = pattern(
    r"(?:(?=.{1,253}/)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*/)?"
    r"(?=.{1,63}\Z)[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?"
)
_VALUE = pattern(r"(?=.{0,63}\Z)(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?")


class Operator(TextEnum):
    """The operators of ``matchExpressions``, and two that only expressions have."""

    IN = "In"
    NOT_IN = "NotIn"
    EXISTS = "Exists"
    DOES_NOT_EXIST = "DoesNotExist"
    GREATER = "Gt"
    LESS = "Lt"


_OF_OBJECTS = (Operator.IN, Operator.NOT_IN, Operator.EXISTS, Operator.DOES_NOT_EXIST)
_SET_OPERATORS = {"in": Operator.IN, "notin": Operator.NOT_IN}
_VALUE_OPERATORS = {
    "=": Operator.IN,
    "==": Operator.IN,
    "!=": Operator.NOT_IN,
    ">": Operator.GREATER,
    "<": Operator.LESS,
}


class SelectorError(Exception):
    """An invalid selector; the message is the reason, ``hint`` what to write instead."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class _Token(Record):
    text: str
    is_word: bool


_END = _Token("", is_word=False)


class Requirement(Record):
    """One condition on the value of a label; ``values`` has one integer for ``Gt`` and ``Lt``."""

    key: str
    operator: Operator
    values: frozenset[str] = frozenset()

    def matches(self, labels: JsonObject) -> bool:
        """Return True if ``labels`` meet the condition. A missing label is not in any set of values."""
        value = labels.get(self.key)
        match self.operator:
            case Operator.IN:
                return isinstance(value, str) and value in self.values
            case Operator.NOT_IN:
                return not isinstance(value, str) or value not in self.values
            case Operator.EXISTS:
                return value is not None
            case Operator.DOES_NOT_EXIST:
                return value is None
            case Operator.GREATER | Operator.LESS:
                if not isinstance(value, str) or not _INTEGER.fullmatch(value):
                    return False
                (limit,) = map(int, self.values)
                return int(value) > limit if self.operator is Operator.GREATER else int(value) < limit

    def implies(self, other: Requirement) -> bool:
        """Return True if all labels that meet this condition meet the other one as well."""
        if self.key != other.key:
            return False
        match self.operator, other.operator:
            case Operator.IN, Operator.IN:
                return self.values <= other.values
            case Operator.IN, Operator.NOT_IN:
                return self.values.isdisjoint(other.values)
            case Operator.NOT_IN, Operator.NOT_IN:
                return self.values >= other.values
            case ((Operator.IN | Operator.GREATER | Operator.LESS), Operator.EXISTS):
                return True
            case Operator.DOES_NOT_EXIST, Operator.NOT_IN:
                return True
            case _:
                return self == other


def selects(requirements: Iterable[Requirement], labels: JsonObject) -> bool:
    """Return True if ``labels`` meet all requirements; without requirements, everything is selected."""
    return all(requirement.matches(labels) for requirement in requirements)


def parse_selector(text: str) -> tuple[Requirement, ...]:
    """Return the requirements of an expression; none for an empty text. Raises ``SelectorError``."""
    return tuple(_SelectorParser(text).requirements())


def read_selector(selector: Json) -> tuple[Requirement, ...]:
    """Return the requirements in ``matchLabels`` and ``matchExpressions``. Raises ``SelectorError``.

    Keys and values are not checked. Values that are not texts count as empty, like null in Go.
    """
    found = [
        Requirement(key, Operator.IN, frozenset([value if isinstance(value, str) else ""]))
        for key, value in object_at(selector, "matchLabels").items()
    ]
    for expression in array_at(selector, "matchExpressions"):
        key, operator = text_at(expression, "key"), text_at(expression, "operator")
        values = array_at(expression, "values")
        if operator not in _OF_OBJECTS:
            raise SelectorError(f"{operator} is not a selector operator", f"one of {', '.join(_OF_OBJECTS)}")
        if operator in (Operator.IN, Operator.NOT_IN) and not values:
            raise SelectorError(f"the selector for {key} has the operator {operator} and no values")
        texts = frozenset(value if isinstance(value, str) else "" for value in values)
        found.append(Requirement(key, Operator(operator), texts))
    return tuple(found)


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
            raise SelectorError(f"expected {symbol}, found {_describe(token)}")

    def _requirement(self) -> Requirement:
        negated = self._next == _Token("!", is_word=False) and bool(self._take())
        key = self._word()
        if not _KEY.fullmatch(key):
            raise SelectorError(f"{key} is not a label key")
        if negated or self._next.text in ("", ","):
            return Requirement(key, Operator.DOES_NOT_EXIST if negated else Operator.EXISTS)
        written = self._take().text
        if written in _SET_OPERATORS:
            operator, values = _SET_OPERATORS[written], self._value_set()
        elif written in _VALUE_OPERATORS:
            operator, values = _VALUE_OPERATORS[written], frozenset([self._value(written)])
        else:
            raise SelectorError(f"{written} is not an operator")
        for value in values:
            if not _VALUE.fullmatch(value):
                raise SelectorError(f"{value} is not a label value")
        return Requirement(key, operator, values)

    def _word(self) -> str:
        token = self._take()
        if not token.is_word:
            raise SelectorError(f"expected a name, found {_describe(token)}")
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


def _describe(token: _Token) -> str:
    return "the end" if token == _END else token.text
