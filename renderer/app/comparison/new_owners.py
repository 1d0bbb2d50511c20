"""Objects of overlays that stay in Git, and which another object applies from a change on."""

from __future__ import annotations

from collections.abc import Sequence

from renderer.app.comparison.overlay_owners import Handover, handovers
from renderer.app.comparison.side import Side
from renderer.diff.deletions import Deletions
from renderer.diff.masking import without_secret_words
from renderer.diff.moved import unchanged, with_deletion_risk
from renderer.diff.sides import Sides
from renderer.model.difference import OverlayDifference, ResourceChange
from renderer.model.kube.resource import Resource


def with_new_owners(before: Side, after: Side, difference: OverlayDifference) -> OverlayDifference:
    """Return the difference of an overlay with the risks for objects whose owner changes.

    They are machines, and others with which data goes. Those that do not change otherwise are listed, too.
    """
    found = [*handovers(before, after, difference.path)]
    if not found:
        return difference
    old, new = (side.render(difference.path) for side in (before, after))
    if old is None or new is None or old.content is None or new.content is None:
        return difference
    sides = Sides(old.content, new.content)
    deletions = Deletions(sides)
    staying = {each.current_id.object_key for each in new.content.written}
    changes = {each.before: each for each in difference.changes if each.before}
    risky: dict[object, ResourceChange] = {}
    equal = difference.equal
    for each in old.content.written:
        id_ = each.current_id
        risk = deletions.at_risk(each) if id_.object_key in staying else None
        if risk is None or not (needed := _first_needed(found, each)):
            continue
        change = changes.get(id_)
        if change is None:
            change, equal = unchanged(id_), equal - 1
        handover, exemption = needed
        change = with_deletion_risk(change, handover.cause(risk), exemption, deletions.lost_with(each))
        risky[id_] = without_secret_words(change, sides.secrets)
    others = (each for each in difference.changes if each.before not in risky)
    ordered = tuple(sorted((*others, *risky.values()), key=ResourceChange.order))
    return difference._replace(changes=ordered, equal=equal)


def _first_needed(found: Sequence[Handover], machine: Resource) -> tuple[Handover, str] | None:
    """Return the first handover that may delete an object, and the annotation that prevents it."""
    needed = ((each, each.exemption(machine)) for each in found)
    return next((each for each in needed if each[1]), None)
