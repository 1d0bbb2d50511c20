"""Text to its parts, in the dialect of Flux (``fluxcd/pkg`` ``envsubst/parse/parse.go`` and ``scan.go``).

Its odd sides are kept, as what is rendered has to be what Flux makes of it: ``$$`` is ``$`` outside of
expansions, a backslash keeps ``/`` and itself in ``${a/pattern/text}`` alone, a pattern there may hold ``}``,
and ``${a-text}`` and ``${a+text}`` are errors.
"""

from __future__ import annotations

import re

from renderer.substitution.expression import Expansion, Node, SubstitutionError

_MOST_NESTED = 50

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
_ESCAPED_TO_BRACE = re.compile(r"(?:\\[/\\]|\$\$|[^}$]|\$(?!\{))+")
_ESCAPED_TO_SLASH = re.compile(r"(?:\\[/\\]|\$\$|[^/$]|\$(?!\{))+")
_ESCAPE = re.compile(r"\\([/\\])|\$(\$)")


def parse(text: str) -> tuple[Node, ...]:
    """The parts of ``text`` in order. Raises ``SubstitutionError``."""
    return _Parser(text).parse()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._variable = ""

    def parse(self) -> tuple[Node, ...]:
        nodes: list[Node] = []
        while self._at < len(self._text):
            literal = self._take(_LITERAL)
            nodes.append(literal.replace("$$", "$") if literal else self._expansion())
        return tuple(nodes)

    def _expansion(self) -> Expansion:
        self._at += len("${")
        self._depth += 1
        if self._depth > _MOST_NESTED:
            raise SubstitutionError(f"variables are nested more than {_MOST_NESTED} deep")
        expansion = self._length() if self._sees("#") else self._operation()
        self._depth -= 1
        return expansion

    def _length(self) -> Expansion:
        self._at += 1
        name = self._take(_NAME)
        if not name:
            raise self._bad()
        return self._closed(name, "#")

    def _operation(self) -> Expansion:
        name = self._variable = self._take(_NAME)
        if not name:
            raise SubstitutionError("${ is not followed by the name of a variable")
        default = self._take(_DEFAULT)
        if default:
            return self._default(name, default)
        casing = self._take(_CASING)
        if casing:
            return self._closed(name, casing)
        if self._sees(":"):
            return self._substring(name)
        replace = self._take(_REPLACE)
        if replace:
            return self._replacement(name, replace)
        trim = self._take(_TRIM)
        if trim:
            return self._closed(name, trim, self._argument(_TO_BRACE))
        return self._closed(name, "")

    def _default(self, name: str, operator: str) -> Expansion:
        arguments: list[Node] = []
        while not self._sees("}"):
            arguments.append(self._argument(_TO_BRACE))
        return self._closed(name, operator, *arguments)

    def _substring(self, name: str) -> Expansion:
        self._at += 1
        if not self._text[self._at : self._at + 1].isascii():
            raise self._bad()  # Flux loses its place here, too
        offset = self._argument(_TO_COLON)
        if self._take(_COLONS):
            return self._closed(name, ":", offset, self._argument(_TO_BRACE))
        return self._closed(name, ":", offset)

    def _replacement(self, name: str, operator: str) -> Expansion:
        pattern = self._argument(_ESCAPED_TO_SLASH)
        if not self._take(_SLASHES):
            raise self._bad()
        if self._sees("}"):
            return self._closed(name, operator, pattern)
        return self._closed(name, operator, pattern, self._argument(_ESCAPED_TO_BRACE))

    def _argument(self, characters: re.Pattern[str]) -> Node:
        """One expansion, or else text, which ends where an expansion begins."""
        if self._sees("${"):
            return self._expansion()
        text = self._take(characters)
        if not text:
            raise self._bad()
        if characters in (_ESCAPED_TO_BRACE, _ESCAPED_TO_SLASH):
            return _ESCAPE.sub(lambda escape: escape[1] or escape[2], text)
        return text

    def _closed(self, name: str, operator: str, *arguments: Node) -> Expansion:
        self._variable = name
        if not self._sees("}"):
            raise self._bad()
        self._at += 1
        return Expansion(name, operator, arguments)

    def _sees(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _take(self, characters: re.Pattern[str]) -> str:
        match = characters.match(self._text, self._at)
        if match is None:
            return ""
        self._at = match.end()
        return match[0]

    def _bad(self) -> SubstitutionError:
        """What comes behind the name is not repeated: it may be a password."""
        return SubstitutionError(f"what begins with ${{{self._variable} is no expansion that Flux knows")
