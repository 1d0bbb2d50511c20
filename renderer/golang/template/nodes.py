"""The nodes of a template (``text/template/parse`` ``node.go``)."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Dot(NamedTuple):
    """The current value: dot."""


class Literal(NamedTuple):
    """A constant of the template; ``is_nil`` for the word nil."""

    value: str | bool | float | None
    is_nil: bool = False


class FieldNode(NamedTuple):
    """``.a.b``: fields of the current value."""

    names: tuple[str, ...]


class VariableNode(NamedTuple):
    """``$x.a.b``; the name ``$`` is the input of the template."""

    name: str
    names: tuple[str, ...] = ()


class IdentifierNode(NamedTuple):
    """A function, by its name."""

    name: str


class Chain(NamedTuple):
    """``(pipeline).a.b``"""

    operand: Operand
    names: tuple[str, ...]


class CommandNode(NamedTuple):
    """Operands; the first may be a function, with the others as its arguments."""

    operands: tuple[Operand, ...]


class PipeNode(NamedTuple):
    """Commands, each of which gets the result of the one before.

    The result of the last one is assigned to variables.
    """

    commands: tuple[CommandNode, ...]
    variables: tuple[str, ...] = ()
    assigns: bool = False


Operand: TypeAlias = Dot | Literal | FieldNode | VariableNode | IdentifierNode | Chain | PipeNode


class Action(NamedTuple):
    """``{{ pipeline }}``"""

    pipeline: PipeNode


class Branch(NamedTuple):
    """``if``, ``with`` or ``range``, by ``kind``."""

    kind: str
    pipeline: PipeNode
    body: tuple[Node, ...]
    otherwise: tuple[Node, ...]


class Call(NamedTuple):
    """``template "name" pipeline``"""

    name: str
    pipeline: PipeNode | None


class Jump(NamedTuple):
    """``break`` or ``continue``."""

    kind: str


Node: TypeAlias = str | Action | Branch | Call | Jump


class TemplateTree(NamedTuple):
    """The nodes of the text, and the nodes of the templates that it defines."""

    body: tuple[Node, ...]
    defined: dict[str, tuple[Node, ...]]
