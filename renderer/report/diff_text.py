"""A difference as lines for people."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.difference import ChangeType, Difference, Effect, FieldChange, OverlayDifference
from renderer.report.diff_words import (
    EFFECTS,
    Group,
    commit_verdict,
    equal_text,
    groups_of,
    ignored_lines,
    member_name,
    origin_text,
    reason_of,
    release_text,
    side_texts,
    summary,
    total_rows,
    type_text,
)
from renderer.report.plain_text import printable

_MOST_NAMES = 5
_BOLD, _DIM = "1", "2"
_COLOURS = {
    ChangeType.ADDED: "32",
    ChangeType.REMOVED: "31",
    ChangeType.RENAMED: "34",
    ChangeType.CHANGED: "33",
}
_MILD, _SHORT, _HARD = "32", "33", "1;31"
_EFFECT_COLOURS = {
    Effect.NONE: _DIM,
    Effect.NEXT_START: _SHORT,
    Effect.LIVE: _MILD,
    Effect.HOT_PLUG: _MILD,
    Effect.NEXT_MIGRATION: _SHORT,
    Effect.MIGRATION: _SHORT,
    Effect.START: _SHORT,
}


def write(difference: Difference, *, colour: bool = False) -> str:
    """Return the differences overlay by overlay, then totals; an empty text without a difference.

    A comparison with a cluster is never empty: it says how many objects are in sync. Commits in between may
    differ, or be impossible to compare, even if the two sides are equal.
    """
    has_news = difference or any(any(commit.overlays) for commit in difference.commits)
    if not has_news and not difference.is_live:
        return ""
    return "".join(
        f"{line}\n" for line in _Writer(colour=colour, is_live=difference.is_live).lines(difference)
    )


class _Writer:
    def __init__(self, *, colour: bool, is_live: bool) -> None:
        self._colour = colour
        self._is_live = is_live

    def lines(self, difference: Difference) -> Iterator[str]:
        yield self._styled(_BOLD, printable(f"{difference.before} -> {difference.after}"))
        for commit in difference.commits:
            yield self._styled(_DIM, printable(f"{commit.name} {commit.subject}: {commit_verdict(commit)}"))
        for overlay in difference.overlays:
            if overlay or overlay.ignored or overlay.notes:
                yield ""
                yield from self._overlay(overlay)
        yield ""
        yield from summary(difference)

    def _overlay(self, overlay: OverlayDifference) -> Iterator[str]:
        yield self._styled(_BOLD, printable(f"{overlay.path} ({release_text(overlay)})"))
        if overlay.incomparable:
            yield f"  not compared: {printable(overlay.incomparable)}"
            return
        for group in groups_of(overlay.changes):
            yield from self._group(group)
        if overlay.equal:
            yield self._styled(_DIM, f"  {equal_text(overlay, is_live=self._is_live)}")
        for line in ignored_lines(overlay):
            yield self._styled(_DIM, f"  {line}")
        rows = [row for row in total_rows(overlay) if row.differs]
        width = max((len(row.name) for row in rows), default=0)
        for row in rows:
            yield f"  {row.name:<{width}}  {row.before or 'none'} -> {row.after or 'none'}"

    def _group(self, group: Group) -> Iterator[str]:
        change = group.change
        kind = self._styled(_COLOURS[change.type], type_text(change.type, is_live=self._is_live))
        names = [member_name(member) for member in group.members]
        text = ", ".join(names[:_MOST_NAMES])
        if len(names) > _MOST_NAMES:
            text += f" and {len(names) - _MOST_NAMES} more"
        line = f"  {kind} {printable(change.id.gvk.kind)} {text}"
        if change.impact:
            line += f": {self._effect(change.impact.effect)}"
        yield line
        if reason_of(change):
            yield f"    {reason_of(change)}"
        for field in change.fields:
            yield from self._field(field)

    def _field(self, change: FieldChange) -> Iterator[str]:
        before, after = side_texts(change)
        origin = origin_text(change)
        suffix = f" ({origin})" if origin else ""
        yield f"    {printable(str(change.field))}: {before} -> {after}{suffix}"
        if change.impact and change.impact.reason:
            yield f"      {self._effect(change.impact.effect)}: {printable(change.impact.reason)}"

    def _effect(self, effect: Effect) -> str:
        return self._styled(_EFFECT_COLOURS.get(effect, _HARD), EFFECTS[effect])

    def _styled(self, style: str, words: str) -> str:
        return f"\x1b[{style}m{words}\x1b[0m" if self._colour else words
