"""What one run shares: the recorder of inputs, catalogs known from earlier runs, and the provenance trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from renderer.model.diagnostic import Outcome
from renderer.model.provenance import StepKind
from renderer.model.render_config import Overlay
from renderer.model.resource import ResourceSet
from renderer.source.recorder import Recorder

if TYPE_CHECKING:
    from renderer.cache.known_results import KnownCatalogs
    from renderer.provenance.trace import Trace


class RunContext(NamedTuple):
    """``recorder`` gets to know which part of the work used which other part."""

    recorder: Recorder
    catalogs: KnownCatalogs | None = None


def report_stage(
    trace: Trace | None,
    overlay: Overlay,
    act: StepKind,
    before: Outcome[ResourceSet],
    after: Outcome[ResourceSet],
) -> Outcome[ResourceSet]:
    """``after``, which a stage made of ``before``, and of which ``trace`` now knows."""
    if trace is not None:
        trace.passed(overlay, act, before.value, after.value)
    return after
