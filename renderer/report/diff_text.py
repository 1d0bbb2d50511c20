"""A difference as lines for people: the worst, the totals, the changes by danger, and the overlays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from renderer.diff.grouped import Group, groups_of
from renderer.model.difference import ChangeType, Danger, Difference, Effect, FieldChange, OverlayDifference
from renderer.report.diff_images import HEADING as IMAGES
from renderer.report.diff_images import MOST_IMAGES, image_rows, more_images
from renderer.report.diff_outlook import DATA_EFFECTS, data_lines, sights_at_risk
from renderer.report.diff_stalled import HEADING, stalled_texts, worst_refused
from renderer.report.diff_summary import (
    commit_verdict,
    equal_text,
    overlay_news,
    shared_sources,
    summary,
    total_rows,
    verdict,
)
from renderer.report.diff_words import (
    EFFECTS,
    causes_text,
    field_reasons,
    ignored_lines,
    members_text,
    origin_text,
    place_of,
    reason_of,
    section_of,
    side_texts,
    subject_of,
    type_text,
)
from renderer.report.plain_text import printable

_MOST_NAMES = 5
#: The number of stopped syncs that are listed.
_MOST_SYNCS = 10
#: The number of changes in the sources that are listed above the objects.
_MOST_CAUSES = 20
_BOLD, _DIM = "1", "2"
_COLOURS = {
    ChangeType.ADDED: "32",
    ChangeType.REMOVED: "31",
    ChangeType.RENAMED: "34",
    ChangeType.CHANGED: "33",
}
_MILD, _SHORT, _HARD = "32", "33", "1;31"
_DANGER_COLOURS = {
    Danger.NONE: _DIM,
    Danger.STILL_REFUSED: _DIM,
    Danger.LIVE: _MILD,
    Danger.MIGRATION: _SHORT,
    Danger.GUEST: _SHORT,
}


def write(difference: Difference, *, colour: bool = False) -> str:
    """Return the verdict, the totals, the changes by danger, then the overlays; empty without a difference.

    A comparison with a cluster is never empty: it says how many objects are in sync. Commits in between may
    differ, or be impossible to compare, even if the two sides are equal.
    """
    has_news = difference or difference.has_unknown or any(overlay.ignored for overlay in difference.overlays)
    if not has_news and not difference.is_live:
        return ""
    return "".join(f"{line}\n" for line in _Writer(difference, colour=colour).lines())


class _Writer:
    def __init__(self, difference: Difference, *, colour: bool) -> None:
        self._difference = difference
        self._colour = colour
        self._is_live = difference.is_live

    def lines(self) -> Iterator[str]:
        difference = self._difference
        groups = groups_of(difference.overlays)
        yield self._styled(_DANGER_COLOURS.get(difference.danger, _HARD), verdict(difference))
        yield self._styled(_BOLD, printable(f"{difference.before} -> {difference.after}"))
        for commit in difference.commits:
            yield self._styled(_DIM, printable(f"{commit.name} {commit.subject}: {commit_verdict(commit)}"))
        yield ""
        yield from summary(difference)
        rows = [row for row in total_rows(difference.overlays) if row.differs]
        width = max((len(row.name) for row in rows), default=0)
        yield from (f"{row.name:<{width}}  {row.before or 'none'} -> {row.after or 'none'}" for row in rows)
        yield from self._causes(groups)
        for (danger, heading), dangerous in groupby(groups, key=section_of):
            yield ""
            yield self._styled(_BOLD, heading)
            for group in dangerous:
                yield from self._group(group)
            if danger is worst_refused(groups):
                yield from self._stalled()
        yield from self._images()
        yield from self._overlays(difference.overlays)

    def _causes(self, groups: Sequence[Group]) -> Iterator[str]:
        """Yield the places in the sources that change several objects; a single object names its own."""
        shared = shared_sources(groups)
        if shared:
            yield ""
            yield self._styled(_BOLD, "changes in the sources")
            yield from (f"  {each}" for each in shared[:_MOST_CAUSES])
        if len(shared) > _MOST_CAUSES:
            yield self._styled(_DIM, f"  and {len(shared) - _MOST_CAUSES} more")

    def _images(self) -> Iterator[str]:
        rows = image_rows(self._difference)
        if rows:
            yield ""
            yield self._styled(_BOLD, IMAGES)
        for row in rows[:MOST_IMAGES]:
            yield f"  {row.image}: {row.before} -> {row.after} ({row.use} of {row.users})"
        if more := more_images(rows):
            yield self._styled(_DIM, f"  {more}")

    def _stalled(self) -> Iterator[str]:
        shown = [*stalled_texts(self._difference, _MOST_NAMES)]
        if shown:
            yield ""
            yield self._styled(_BOLD, HEADING)
        for sync in shown[:_MOST_SYNCS]:
            yield f"  {sync.title}"
            yield from (f"    {line}" for line in sync.lines)
        if len(shown) > _MOST_SYNCS:
            yield self._styled(_DIM, f"  and {len(shown) - _MOST_SYNCS} more")

    def _group(self, group: Group) -> Iterator[str]:
        change = group.change
        kind = self._styled(_COLOURS[change.type], type_text(change.type, is_live=self._is_live))
        line = f"  {kind} {subject_of(group, _MOST_NAMES)}{place_of(group, self._difference)}"
        if change.impact:
            line += f": {self._effect(change.impact.effect)}"
        yield line
        if causes := causes_text(group, _MOST_NAMES):
            yield self._styled(_DIM, f"    by {causes}")
        if reason_of(group):
            yield f"    {reason_of(group)}"
        for data in data_lines(group):
            style = _HARD if data.is_harm else _DIM
            yield f"    {self._styled(style, DATA_EFFECTS[data.effect])}: {data.text}"
        for seen in sights_at_risk(change.guest):
            yield from (f"    {self._styled(_SHORT, 'guest sees')} {line}" for line in seen.lines)
            yield f"      at risk: {seen.risk}"
        for field, reason in zip(change.fields, field_reasons(group), strict=True):
            yield from self._field(field, reason)
        if len(group.overlays) > 1:
            yield self._styled(_DIM, f"    {members_text(group, _MOST_NAMES)}")

    def _field(self, change: FieldChange, reason: str) -> Iterator[str]:
        before, after = side_texts(change)
        origin = origin_text(change)
        suffix = f" ({origin})" if origin else ""
        yield f"    {printable(str(change.field))}: {before} -> {after}{suffix}"
        if change.impact and reason:
            yield f"      {self._effect(change.impact.effect)}: {reason}"

    def _overlays(self, overlays: Sequence[OverlayDifference]) -> Iterator[str]:
        for news in overlay_news(overlays):
            overlay = news.first
            yield ""
            yield self._styled(_BOLD, str(news))
            if overlay.incomparable:
                yield f"  not compared: {printable(overlay.incomparable)}"
                continue
            if news.rows:
                yield f"  {', '.join(map(str, news.rows))}"
            if overlay.equal:
                yield self._styled(_DIM, f"  {equal_text(overlay, is_live=self._is_live)}")
            for line in ignored_lines(overlay):
                yield self._styled(_DIM, f"  {line}")

    def _effect(self, effect: Effect) -> str:
        return self._styled(_DANGER_COLOURS.get(effect.danger, _HARD), EFFECTS[effect])

    def _styled(self, style: str, words: str) -> str:
        return f"\x1b[{style}m{words}\x1b[0m" if self._colour else words
