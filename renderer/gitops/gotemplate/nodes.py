"""The nodes of a template (``text/template/parse`` ``node.go``)."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Dot(NamedTuple):
    """The value at hand."""


class Literal(NamedTuple):
    """A constant of the template; ``is_nil`` for the word nil."""

    value: str | bool | float | None
    is_nil: bool = False


class Fields(NamedTuple):
    """``.a.b``: fields of the value at hand."""

    names: tuple[str, ...]


class Variable(NamedTuple):
    """``$x.a.b``; the name ``$`` is the input of the template."""

    name: str
    names: tuple[str, ...] = ()


class Function(NamedTuple):
    """A function by its name; ``names`` are fields of its result, which only a lone function has."""

    name: str


class Chain(NamedTuple):
    """``(pipeline).a.b``"""

    operand: Operand
    names: tuple[str, ...]


class Command(NamedTuple):
    """Operands, of which the first may be a function with the others as its arguments."""

    operands: tuple[Operand, ...]


class Pipeline(NamedTuple):
    """Commands, each of which gets the result of the one before.

    Variables that take the result of the last.
    """

    commands: tuple[Command, ...]
    variables: tuple[str, ...] = ()
    assigns: bool = False


Operand: TypeAlias = Dot | Literal | Fields | Variable | Function | Chain | Pipeline


class Action(NamedTuple):
    """``{{ pipeline }}``"""

    pipeline: Pipeline


class Branch(NamedTuple):
    """``if``, ``with`` or ``range``, by ``kind``."""

    kind: str
    pipeline: Pipeline
    body: tuple[Node, ...]
    otherwise: tuple[Node, ...]


class Call(NamedTuple):
    """``template "name" pipeline``"""

    name: str
    pipeline: Pipeline | None


class Jump(NamedTuple):
    """``break`` or ``continue``."""

    kind: str


Node: TypeAlias = str | Action | Branch | Call | Jump


class Template(NamedTuple):
    """The nodes of the text, and those of the templates that it defines."""

    body: tuple[Node, ...]
    defined: dict[str, tuple[Node, ...]]
