"""The history of a rendered resource: the steps that gave each field its value."""

from __future__ import annotations

from renderer.model.difference import NoValue, Value
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.location import Location, Site
from renderer.model.kube.res_id import ResId
from renderer.model.provenance import StepKind
from renderer.model.record import Record


class Step(Record):
    """One change of a field; ``by`` describes the step that made it.

    ``sites`` are the places that may have caused it, most specific first; ``location`` is the actual one,
    once it has been looked up. ``sources`` are the fields that the value was copied from.
    """

    act: StepKind
    by: str
    before: Value
    after: Value
    sites: tuple[Site, ...] = ()
    sources: tuple[FieldHistory, ...] = ()
    location: Location | None = None


class FieldHistory(Record):
    """A field of ``resource`` and its changes, oldest first; the last one results in the current value."""

    resource: ResId
    field: FieldPath
    steps: tuple[Step, ...]

    @property
    def value(self) -> Value:
        """The value of the field; ``NoValue.ABSENT`` if the field no longer exists."""
        return self.steps[-1].after if self.steps else NoValue.ABSENT


class ResourceHistory(Record):
    """The fields of one resource of an overlay, in the order in which they are written.

    ``cluster`` is the cluster that the overlay goes to; empty for the default cluster. ``at_start``: the
    fields are not rendered, since KubeVirt sets them when it starts the machine.
    """

    overlay: str
    resource: ResId
    fields: tuple[FieldHistory, ...]
    cluster: str = ""
    at_start: bool = False
