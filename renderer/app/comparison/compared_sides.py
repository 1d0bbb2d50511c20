"""Compare two sides of a project, overlay by overlay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from renderer.app.comparison.compared_overlay import compare_as_applied, with_stalled_syncs
from renderer.app.comparison.moved_objects import MovedObjects
from renderer.app.comparison.other_overlays import OtherOverlays
from renderer.app.comparison.relocated_overlays import with_relocation
from renderer.app.comparison.rendered_sides import RenderedSide, RenderedSides, written_of
from renderer.app.comparison.shared_clusters import SharedClusters
from renderer.app.comparison.shared_resources import SharedResources
from renderer.app.comparison.side import Side
from renderer.app.reporter import Reporter, Silent, Stopwatch
from renderer.diff.equal_changes import EqualChanges
from renderer.model.difference import OverlayDifference
from renderer.model.render_config import Overlay

if TYPE_CHECKING:
    from renderer.app.comparison.causes import Causes


class ComparedSides:
    """The differences of the overlays on two sides, and what these mean for one another."""

    def __init__(
        self,
        sides: tuple[Side, Side],
        number: int = 1,
        *,
        causes: Causes | None = None,
        reporter: Reporter | None = None,
    ) -> None:
        """``number`` is the position of the second side among those that overlays are rendered on."""
        self._sides = sides
        self._number = number
        self._causes = causes
        self._reporter = reporter or Silent()
        clusters = SharedClusters(sides)
        self._shared = SharedResources(sides, clusters)
        self._others = OtherOverlays(sides, clusters)
        self._equal_changes = EqualChanges()
        self._compared: dict[str, OverlayDifference] = {}
        #: The first and the last side of each overlay.
        self._ends: dict[str, tuple[RenderedSide | None, RenderedSide | None]] = {}

    def add(self, rendered: RenderedSides) -> None:
        """Note what an overlay contains, before overlays are compared with each other."""
        self._shared.add(rendered.overlay.path, rendered.sides[0], rendered.sides[self._number])

    def compare(self, overlays: Sequence[RenderedSides]) -> None:
        """Compare overlays: any number between which objects may move, or one without such."""
        moved = MovedObjects(self._sides, overlays, self._number)
        for number, each in enumerate(overlays, start=1):
            path, stopwatch = each.overlay.path, Stopwatch()
            with self._reporter.doing(f"comparing {path} ({number} of {len(overlays)})"):
                self._compare(each.overlay, moved)
            self._reporter.detail(f"{path}: compared in {stopwatch.lap()}")

    def _compare(self, overlay: Overlay, moved: MovedObjects) -> None:
        """Compare an overlay, with what moved to it, and with what leaves its former cluster."""
        path, rendered = overlay.path, moved.compared(overlay.path)
        found, applied = compare_as_applied(self._sides, rendered, self._equal_changes)
        found = moved.remarked(found)
        if (relocation := moved.relocation(path)) is not None:
            left = None
            if (departed := moved.departed(path)) is not None:
                overlay_before = self._sides[0].overlays[path]
                leaving = RenderedSides(overlay_before, (departed, None), rendered.former)
                left, _ = compare_as_applied(self._sides, leaving, EqualChanges())
            found = with_relocation(found, left, relocation)
        if self._causes is not None:
            found = self._causes.as_written(found, rendered.ends)
        self._compared[path] = found
        self._others.add(overlay, found, rendered.sides[0], applied)
        self._ends[path] = rendered.ends

    def differences(self, paths: Iterable[str]) -> list[OverlayDifference]:
        """Return the differences of the overlays, in order."""
        return [self._compared[path] for path in paths]

    def marked(self, difference: OverlayDifference) -> OverlayDifference:
        """Return the difference of an overlay, with the objects that another one applies, too."""
        return self._shared.marked(difference)

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
