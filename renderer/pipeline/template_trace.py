"""Record in a trace what the templates of an overlay make, for ``explain``."""

from __future__ import annotations

from collections.abc import Sequence

from renderer.gitops.templates import GivenParameters
from renderer.model.kube.resource import ResourceSet
from renderer.model.made_of_template import MadeOfTemplate
from renderer.model.provenance import StepKind
from renderer.model.render_config import Overlay
from renderer.provenance.trace import Trace


class TemplateTrace:
    """The observer of the templates of one overlay."""

    def __init__(self, trace: Trace, overlay: Overlay, given: GivenParameters) -> None:
        self._trace = trace
        self._overlay = overlay
        self._given = given

    def processed(self, objects: Sequence[MadeOfTemplate]) -> None:
        for each in objects:
            self._trace.processed(each, self._given.values, self._given.sites)

    def labelled(self, before: ResourceSet, after: ResourceSet) -> None:
        self._trace.passed(self._overlay, StepKind.TEMPLATE_LABEL, before, after)
