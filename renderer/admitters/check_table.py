"""Tables of checks: what makes each necessary, and the releases that make it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, ParamSpec

from renderer.admitters.causes import Cause
from renderer.admitters.cluster import Cluster
from renderer.admitters.vmi_spec import VmiSpec
from renderer.model.record import Record
from renderer.model.release import Release

P = ParamSpec("P")


class Check(Record, Generic[P]):
    """One check: what it is made with, it yields what is wrong.

    It is made where one of ``fields`` is written, or always when there are none. ``since`` is the first
    release that makes it, ``until`` the first that no longer does.
    """

    run: Callable[P, Iterable[Cause]]
    fields: frozenset[str]
    since: Release | None
    until: Release | None


def on(
    run: Callable[P, Iterable[Cause]],
    *fields: str,
    since: Release | None = None,
    until: Release | None = None,
) -> Check[P]:
    """A row of a table of checks."""
    return Check(run, frozenset(fields), since, until)


class CheckTable(Generic[P]):
    """Checks in the order in which KubeVirt makes them."""

    def __init__(self, *checks: Check[P]) -> None:
        self._checks = checks
        self._needed: dict[tuple[Release, frozenset[str]], tuple[Callable[P, Iterable[Cause]], ...]] = {}

    def needed(self, release: Release, fields: frozenset[str]) -> tuple[Callable[P, Iterable[Cause]], ...]:
        """What ``release`` checks where ``fields`` are written; a fleet has few sets of fields."""
        key = (release, fields)
        if key not in self._needed:
            self._needed[key] = tuple(
                check.run
                for check in self._checks
                if (not check.fields or not check.fields.isdisjoint(fields))
                and (check.since is None or release >= check.since)
                and (check.until is None or release < check.until)
            )
        return self._needed[key]


VmiCheck = Callable[[VmiSpec, Cluster], Iterable[Cause]]

#: Verdicts that are kept for a cluster. Machines of a fleet are of a few makes, or all different.
MOST_KEPT = 1_000


def once_for_equal(check: VmiCheck, sections: Callable[[VmiSpec], object]) -> VmiCheck:
    """``check``, made again only for ``sections`` that nothing was found good with before.

    ``sections`` gives, as JSON, all that ``check`` looks at, but for the cluster. What is refused is looked
    at each time, as causes name places.
    """

    def shared(vmi: VmiSpec, cluster: Cluster) -> Iterable[Cause]:
        looked_at = (check, repr(sections(vmi)))
        if looked_at in cluster.found_good:
            return ()
        causes = tuple(check(vmi, cluster))
        if not causes and len(cluster.found_good) < MOST_KEPT:
            cluster.found_good.add(looked_at)
        return causes

    return shared
