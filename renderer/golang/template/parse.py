"""Tokens of a template, and the nodes made of them (``text/template/parse`` ``lex.go``, ``parse.go``)."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import lru_cache
from typing import NamedTuple

from renderer.golang.template.cost import charge
from renderer.golang.template.errors import GoTemplateError
from renderer.golang.template.nodes import (
    Action,
    Branch,
    Call,
    Chain,
    CommandNode,
    Dot,
    FieldNode,
    IdentifierNode,
    Jump,
    Literal,
    Node,
    Operand,
    PipeNode,
    TemplateTree,
    VariableNode,
)
from renderer.golang.template.strconv import NumError, parse_float, parse_int, unquote

_MAX_NESTING = 50
_STEPS_PER_CHARACTER = 2
_CONSTANTS = {"true": Literal(value=True), "false": Literal(value=False), "nil": Literal(None, is_nil=True)}
_BLOCKS = ("if", "with", "range")
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


class Token(NamedTuple):
    """``kind`` is the name of a group above; ``spaced``: a space precedes the token."""

    kind: str
    text: str
    spaced: bool


class Delimiters(NamedTuple):
    """What begins and ends an action (``text/template`` Delims)."""

    left: str = "{{"
    right: str = "}}"


BRACES = Delimiters()


def tokenize(text: str, delimiters: Delimiters = BRACES) -> Iterator[str | list[Token]]:
    """Yield the texts of the template and, between them, each action's tokens. Raises ``GoTemplateError``."""
    at, trims = 0, False
    while True:
        start = text.find(delimiters.left, at)
        literal = text[at:] if start < 0 else text[at:start]
        if trims:
            literal = literal.lstrip(_SPACES)
        if start < 0:
            yield literal
            return
        inner = start + len(delimiters.left)
        if text.startswith("-", inner) and text[inner + 1 : inner + 2] in tuple(_SPACES):
            literal = literal.rstrip(_SPACES)
            inner += 1
        yield literal
        tokens, at, trims = _action(text, inner, delimiters.right)
        if tokens is not None:
            yield tokens


@lru_cache
def _comment(right: str) -> re.Pattern[str]:
    return re.compile(rf"[ \t\r\n]*/\*.*?\*/([ \t\r\n]+-)?{re.escape(right)}", re.DOTALL)


def _action(text: str, start: int, right: str) -> tuple[list[Token] | None, int, bool]:
    """Return an action's tokens (None for a comment), its end, and if spaces after it are trimmed."""
    comment = _comment(right).match(text, start)
    if comment:
        return None, comment.end(), comment[1] is not None
    at, spaced, tokens = start, False, list[Token]()
    while not text.startswith(right, at):
        if spaced and text.startswith(f"-{right}", at):
            return tokens, at + 1 + len(right), True
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
    return tokens, at + len(right), False


def parse(text: str, functions: Container[str], delimiters: Delimiters = BRACES) -> TemplateTree:
    """Return the template in ``text``; ``functions`` are the names of the functions that it may call.

    Raises ``GoTemplateError``.
    """
    charge(_STEPS_PER_CHARACTER * len(text))
    return _Parser(tokenize(text, delimiters), functions).template()


