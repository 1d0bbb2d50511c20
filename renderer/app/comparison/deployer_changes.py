"""Changes of the objects that deploy the overlays, such as a Kustomization that no overlay contains."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from renderer.app.comparison.deployer_map import DeployerMap, entry_of
from renderer.app.comparison.overlay_owners import joint_owners, with_new_owners
from renderer.app.comparison.redirected_overlays import RedirectedOverlays
from renderer.app.comparison.rendered_sides import RenderedSide
from renderer.app.comparison.side import Side
from renderer.app.comparison.stopped_kustomizations import StoppedKustomizations, encrypted_secret
from renderer.app.comparison.taken_applications import Taken, taken_applications
from renderer.app.comparison.tree_changes import TreeChanges
from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.gitops.cascade import removal_impact
from renderer.gitops.engine_reaction import impact_of
from renderer.gitops.pruning import keeps_what_it_made
from renderer.gitops.recreation import replacing_impact
from renderer.kubevirt.facts.lists import is_same
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kustomize.reader.kustomization_graph import folders_above
from renderer.kustomize.reader.resources import read_resources
from renderer.model.diagnostic import DiagnosticError
from renderer.model.difference import Effect, Impact, OverlayDifference, ResourceChange, worst
from renderer.model.engines import is_about_its_folder
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import is_kustomization_file
from renderer.model.release import LATEST
from renderer.model.render_config import Overlay
from renderer.pipeline.deployer_files import deployer_files, objects_in

if TYPE_CHECKING:
    from renderer.app.comparison.causes import Causes

#: The impacts of the objects that deploy a compared overlay, by their key and entry.
_Impacts: TypeAlias = dict[tuple[ObjectKey, str], Impact | None]


class DeployerChanges:
    """The changes of what deploys the compared overlays, and what they mean for these."""

    def __init__(
        self,
        before: Side,
        after: Side,
        changed: frozenset[str],
        unlisted: Collection[str],
        failed: Collection[str],
    ) -> None:
        """``changed`` are the files that differ, ``unlisted`` overlays that the project does not list.

        ``failed`` are the paths of unlisted overlays that could not be rendered. The caller adds to it until
        it calls ``added_to``.
        """
        self._sides = before, after
        self._changed = changed
        self._trees = TreeChanges(before, after)
        self._failed = failed
        self._unlisted = unlisted
        self._with_machines: set[str] = set()
        self._encrypted: dict[str, tuple[str, str]] = {}
        self._rendered: set[tuple[ObjectKey, str]] = set()
        self._added: dict[str, Overlay] = {}
        #: The objects that deploy compared overlays, as far as they were compared.
        self.keys: frozenset[ObjectKey] = frozenset()
        #: The Applications that another set takes over, and that deploy no compared overlay.
        self.taken: tuple[Taken, ...] = ()

    def add(self, overlay: Overlay, before: RenderedSide | None, after: RenderedSide | None) -> None:
        """Add a compared overlay; what it contains is compared with it."""
        entry = entry_of(overlay)
        old, new = (each.content if each else None for each in (before, after))
        for content in filter(None, (old, new)):
            self._rendered.update((each.object_key, entry) for each in content.written)
        if old and new:
            self._trees.add(overlay, old.written, new.written)
        if new and any(map(VirtualMachineView.of, new.written)):
            self._with_machines.add(overlay.path)
        self._encrypted[overlay.path] = encrypted_secret(before), encrypted_secret(after)
        self._added[overlay.path] = overlay

    def added_to(
        self, overlays: Sequence[OverlayDifference], causes: Causes | None
    ) -> tuple[OverlayDifference, ...]:
        """Return the overlays, each change of a deployer in the first that it deploys.

        An overlay does not count as compared if something else than what is rendered is deployed from now on.
        """
        reasons = {path: [*self._trees.reasons(path)] for path in self._added}
        if not self._may_differ():
            return tuple(_with_reasons(overlay, reasons[overlay.path]) for overlay in overlays)
        deployers = DeployerMap(*self._sides)
        for overlay in self._added.values():
            deployers.add(overlay)
        self.keys = frozenset(each.deployer for each in deployers.places(self._unlisted))
        redirected = RedirectedOverlays(*self._sides, deployers, self._changed)
        stopped = StoppedKustomizations(*self._sides, deployers)
        for path, overlay in self._added.items():
            reasons[path] += redirected.reasons(overlay)
            reasons[path] += stopped.reasons(overlay, self._encrypted[path])
        self._note_taken(deployers, reasons)
        changes, impacts = self._compared(deployers, {each.path: each for each in overlays}, causes)
        found: list[OverlayDifference] = []
        for each in overlays:
            owned = with_new_owners(*self._sides, self._in_git(each, causes))
            departed = _departed(owned, redirected.departure(each.path))
            entry = entry_of(self._added[each.path])
            every = (*departed.changes, *changes.get(each.path, ()))
            judged = tuple(_judged(change, entry, impacts) for change in every)
            notes = (*departed.notes, *joint_owners(*self._sides, each.path))
            found.append(_with_reasons(departed, reasons[each.path])._replace(changes=judged, notes=notes))
        return tuple(found)

    def _note_taken(self, deployers: DeployerMap, reasons: Mapping[str, list[str]]) -> None:
        """Note the Applications that another set begins to make, each with the overlays that it deploys."""
        taken = {**taken_applications(*self._sides)}
        noted: set[ObjectKey] = set()
        for path, overlay in self._added.items() if taken else ():
            keys = dict.fromkeys(key.deployer for key in deployers.of(path)[0])
            keys |= dict.fromkeys(old.object_key for old, _ in deployers.applied(overlay))
            for key in keys.keys() & taken.keys():
                reasons[path].append(taken[key].reason)
                noted.add(key)
        self.taken = tuple(each for key, each in taken.items() if key not in noted)

    def _compared(
        self, deployers: DeployerMap, overlays: Mapping[str, OverlayDifference], causes: Causes | None
    ) -> tuple[Mapping[str, list[ResourceChange]], _Impacts]:
        """Return the changes of the deployers by the overlay in which each is shown, and their impacts."""
        changes: dict[str, list[ResourceChange]] = {}
        impacts: _Impacts = {}
        for key, path in deployers.places(self._unlisted).items():
            old, new = deployers.pair(key)
            if path not in self._failed:
                impacts[key.deployer, key.entry] = None
            if old is not None and new is not None:
                if is_same(old.content, new.content):
                    continue
                has_machines = any(key in deployers.of(path)[1] for path in self._with_machines)
                both = impact_of(old, new), replacing_impact(old, new) if has_machines else None
                impacts[key.deployer, key.entry] = worst([*filter(None, both)])
            is_elsewhere = {(key.deployer, key.entry), (key.deployer, "")} & self._rendered
            if not is_elsewhere and not self._is_unreadable(old, new):
                found = _changes_of(old, new, overlays[path], causes)
                removal = removal_impact(old) if path in self._failed and old and not new else None
                if removal:  # what goes with it, no overlay says
                    found = tuple(each.with_impact(removal) for each in found)
                changes.setdefault(path, []).extend(found)
        for path, overlay in self._added.items():  # what a set makes, if what fills its template changes
            entry = entry_of(overlay)
            for old, new in deployers.applied(overlay):
                if new is not None and is_same(old.content, new.content):
                    continue
                maker = self._sides[1].deployers.maker_of(new or old)
                impact = impact_of(old, new) if new else removal_impact(old)
                if maker is None or impact is None or impact.effect is not Effect.MAY_DELETE:
                    continue
                if new is None and keeps_what_it_made(maker, old):
                    continue
                if impacts.get((maker.object_key, entry)) != impact:
                    impacts[(new or old).object_key, entry] = impact
                    changes.setdefault(path, []).extend(_changes_of(old, new, overlays[path], causes))
                    self.keys |= {old.object_key}
        return changes, impacts

    def _may_differ(self) -> bool:
        """Return False if what deploys the overlays is the same: only files in their folders differ."""
        (before, after), changed = self._sides, self._changed
        if before.found.suspended != after.found.suspended:
            return True
        if any(
            _deployed_as(before.overlays.get(path)) != _deployed_as(after.overlays.get(path))
            for path in self._added
        ):
            return True
        if not changed:
            return False
        if any(self._added.keys().isdisjoint(folders_above(path)) for path in changed):
            return True
        if any(is_about_its_folder(path) or self._is_kustomization_of_one_side(path) for path in changed):
            return True
        if any(self._may_have_parameters(path) for path in changed) or self._takes_variables():
            return True
        files = (deployer_files(side.fs, changed) for side in self._sides)
        return next(files) != next(files)

    def _is_kustomization_of_one_side(self, path: str) -> bool:
        """Return True for a kustomization that only one side has."""
        if not is_kustomization_file(path):
            return False
        before, after = self._sides
        return before.fs.is_file(path) != after.fs.is_file(path)

    def _takes_variables(self) -> bool:
        """Return True if variables may be taken of a file of any name, which a kustomization beside lists."""
        generating = self._sides[1].listing.generating
        return any(self._added.keys().isdisjoint(folders_above(path)) for path in generating)

    def _may_have_parameters(self, path: str) -> bool:
        """Return True for a file without objects: a set may make an Application of what is in it."""
        if is_kustomization_file(path):
            return False
        with suppress(DiagnosticError):  # reported where it is used
            contents = (side.fs.read(path) for side in self._sides if side.fs.is_file(path))
            return not all(any(objects_in(each, path)) for each in contents)
        return False

    def _in_git(self, overlay: OverlayDifference, causes: Causes | None) -> OverlayDifference:
        """Return an overlay of one side without changes of objects that both sides have in Git.

        A folder with objects of Flux and Argo CD alone is not rendered, and is so with another object in it.
        """
        one, other = self._sides
        deployer = self._added[overlay.path].deployer
        is_on_one_side = (overlay.path in one.overlays) is not (overlay.path in other.overlays)
        if not is_on_one_side or deployer is None or not self._is_deployed_by(deployer):
            return overlay
        changes: list[ResourceChange] = []
        equal = overlay.equal
        for each in overlay.changes:
            if pair := self._written_twice(each.id.object_key):
                changed = _changes_of(*pair, overlay, causes)
                equal += not changed
                changes += changed
            else:
                changes.append(each)
        return overlay._replace(changes=tuple(changes), equal=equal)

    def _is_deployed_by(self, deployer: Resource) -> bool:
        """Return True if an object, and what deploys it, is in Git on both sides, and is the same.

        The root Kustomization that a bootstrap would make is not in Git.
        """
        above = next(
            (
                [*side.deployers.above([deployer])]
                for side in self._sides
                if deployer.object_key in side.deployers.written
            ),
            [],
        )
        own = [deployer] if any(side.fs.is_file(deployer.origin.path) for side in self._sides) else []
        pairs = [self._written_twice(each.object_key) for each in (*own, *above)]
        return all(pair is not None and is_same(pair[0].content, pair[1].content) for pair in pairs)

    def _written_twice(self, key: ObjectKey) -> tuple[Resource, Resource] | None:
        """Return an object of a file as it is on both sides; None if it is not there."""
        before, after = (side.deployers.written.get(key, ()) for side in self._sides)
        same_file = ((old, new) for old in before for new in after if old.origin.path == new.origin.path)
        return next(same_file, None)

    def _is_unreadable(self, old: Resource | None, new: Resource | None) -> bool:
        """Return True if the side without an object has its file, which cannot be read."""
        found, side = (old, self._sides[1]) if new is None else (new, self._sides[0])
        if found is None or (old is not None and new is not None):
            return False
        path = found.origin.path
        try:
            if side.fs.is_file(path):
                read_resources(side.fs.read(path), Site(path))
        except DiagnosticError:
            return True
        return False


def _with_reasons(overlay: OverlayDifference, reasons: Iterable[str]) -> OverlayDifference:
    return overlay._replace(incomparable=overlay.incomparable or "; ".join(dict.fromkeys(reasons)))


def _deployed_as(overlay: Overlay | None) -> tuple[str, JsonObject | None]:
    """Return the output of an overlay, and the object that is its entry."""
    deployer = overlay.deployer if overlay else None
    return overlay.output if overlay else "", deployer.content if deployer else None


def _changes_of(
    before: Resource | None, after: Resource | None, overlay: OverlayDifference, causes: Causes | None
) -> tuple[ResourceChange, ...]:
    """Return the change of an object that deploys an overlay."""
    release = next(filter(None, overlay.releases), LATEST)
    old, new = (OverlaySide(release, () if each is None else (each,)) for each in (before, after))
    found = compare_overlay(overlay.path, overlay.name, old, new)
    if causes is not None:
        found = causes.as_written(found, (RenderedSide(old), RenderedSide(new)))
    return found.changes


def _departed(overlay: OverlayDifference, reason: str) -> OverlayDifference:
    """Return an overlay that is not rendered any more, whose owner may delete what it does not make now."""
    if not reason:
        return overlay
    risk = Impact(Effect.AT_RISK, f"{reason}; it deletes what it does not make")
    changes = (
        each.with_impact(risk) if each.impact and each.impact.effect is Effect.NONE else each
        for each in overlay.changes
    )
    return overlay._replace(changes=tuple(changes))


def _judged(change: ResourceChange, entry: str, impacts: _Impacts) -> ResourceChange:
    """Return the change of a deployer with its impact; that it has no effect is said of a single field.

    The changes of a compared overlay say what is deleted with the object that deploys it.
    """
    key = change.id.object_key
    takes_others = change.after is None and Effect.MAY_DELETE in change.effects
    if takes_others and not impacts.keys().isdisjoint({(key, entry), (key, "")}):
        return change._replace(impact=None, effects=())
    impact = impacts.get((key, entry))
    if impact is None or change.impact or (impact.effect is Effect.NONE and len(change.fields) > 1):
        return change
    return change.with_impact(impact)
