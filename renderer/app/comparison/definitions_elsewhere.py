"""Objects that the API server refuses, or of which it drops fields, as a CustomResourceDefinition changes.

Definitions are often an overlay of their own, next to the operator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from renderer.app.comparison.compared_overlay import compare_sides
from renderer.app.comparison.rendered_sides import RenderedSide, objects_of, written_of
from renderer.app.comparison.shared_clusters import SharedClusters
from renderer.app.comparison.side import Side
from renderer.checks.schemas.definition_changes import DEFINITION, SOURCE, DefinitionChange
from renderer.diff.moved import unchanged
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import ChangeType, Effect, Impact, OverlayDifference, ResourceChange
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource


class DefinitionsElsewhere:
    """All overlays on two sides, and the definitions that change in one of them."""

    def __init__(self, clusters: SharedClusters, sides: tuple[Side, Side]) -> None:
        self._clusters, self._sides = clusters, sides
        self._rendered: dict[str, tuple[RenderedSide | None, RenderedSide | None]] = {}
        #: The definitions that change, by overlay and by the group and kind of their objects.
        self._changed: dict[str, dict[tuple[str, str], DefinitionChange]] = {}

    def add(
        self, difference: OverlayDifference, before: RenderedSide | None, after: RenderedSide | None
    ) -> None:
        """Add the difference of an overlay, and what its engine applied before and applies now."""
        self._rendered[difference.path] = before, after
        definitions = [each for each in difference.changes if each.id.gvk.kind == DEFINITION]
        if not definitions:
            return
        old, new = objects_of(before), objects_of(after)
        for change in definitions:
            key = change.id.object_key
            if found := DefinitionChange.of(change, old.get(key), new.get(key)):
                self._changed.setdefault(difference.path, {})[found.group, found.kind] = found

    def added_to(self, differences: Sequence[OverlayDifference]) -> list[OverlayDifference]:
        """Return the differences, with the objects to which a changed definition does something."""
        return [self._judged(each) for each in differences] if self._changed else [*differences]

    def _judged(self, difference: OverlayDifference) -> OverlayDifference:
        path = difference.path
        definitions: dict[tuple[str, str], DefinitionChange] = {}
        for other, changed in self._changed.items():
            if path in self._rendered and self._clusters.share(path, other):
                definitions |= changed
        if not definitions:
            return difference
        before, after = self._rendered[path]
        former = objects_of(before)
        found = {change.id: change for change in difference.changes}
        pruned: list[tuple[Resource, Resource]] = []
        for each in written_of(after):
            definition = definitions.get((each.gvk.group, each.kind))
            own = found.get(each.current_id)
            if definition is None or (own and own.is_refused):
                continue
            old = former.get(each.object_key)
            if definition.no_longer_serves(each):
                found[each.current_id] = _refused(own or unchanged(each.current_id), definition)
            elif old and (pair := definition.pruned(old, each)):
                pruned.append(pair)
        names = {key: each.name for key, each in definitions.items()}
        for change in self._of_pruned(difference, pruned):
            name = names[change.id.gvk.group, change.id.gvk.kind]
            found[change.id] = _with_pruned(found.get(change.id), change, name)
        changes = [*found.values()]
        return difference if changes == [*difference.changes] else difference.with_changes(changes)

    def _of_pruned(
        self, difference: OverlayDifference, pruned: Sequence[tuple[Resource, Resource]]
    ) -> Iterator[ResourceChange]:
        """Yield the changes of objects that lose fields; a machine is judged as if Git had removed them."""
        if not pruned:
            return
        sides = (
            _only(side, objects)
            for side, objects in zip(self._rendered[difference.path], zip(*pruned, strict=True), strict=True)
        )
        machines = {each.object_key for _, each in pruned if VirtualMachineView.of(each) is not None}
        before, after = sides
        for change in compare_sides(self._sides, (before, after), difference.path, difference.name).changes:
            if change.type is not ChangeType.CHANGED:
                continue
            yield change if change.id.object_key in machines else _of_stored(change)


def _refused(change: ResourceChange, definition: DefinitionChange) -> ResourceChange:
    version = f"{change.id.gvk.group}/{change.id.gvk.version}"
    reason = f"{DEFINITION} {definition.name} no longer serves {version}, and the API server rejects it"
    return change.with_impact(Impact(Effect.REFUSED, reason, f"{SOURCE} hasServedCRDVersion"))


def _of_stored(change: ResourceChange) -> ResourceChange:
    """Return a change without what an update would do: what is stored is read without the fields."""
    fields = tuple(each._replace(impact=None) for each in change.fields)
    return change._replace(fields=fields, data=()).with_impact(Impact(Effect.NONE))


def _with_pruned(own: ResourceChange | None, pruned: ResourceChange, definition: str) -> ResourceChange:
    """Return the change of an object of which the API server drops fields from now on."""
    reason = f"{DEFINITION} {definition} no longer has it, and the API server drops it"

    def dropped(impact: Impact | None) -> Impact:
        effect, found = (impact.effect, impact.reason) if impact else (Effect.NONE, "")
        return Impact(effect, f"{reason}; {found}" if found else reason, SOURCE)

    known = {each.field for each in own.fields} if own else frozenset[FieldPath]()
    lost = [each._replace(impact=dropped(each.impact)) for each in pruned.fields if each.field not in known]
    if own is None:
        return pruned._replace(fields=tuple(lost), impact=dropped(pruned.impact))
    worse = own.worsened([each.impact for each in lost if each.impact])
    data = tuple(dict.fromkeys((*pruned.data, *own.data)))
    return worse._replace(fields=(*own.fields, *lost), data=data)


def _only(side: RenderedSide | None, objects: Iterable[Resource]) -> RenderedSide | None:
    """Return an overlay on a side with some of its objects, as the API server has them."""
    if side is None or side.content is None:
        return None
    written = tuple(objects)
    kept: set[ObjectKey] = {each.object_key for each in written}
    applied = {id_: each for id_, each in side.content.applied.items() if id_.object_key not in kept}
    return side._replace(content=side.content._replace(written=written, applied=applied))
