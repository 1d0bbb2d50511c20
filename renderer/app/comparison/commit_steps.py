"""The commits between two sides, each compared with the first side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from renderer.app.comparison.deployer_changes import DeployerChanges
from renderer.app.comparison.moved_objects import OverlayStates
from renderer.app.comparison.revisions import Commit
from renderer.app.comparison.shared_resources import SharedResources
from renderer.app.comparison.side import Side, written_of
from renderer.app.comparison.unlisted_overlays import UnlistedOverlays
from renderer.diff.masking import shown_text, with_shown_names
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.model.difference import CommitDifference, OverlayDifference
from renderer.model.masking import Masking


class CommitSteps:
    """Collects what is known of each commit: what deploys the overlays, and what several of them have.

    It also knows the values that no subject of a commit may show.
    """

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
        self._deployers = [
            DeployerChanges(before, each.side, files, unlisted.paths, unlisted.failed) if each.side else None
            for each, files in zip(commits, changed, strict=True)
        ]
        self._shared = [SharedResources(before, each.side) if each.side else None for each in commits]
        self._values: set[str] = set()  # of Secrets

    def add(self, overlay: OverlayStates) -> None:
        """Add a compared overlay."""
        before, *_ = overlay.states
        between = zip(self._deployers, self._shared, overlay.states[1:-1], strict=True)
        for deployers, shared, state in between:
            if deployers is not None and shared is not None:
                deployers.add(overlay.overlay, before, state)
                shared.add(overlay.overlay.path, before, state)
        for state in overlay.states if self._commits else ():
            self._values |= secret_values(each.content for each in written_of(state))

    def marked(self, number: int, difference: OverlayDifference) -> OverlayDifference:
        """Return the difference of an overlay at a commit, with the objects that another one applies, too."""
        shared = self._shared[number]
        return shared.marked(difference) if shared else difference

    def differences(self, found: Iterable[Sequence[OverlayDifference]]) -> tuple[CommitDifference, ...]:
        """Return the commits, of whose overlays ``found`` has the differences."""
        of_secrets = Masking(self._values)
        return tuple(
            CommitDifference(
                commit.name,
                shown_text(commit.subject, of_secrets),
                with_shown_names(self._unlisted.harm(deployers.added_to(each, None) if deployers else each)),
            )
            for commit, each, deployers in zip(self._commits, found, self._deployers, strict=True)
        )
