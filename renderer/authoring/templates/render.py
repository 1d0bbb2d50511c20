"""Parse, check, compile and render the text of a template; each line of output knows its line in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite
from types import TracebackType
from typing import Final

from jinja2 import Template as JinjaTemplate
from jinja2 import TemplateError as JinjaError
from jinja2 import TemplateSyntaxError, nodes
from jinja2.utils import missing

from renderer.authoring.templates.environment import Sandbox, nesting_error
from renderer.authoring.templates.errors import TemplateError, TemplateLimitError
from renderer.authoring.templates.instrument import Instrumenter, Output, OutputBuilder
from renderer.authoring.templates.limits import MAX_BRANCHES, MAX_COMPARISONS, MAX_DEPTH, MAX_NODES, Meter
from renderer.authoring.templates.values import UndefinedValueError
from renderer.model.fields import nearest_hint
from renderer.model.kube.json import JsonObject
from renderer.model.plural import listed
from renderer.model.run.limits import limit_hint, limits
from renderer.model.run.work import spend
from renderer.model.suggest import did_you_mean

_NO_INCLUDES = "other templates cannot be used"
_ONE_FILE = "a template is one file; its macros are in it, and values in valuesFrom"
_REFUSED_NODES: Final = (
    (nodes.Include, _NO_INCLUDES, _ONE_FILE),
    (nodes.Import, _NO_INCLUDES, _ONE_FILE),
    (nodes.FromImport, _NO_INCLUDES, _ONE_FILE),
    (nodes.Extends, _NO_INCLUDES, _ONE_FILE),
    (nodes.Block, "blocks are for templates that use others, which they cannot", _ONE_FILE),
    (nodes.ScopedEvalContextModifier, "autoescape is for HTML", None),
)
_STATEMENTS: Final = ("call", "filter", "for", "if", "macro", "raw", "set", "with")
_UNKNOWN_STATEMENT: Final = re.compile(r"Encountered unknown tag '(\w+)'\.$")
#: Steps for checking and compiling an expression or block (``model.run.work``).
_STEPS_PER_NODE = 150
#: The position in characters of the whole text, which is of no use to the user.
_OFFSET: Final = re.compile(r" at \d+$")
_DELIMITERS: Final = {
    "begin of print statement": "{{",
    "end of print statement": "}}",
    "begin of statement block": "{%",
    "end of statement block": "%}",
}
_FORBIDDEN_NAMES = ("self", "super")
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
#: The errors that templates cause, in addition to the errors of Jinja and of our own filters.
_CAUSED_BY_TEMPLATES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def parse(environment: Sandbox, content: bytes) -> nodes.Template:
    """Return the tree, ready to be compiled. Raises ``TemplateError`` with its line."""
    if len(content) > limits().template_size:
        message = f"a template has up to {limits().template_size} bytes"
        raise TemplateLimitError(message, limit_hint("template_size"), line=1)
    tree = _parsed(environment, content)
    branches = 0
    for count, (node, depth) in enumerate(_walk(tree)):
        spend(_STEPS_PER_NODE, "compiling Templates")
        if count > MAX_NODES:
            message = f"a template has up to {MAX_NODES} expressions and blocks"
            raise TemplateLimitError(message, "loop over a list of values, or make two of it", node.lineno)
        if depth > MAX_DEPTH:
            raise nesting_error(node.lineno)
        if isinstance(node, nodes.Compare) and len(node.ops) > MAX_COMPARISONS:
            message = f"a comparison has up to {MAX_COMPARISONS} parts"
            raise TemplateLimitError(message, "split it up with {% set %}", node.lineno)
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
        raise _syntax_error(str(error.message), error.lineno) from None
    except RecursionError:
        raise nesting_error(1) from None
    except ValueError:
        raise TemplateError("a number has thousands of digits", line=1) from None


def _syntax_error(message: str, line: int) -> TemplateError:
    """Return Jinja's syntax error, with the symbols that the file uses."""
    unknown = _UNKNOWN_STATEMENT.match(message)
    if unknown:
        hint = nearest_hint(unknown[1], _STATEMENTS).replace("known fields", "the statements are")
        return TemplateError(f"there is no statement {unknown[1]}", hint, line)
    for name, sign in _DELIMITERS.items():
        message = message.replace(f"'{name}'", sign)
    end = "a value ends with }}, a statement with %}" if message == "unexpected '}'" else None
    return TemplateError(_OFFSET.sub("", message), end, line)


