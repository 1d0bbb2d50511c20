"""Judge a change also as the first side knows its clusters, and keep the worse verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from renderer.app.comparison.compared_sides import ComparedSides
from renderer.app.comparison.former_facts import former_facts
from renderer.app.comparison.rendered_sides import RenderedSide, RenderedSides
from renderer.app.comparison.side import Side
from renderer.app.reporter import Reporter
from renderer.model.difference import (
    Danger,
    Effect,
    Impact,
    OverlayDifference,
    ResourceChange,
    by_severity,
    effects_of,
    worst,
)
from renderer.model.render_config import Overlay

#: A change that is milder than this under the former facts is shown by its own facts alone.
_LEAST = Danger.RESTART


class JudgedByFormerFacts:
    """Compares the overlays with the second side under the facts of the first one, if these differ.

    ``side`` is that second side; None if both know the same, or if its sources cannot be used so.
    ``assumptions`` says what differs.
    """

    def __init__(self, before: Side, after: Side, clusters: Iterable[str], reporter: Reporter) -> None:
        facts = former_facts(before, after, clusters)
        self._before, self._after = before, after
        self._facts = facts
        #: The words for the former facts.
        self._by = f"as {before.name} {'knows the cluster' if facts and facts.changed else 'renders it'}"
        self.side = facts.side if facts else None
        self.assumptions = facts.assumptions if facts else ()
        self._compared = ComparedSides((before, self.side), reporter=reporter) if self.side else None
        self._overlays: list[RenderedSides] = []

    def add(self, overlay: Overlay, before: RenderedSide | None, after: RenderedSide | None) -> None:
        """Add an overlay, rendered for the first side and for ``side``."""
        self._overlays.append(RenderedSides(overlay, (before, after), overlay.path))

    def worse(
        self,
        differences: Sequence[OverlayDifference],
        marked: Callable[[OverlayDifference], OverlayDifference],
    ) -> list[OverlayDifference]:
        """Return the differences of all overlays with what is worse under the former facts.

        ``marked`` says of a difference what the comparison with other overlays says of it.
        """
        if self._facts is None:
            return [*differences]
        if self._compared is None:
            return [
                self._lost(each, "its sources cannot be used") if self.is_judged(each.path) else each
                for each in differences
            ]
        self._compared.compare(self._overlays)
        paths = [each.overlay.path for each in self._overlays]
        former = dict(zip(paths, map(marked, self._compared.differences(paths)), strict=True))
        return [
            self._worse_of(each, former[each.path]) if each.path in former else each for each in differences
        ]

    def is_judged(self, path: str) -> bool:
        """Return True for an overlay that may be worse under the former facts.

        If only the settings differ by which vmrender renders, that is one whose sources an engine applies.
        """
        if self._facts is None:
            return False
        if self._facts.changed:
            return True
        sides = [each for each in (self._before, self._after) if path in each.overlays]
        return any(each.has_applied_sources(each.overlays[path]) for each in sides)

    def _lost(self, found: OverlayDifference, reason: str) -> OverlayDifference:
        return found._replace(incomparable=found.incomparable or f"{self._by}, {reason}")

    def _worse_of(self, found: OverlayDifference, former: OverlayDifference) -> OverlayDifference:
        if former.incomparable and not found.incomparable:
            return self._lost(found, former.incomparable)
        known = {(each.before, each.after): each for each in found.changes}
        worse: dict[object, ResourceChange] = {}
        for each in former.changes:
            change = known.get((each.before, each.after))
            dangers = each.dangers - (change.dangers if change else frozenset())
            is_worse_effect = each.danger.rank >= _LEAST.rank and _severity(each) > _severity(change)
            if is_worse_effect or any(danger.rank >= _LEAST.rank for danger in dangers):
                worse[each.before, each.after] = _worse(change, each, self._by)
        changes = [each for each in found.changes if (each.before, each.after) not in worse]
        return found.with_changes((*changes, *worse.values()))


def _severity(change: ResourceChange | None) -> int:
    """Return the severity of the worst effect of a change; of two in one danger, one may be worse."""
    effects = [*effects_of(change.impact), *change.effects] if change else []
    return max((each.severity for each in effects), default=0)


def _worse(change: ResourceChange | None, former: ResourceChange, by: str) -> ResourceChange:
    impact = former.impact
    if impact is not None:
        impact = Impact(impact.effect, f"{by}: {impact.reason}" if impact.reason else by, impact.source)
    if change is None:
        return former._replace(impact=impact)
    impacts = [each for each in (impact, change.impact) if each is not None]
    effects = {*change.effects, *former.effects, *(each.effect for each in impacts)} - {Effect.NONE}
    return change._replace(
        impact=worst(impacts),
        effects=by_severity(effects),
        data=tuple(dict.fromkeys((*change.data, *former.data))),
        start_refusal=change.start_refusal or former.start_refusal,
        former_refusal=change.former_refusal,
    )
