"""A template's text to its syntax tree: what is not allowed refused, the rest made to count what it does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite
from typing import Final

from jinja2 import TemplateSyntaxError, nodes

from renderer.model.fields import nearest_hint
from renderer.model.limits import limits, way_out
from renderer.templates.environment import Sandbox
from renderer.templates.errors import TemplateError, TemplateLimitError
from renderer.templates.instrument import Instrumenter
from renderer.templates.limits import MAX_BRANCHES, MAX_DEPTH, MAX_NODES
from renderer.templates.tokens import nested_too_deeply

_NO_OTHERS = "other templates cannot be used"
_ONE_FILE = "a template is one file; its macros stand in it, and values in valuesFrom"
_REFUSED: Final = (
    (nodes.Include, _NO_OTHERS, _ONE_FILE),
    (nodes.Import, _NO_OTHERS, _ONE_FILE),
    (nodes.FromImport, _NO_OTHERS, _ONE_FILE),
    (nodes.Extends, _NO_OTHERS, _ONE_FILE),
    (nodes.Block, "blocks are for templates that use others, which they cannot", _ONE_FILE),
    (nodes.ScopedEvalContextModifier, "autoescape is for HTML", None),
)
_STATEMENTS: Final = ("call", "filter", "for", "if", "macro", "raw", "set", "with")
_UNKNOWN_STATEMENT: Final = re.compile(r"Encountered unknown tag '(\w+)'\.$")
#: Jinja counts the characters of the whole text, which nobody can look up.
_OFFSET: Final = re.compile(r" at \d+$")
_SIGNS: Final = {
    "begin of print statement": "{{",
    "end of print statement": "}}",
    "begin of statement block": "{%",
    "end of statement block": "%}",
}
_OUT_OF_REACH = ("self", "super")
_KNOWN_NODES: Final = (
    *(nodes.Template, nodes.Output, nodes.For, nodes.If, nodes.Macro, nodes.CallBlock, nodes.FilterBlock),
    *(
        nodes.With,
        nodes.Scope,
        nodes.Assign,
        nodes.AssignBlock,
        nodes.ExprStmt,
        nodes.Literal,
        nodes.Name,
        nodes.NSRef,
    ),
    *(nodes.BinExpr, nodes.UnaryExpr, nodes.Compare, nodes.Operand, nodes.Concat, nodes.CondExpr),
    *(nodes.Call, nodes.Getattr, nodes.Getitem, nodes.Slice, nodes.Filter, nodes.Test),
    *(nodes.Pair, nodes.Keyword),
)


def parse(environment: Sandbox, content: bytes) -> nodes.Template:
    """The tree, ready to be compiled. Raises ``TemplateError`` with its line."""
    if len(content) > limits().template_size:
        message = f"a template has up to {limits().template_size} bytes"
        raise TemplateLimitError(message, way_out("template_size"), line=1)
    tree = _parsed(environment, content)
    branches = 0
    for count, (node, depth) in enumerate(_walk(tree)):
        if count > MAX_NODES:
            message = f"a template has up to {MAX_NODES} expressions and blocks"
            raise TemplateLimitError(message, "loop over a list of values, or make two of it", node.lineno)
        if depth > MAX_DEPTH:
            raise nested_too_deeply(node.lineno)
        if isinstance(node, nodes.If):
            branches += len(node.elif_)
        if branches > MAX_BRANCHES:
            message = f"a template has up to {MAX_BRANCHES} {{% elif %}}"
            raise TemplateLimitError(message, "look the value up in a mapping", node.lineno)
        _check_kind(node)
        _check_names(node, environment)
    instrumented: nodes.Template = Instrumenter().visit(tree)
    instrumented.set_environment(environment)
    return instrumented


def _parsed(environment: Sandbox, content: bytes) -> nodes.Template:
    try:
        return environment.parse(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise TemplateError("the template is not UTF-8 text", "save the file as UTF-8", line) from None
    except TemplateSyntaxError as error:
        raise _misspelt(str(error.message), error.lineno) from None
    except RecursionError:
        raise nested_too_deeply(1) from None
    except ValueError:
        raise TemplateError("a number has thousands of digits", line=1) from None


def _misspelt(message: str, line: int) -> TemplateError:
    """What Jinja says, in the signs that stand in the file."""
    unknown = _UNKNOWN_STATEMENT.match(message)
    if unknown:
        hint = nearest_hint(unknown[1], _STATEMENTS).replace("known fields", "the statements are")
        return TemplateError(f"there is no statement {unknown[1]}", hint, line)
    for name, sign in _SIGNS.items():
        message = message.replace(f"'{name}'", sign)
    return TemplateError(_OFFSET.sub("", message), line=line)


def _walk(tree: nodes.Node) -> Iterator[tuple[nodes.Node, int]]:
    """All nodes with their depth, in the order of the text; not by recursion, as the depth is the user's."""
    waiting = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        children = [(child, depth + 1) for child in node.iter_child_nodes()]
        waiting += reversed(children)


def _check_kind(node: nodes.Node) -> None:
    for kind, message, hint in _REFUSED:
        if isinstance(node, kind):
            raise TemplateError(message, hint, node.lineno)
    if not isinstance(node, _KNOWN_NODES):
        raise TemplateError(f"templates have no {type(node).__name__}", line=node.lineno)
    if isinstance(node, nodes.For) and node.recursive:
        hint = "write a macro that calls itself"
        raise TemplateError("recursive loops are not supported", hint, node.lineno)
    if isinstance(node, nodes.Const) and isinstance(node.value, float) and not isfinite(node.value):
        raise TemplateError("a number is too large", line=node.lineno)


def _check_names(node: nodes.Node, environment: Sandbox) -> None:
    if isinstance(node, nodes.Name) and node.name in _OUT_OF_REACH:
        raise TemplateError(f"{node.name} is out of reach for templates", line=node.lineno)
    if isinstance(node, nodes.Filter):
        _check_known("filter", node.name, environment.offered_filters, node.lineno)
    if isinstance(node, nodes.Test):
        _check_known("test", node.name, tuple(environment.tests), node.lineno)


def _check_known(what: str, name: str, known: tuple[str, ...], line: int) -> None:
    if name not in known:
        hint = nearest_hint(name, tuple(sorted(known))).replace("known fields", f"the {what}s are")
        raise TemplateError(f"there is no {what} {name}", hint, line)
