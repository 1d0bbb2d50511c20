"""Whoever wants to know where fields come from is told what each stage makes of an overlay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from renderer.model.act import Act
from renderer.model.diagnostic import Outcome
from renderer.model.render_config import Overlay
from renderer.model.resource_set import ResourceSet

if TYPE_CHECKING:
    from renderer.provenance.trace import Trace


def traced(
    trace: Trace | None,
    overlay: Overlay,
    act: Act,
    before: Outcome[ResourceSet],
    after: Outcome[ResourceSet],
) -> Outcome[ResourceSet]:
    """``after``, which a stage made of ``before``, and of which ``trace`` now knows."""
    if trace is not None:
        trace.passed(overlay, act, before.value, after.value)
    return after
