"""The ControllerRevisions that leave Git with a change, and the virtual machines that need them.

Since KubeVirt 1.5 the status of a VM goes on naming its revision (``kubevirt.impact.lost_revision``). The
sides do not have the status, so a machine that Git pinned counts as one whose status names the revision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from renderer.kubevirt.facts.kinds import CONTROLLER_REVISION, MATCHER_KEYS
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.judge import Judgement
from renderer.kubevirt.impact.lost_revision import named_revisions, still_needed, with_lost_revisions
from renderer.kubevirt.impact.state import SINCE_REVISION_IN_STATUS
from renderer.model.kube.json import EMPTY, JsonObject, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.plural import abridged
from renderer.model.release import Release

_MOST_NAMED = 3


class LeavingRevisions:
    """The revisions that only the first side of an overlay has; none before KubeVirt 1.5."""

    def __init__(self, before: Sequence[Resource], after: Sequence[Resource], release: Release) -> None:
        self._before = before
        self._after = after
        kept = _revisions(after)
        in_status = release >= SINCE_REVISION_IN_STATUS
        self._leaving: Mapping[tuple[str, str], Resource] = {
            key: each for key, each in _revisions(before).items() if in_status and key not in kept
        }

    def judged(
        self, judgement: Judgement, before: VirtualMachineView, after: VirtualMachineView
    ) -> Judgement:
        """Return the judgement of a machine that may need one of these revisions after the change."""
        needed = still_needed(named_revisions(before.spec), after.spec)
        lost = [name for name in needed if (after.resource.namespace, name) in self._leaving]
        return with_lost_revisions(judgement, lost, _leaves_git)

    def notes(self) -> Iterator[str]:
        """Yield notes about revisions that the status of an unpinned machine may name."""
        if not self._leaving:
            return
        pinned = {each.current_id for each in self._before if any(named_revisions(_vm_spec(each)))}
        users_of: dict[tuple[str, str], dict[str, None]] = {}
        for each in self._after:
            spec = EMPTY if each.current_id in pinned else _vm_spec(each)
            for matcher in (object_at(spec, key) for key in MATCHER_KEYS):
                if text_at(matcher, "name") and not matcher.get("revisionName"):
                    named = users_of.setdefault((each.namespace, text_at(matcher, "name")), {})
                    named[str(each.current_id)] = None
        for (namespace, name), revision in self._leaving.items():
            users = [*users_of.get((namespace, text_at(revision.content, "data", "metadata", "name")), ())]
            if users:
                names = abridged(users, _MOST_NAMED)
                yield (
                    f"ControllerRevision {name} leaves Git: a machine whose status still names it will not"
                    f" start again ({names}); vmrender diff --live says whether one does"
                )


def _leaves_git(revision: str) -> str:
    return (
        f"its status goes on naming ControllerRevision {revision}, which leaves Git:"
        " keep that until the status is cleared"
    )


def _revisions(written: Iterable[Resource]) -> Mapping[tuple[str, str], Resource]:
    return {(each.namespace, each.name): each for each in written if each.kind == CONTROLLER_REVISION}


def _vm_spec(resource: Resource) -> JsonObject:
    view = VirtualMachineView.of(resource)
    return EMPTY if view is None else view.spec
