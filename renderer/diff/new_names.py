"""Names that a change writes into a machine, of objects that it needs to start."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from renderer.diff.missing import names_of
from renderer.diff.reads import ObjectName
from renderer.kubevirt.facts.made_by_cluster import is_made_by_cluster
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.needs import Need, needs_of
from renderer.model.difference import FieldChange, Impact, ResourceChange
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.res_id import ResId
from renderer.model.placeholders import has_placeholder
from renderer.model.release import Release


class NewName(NamedTuple):
    """A name that a change wrote into a field of a machine: any object of ``names`` satisfies the ``need``.

    ``former`` are the objects that the field named before; empty if there was no such field.
    """

    machine: ResId
    need: Need
    names: tuple[ObjectName, ...]
    former: tuple[ObjectName, ...]

    @property
    def name(self) -> str:
        """The name without kind and namespace."""
        return self.names[0].name


def new_names(before: VirtualMachineView, after: VirtualMachineView, release: Release) -> Iterator[NewName]:
    """Yield the names that are new in a machine.

    Names that get an index, or that another tool fills in, are not known.
    """
    former = {need.field: names_of(before, need) for need in needs_of(before, release)}
    known = {*former.values()}
    for need in needs_of(after, release):
        names = names_of(after, need)
        is_known = names in known or is_made_by_cluster(need.kinds[0], names[0].name)
        if not is_known and not need.is_indexed and not has_placeholder(need.name):
            yield NewName(after.resource.current_id, need, names, former.get(need.field, ()))


def with_unknown_names(
    change: ResourceChange, lost: Iterable[Need], doubtful: Iterable[Need]
) -> ResourceChange:
    """Return the change of a machine that names objects which the repository does not have.

    Without the ``lost`` ones it will not start; of the ``doubtful`` ones, that is not known.
    """
    for need in doubtful:
        change = change._replace(fields=tuple(_with_doubt(each, need) for each in change.fields))
    for need in lost:
        change = with_lost_name(change, need.field, need.impact_of_name())
    return change


def with_lost_name(change: ResourceChange, field: FieldPath, impact: Impact) -> ResourceChange:
    """Return the change of a machine whose changed ``field`` names an object that does not exist."""
    fields = (each._replace(impact=impact) if field.overlaps(each.field) else each for each in change.fields)
    refusal = change.start_refusal or impact.reason
    return change._replace(fields=tuple(fields), start_refusal=refusal).worsened([impact])


def _with_doubt(change: FieldChange, need: Need) -> FieldChange:
    if change.impact is None or not need.field.overlaps(change.field):
        return change
    reason = f"{change.impact.reason}; {need.impact_of_name().reason}"
    return change._replace(impact=change.impact._replace(reason=reason))
