"""Compare the side before with each commit and with the side after, overlay by overlay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from renderer.app.comparison.compared_overlay import AppliedDifference, compare_as_applied, with_stalled_syncs
from renderer.app.comparison.moved_objects import MovedObjects, OverlayStates
from renderer.app.comparison.other_overlays import OtherOverlays
from renderer.app.comparison.relocated_overlays import with_relocation
from renderer.app.comparison.revisions import Commit
from renderer.app.comparison.side import RenderedSide, Side, written_of
from renderer.app.reporter import Reporter, Stopwatch
from renderer.diff.equal_changes import EqualChanges
from renderer.model.difference import OverlayDifference
from renderer.model.render_config import Overlay

if TYPE_CHECKING:
    from renderer.app.comparison.causes import Causes


class ComparedStates:
    """The differences of the overlays that were compared, and what these mean for one another."""

    def __init__(
        self, sides: tuple[Side, Side], commits: Sequence[Commit], causes: Causes | None, reporter: Reporter
    ) -> None:
        #: Both sides of each overlay.
        self._ends: dict[str, tuple[RenderedSide | None, RenderedSide | None]] = {}
        self._sides = sides
        self._commits = commits
        self._causes = causes
        self._reporter = reporter
        self._equal_changes = [EqualChanges() for _ in (*commits, "the second side")]
        self._others = OtherOverlays(sides)
        self._others_at_commits = [
            OtherOverlays((sides[0], each.side)) if each.side else None for each in commits
        ]
        self._compared: dict[str, OverlayDifference] = {}
        self._at_commits: list[dict[str, OverlayDifference]] = [{} for _ in commits]

    def between_sides(self, paths: Iterable[str]) -> list[OverlayDifference]:
        """Return the differences of the overlays, in order."""
        return [self._compared[path] for path in paths]

    def at_commits(
        self, paths: Sequence[str], marked: Callable[[int, OverlayDifference], OverlayDifference]
    ) -> list[list[OverlayDifference]]:
        """Return for each commit the differences of the overlays from the side before, in order.

        ``marked`` says of a difference at a commit what the comparison with other overlays says of it.
        """
        found: list[list[OverlayDifference]] = []
        for number, (compared, others) in enumerate(
            zip(self._at_commits, self._others_at_commits, strict=True)
        ):
            differences = [marked(number, compared[path]) for path in paths]
            found.append([*others.added_to(differences)] if others else differences)
        return found

    def with_other_overlays(self, differences: Sequence[OverlayDifference]) -> Iterator[OverlayDifference]:
        """Yield the differences, with what they mean for machines of other overlays."""
        return self._others.added_to(differences)

    def with_stalled_syncs(self, differences: Iterable[OverlayDifference]) -> Iterator[OverlayDifference]:
        """Yield the differences, with the syncs that stop at a refused change."""
        after = self._sides[1]
        for each in differences:
            if each.has_refusals:
                written = (one for side in self._ends[each.path] for one in written_of(side))
                manifests = {one.current_id: one for one in written}
                yield with_stalled_syncs(each, after.overlays.get(each.path), after.deployers, manifests)
            else:
                yield each

    def add(self, overlays: Sequence[OverlayStates]) -> None:
        """Compare overlays: any number between which objects may move, or one without such."""
        before = self._sides[0]
        for number, (commit, found) in enumerate(zip(self._commits, self._at_commits, strict=True), start=1):
            if commit.side is None:
                found |= {each.overlay.path: _unreadable(each, commit) for each in overlays}
                continue
            sides, equal_changes = (before, commit.side), self._equal_changes[number - 1]
            moved = MovedObjects(sides, overlays, number)
            others = self._others_at_commits[number - 1]
            for overlay in (each.overlay for each in overlays):
                path, states = overlay.path, moved.compared(overlay.path)
                found[path], applied = _compared(sides, states, moved, equal_changes)
                if others:
                    others.add(overlay, found[path], states.states[0], applied)
        moved = MovedObjects(self._sides, overlays, len(self._commits) + 1)
        for number, each in enumerate(overlays, start=1):
            overlay, stopwatch = each.overlay, Stopwatch()
            with self._reporter.doing(f"comparing {overlay.path} ({number} of {len(overlays)})"):
                self._add(overlay, moved)
            self._reporter.detail(f"{overlay.path}: compared in {stopwatch.lap()}")

    def _add(self, overlay: Overlay, moved: MovedObjects) -> None:
        path, states = overlay.path, moved.compared(overlay.path)
        found, applied = _compared(self._sides, states, moved, self._equal_changes[-1])
        if self._causes is not None:
            found = self._causes.as_written(found, states.ends)
        self._compared[path] = found
        self._others.add(overlay, found, states.states[0], applied)
        self._ends[path] = states.ends


def _compared(
    sides: tuple[Side, Side], states: OverlayStates, moved: MovedObjects, equal_changes: EqualChanges
) -> AppliedDifference:
    """Return the difference of an overlay, with what moved to it, and with what leaves its former cluster."""
    found, applied = compare_as_applied(sides, states, equal_changes)
    found = moved.remarked(found)
    relocation, departed = moved.relocation(found.path), moved.departed(found.path)
    if relocation is not None:
        left = None
        if departed is not None:
            leaving = OverlayStates(sides[0].overlays[found.path], (departed, None), states.former)
            left, _ = compare_as_applied(sides, leaving, EqualChanges())
        found = with_relocation(found, left, relocation)
    return AppliedDifference(found, applied)


def _unreadable(overlay: OverlayStates, commit: Commit) -> OverlayDifference:
    content = overlay.states[0].content if overlay.states[0] else None
    release = content.release if content else None
    lost = f"{commit.name} cannot be read"
    return OverlayDifference(overlay.overlay.path, overlay.overlay.name, (release, None), incomparable=lost)
