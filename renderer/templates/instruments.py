"""Filters that no template can name, put into it where something is to be counted or remembered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Self

from jinja2 import pass_context
from jinja2.runtime import Context

from renderer.templates.filters.collections import elements
from renderer.templates.limits import check_text
from renderer.templates.meter import Meter
from renderer.templates.undefined import fail_if_undefined
from renderer.templates.words import written

# A space keeps them out of templates, where a filter is a word; naming one in ``map`` would gain nothing.
DATA: Final = " data"
VALUE: Final = " value"
STEPS: Final = " steps"
WEIGH: Final = " weigh"
LOOP: Final = " loop"
CONCAT: Final = " concat"


class Piece(str):
    """A piece of output and the line of the template that made it.

    The lines of ``is_data`` stand in the template one below the other, those of a value are all its line's.
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
        """Itself, so that Jinja's ``str()`` of all output keeps the line."""
        return self


def instruments(meter: Meter) -> Mapping[str, Callable[..., object]]:
    """By name, counting on ``meter``."""

    def data(_context: Context, text: str, line: int) -> Piece:
        meter.weigh(text)
        return Piece.of(text, line, is_data=True)

    def value(_context: Context, shown: object, line: int) -> Piece:
        text = written(shown)
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
        texts = [written(each) for each in values]
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
