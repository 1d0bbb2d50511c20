"""A difference as a comment on a pull request: GitHub's and GitLab's Markdown, bounded, and safe to post.

Text from manifests is in ``<code>`` with every special character of Markdown escaped, so that it cannot
format, link or mention anything (https://github.github.com/gfm/).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from renderer.diff.grouped import Group, groups_of
from renderer.model.difference import Danger, Difference, FieldChange, Impact
from renderer.model.plural import plural
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
    member_name,
    origin_text,
    place_of,
    reason_of,
    section_of,
    side_texts,
    title_text,
    type_text,
)
from renderer.report.plain_text import printable

_MOST_NAMES = 3
#: The number of stopped syncs that are listed.
_MOST_SYNCS = 20
_MOST_FIELDS = 40
#: The number of changes in the sources that are listed above the objects.
_MOST_CAUSES = 20
#: The most names of objects and overlays that are listed in a fold.
_MOST_MEMBERS = 100
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
    for block in _head(difference):
        page.add(block)
    groups = groups_of(difference.overlays)
    page.add(_sources(groups))
    for (danger, heading), dangerous in groupby(groups, key=section_of):
        _add_groups(page, heading, list(dangerous), difference)
        if danger is worst_refused(groups):
            page.add(_stalled(difference))
    page.add(_images(difference))
    page.add(_overlays(difference))
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


def _head(difference: Difference) -> Iterator[str]:
    """Yield the worst first, so that it is there whatever else has room."""
    before, after = (_code(name, _LONGEST_NAME) for name in (difference.before, difference.after))
    yield f"### {_prose(verdict(difference))}\n"
    yield f"\n{title_text(difference)}: {before} → {after}\n"
    commits = [
        f"- {_code(each.name)} {_prose(each.subject)}: {commit_verdict(each)}\n"
        for each in difference.commits
    ]
    yield "".join(("\n", *commits)) if commits else ""
    if difference or difference.has_unknown or difference.is_live:
        yield "".join(f"\n{_prose(line)}\n" for line in summary(difference))
    rows = [row for row in total_rows(difference.overlays) if row.differs]
    if rows:
        yield "\n| total | before | after |\n|---|--:|--:|\n"
        yield "".join(f"| {row.name} | {row.before or 'none'} | {row.after or 'none'} |\n" for row in rows)


def _sources(groups: Sequence[Group]) -> str:
    """Return the places in the sources that change several objects; a single object names its own."""
    shared = shared_sources(groups)
    if not shared:
        return ""
    lines = [f"- {_prose(str(each))}" for each in shared[:_MOST_CAUSES]]
    lines += [f"- and {len(shared) - _MOST_CAUSES} more"] if len(shared) > _MOST_CAUSES else []
    return "\n".join(("", "#### changes in the sources", "", *lines, ""))


def _add_groups(page: _Page, title: str, groups: list[Group], difference: Difference) -> None:
    heading = f"\n#### {title}\n"
    for group in groups:
        whole, short = _group(group, difference), f"\n- {_title(group, difference)}\n"
        block = whole if page.has_room(heading + whole) else short
        if page.add(heading + block, resources=len(group.members)):
            heading = ""


def _images(difference: Difference) -> str:
    """Return the table of the images that move."""
    rows = image_rows(difference)
    if not rows:
        return ""
    lines = [f"#### {IMAGES}", "", "| image | before | after | of |", "|---|---|---|---|"]
    for row in rows[:MOST_IMAGES]:
        cells = (
            _code(row.image),
            _code(row.before),
            _code(row.after),
            f"{_prose(row.use)}: {_prose(row.users)}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    more = more_images(rows)
    return "\n".join(("", *lines, *(["", more] if more else []), ""))


def _stalled(difference: Difference) -> str:
    """Return the parts of syncs that are not done because of refused objects."""
    shown = [*stalled_texts(difference, _MOST_NAMES)]
    lines = [f"#### {HEADING}", ""] if shown else []
    for sync in shown[:_MOST_SYNCS]:
        lines += [f"- {_prose(sync.title)}", *(f"  - {_prose(line)}" for line in sync.lines)]
    lines += [f"- and {len(shown) - _MOST_SYNCS} more"] if len(shown) > _MOST_SYNCS else []
    return "\n".join(("", *lines, "")) if lines else ""


def _overlays(difference: Difference) -> str:
    """Return the overlays with what is said of each as a whole, folded."""
    found = overlay_news(difference.overlays)
    if not found:
        return ""
    lines = ["", "<details>", "<summary>overlays</summary>", ""]
    for news in found:
        overlay, facts = news.first, [*map(str, news.rows)]
        facts += [equal_text(overlay, is_live=difference.is_live)] if overlay.equal else []
        lines.append(f"- {_prose(': '.join(filter(None, (str(news), '; '.join(facts)))))}")
        if overlay.incomparable:
            lines.append(f"  - not compared: {_code(overlay.incomparable)}")
        lines += [f"  - {_prose(line)}" for line in ignored_lines(overlay)]
    return "\n".join((*lines, "", "</details>", ""))


def _group(group: Group, difference: Difference) -> str:
    change, reason, causes = group.change, reason_of(group), causes_text(group, _MOST_NAMES)
    outlook = [*_outlook(group)]
    if not change.fields and not outlook and len(group.members) <= _MOST_NAMES:
        origin = f" (by {_prose(causes)})" if causes else ""
        return f"\n- {_title(group, difference)}{f': {_prose(reason)}' if reason else ''}{origin}\n"
    is_open = " open" if change.danger.rank >= Danger.NO_START.rank else ""
    lines = ["", f"<details{is_open}>", f"<summary>{_title(group, difference)}</summary>", ""]
    lines += [f"by {_prose(causes)}", ""] if causes else []
    lines += [_prose(reason), ""] if reason else []
    lines += [*outlook, ""] if outlook else []
    if change.fields:
        lines += [*_table(change.fields, field_reasons(group)), ""]
    if len(group.members) > 1:
        lines += [_members(group), ""]
    return "\n".join((*lines, "</details>", ""))


def _members(group: Group) -> str:
    """Return the objects of a group, by overlay."""
    shown = groupby(group.members[:_MOST_MEMBERS], key=lambda member: member.overlay.path)
    overlays = (
        f"{_prose(path)}: {', '.join(_code(member_name(member.change)) for member in members)}"
        for path, members in shown
    )
    others = len(group.members) - _MOST_MEMBERS
    return "; ".join(overlays) + (f" and {others} more" if others > 0 else "")


def _outlook(group: Group) -> Iterator[str]:
    """Yield what happens to disks, and what is at risk in the guest."""
    for data in data_lines(group):
        yield f"- **{DATA_EFFECTS[data.effect]}**: {_prose(data.text)}"
    for seen in sights_at_risk(group.change.guest):
        yield f"- **guest sees** {_prose('; '.join(seen.lines))}; at risk: {_prose(seen.risk)}"


def _table(fields: tuple[FieldChange, ...], reasons: list[str]) -> Iterator[str]:
    has_effects = any(field.impact for field in fields)
    yield "| field | before | after |" + (" effect |" if has_effects else "")
    yield "|---|---|---|" + ("---|" if has_effects else "")
    for field, reason in zip(fields[:_MOST_FIELDS], reasons, strict=False):
        before, after = map(_code, side_texts(field))
        origin = "inherited" if field.inherited else _prose(origin_text(field))
        name = f"{_code(str(field.field))} ({origin})" if origin else _code(str(field.field))
        effect = f" {_effect_cell(field.impact, reason)} |" if has_effects else ""
        yield f"| {name} | {before} | {after} |{effect}"
    if len(fields) > _MOST_FIELDS:
        yield f"\n{len(fields) - _MOST_FIELDS} more fields are left out here."


def _effect_cell(impact: Impact | None, reason: str) -> str:
    if impact is None:
        return ""
    return f"**{EFFECTS[impact.effect]}**{f': {_prose(reason)}' if reason else ''}"


def _title(group: Group, difference: Difference) -> str:
    change = group.change
    effect = f": <b>{EFFECTS[change.impact.effect]}</b>" if change.impact else ""
    word = type_text(change.type, is_live=difference.is_live)
    names = [_code(member_name(member.change)) for member in group.members]
    if len(names) > _MOST_NAMES:
        subject = _prose(plural(len(names), change.id.gvk.kind))
    else:
        subject = f"{_code(change.id.gvk.kind)} {', '.join(dict.fromkeys(names))}"
    return f"{word} {subject}{_prose(place_of(group, difference))}{effect}"


def _code(text: str, longest: int = 1_000) -> str:
    return f"<code>{_prose(text, longest)}</code>"


def _prose(text: str, longest: int = 1_000) -> str:
    """Return escaped text that may contain values of manifests."""
    return printable(text, longest).translate(_ESCAPED).replace("www.", "www&#46;")