class _Parser:
    def __init__(self, parts: Iterator[str | list[Token]], functions: Container[str]) -> None:
        self._parts = parts
        self._functions = functions
        self._defined: dict[str, tuple[Node, ...]] = {}
        self._scopes: list[set[str]] = [{"$"}]
        self._loops = 0
        self._depth = 0

    def template(self) -> TemplateTree:
        body, end = self._nodes()
        if end:
            raise GoTemplateError(f"unexpected {{{{{end[0].text}}}}}")
        return TemplateTree(body, self._defined)

    def _nodes(self) -> tuple[tuple[Node, ...], list[Token]]:
        """Return the nodes up to an ``else`` or ``end``, and its tokens; no tokens at the end of the text."""
        nodes: list[Node] = []
        for part in self._parts:
            if isinstance(part, str):
                nodes += [part] if part else []
                continue
            word = part[0].text if part and part[0].kind == "word" else ""
            if word in ("end", "else"):
                return tuple(nodes), part
            node = self._node(word, part)
            nodes += [] if node is None else [node]
        return tuple(nodes), []

    def _node(self, word: str, tokens: list[Token]) -> Node | None:
        match word:
            case "if" | "with" | "range":
                return self._branch(word, tokens[1:])
            case "break" | "continue":
                if not self._loops or len(tokens) > 1:
                    raise GoTemplateError(f"{{{{{word}}}}} outside {{{{range}}}}")
                return Jump(word)
            case "template":
                name = _template_name(tokens[1:2])
                return Call(name, self._pipeline(tokens[2:]) if tokens[2:] else None)
            case "define":
                self._define(_template_name(tokens[1:2]), tokens[2:])
                return None
            case "block":
                name = _template_name(tokens[1:2])
                pipeline = self._pipeline(tokens[2:])
                self._define(name, [])
                return Call(name, pipeline)
            case _:
                return Action(self._pipeline(tokens, declares=True))

    def _branch(self, kind: str, tokens: list[Token]) -> Branch:
        self._enter()
        self._scopes.append(set())
        pipeline = self._pipeline(tokens, declares=True, pairs=kind == "range")
        self._loops += kind == "range"
        body, end = self._block()
        self._loops -= kind == "range"
        otherwise: tuple[Node, ...] = ()
        if end[0].text == "else":
            if end[1:2] and end[1].text in _BLOCKS:
                if end[1].text != kind or kind == "range":
                    raise GoTemplateError(f"unexpected {{{{else {end[1].text}}}}}")
                otherwise = (self._branch(kind, end[2:]),)
            else:
                otherwise, end = self._block()
                if end[0].text == "else":
                    raise GoTemplateError("{{else}} after {{else}}")
        self._scopes.pop()
        self._depth -= 1
        return Branch(kind, pipeline, body, otherwise)

    def _block(self) -> tuple[tuple[Node, ...], list[Token]]:
        self._scopes.append(set())
        nodes, end = self._nodes()
        self._scopes.pop()
        if not end:
            raise GoTemplateError("a block has no {{end}}")
        return nodes, end

    def _define(self, name: str, rest: list[Token]) -> None:
        if rest:
            raise GoTemplateError(f"unexpected {rest[0].text!r} in define clause")
        self._enter()
        outside, self._scopes = self._scopes, [{"$"}]
        loops, self._loops = self._loops, 0
        self._defined[name], end = self._block()
        if end[0].text != "end":
            raise GoTemplateError("unexpected {{else}} in define clause")
        self._scopes, self._loops = outside, loops
        self._depth -= 1

    def _pipeline(self, tokens: list[Token], *, declares: bool = False, pairs: bool = False) -> PipeNode:
        self._enter()
        names, assigns, tokens = _declaration(tokens, pairs=pairs) if declares else ((), False, tokens)
        commands = tuple(self._command(part) for part in _commands(tokens))
        if len(commands) > 1:
            for command in commands[1:]:
                if not isinstance(command.operands[0], IdentifierNode | FieldNode | Chain | VariableNode):
                    raise GoTemplateError("non executable command in pipeline")
        for name in names:
            if assigns and not any(name in scope for scope in self._scopes):
                raise GoTemplateError(f"undefined variable {name}")
            self._scopes[-1].add(name)
        self._depth -= 1
        return PipeNode(commands, names, assigns)

    def _command(self, tokens: list[Token]) -> CommandNode:
        if not tokens:
            raise GoTemplateError("missing value for command")
        operands: list[Operand] = []
        at = 0
        while at < len(tokens):
            if at and not tokens[at].spaced:
                raise GoTemplateError(f"unexpected {tokens[at].text!r} in operand")
            operand, at = self._operand(tokens, at)
            operands.append(operand)
        return CommandNode(tuple(operands))

    def _operand(self, tokens: list[Token], at: int) -> tuple[Operand, int]:
        token = tokens[at]
        end = at + 1
        if token.text == "(" and token.kind == "symbol":
            end = _closing_parenthesis(tokens, at)
            operand: Operand = self._pipeline(tokens[at + 1 : end])
            end += 1
        elif token.kind == "field":
            operand = FieldNode((token.text[1:],))
        else:
            operand = self._term(token)
        names: list[str] = []
        while end < len(tokens) and tokens[end].kind == "field" and not tokens[end].spaced:
            names.append(tokens[end].text[1:])
            end += 1
        return (_with_fields(operand, tuple(names)) if names else operand), end

    def _term(self, token: Token) -> Operand:
        match token.kind:
            case "text" | "raw":
                return Literal(unquote(token.text) if token.kind == "text" else token.text[1:-1])
            case "character":
                return Literal(_character(token.text))
            case "number":
                return Literal(_parse_number(token.text))
            case "variable":
                if not any(token.text in scope for scope in self._scopes):
                    raise GoTemplateError(f"undefined variable {token.text!r}")
                return VariableNode(token.text)
            case "word":
                if token.text in _CONSTANTS:
                    return _CONSTANTS[token.text]
                if token.text not in self._functions:
                    raise GoTemplateError(f"function {token.text!r} not defined")
                return IdentifierNode(token.text)
            case _ if token.text == ".":
                return Dot()
        raise GoTemplateError(f"unexpected {token.text!r} in operand")

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > _MAX_NESTING:
            raise GoTemplateError(f"blocks and brackets are nested more than {_MAX_NESTING} deep")


