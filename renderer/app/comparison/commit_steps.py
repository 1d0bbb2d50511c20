"""The commits between two sides, each compared with the first side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from renderer.app.comparison.compared_sides import ComparedSides
from renderer.app.comparison.deployer_changes import DeployerChanges
from renderer.app.comparison.rendered_sides import RenderedSides, written_of
from renderer.app.comparison.revisions import Commit
from renderer.app.comparison.side import Side
from renderer.app.comparison.unlisted_overlays import UnlistedOverlays
from renderer.diff.masking import shown_text, with_shown_names
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.model.difference import CommitDifference, OverlayDifference
from renderer.model.masking import Masking


class _Step(NamedTuple):
    """A commit as it is compared with the first side: its overlays, and what deploys them."""

    number: int
    compared: ComparedSides
    deployers: DeployerChanges


class CommitSteps:
    """Compares the commits, and knows the values that no subject of a commit may show."""

    def __init__(
        self,
        before: Side,
        commits: Sequence[Commit],
        changed: Iterable[frozenset[str]],
        unlisted: UnlistedOverlays,
    ) -> None:
        """``changed`` are, for each commit, the files that differ between ``before`` and it."""
        self._commits = commits
        self._unlisted = unlisted
        #: None for a commit whose project cannot be used.
        self._steps = [
            _Step(
                number,
                ComparedSides((before, each.side), number),
                DeployerChanges(before, each.side, files, unlisted.paths, unlisted.failed),
            )
            if each.side
            else None
            for number, (each, files) in enumerate(zip(commits, changed, strict=True), start=1)
        ]
        #: The overlays of a commit that cannot be read.
        self._unread: dict[str, OverlayDifference] = {}
        self._values: set[str] = set()  # of Secrets

    def add(self, rendered: RenderedSides) -> None:
        """Note what an overlay contains."""
        path, first = rendered.overlay.path, rendered.sides[0]
        release = first.content.release if first and first.content else None
        self._unread[path] = OverlayDifference(path, rendered.overlay.name, (release, None))
        for step in filter(None, self._steps):
            step.compared.add(rendered)
            step.deployers.add(rendered.overlay, first, rendered.sides[step.number])
        for side in rendered.sides if self._commits else ():
            self._values |= secret_values(each.content for each in written_of(side))

    def compare(self, overlays: Sequence[RenderedSides]) -> None:
        """Compare overlays at each commit: any number between which objects may move, or one without such."""
        for step in filter(None, self._steps):
            step.compared.compare(overlays)

    def differences(self, paths: Sequence[str]) -> tuple[CommitDifference, ...]:
        """Return the commits with the differences of the overlays, in order."""
        of_secrets = Masking(self._values)
        found: list[CommitDifference] = []
        for commit, step in zip(self._commits, self._steps, strict=True):
            if step is None:
                lost = f"{commit.name} cannot be read"
                differences = [self._unread[path]._replace(incomparable=lost) for path in paths]
            else:
                marked = [*map(step.compared.marked, step.compared.differences(paths))]
                compared = [*step.compared.with_other_overlays(marked)]
                differences = [*step.deployers.added_to(compared, None)]
            shown = with_shown_names(self._unlisted.harm(differences))
            found.append(CommitDifference(commit.name, shown_text(commit.subject, of_secrets), shown))
        return tuple(found)
