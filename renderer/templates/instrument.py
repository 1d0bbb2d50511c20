"""Puts the ``instruments`` into a syntax tree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar, cast

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from renderer.templates.instruments import CONCAT, DATA, LOOP, STEPS, VALUE, WEIGH

N = TypeVar("N", bound=nodes.Node)
_BODIES = (nodes.For, nodes.Macro, nodes.CallBlock)


class Instrumenter(NodeTransformer):
    """Counts what is run again and again, weighs what Jinja makes or compares itself, notes lines of output.

    Calls, filters, attributes and arithmetic go through the environment, which counts them there.
    """

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
        """The names that a loop or ``set`` assigns to are a tuple, too."""
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
    """How many nodes are run each time; those within are counted when they are."""
    count, waiting = 0, list(body)
    while waiting:
        node = waiting.pop()
        count += 1
        if not isinstance(node, _BODIES):
            waiting += node.iter_child_nodes()
    return count
