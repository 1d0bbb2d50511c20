"""Counting inside a template: filters inserted into its syntax tree, and the output."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Self, TypeVar, cast

from jinja2 import nodes, pass_context
from jinja2.runtime import Context
from jinja2.visitor import NodeTransformer

from renderer.authoring.templates.filters.collections import elements
from renderer.authoring.templates.limits import Meter, check_text
from renderer.authoring.templates.values import as_text, fail_if_undefined

# A space keeps them out of templates, where a filter is a word; naming one in ``map`` would gain nothing.
DATA: Final = " data"
VALUE: Final = " value"
STEPS: Final = " steps"
WEIGH: Final = " weigh"
LOOP: Final = " loop"
CONCAT: Final = " concat"

N = TypeVar("N", bound=nodes.Node)
_WITH_BODY = (nodes.For, nodes.Macro, nodes.CallBlock)


class Piece(str):
    """A piece of output and the line of the template that produced it.

    If ``is_data``, its lines are consecutive lines of the template; all lines of a value come from a single
    line.
    """

    __slots__ = ("is_data", "line")

    line: int
    is_data: bool

    @classmethod
    def of(cls, text: str, line: int, *, is_data: bool) -> Self:
        piece = cls(text)
        piece.line, piece.is_data = line, is_data
        return piece

    def __str__(self) -> str:
        """Return itself, so that Jinja's ``str()`` of all output keeps the line."""
        return self


def instruments(meter: Meter) -> Mapping[str, Callable[..., object]]:
    """Return the instruments by name; they count on ``meter``."""

    def data(_context: Context, text: str, line: int) -> Piece:
        meter.weigh(text)
        return Piece.of(text, line, is_data=True)

    def value(_context: Context, result: object, line: int) -> Piece:
        text = as_text(result)
        meter.weigh(text)
        return Piece.of(text, line, is_data=False)

    def steps(_context: Context, count: int) -> bool:
        meter.steps(count)
        return True

    def weigh(_context: Context, weighed: object) -> object:
        meter.weigh(weighed)
        return weighed

    def loop(_context: Context, values: object) -> Sequence[object]:
        fail_if_undefined(values)
        meter.weigh(values)
        return elements(values)

    def concat(_context: Context, values: Sequence[object]) -> str:
        texts = [as_text(each) for each in values]
        check_text(sum(map(len, texts)))
        text = "".join(texts)
        meter.weigh(text)
        return text

    by_name: Mapping[str, Callable[..., object]] = {
        DATA: data,
        VALUE: value,
        STEPS: steps,
        WEIGH: weigh,
        LOOP: loop,
        CONCAT: concat,
    }
    # A filter that gets the context is never run while Jinja compiles.
    return {name: pass_context(instrument) for name, instrument in by_name.items()}


