"""Parse and evaluate the variable expressions of Flux's ``postBuild`` (fluxcd/pkg ``envsubst``).

Its oddities are kept, because rendered manifests must equal the manifests that Flux makes: ``$$`` is ``$``
outside expansions, a backslash escapes ``/`` and itself only in ``${a/pattern/text}``, a pattern there may
hold ``}``, ``${a-text}`` and ``${a+text}`` are errors, and ``?`` and ``+`` do the same as ``-``. Offsets and
lengths count bytes of UTF-8.

Shell patterns follow ``envsubst/path/match.go``: ``*`` matches any text, ``?`` any character, ``[a-c]`` and
``[^a-c]`` some characters, and a backslash escapes the next character.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from renderer.golang.glob import ANY_CHARACTER, STAR, Element, go_pattern
from renderer.model.run.limits import limits
from renderer.model.run.work import spend
from renderer.model.whole_number import whole_number

#: Maximum of the characters of a text times the characters of a pattern: more would take too long.
_MAX_MATCHING_WORK = 300_000
_MAX_NESTING = 50

_LITERAL = re.compile(r"(?:[^$]|\$\$|\$(?!\{))+")
_NAME = re.compile(r"\w+")
_CASING = re.compile(r"[,^]{1,2}")
_TRIM = re.compile(r"#{1,2}|%{1,2}")
_REPLACE = re.compile(r"/[/#%]?")
_DEFAULT = re.compile(r":[-=?+]|=")
_SLASHES = re.compile(r"/+")
_COLONS = re.compile(r":+")

_TO_BRACE = re.compile(r"(?:[^}$]|\$(?!\{))+")
_TO_COLON = re.compile(r"(?:[^:}$]|\$(?!\{))+")
_ESCAPED_TO_BRACE = re.compile(r"(?:\\[/\\]|\$\$|[^}$]|\$(?!\{))++")
_ESCAPED_TO_SLASH = re.compile(r"(?:\\[/\\]|\$\$|[^/$]|\$(?!\{))++")
_ESCAPE = re.compile(r"\\([/\\])|\$(\$)")
#: The operators that give the value of a variable that is not set.
DEFAULT_OPERATORS = frozenset({"=", ":=", ":-", ":?", ":+"})

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")


class PatternTooLongError(Exception):
    """The pattern and the text are so long that matching would take too much work."""


class VariableExpansion(NamedTuple):
    """A variable, perhaps with an operator: ``${variable}``, ``${variable:-default}``, ``${#variable}``.

    ``written`` is the whole expansion as it is in the text.
    """

    variable: str
    operator: str = ""
    arguments: tuple[Node, ...] = ()
    written: str = ""


#: Literal text, or a variable to expand.
Node: TypeAlias = str | VariableExpansion


class SubstitutionError(Exception):
    """A text cannot be substituted; ``message`` and ``hint`` do not repeat any value."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class TooLongError(SubstitutionError):
    """All values together exceed the limit ``addedSize``."""


#: A value, which is empty if it is not set, and the arguments.
_Operator: TypeAlias = Callable[[str, Sequence[str]], str]


def matching_prefixes(text: str, pattern: str) -> Iterator[int]:
    """Yield the lengths of the prefixes of ``text`` that match, shortest first, without the empty prefix.

    A malformed pattern matches nothing. Raises ``PatternTooLongError``.
    """
    if len(text) * len(pattern) > _MAX_MATCHING_WORK:
        raise PatternTooLongError
    spend(len(text) * len(pattern), "matching patterns of variables")
    elements = go_pattern(pattern, ANY_CHARACTER)
    if elements is None:
        return
    states = _epsilon_closure(elements, {0})
    for length, character in enumerate(text, start=1):
        states = _epsilon_closure(elements, _next_states(elements, states, character))
        if len(elements) in states:
            yield length


def _epsilon_closure(elements: tuple[Element, ...], states: set[int]) -> set[int]:
    """Return the states, and the states after stars, because a star also matches the empty text."""
    reached = set(states)
    for state in sorted(states):
        at = state
        while at < len(elements) and elements[at] is STAR:
            at += 1
            reached.add(at)
    return reached


def _next_states(elements: tuple[Element, ...], states: set[int], character: str) -> set[int]:
    following: set[int] = set()
    for state in states:
        if state == len(elements):
            continue
        element = elements[state]
        if element is STAR:
            following.add(state)
        elif element.has(character):
            following.add(state + 1)
    return following


def apply(operator: str, value: str, arguments: Sequence[str]) -> str:
    """Apply ``operator`` to ``value``. Raises ``SubstitutionError``."""
    if operator == "#" and not arguments:
        return str(len(_bytes(value)))
    try:
        return _OPERATORS.get(operator, _default)(value, arguments)
    except PatternTooLongError:
        raise SubstitutionError("a pattern is too long to be matched with the value") from None


def _default(value: str, arguments: Sequence[str]) -> str:
    return value or "".join(arguments)


def _upper(value: str, _arguments: Sequence[str]) -> str:
    return "".join(map(_upper_character, value))


def _upper_first(value: str, _arguments: Sequence[str]) -> str:
    return _upper(value[:1], ()) + value[1:]


def _lower(value: str, _arguments: Sequence[str]) -> str:
    return "".join(map(_lower_character, value))


def _lower_first(value: str, _arguments: Sequence[str]) -> str:
    return _lower(value[:1], ()) + value[1:]


def _upper_character(character: str) -> str:
    """Convert a character as Go does: one character results in one character."""
    upper = character.upper()
    return upper if len(upper) == 1 else character


def _lower_character(character: str) -> str:
    lower = character.lower()
    return lower if len(lower) == 1 else character


def _substring(value: str, arguments: Sequence[str]) -> str:
    """Cut a substring; an invalid offset or length leaves the value unchanged, as in bash."""
    numbers = [whole_number(argument) for argument in arguments if _INTEGER.fullmatch(argument)]
    if len(numbers) < len(arguments):
        return value
    text = _bytes(value)
    start = numbers[0] if numbers[0] >= 0 else max(0, len(text) + numbers[0])
    end = start + numbers[1] if len(numbers) > 1 else len(text)
    if end < min(start, len(text)):
        raise SubstitutionError("the length of a substring is negative")
    return text[start:end].decode(errors="surrogateescape")


def _replace_first(value: str, arguments: Sequence[str]) -> str:
    pattern, replacement = (*arguments, "")[:2]
    return value.replace(pattern, replacement, 1)


def _replace_all(value: str, arguments: Sequence[str]) -> str:
    pattern, replacement = (*arguments, "")[:2]
    return value.replace(pattern, replacement)


def _replace_prefix(value: str, arguments: Sequence[str]) -> str:
    """Replace a prefix; without a replacement the value is unchanged."""
    if len(arguments) < 2 or not value.startswith(arguments[0]):  # noqa: PLR2004 - pattern and replacement
        return value
    return value.replace(arguments[0], arguments[1], 1)


def _replace_suffix(value: str, arguments: Sequence[str]) -> str:
    """Replace a suffix; without a replacement the value is unchanged."""
    if len(arguments) < 2 or not value.endswith(arguments[0]):  # noqa: PLR2004 - as above
        return value
    return value.removesuffix(arguments[0]) + arguments[1]


def _trim_shortest_prefix(value: str, arguments: Sequence[str]) -> str:
    return value[next(matching_prefixes(value, arguments[0]), 0) :]


def _trim_longest_prefix(value: str, arguments: Sequence[str]) -> str:
    return value[max(matching_prefixes(value, arguments[0]), default=0) :]


def _trim_shortest_suffix(value: str, arguments: Sequence[str]) -> str:
    return _trim_shortest_prefix(value[::-1], [arguments[0][::-1]])[::-1]


def _trim_longest_suffix(value: str, arguments: Sequence[str]) -> str:
    return _trim_longest_prefix(value[::-1], [arguments[0][::-1]])[::-1]


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


_OPERATORS: Mapping[str, _Operator] = {
    ",": _lower_first,
    ",,": _lower,
    "^": _upper_first,
    "^^": _upper,
    "#": _trim_shortest_prefix,
    "##": _trim_longest_prefix,
    "%": _trim_shortest_suffix,
    "%%": _trim_longest_suffix,
    ":": _substring,
    "/": _replace_first,
    "//": _replace_all,
    "/#": _replace_prefix,
    "/%": _replace_suffix,
}


def parse(text: str, *, keeps_escapes: bool = False) -> tuple[Node, ...]:
    """Return the parts of ``text`` in order. Raises ``SubstitutionError``.

    ``keeps_escapes``: ``$$`` is kept, for a text that is substituted once more.
    """
    return _ExpansionParser(text, "$$" if keeps_escapes else "$").parse()


class _ExpansionParser:
    def __init__(self, text: str, escape: str) -> None:
        self._text = text
        self._escape = escape
        self._at = 0
        self._depth = 0
        self._variable = ""

    def parse(self) -> tuple[Node, ...]:
        nodes: list[Node] = []
        while self._at < len(self._text):
            literal = self._take(_LITERAL)
            nodes.append(literal.replace("$$", self._escape) if literal else self._expansion())
        return tuple(nodes)

    def _expansion(self) -> VariableExpansion:
        start = self._at
        self._at += len("${")
        self._depth += 1
        if self._depth > _MAX_NESTING:
            raise SubstitutionError(f"variables are nested more than {_MAX_NESTING} deep")
        expansion = self._length() if self._starts_with("#") else self._operation()
        self._depth -= 1
        return expansion._replace(written=self._text[start : self._at])

    def _length(self) -> VariableExpansion:
        self._at += 1
        name = self._take(_NAME)
        if not name:
            raise self._bad_substitution()
        return self._closed(name, "#")

    def _operation(self) -> VariableExpansion:
        name = self._variable = self._take(_NAME)
        if not name:
            raise SubstitutionError("${ is not followed by the name of a variable")
        default = self._take(_DEFAULT)
        if default:
            return self._default(name, default)
        casing = self._take(_CASING)
        if casing:
            return self._closed(name, casing)
        if self._starts_with(":"):
            return self._substring(name)
        replace = self._take(_REPLACE)
        if replace:
            return self._replacement(name, replace)
        trim = self._take(_TRIM)
        if trim:
            return self._closed(name, trim, self._argument(_TO_BRACE))
        return self._closed(name, "")

    def _default(self, name: str, operator: str) -> VariableExpansion:
        arguments: list[Node] = []
        while not self._starts_with("}"):
            arguments.append(self._argument(_TO_BRACE))
        return self._closed(name, operator, *arguments)

    def _substring(self, name: str) -> VariableExpansion:
        self._at += 1
        if not self._text[self._at : self._at + 1].isascii():
            raise self._bad_substitution()  # Flux cannot parse it either
        offset = self._argument(_TO_COLON)
        if self._take(_COLONS):
            return self._closed(name, ":", offset, self._argument(_TO_BRACE))
        return self._closed(name, ":", offset)

    def _replacement(self, name: str, operator: str) -> VariableExpansion:
        pattern = self._argument(_ESCAPED_TO_SLASH)
        if not self._take(_SLASHES):
            raise self._bad_substitution()
        if self._starts_with("}"):
            return self._closed(name, operator, pattern)
        return self._closed(name, operator, pattern, self._argument(_ESCAPED_TO_BRACE))

    def _argument(self, characters: re.Pattern[str]) -> Node:
        """Return one expansion, or else text up to the next expansion."""
        if self._starts_with("${"):
            return self._expansion()
        text = self._take(characters)
        if not text:
            raise self._bad_substitution()
        if characters in (_ESCAPED_TO_BRACE, _ESCAPED_TO_SLASH):
            return _ESCAPE.sub(lambda escape: escape[1] or escape[2], text)
        return text

    def _closed(self, name: str, operator: str, *arguments: Node) -> VariableExpansion:
        self._variable = name
        if not self._starts_with("}"):
            raise self._bad_substitution()
        self._at += 1
        return VariableExpansion(name, operator, arguments)

    def _starts_with(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _take(self, characters: re.Pattern[str]) -> str:
        match = characters.match(self._text, self._at)
        if match is None:
            return ""
        self._at = match.end()
        return match[0]

    def _bad_substitution(self) -> SubstitutionError:
        """Return the error for an unknown form; it repeats only the name, as the rest may be a password."""
        return SubstitutionError(f"the expansion that begins with ${{{self._variable} is not valid in Flux")


class Evaluated(NamedTuple):
    """The text with values for variables.

    ``unset`` are the variables without value and default, which become empty, each with the operator of its
    expansion, which is empty if one of its expansions has none. ``derived`` are the non-empty results of
    operators by variable. ``kept`` are the variables of expansions that are kept as they are written.
    """

    text: str
    unset: Mapping[str, str]
    derived: Mapping[str, frozenset[str]]
    kept: tuple[str, ...] = ()


class CharacterBudget:
    """Counts the characters of all values, and of the results of operators on them."""

    def __init__(self) -> None:
        self._most = self._left = limits().added_size

    def count(self, characters: int) -> None:
        """Count characters. Raises ``TooLongError``."""
        self._left -= characters
        if self._left < 0:
            raise TooLongError(f"the values of variables have more than {self._most} characters")


def evaluate(
    nodes: Iterable[Node],
    values: Mapping[str, str],
    characters: CharacterBudget | None = None,
    *,
    keeps_unknown: bool = False,
    escapes: bool = False,
) -> Evaluated:
    """Evaluate parts of a text; ``characters`` counts for several texts. Raises ``SubstitutionError``.

    ``keeps_unknown``: expansions of variables without a value are kept as they are written. ``escapes``: the
    values are escaped, for a text that is substituted once more (``parse`` with ``keeps_escapes``).
    """
    evaluation = _Evaluation(values, characters or CharacterBudget(), keeps_unknown=keeps_unknown)
    text = "".join(evaluation.part(node, escapes=escapes) for node in nodes)
    derived = {variable: frozenset(texts) for variable, texts in evaluation.derived.items()}
    return Evaluated(text, evaluation.unset, derived, tuple(evaluation.kept))


class _Evaluation:
    def __init__(
        self, values: Mapping[str, str], characters: CharacterBudget, *, keeps_unknown: bool
    ) -> None:
        self._values = values
        self._characters = characters
        self._keeps_unknown = keeps_unknown
        self.kept: dict[str, None] = {}
        self.unset: dict[str, str] = {}
        self.derived: dict[str, set[str]] = {}

    def part(self, node: Node, *, escapes: bool) -> str:
        """Return a part of the whole text; values are escaped if ``escapes`` is set."""
        if isinstance(node, str):
            return node
        if self._keeps_unknown and not self._is_known(node):
            self.kept[node.variable] = None
            return node.written
        text = self.text(node)
        return text.replace("$", "$$") if escapes else text

    def text(self, node: Node) -> str:
        if isinstance(node, str):
            return node
        arguments = [self.text(argument) for argument in node.arguments]
        is_unset = node.variable not in self._values and node.operator not in DEFAULT_OPERATORS
        if is_unset and not self._keeps_unknown:  # in a default that is not used, it may be known elsewhere
            self.unset[node.variable] = node.operator and self.unset.get(node.variable, node.operator)
        value = self._values.get(node.variable, "")
        insertions = value.count(arguments[0]) if node.operator == "//" else 1
        self._characters.count(len(value) + insertions * sum(map(len, arguments)))  # an upper bound
        result = apply(node.operator, value, arguments)
        if node.operator and value and result:
            self.derived.setdefault(node.variable, set()).add(result)
        return result

    def _is_known(self, node: VariableExpansion) -> bool:
        """Return True if the result depends only on variables that have a value."""
        if node.variable not in self._values:
            return False
        if node.operator in DEFAULT_OPERATORS and self._values[node.variable]:
            return True
        nested = (argument for argument in node.arguments if not isinstance(argument, str))
        return all(map(self._is_known, nested))