def _with_fields(operand: Operand, names: tuple[str, ...]) -> Operand:
    if isinstance(operand, FieldNode):
        return FieldNode((*operand.names, *names))
    if isinstance(operand, VariableNode):
        return VariableNode(operand.name, names)
    if isinstance(operand, Literal | Dot):
        raise GoTemplateError(f"unexpected .{names[0]} after a constant")
    return Chain(operand, names)


def _declaration(tokens: list[Token], *, pairs: bool) -> tuple[tuple[str, ...], bool, list[Token]]:
    """Return the variables that a pipeline sets, if they are already declared, and the remaining tokens."""
    texts = [token.text for token in tokens[:4]]
    if not tokens or tokens[0].kind != "variable":
        return (), False, tokens
    if texts[1:2] in ([":="], ["="]):
        return (texts[0],), texts[1] == "=", tokens[2:]
    if texts[1:2] == [","] and texts[3:4] in ([":="], ["="]) and tokens[2].kind == "variable":
        if not pairs:
            raise GoTemplateError("too many declarations")
        return (texts[0], texts[2]), texts[3] == "=", tokens[4:]
    return (), False, tokens


def _commands(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield the commands between the bars, except bars in brackets."""
    depth, part = 0, list[Token]()
    for token in tokens:
        if token.kind == "symbol":
            depth += (token.text == "(") - (token.text == ")")
            if depth < 0:
                raise GoTemplateError("unexpected right paren")
            if token.text == "|" and depth == 0:
                yield part
                part = []
                continue
            if token.text in (":=", "=", ","):
                raise GoTemplateError(f"unexpected {token.text!r} in command")
        part.append(token)
    yield part


def _closing_parenthesis(tokens: list[Token], at: int) -> int:
    depth = 0
    for index in range(at, len(tokens)):
        if tokens[index].kind == "symbol":
            depth += (tokens[index].text == "(") - (tokens[index].text == ")")
        if depth == 0:
            return index
    raise GoTemplateError("unclosed left paren")


def _template_name(tokens: list[Token]) -> str:
    if tokens and tokens[0].kind in ("text", "raw"):
        return unquote(tokens[0].text) if tokens[0].kind == "text" else tokens[0].text[1:-1]
    raise GoTemplateError("the name of a template is not text in quotes")


def _character(text: str) -> int:
    characters = unquote(text)
    if len(characters) != 1:
        raise GoTemplateError("malformed character constant")
    return ord(characters)


def _parse_number(text: str) -> float:
    try:
        return parse_int(text, 0)
    except NumError as error:
        if error.nearest:
            raise GoTemplateError("integer overflow") from None
    try:
        if "." in text or "e" in text.lower():
            return parse_float(text)
    except NumError:
        pass
    raise GoTemplateError("illegal number syntax")
