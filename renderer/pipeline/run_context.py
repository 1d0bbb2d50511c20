"""The state that one run shares: recorder of inputs, catalogs known from earlier runs, provenance trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from renderer.files.recorder import Recorder, Task
from renderer.model.diagnostic import Outcome
from renderer.model.kube.resource import ResourceSet
from renderer.model.provenance import StepKind
from renderer.model.record import Record
from renderer.model.render_config import Overlay

if TYPE_CHECKING:
    from renderer.cache.known_results import KnownCatalogs
    from renderer.provenance.trace import Trace


#: The search for the overlays of the project; a result that depends on which there are uses it.
FINDING_OVERLAYS = Task("overlays of the cluster")


class RunContext(Record):
    """``recorder`` records dependencies between parts of the work; ``trace``, if any, observes changes."""

    recorder: Recorder
    catalogs: KnownCatalogs | None = None
    trace: Trace | None = None

    @classmethod
    def fresh(cls, trace: Trace | None = None) -> RunContext:
        """Return the context of a run without results of earlier runs."""
        return cls(Recorder(), trace=trace)

    def traced(
        self, overlay: Overlay, step: StepKind, before: Outcome[ResourceSet], after: Outcome[ResourceSet]
    ) -> Outcome[ResourceSet]:
        """Return ``after``, and record in the trace that a stage made it from ``before``."""
        if self.trace is not None:
            self.trace.passed(overlay, step, before.value, after.value)
        return after
