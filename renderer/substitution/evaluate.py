"""Parts of a text to what Flux makes of them (``fluxcd/pkg`` ``envsubst/template.go``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from renderer.model.limits import limits
from renderer.substitution.expression import Expansion, Node, TooLongError
from renderer.substitution.operators import DEFAULT_OPERATORS, apply


class Evaluated(NamedTuple):
    """``unset`` are the variables that have no value and no default; nothing stands for them in ``text``.

    ``made`` is what operators made of each variable's value, empty values left out.
    """

    text: str
    unset: tuple[str, ...]
    made: Mapping[str, frozenset[str]]


class Characters:
    """Counts those of all values that are looked at and of all that is made of them."""

    def __init__(self) -> None:
        self._most = self._left = limits().added_size

    def count(self, characters: int) -> None:
        """Raises ``TooLongError``."""
        self._left -= characters
        if self._left < 0:
            raise TooLongError(f"the values of variables come to more than {self._most} characters")


def evaluate(
    nodes: Iterable[Node], values: Mapping[str, str], characters: Characters | None = None
) -> Evaluated:
    """``characters`` is where those of several texts are counted. Raises ``SubstitutionError``."""
    evaluation = _Evaluation(values, characters or Characters())
    text = "".join(evaluation.text(node) for node in nodes)
    made = {variable: frozenset(texts) for variable, texts in evaluation.made.items()}
    return Evaluated(text, tuple(evaluation.unset), made)


class _Evaluation:
    def __init__(self, values: Mapping[str, str], characters: Characters) -> None:
        self._values = values
        self._characters = characters
        self.unset: dict[str, None] = {}
        self.made: dict[str, set[str]] = {}

    def text(self, node: Node) -> str:
        if isinstance(node, str):
            return node
        arguments = [self.text(argument) for argument in node.arguments]
        if node.variable not in self._values and node.operator not in DEFAULT_OPERATORS:
            self.unset[node.variable] = None
        value = self._values.get(node.variable, "")
        self._characters.count(len(value) + _growth(node, value, arguments))
        made = apply(node.operator, value, arguments)
        if node.operator and value and made:
            self.made.setdefault(node.variable, set()).add(made)
        return made


def _growth(node: Expansion, value: str, arguments: list[str]) -> int:
    """Characters that the arguments may add to the value."""
    times = value.count(arguments[0]) if node.operator == "//" else 1
    return times * sum(map(len, arguments))
