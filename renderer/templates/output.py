"""What a template makes, put together piece by piece."""

from __future__ import annotations

from typing import NamedTuple

from renderer.templates.instruments import Piece
from renderer.templates.meter import Meter


class Output(NamedTuple):
    """A text, and for each of its lines the line of the template that it comes from, from 1."""

    text: str
    lines: tuple[int, ...]


class OutputBuilder:
    """Puts pieces together."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._pieces: list[str] = []
        self._lines: list[int] = []
        self._is_blank = True

    def add(self, piece: str) -> None:
        """Raises ``TemplateLimitError``."""
        line, step = (piece.line, int(piece.is_data)) if isinstance(piece, Piece) else (1, 0)
        self._meter.output(len(piece), line)
        self._pieces.append(piece)
        for index, part in enumerate(piece.split("\n")):
            if index or not self._lines:
                self._lines.append(line + index * step)
                self._is_blank = True
            if self._is_blank and part.strip():  # of several, the first that writes something
                self._lines[-1] = line + index * step
                self._is_blank = False

    def finish(self) -> Output:
        return Output("".join(self._pieces), tuple(self._lines or (1,)))
