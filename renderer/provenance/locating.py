"""Steps of histories with the lines where they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from renderer.model.history import FieldHistory, Step
from renderer.model.location import Location, Site

#: The line of the first site that holds its field (``source.locate``).
LocationOf = Callable[[tuple[Site, ...]], Location | None]


def located(histories: Iterable[FieldHistory], location_of: LocationOf) -> tuple[FieldHistory, ...]:
    return tuple(
        history._replace(steps=tuple(_located(step, location_of) for step in history.steps))
        for history in histories
    )


def _located(step: Step, location_of: LocationOf) -> Step:
    return step._replace(location=location_of(step.sites), sources=located(step.sources, location_of))
