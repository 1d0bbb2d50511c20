"""Read the subset of YAML of nearly all manifests line by line, and refuse all other YAML.

Manifests are blocks in which each line is an entry ``key: value``, an item ``- value``, or an item that
begins with an entry. Such a line means the same at any position, and the lines of a fleet repeat: most are
found in a table. This takes a sixth to a third of the time of libyaml's events, and PyYAML is not imported.

A text with anything else in it is refused as a whole: anchors, aliases, tags, plain or quoted scalars of
several lines, brackets over several lines, tabs, escapes, complex keys. So is every text with an error, which
libyaml then reports. An accepted text has the same values as with libyaml's events, because scalars are
resolved by the same tables (``dialects.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from renderer.model.kube.json import Json
from renderer.model.kube.sharing import Memo
from renderer.model.pattern import pattern
from renderer.model.run.limits import limits
from renderer.yamlio.dialects import (
    RESOURCE,
    RESOURCE_AS_WRITTEN,
    YAML11,
    YAML11_UNIQUE,
    Dialect,
    Scalars,
)
from renderer.yamlio.errors import UnusableError


class RefusedError(UnusableError):
    """The text has something that this reader leaves to libyaml; it may be correct."""

    def __init__(self) -> None:
        super().__init__("this is read by libyaml")


class BlockHeader(str):
    """The value of a line whose text is on the lines below it: ``|-``."""

    __slots__ = ()


#: Level, inner level, key, value, open key. A mapping whose keys are in column c is on level 2c, a list whose
#: dashes are in column c on level 2c + 1: it may be the value of a key in the same column. The inner level is
#: the level of the mapping that begins after a dash, ``_UNSHARED`` for an unshared value, else 0.
#: The open key is the key again if the value may follow on the lines below.
Line: TypeAlias = tuple[int, int, str | None, Any, str | None]

_UNSHARED = -1
#: Below every level in a document.
_NO_LEVEL = -2
#: The meaning of an empty line or comment.
BLANK: Line = (_NO_LEVEL, 0, None, None, None)

#: Characters of keys and words, and additional ones that are allowed in quotes.
_WORD_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$./-")
#: Those of keys: ``f:spec`` and ``k:{"port":80,"protocol":"TCP"}`` in managed fields.
_KEY_CHARACTERS = _WORD_CHARACTERS | frozenset(':{}",')
_QUOTED_CHARACTERS = _WORD_CHARACTERS | frozenset(" *:=")
_LONGEST_KEY = 200
#: Characters that cannot begin plain text.
_INDICATORS = frozenset("?:,[]{}#&*!|>'\"%@`")
_QUOTES = "\"'"
_FOLD = pattern(r"\n(\n*)")
_BLOCK_HEADERS = frozenset(("|", "|-", "|+", ">", ">-", ">+"))
#: The maximum nesting of bracketed collections on one line.
_MOST_BRACKETS = 8


class LineTable(Memo[Line]):
    """The meaning of lines in one dialect. A lookup raises ``UnusableError`` for a refused line."""

    def __init__(self, dialect: Dialect) -> None:
        super().__init__(self._line)
        self._dialect, self._block = dialect, dialect.block
        self._heads = Memo(self._head)

    def _line(self, line: str) -> Line:
        if not line.isprintable():
            raise RefusedError
        head, _, rest = line.partition(": ")
        text = rest.strip(" ")
        known = self._heads[head] if text and text[0] != "#" else None
        return self._parsed(line) if known is None else self._with_value(known, text)

    def _head(self, text: str) -> Line | None:
        """Return the meaning of a line that ends after its key; None for a ``text`` without a key."""
        try:
            line = self._parsed(f"{text}:")
        except UnusableError:
            return None
        return None if line[2] is None else line

    def _with_value(self, head: Line, text: str) -> Line:
        level, inner, name, _, _ = head
        value = self._value(text)
        return level, _UNSHARED if not inner and type(value) in _MAKERS else inner, name, value, None

    # Without regular expressions: compiling them takes longer than reading the files of a small overlay.
    def _parsed(self, line: str) -> Line:
        text = line.strip(" ")
        if not text or text[0] == "#":
            return BLANK
        level, inner = 2 * (len(line) - len(line.lstrip(" "))), 0
        if text.startswith("- "):
            item = text[2:].lstrip(" ")
            level, inner = level + 1, level + 2 * (len(text) - len(item))
            text = item
        end = end_of_key(text, 0)
        name = self._key(text[:end]) if end >= 0 else None
        if name is not None:
            value_text = text[end + 1 :]
            text = value_text.lstrip(" ")
            if _is_end(value_text):
                return level, inner, name, None, name
        elif not inner:
            raise RefusedError
        return self._with_value((level, inner, name, None, None), text)

    def _key(self, text: str) -> str | None:
        """Return the key of an entry; None for a text that is not a simple key."""
        if _is_quoted(text):
            return text[1:-1]
        if not _KEY_CHARACTERS.issuperset(text) or text[:1] not in _WORD_CHARACTERS or text[0] == "-":
            return None
        if len(text) > _LONGEST_KEY:
            return None
        return self._block.keys[text]

    def _value(self, text: str) -> Any:  # noqa: ANN401 - Json, or a BlockHeader
        """Return the value of a text that follows a key or dash."""
        first = text[0]
        if first not in _INDICATORS:
            plain = text.partition(" #")[0].rstrip(" ") if " " in text else text
            if plain[-1] == ":" or ": " in plain or (first == "-" and plain[1:2] in ("", " ")):
                raise RefusedError
            return self._block.values[plain]
        if first in _QUOTES:
            return self._quoted(text, first)
        if first in "[{":
            return self._in_brackets(text)
        header, _, end = text.partition(" ")
        if header in _BLOCK_HEADERS and _is_end(f" {end}"):
            return BlockHeader(header)
        raise RefusedError

    def _quoted(self, text: str, quote: str) -> str:
        end = text.find(quote, 1)
        while quote == "'" and end > 0 and text.startswith(quote, end + 1):
            end = text.find(quote, end + 2)
        content = text[1:end]
        if end < 0 or (quote == '"' and "\\" in content) or not _is_end(text[end + 1 :]):
            raise RefusedError
        return self._block.styled(content.replace("''", "'") if quote == "'" else content, quote)

    def _in_brackets(self, text: str) -> Json:
        """Return the collection in a text; libyaml reads all but lists of words."""
        if text == "{}":
            return {}
        flow = self._dialect.flow
        words = [word.strip(" ") for word in text[1:-1].split(",")]
        if text[0] == "[" and text[-1] == "]" and (words == [""] or all(map(_is_word, words))):
            return [
                flow.styled(word[1:-1], word[0]) if word[0] in _QUOTES else flow.values[word]
                for word in words
                if word
            ]
        if "*" in text or text.count("[") + text.count("{") > _MOST_BRACKETS:
            raise RefusedError
        from renderer.yamlio.builder import TreeBuilder  # noqa: PLC0415 - imports PyYAML
        from renderer.yamlio.events import BACKEND, MalformedError  # noqa: PLC0415 - as above

        # As an item, because keys in the root of a document have other rules.
        builder = TreeBuilder(BACKEND(f"- {text}"), self._dialect)
        try:
            items: Any = builder.document()
        except MalformedError:
            raise RefusedError from None
        if builder.contents:  # each run that reads the text has to note it
            raise RefusedError
        value: Json = items[0]
        return value


def end_of_key(line: str, start: int) -> int:
    """Return the place of the colon after the key that begins at ``start``; -1 if there is none."""
    colon = line.find(": ", start)
    if colon >= 0:
        return colon
    end = len(line.rstrip(" ")) - 1
    return end if line[end:] and line[end] == ":" else -1


def _is_end(text: str) -> bool:
    """Return True if nothing or a comment follows a value."""
    return not text or (text[0] == " " and text.lstrip(" ")[:1] in ("", "#"))


def _is_quoted(text: str) -> bool:
    """Return True if a text is a simple quoted one."""
    content = text[1:-1]
    return (
        content != ""
        and text[0] in _QUOTES
        and text[-1] == text[0]
        and _QUOTED_CHARACTERS.issuperset(content)
    )


def _is_word(text: str) -> bool:
    """Return True if a text is a word of a list in brackets."""
    return _is_quoted(text) or (text[:1] not in ("", "-") and _WORD_CHARACTERS.issuperset(text))


#: What lines mean, by the id of the dialect.
LINE_TABLES = {
    id(dialect): LineTable(dialect) for dialect in (RESOURCE, RESOURCE_AS_WRITTEN, YAML11, YAML11_UNIQUE)
}


def read_lines(text: str, dialect: Dialect) -> Json:
    """Return the tree of a document, None for an empty one. Raises ``UnusableError`` to refuse it."""
    table, empty = LINE_TABLES[id(dialect)], dialect.block.values
    lines = text.removeprefix("---\n").split("\n")
    lines.reverse()
    next_line = lines.pop
    # An item may open a mapping, and brackets collections, without a check of the depth.
    max_depth = limits().nesting - 1 - _MOST_BRACKETS
    document: dict[str, Json] = {"": None}
    node: Any = document
    here = _NO_LEVEL + 1
    open_key: str | None = ""
    above: list[tuple[int, Any]] = []
    while lines:
        level, inner, key, value, opens = table[next_line()]
        if level > here:
            if open_key is None or len(above) >= max_depth:
                raise RefusedError
            above.append((here, node))
            node[open_key] = node = [] if level % 2 else {}
            here = level
        elif level == _NO_LEVEL:
            continue
        else:
            if open_key is not None:  # it has no value
                node[open_key] = empty[""]
            while level < here:
                here, node = above.pop()
            if level != here:
                raise RefusedError
        if inner:
            if inner > 0 and key is not None:
                above.append((here, node))
                item: dict[str, Json] = {}
                node.append(item)
                node, here = item, inner
            if type(value) in _MAKERS:
                value = _MAKERS[type(value)](value, lines, here // 2, dialect.block)
            if key is None:
                node.append(value)
                open_key = None
                continue
        if key in node:
            raise RefusedError
        node[key] = value
        open_key = opens
    if open_key or (open_key is not None and text.startswith("---")):
        node[open_key] = empty[""]
    return document[""]


def _copy(value: Json, *_: object) -> Json:
    if isinstance(value, list):
        return [_copy(element) for element in value]
    return {key: _copy(child) for key, child in value.items()} if isinstance(value, dict) else value


def _block_value(header: BlockHeader, lines: list[str], parent: int, scalars: Scalars) -> str:
    return scalars.styled(block_text(header, lines, parent), header[0])


def block_text(header: BlockHeader, lines: list[str], parent: int) -> str:
    """Consume the lines of a block of text below a key or dash in column ``parent``, and return the text.

    ``lines`` are the lines below the header, the last one first. Raises ``RefusedError``.
    """
    text = _indented_text(lines, parent)
    if not text.replace("\n", "").replace("\t", "").isprintable():
        raise RefusedError
    body = text.rstrip("\n")
    breaks = {"-": "", "+": text[len(body) :] + "\n", "": "\n"}[header[1:]]
    if header[0] == ">":
        content = body.lstrip("\n")
        if content[0] in " \t" or "\n " in content or "\n\t" in content:
            raise RefusedError
        body = body[: -len(content)] + _FOLD.sub(lambda found: found[1] or " ", content)
    return body + breaks


def _indented_text(lines: list[str], parent: int) -> str:
    """Consume the lines that are indented beyond ``parent``, and return them without indentation."""
    found: list[str] = []
    while lines and not lines[-1].strip(" "):
        found.append(lines.pop())
    line = lines.pop() if lines else ""
    text = line.lstrip(" ")
    indent = len(line) - len(text)
    if indent <= parent or text[:1] in ("", "\t") or any(len(blank) > indent for blank in found):
        raise RefusedError
    prefix = line[:indent]
    found = [""] * len(found)
    while line.startswith(prefix) or not line.strip(" "):
        found.append(line[indent:])
        if not lines:  # and so without a line break
            if line:
                raise RefusedError
            found.pop()
            break
        line = lines.pop()
    else:
        if line.startswith(" " * (parent + 1)):
            raise RefusedError
        lines.append(line)
    return "\n".join(found)


#: Constructors of values that the lines of a table do not share.
_MAKERS: dict[type[Any], Callable[[Any, list[str], int, Scalars], Json]] = {
    list: _copy,
    dict: _copy,
    BlockHeader: _block_value,
}
