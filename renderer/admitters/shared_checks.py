"""Checks whose good verdict is shared by all virtual machines that are alike in what is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from renderer.admitters.cause import Cause
from renderer.admitters.cluster import Cluster
from renderer.admitters.vmi_spec import VmiSpec

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
