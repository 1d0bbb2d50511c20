"""Differences without the values of Secrets in the kinds and names of objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from renderer.kubevirt.facts.confidential_parts import shown_id, with_shown_ids
from renderer.model.difference import OverlayDifference
from renderer.model.kube.res_id import ResId
from renderer.model.masking import Masking
from renderer.model.run.taint import taint_masking


def with_shown_names(overlays: Sequence[OverlayDifference]) -> tuple[OverlayDifference, ...]:
    """Return the overlays without values of Secrets in kinds and names; what moved must be known before."""
    secrets = taint_masking()
    return tuple(_with_shown_names(each, secrets) for each in overlays) if secrets else tuple(overlays)


def _with_shown_names(overlay: OverlayDifference, secrets: Masking) -> OverlayDifference:
    def shown(ids: Iterable[ResId]) -> tuple[ResId, ...]:
        return tuple(shown_id(each, secrets) for each in ids)

    return overlay._replace(
        changes=tuple(with_shown_ids(each, secrets) for each in overlay.changes),
        incomparable=secrets.mask(overlay.incomparable),
        notes=tuple(map(secrets.mask, overlay.notes)),
        stalled=tuple(
            each._replace(
                deployer=each.deployer and shown_id(each.deployer, secrets),
                refused=shown(each.refused),
                undone=shown(each.undone),
                waiting=shown(each.waiting),
                reason=secrets.mask(each.reason),
            )
            for each in overlay.stalled
        ),
        images=tuple(each._replace(user=shown_id(each.user, secrets)) for each in overlay.images),
    )