class Instrumenter(NodeTransformer):
    """A visitor that counts repeated steps, weighs values that Jinja creates or compares, and marks lines."""

    def visit_Output(self, node: nodes.Output) -> nodes.Node:
        output = self._below(node)
        output.nodes = [
            _filter(
                DATA if isinstance(child, nodes.TemplateData) else VALUE, child, _number(child.lineno, child)
            )
            for child in output.nodes
        ]
        return output

    def visit_For(self, node: nodes.For) -> nodes.Node:
        cost = _size(node.body) + (_size([node.test]) if node.test else 0)
        loop = self._below(node)
        loop.iter = _filter(LOOP, cast("nodes.Expr", loop.iter))  # typed as any node by Jinja
        loop.body = [_counted(cost, loop), *loop.body]
        if loop.test:
            loop.test = nodes.And(_filter(STEPS, _number(cost, loop)), loop.test, lineno=loop.lineno)
        return loop

    def visit_Macro(self, node: nodes.Macro) -> nodes.Node:
        cost, macro = _size(node.body), self._below(node)
        macro.body = [_counted(cost, macro), *macro.body]
        return macro

    def visit_CallBlock(self, node: nodes.CallBlock) -> nodes.Node:
        cost, block = _size(node.body), self._below(node)
        block.body = [_counted(cost, block), *block.body]
        return block

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        concat = self._below(node)
        return _filter(CONCAT, nodes.List(concat.nodes, lineno=concat.lineno))

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:
        comparison = self._below(node)
        comparison.expr = _filter(WEIGH, comparison.expr)
        for operand in comparison.ops:
            operand.expr = _filter(WEIGH, operand.expr)
        return comparison

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:
        item = self._below(node)
        if isinstance(item.arg, nodes.Slice):  # Jinja slices without asking the environment
            item.node = _filter(WEIGH, item.node)
        return item

    def visit_List(self, node: nodes.List) -> nodes.Node:
        return _filter(WEIGH, self._below(node))

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:
        return _filter(WEIGH, self._below(node))

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:
        """Weigh a tuple, unless it is the target of a loop or of ``set``."""
        below = self._below(node)
        return _filter(WEIGH, below) if node.ctx == "load" else below

    def _below(self, node: N) -> N:
        self.generic_visit(node)
        return node


def _counted(cost: int, node: nodes.Node) -> nodes.Node:
    return nodes.ExprStmt(_filter(STEPS, _number(cost, node)), lineno=node.lineno)


def _filter(name: str, node: nodes.Expr, *args: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, name, list(args), [], None, None, lineno=node.lineno)


def _number(value: int, node: nodes.Node) -> nodes.Const:
    return nodes.Const(value, lineno=node.lineno)


def _size(body: Iterable[nodes.Node]) -> int:
    """Return the number of nodes that run each time; inner bodies are counted when they run."""
    count, waiting = 0, list(body)
    while waiting:
        node = waiting.pop()
        count += 1
        if not isinstance(node, _WITH_BODY):
            waiting += node.iter_child_nodes()
    return count


class Output(NamedTuple):
    """A text, and for each of its lines the line of the template that it comes from, from 1.

    ``pieces`` make up the text; some are the template's own, the others were produced by expressions.
    """

    text: str
    lines: tuple[int, ...]
    pieces: Sequence[str] = ()

    def values_in_lines(self) -> Iterator[Mapping[int, str]]:
        """Yield, for each line of the text, the pieces of it that expressions produced, by index."""
        found: dict[int, str] = {}
        for index, piece in enumerate(self.pieces):
            if _is_value(piece):
                found[index] = piece
            if "\n" in piece:
                yield found
                found = {index: piece} if _is_value(piece) else {}
        yield found

    def without(self, pieces: Container[int], instead: str) -> str:
        """Return the text with ``instead`` in place of each of the pieces, by index."""
        return "".join(instead if index in pieces else piece for index, piece in enumerate(self.pieces))


class OutputBuilder:
    """A builder that joins pieces."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._pieces: list[str] = []
        self._lines: list[int] = []
        self._is_blank = True

    def add(self, piece: str) -> None:
        """Add a piece of output. Raises ``TemplateLimitError``."""
        line, step = (piece.line, int(piece.is_data)) if isinstance(piece, Piece) else (1, 0)
        self._meter.output(len(piece), line)
        self._pieces.append(piece)
        for index, part in enumerate(piece.split("\n")):
            if index or not self._lines:
                self._lines.append(line + index * step)
                self._is_blank = True
            if self._is_blank and part.strip():  # of several pieces, the first one with text
                self._lines[-1] = line + index * step
                self._is_blank = False

    def finish(self) -> Output:
        return Output("".join(self._pieces), tuple(self._lines or (1,)), tuple(self._pieces))


def _is_value(piece: str) -> bool:
    """Return True for a piece that is not text of the template itself.

    The result of a ``filter`` or ``call`` block is a plain text, without a mark.
    """
    return not (isinstance(piece, Piece) and piece.is_data)