def _walk(tree: nodes.Node) -> Iterator[tuple[nodes.Node, int]]:
    """Yield all nodes with their depth, in the order of the text; not recursive: users choose the depth."""
    waiting = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        children = [(child, depth + 1) for child in node.iter_child_nodes()]
        waiting += reversed(children)


def _check_kind(node: nodes.Node) -> None:
    for kind, message, hint in _REFUSED_NODES:
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
    if isinstance(node, nodes.Name) and node.name in _FORBIDDEN_NAMES:
        raise TemplateError(f"templates cannot use {node.name}", line=node.lineno)
    if isinstance(node, nodes.Filter):
        _check_known("filter", node.name, environment.offered_filters, node.lineno)
    if isinstance(node, nodes.Test):
        _check_known("test", node.name, tuple(environment.tests), node.lineno)


def _check_known(what: str, name: str, known: tuple[str, ...], line: int) -> None:
    if name not in known:
        hint = nearest_hint(name, tuple(sorted(known))).replace("known fields", f"the {what}s are")
        raise TemplateError(f"there is no {what} {name}", hint, line)


class Renderer:
    """One template, compiled once; everything that it renders counts towards the same limits."""

    def __init__(self, content: bytes) -> None:
        """Raises ``TemplateError`` with its line."""
        self._meter = Meter()
        self._environment = Sandbox(self._meter)
        tree = parse(self._environment, content)
        try:
            code = self._environment.compile(tree)
        except TemplateSyntaxError as error:
            raise TemplateError(str(error.message), line=error.lineno) from None
        except SyntaxError as error:  # a limit of Python's, or an argument that is given twice
            raise TemplateError(f"the template cannot be compiled: {error.msg}", line=1) from None
        except (MemoryError, RecursionError):  # raised by Python when its parser's stack is full
            raise TemplateLimitError("the template is nested too deeply", line=1) from None
        self._namespace: dict[str, object] = {}
        self._template = JinjaTemplate.from_code(self._environment, code, self._namespace)

    def render(self, values: JsonObject) -> Output:
        """Raises ``TemplateError`` with its line."""
        output = OutputBuilder(self._meter)
        context = self._template.new_context({**self._environment.globals, **values})
        try:
            for piece in self._template.root_render_func(context):
                output.add(piece)
        except (TemplateError, JinjaError, RecursionError, *_CAUSED_BY_TEMPLATES) as error:
            raise self._located(error, values) from None
        return output.finish()

    def _located(self, error: Exception, values: JsonObject) -> TemplateError:
        line = self._line(error.__traceback__)
        if isinstance(error, TemplateError):
            return type(error)(error.message, error.hint, error.line or line)
        if isinstance(error, UndefinedValueError):
            return TemplateError(str(error), _undefined_hint(error, tuple(values)), line)
        if isinstance(error, RecursionError):
            return TemplateLimitError("values are nested too deeply", line=line)
        return TemplateError(f"{error}", line=line)

    def _line(self, traceback: TracebackType | None) -> int:
        """Return the line of the template that was executing; in a macro, the innermost."""
        line = 0
        while traceback:
            # Python has no line for an expression that compiles to very large code.
            if traceback.tb_frame.f_code.co_filename == "<template>" and traceback.tb_lineno is not None:
                line = self._template.get_corresponding_lineno(traceback.tb_lineno)
            traceback = traceback.tb_next
        return line


def _undefined_hint(error: UndefinedValueError, names: tuple[str, ...]) -> str | None:
    if error.owner is missing:
        known = names
    elif isinstance(error.owner, dict):
        known = tuple(key for key in error.owner if isinstance(key, str))
    else:
        return None
    return did_you_mean(error.name, known, most=1, otherwise=f"there are: {listed(known)}" if known else None)
