"""A difference as a comment on a pull request: GitHub's and GitLab's Markdown, bounded, and safe to post.

Text from manifests is in ``<code>`` with every special character of Markdown escaped, so that it cannot
format, link or mention anything (https://github.github.com/gfm/).
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from renderer.model.difference import Difference, FieldChange, Impact, OverlayDifference
from renderer.report.diff_words import (
    EFFECTS,
    Group,
    commit_verdict,
    counted_effects,
    counts_text,
    effects_of,
    effects_on_others,
    groups_of,
    ignored_lines,
    member_name,
    origin_text,
    reason_of,
    release_text,
    side_texts,
    summary,
    title_text,
    total_rows,
    type_text,
)
from renderer.report.plain_text import printable

_MOST_NAMES = 3
_MOST_FIELDS = 40
_LONGEST_NAME = 200
#: The first characters of Markdown syntax, GitHub's autolinks, mentions, emoji and formulas.
_SPECIAL = "\\`*_{}[]()#+!|~$:^="
#: The replacements of these and of HTML's special characters; a zero-width space breaks mentions.
_ESCAPED = str.maketrans(
    {each: f"&#{ord(each)};" for each in _SPECIAL}
    | {each: escape(each) for each in "&<>\"'"}
    | {"@": "@&#8203;"}
)
#: Bytes reserved for the note about omitted parts.
_RESERVED = 400


def write(difference: Difference, limit: int) -> str:
    """Return at most ``limit`` bytes; the end counts what does not fit."""
    page = _Page(limit - _RESERVED)
    page.add(_head(difference))
    for overlay in difference.overlays:
        if overlay or overlay.ignored or overlay.notes:
            _add_overlay(page, overlay, is_live=difference.is_live)
    return page.text(limit)


class _Page:
    """Collects blocks while there is room for them."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._blocks: list[str] = []
        self._left_out = 0

    def add(self, block: str, *, resources: int = 0, closing: str = "") -> bool:
        """Return True if there was room, including ``closing``; else count the ``resources`` as left out."""
        if not self.has_room(block + closing):
            self._left_out += resources
            return False
        self._blocks.append(block)
        self._room -= len(block.encode())
        return True

    def has_room(self, text: str) -> bool:
        return len(text.encode()) <= self._room

    def text(self, limit: int) -> str:
        if self._left_out:
            self._blocks.append(
                f"\n> {self._left_out} changed resources are left out here, to stay below {limit} bytes: "
                "`vmrender diff` shows them all.\n"
            )
        return "".join(self._blocks)


def _head(difference: Difference) -> str:
    before, after = (_code(name, _LONGEST_NAME) for name in (difference.before, difference.after))
    lines = [f"### {title_text(difference)}: {before} → {after}", ""]
    lines += [
        f"- {_code(each.name)} {_prose(each.subject)}: {commit_verdict(each)}" for each in difference.commits
    ]
    lines += [""] if difference.commits else []
    lines += (
        ["\n\n".join(map(_summary_line, summary(difference)))]
        if difference or difference.is_live
        else ["No differences."]
    )
    return "\n".join((*lines, ""))


def _add_overlay(page: _Page, overlay: OverlayDifference, *, is_live: bool) -> None:
    closing = "\n</details>\n"
    count = len(overlay.changes)
    if not page.add(_opening(overlay, is_live=is_live), resources=count, closing=closing):
        return
    for group in groups_of(overlay.changes):
        whole, short = _group(group, is_live=is_live), f"\n- {_title(group, is_live=is_live)}\n"
        block = whole if page.has_room(whole + closing) else short
        page.add(block, resources=len(group.members), closing=closing)
    page.add(closing)


def _opening(overlay: OverlayDifference, *, is_live: bool) -> str:
    counts = counts_text(overlay.changes, is_live=is_live)
    effects = tuple(counted_effects(effects_of(overlay.changes)))
    facts = [release_text(overlay), *counts]
    if effects:
        facts.append(f"virtual machines: {', '.join(effects)}")
    others = tuple(counted_effects(effects_on_others(overlay.changes)))
    if others:
        facts.append(f"other objects: {', '.join(others)}")
    title = f"<b>{_code(overlay.path, _LONGEST_NAME)}</b> ({'; '.join(facts)})"
    lines = ["", "<details open>", f"<summary>{title}</summary>", ""]
    if overlay.incomparable:
        lines += [f"Not compared: {_code(overlay.incomparable)}", ""]
    rows = [row for row in total_rows(overlay) if row.differs]
    if rows:
        lines += ["| total | before | after |", "|---|--:|--:|"]
        lines += [f"| {row.name} | {row.before or 'none'} | {row.after or 'none'} |" for row in rows]
        lines.append("")
    notes = [f"- {_prose(line)}" for line in ignored_lines(overlay)]
    return "\n".join((*lines, *notes, *([""] if notes else [])))


def _group(group: Group, *, is_live: bool) -> str:
    change = group.change
    if not change.fields and len(group.members) <= _MOST_NAMES:
        reason = f": {_prose(reason_of(change))}" if reason_of(change) else ""
        return f"\n- {_title(group, is_live=is_live)}{reason}\n"
    lines = ["", "<details>", f"<summary>{_title(group, is_live=is_live)}</summary>", ""]
    if len(group.members) > _MOST_NAMES:
        lines += [", ".join(_code(member_name(member)) for member in group.members), ""]
    if reason_of(change):
        lines += [_prose(reason_of(change)), ""]
    if change.fields:
        lines += _table(change.fields)
    return "\n".join((*lines, "", "</details>", ""))


def _table(fields: tuple[FieldChange, ...]) -> Iterator[str]:
    has_effects = any(field.impact for field in fields)
    yield "| field | before | after |" + (" effect |" if has_effects else "")
    yield "|---|---|---|" + ("---|" if has_effects else "")
    for field in fields[:_MOST_FIELDS]:
        before, after = map(_code, side_texts(field))
        origin = "inherited" if field.inherited else _prose(origin_text(field))
        name = f"{_code(str(field.field))} ({origin})" if origin else _code(str(field.field))
        effect = f" {_effect_cell(field.impact)} |" if has_effects else ""
        yield f"| {name} | {before} | {after} |{effect}"
    if len(fields) > _MOST_FIELDS:
        yield f"\n{len(fields) - _MOST_FIELDS} more fields are left out here."


def _effect_cell(impact: Impact | None) -> str:
    if impact is None:
        return ""
    reason = f": {_prose(impact.reason)}" if impact.reason else ""
    return f"**{EFFECTS[impact.effect]}**{reason}"


def _title(group: Group, *, is_live: bool) -> str:
    change = group.change
    names = ", ".join(_code(member_name(member)) for member in group.members[:_MOST_NAMES])
    if len(group.members) > _MOST_NAMES:
        names += f" and {len(group.members) - _MOST_NAMES} more"
    effect = f": <b>{EFFECTS[change.impact.effect]}</b>" if change.impact else ""
    word = type_text(change.type, is_live=is_live)
    return f"{word} {_code(change.id.gvk.kind)} {names}{effect}"


def _summary_line(line: str) -> str:
    """Return a line of the summary, escaped if it names a revision."""
    return _prose(line) if line.startswith("judged ") else line


def _code(text: str, longest: int = 1_000) -> str:
    return f"<code>{_prose(text, longest)}</code>"


def _prose(text: str, longest: int = 1_000) -> str:
    """Return escaped text that may contain values of manifests."""
    return printable(text, longest).translate(_ESCAPED).replace("www.", "www&#46;")
