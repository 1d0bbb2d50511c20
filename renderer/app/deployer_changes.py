"""Changes of the objects that deploy the overlays, such as a Kustomization that no overlay contains."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from renderer.app.deployer_builds import DeployerBuilds
from renderer.app.diff_side import RenderedSide, Side
from renderer.app.tree_changes import TreeChanges
from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.gitops.engine_reaction import changes_below, impact_of, redirections, unrendered_changes
from renderer.kubevirt.facts.lists import is_same
from renderer.kustomize.reader.kustomization_graph import folders_above
from renderer.kustomize.reader.resources import read_resources
from renderer.model.diagnostic import DiagnosticError
from renderer.model.difference import Effect, Impact, OverlayDifference, ResourceChange
from renderer.model.engines import FLUX_SOURCE_GROUP
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST
from renderer.model.render_config import Overlay
from renderer.pipeline.deployers import deployer_files

if TYPE_CHECKING:
    from renderer.app.diff_causes import Causes


class _Key(NamedTuple):
    """Identifies a deployer. Its name alone does not, since each cluster may have an object of that name.

    ``entry`` is the entry of the project that leads to it, empty without one of an engine. ``folder`` is the
    folder of its file, if several have the name.
    """

    id: ResId
    entry: str
    folder: str = ""


class DeployerChanges:
    """The objects that deploy the compared overlays on both sides, each with the overlays that it deploys."""

    def __init__(self, before: Side, after: Side) -> None:
        self._sides = before, after
        self._deployers: tuple[dict[_Key, Resource], dict[_Key, Resource]] = {}, {}
        self._overlays: dict[_Key, dict[str, Overlay]] = {}
        #: What deploys the deployers of each overlay, on each side.
        self._above: tuple[dict[_Key, dict[str, Overlay]], dict[_Key, dict[str, Overlay]]] = {}, {}
        #: The deployers of each overlay on each side.
        self._deployed: tuple[dict[str, set[_Key]], dict[str, set[_Key]]] = {}, {}
        self._rendered: set[tuple[ResId, str]] = set()
        self._entries: dict[str, str] = {}
        self._added: list[Overlay] = []

    def add(self, overlay: Overlay, rendered: Iterable[RenderedSide | None]) -> None:
        """Add a compared overlay; what it contains is compared with it."""
        entry = overlay.listed_as if overlay.entry and overlay.entry.entry else ""
        self._entries[overlay.path] = entry
        for content in (each.content for each in rendered if each):
            self._rendered.update((each.current_id, entry) for each in (content.written if content else ()))
        self._added.append(overlay)

    def _find(self, overlay: Overlay) -> None:
        entry = self._entries[overlay.path]
        for side, found, deployed, above in zip(
            self._sides, self._deployers, self._deployed, self._above, strict=True
        ):
            deployers = [*_deployers_of(overlay.path, side)]
            for each in deployers:
                key = self._key(each, entry)
                found.setdefault(key, each)
                deployed.setdefault(overlay.path, set()).add(key)
                self._overlays.setdefault(key, {}).setdefault(overlay.path, overlay)
            for each in side.deployers.above(deployers):
                key = self._key(each, entry)
                found.setdefault(key, each)
                above.setdefault(key, {}).setdefault(overlay.path, overlay)

    def _key(self, deployer: Resource, entry: str) -> _Key:
        id_ = deployer.current_id
        is_ambiguous = any(len(side.deployers.written.get(id_, ())) > 1 for side in self._sides)
        folder = posixpath.dirname(deployer.origin.path) if is_ambiguous and not entry else ""
        return _Key(id_, entry, folder)

    def added_to(
        self, overlays: Sequence[OverlayDifference], causes: Causes | None
    ) -> tuple[OverlayDifference, ...]:
        """Return the overlays, each change of a deployer in the first that it deploys.

        An overlay does not count as compared if something else than what is rendered is deployed from now on.
        """
        trees = TreeChanges(*self._sides)
        reasons = {overlay.path: [*trees.reasons(overlay.path)] for overlay in self._added}
        changed = frozenset(
            path
            for one, other in (self._sides, reversed(self._sides))
            for path in one.manifests_unlike(other)
        )
        if not self._may_differ(changed):
            return tuple(_with_reasons(overlay, reasons[overlay.path]) for overlay in overlays)
        builds = DeployerBuilds(*self._sides, changed)
        for overlay in self._added:
            self._find(overlay)
            reasons[overlay.path] += builds.of_tree(overlay.path)
        before, after = (self._on_side(number) for number in (0, 1))
        above = {**self._above[1], **self._above[0]}
        places = {key: next(iter(below)) for key, below in {**above, **self._overlays}.items()}
        by_path = {overlay.path: overlay for overlay in overlays}
        changes: dict[str, list[ResourceChange]] = {}
        impacts: dict[tuple[ResId, str], Impact | None] = {}
        for path in self._deployed[0].keys() & self._sides[1].overlays.keys():
            reasons[path] += self._handovers(path, before, after)
            reasons[path] += self._handovers_above(path, before, after)
            reasons[path] += self._rivalries(path, before, after)
        for key, path in places.items():
            old, new = before.get(key), after.get(key)
            if old is not None and new is None and key.id.gvk.group == FLUX_SOURCE_GROUP:
                for below in self._overlays.get(key, {}).values():
                    reasons[below.path].append(f"{old.kind} {old.name}, its source, is removed")
            if old is not None and new is not None:
                built = [*builds.of_deployer(old, new)]
                for below in (self._overlays.get(key) or above.get(key, {})).values():
                    if below.entry is None or below.entry.entry is None:
                        reasons[below.path] += built
                if is_same(old.content, new.content):
                    continue
                impacts[key.id, key.entry] = impact_of(old, new)
                for below in self._overlays.get(key, {}).values():
                    reasons[below.path] += _reasons(old, new, below)
            is_elsewhere = {(key.id, key.entry), (key.id, "")} & self._rendered
            if not is_elsewhere and not self._is_unreadable(old, new):
                changes.setdefault(path, []).extend(_changes_of(old, new, by_path[path], causes))
        return tuple(
            _with_reasons(overlay, reasons[overlay.path])._replace(
                changes=tuple(
                    _judged(change, impacts.get((change.id, self._entries[overlay.path])))
                    for change in (*overlay.changes, *changes.get(overlay.path, ()))
                )
            )
            for overlay in overlays
        )

    def _handovers(
        self, path: str, before: Mapping[_Key, Resource], after: Mapping[_Key, Resource]
    ) -> Iterator[str]:
        """Yield why an overlay of both sides is not deployed as it was: another one is in its place.

        That one object deploys an overlay no longer, and another does so from now on, may be a new name of
        the object; that is a change of these objects themselves.
        """
        former, latter = self._deployed[0][path], self._deployed[1].get(path, set())
        if not latter:
            yield "nothing in this repository deploys it any more"
            return
        for key in sorted(former - latter):
            if key in after:
                yield f"{after[key].kind} {after[key].name} no longer deploys it"
        for key in sorted(latter - former):
            if key in before:
                yield f"{before[key].kind} {before[key].name} deploys it from now on"

    def _rivalries(
        self, path: str, before: Mapping[_Key, Resource], after: Mapping[_Key, Resource]
    ) -> Iterator[str]:
        """Yield why an object that deploys an overlay may not be the one that is applied: it has a rival."""
        for key in sorted(self._deployed[1].get(path, ())):
            known = {before[key].origin: before[key].content} if key in before else {}
            if key in before:
                known |= {each.origin: each.content for each in self._sides[0].deployers.rivals(before[key])}
            for rival in self._sides[1].deployers.rivals(after[key]):
                if known.get(rival.origin) != rival.content:
                    yield f"{rival.origin.path} has a {rival.kind} {rival.name}, too: one of them is applied"

    def _handovers_above(
        self, path: str, before: Mapping[_Key, Resource], after: Mapping[_Key, Resource]
    ) -> Iterator[str]:
        """Yield why what deploys an overlay may be deleted or another one: what deploys that has changed."""
        for key, below in self._above[0].items():
            old, new = before.get(key), after.get(key)
            if path not in below or old is None:
                continue
            if new is None or path not in self._above[1].get(key, {}):
                yield f"{old.kind} {old.name} no longer deploys what deploys it"
            else:
                yield from changes_below(old, new)

    def _may_differ(self, changed: frozenset[str]) -> bool:
        """Return False if what deploys the overlays is the same: only files in their folders differ."""
        before, after = self._sides
        if before.found.suspended != after.found.suspended:
            return True
        if any(
            _deployed_as(before.overlays.get(path)) != _deployed_as(after.overlays.get(path))
            for path in self._entries
        ):
            return True
        if any(self._entries.keys().isdisjoint(folders_above(path)) for path in changed):
            return True
        files = (deployer_files(side.fs, changed.intersection(side.manifests)) for side in self._sides)
        return next(files) != next(files)

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

    def _on_side(self, number: int) -> dict[_Key, Resource]:
        """Return the deployers on one side, also those that deploy none of the overlays there."""
        found = dict(self._deployers[number])
        for key in (*self._overlays, *self._above[0], *self._above[1]):
            written = self._sides[number].deployers.written.get(key.id, ())
            if key not in found and len(written) == 1:
                found[key] = written[0]
        return found


def _with_reasons(overlay: OverlayDifference, reasons: Iterable[str]) -> OverlayDifference:
    return overlay._replace(incomparable=overlay.incomparable or "; ".join(reasons))


def _deployed_as(overlay: Overlay | None) -> tuple[str, JsonObject | None]:
    """Return the output of an overlay, and the object that is its entry."""
    entry = overlay.entry.entry if overlay and overlay.entry else None
    return overlay.output if overlay else "", entry.content if entry else None


def _deployers_of(path: str, side: Side) -> Iterator[Resource]:
    """Yield the objects in Git that deploy an overlay on one side, also if they are suspended."""
    if path in side.overlays:
        yield from side.deployers.in_git(side.deployers.of(side.overlays[path]))
    elif path in side.found.suspended:
        yield from side.deployers.in_git((side.found.suspended[path].entry,))


def _reasons(before: Resource, after: Resource, overlay: Overlay) -> Iterator[str]:
    """Yield why an overlay is not what is deployed after a change of what deploys it."""
    yield from redirections(before, after)
    if overlay.entry is None or overlay.entry.entry is None:
        yield from unrendered_changes(before, after, ("postBuild",) if overlay.flux else ())


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


def _judged(change: ResourceChange, impact: Impact | None) -> ResourceChange:
    """Return the change of a deployer with its impact; that it has no effect is said of a single field."""
    if impact is None or change.impact or (impact.effect is Effect.NONE and len(change.fields) > 1):
        return change
    return change._replace(impact=impact, effects=(impact.effect,))
