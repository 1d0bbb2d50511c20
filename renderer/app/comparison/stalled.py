"""What the syncs of an overlay leave undone, if the cluster refuses one of its changes."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.gitops.stalled_sync import stalled_syncs
from renderer.model.difference import OverlayDifference
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Overlay
from renderer.pipeline.deployers import Deployers


def has_refusals(difference: OverlayDifference) -> bool:
    """Return True if the cluster refuses a change of the overlay."""
    return any(change.is_refused for change in difference.changes)


def with_stalled_syncs(
    difference: OverlayDifference,
    overlay: Overlay | None,
    deployers: Deployers,
    manifests: Mapping[ResId, Resource],
) -> OverlayDifference:
    """Return the difference with the syncs that stop; ``manifests`` are the objects of both sides.

    ``overlay`` is None if the side after does not have it.
    """
    found = () if overlay is None else deployers.of(overlay)
    stalled = stalled_syncs(found, difference.changes, manifests, deployers.kustomizations)
    return difference._replace(stalled=tuple(stalled))
