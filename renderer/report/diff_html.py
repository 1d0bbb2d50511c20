"""A difference as one HTML page: it needs no other file, no network and no script.

Its script only adds a filter. Its content security policy allows only this style and this script, whatever a
manifest contains.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from html import escape
from itertools import groupby

from renderer.diff.grouped import Group, groups_of
from renderer.model.difference import (
    Danger,
    Difference,
    Effect,
    FieldChange,
    OverlayDifference,
    changes_of,
)
from renderer.report.diff_images import HEADING as IMAGES
from renderer.report.diff_images import image_rows
from renderer.report.diff_outlook import DATA_EFFECTS, data_lines, sights_of
from renderer.report.diff_stalled import HEADING, stalled_texts, worst_refused
from renderer.report.diff_summary import (
    commit_verdict,
    effects_of,
    equal_text,
    overlay_news,
    overlays_text,
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

_MOST_OPEN = 20
_MOST_NAMES = 4
#: The number of changes in the sources that are listed above the objects.
_MOST_CAUSES = 20
_MOST_UNDONE = 100
#: The colour of each danger; the worst are hard.
_TONES = {
    Danger.NONE: "none",
    Danger.STILL_REFUSED: "none",
    Danger.LIVE: "live",
    Danger.MIGRATION: "later",
    Danger.GUEST: "later",
}


def write(difference: Difference, style: str, script: str) -> str:
    """Return the page; ``style`` and ``script`` are the texts of its style and script."""
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    title = f"{printable(difference.before)} → {printable(difference.after)}"
    lines = (
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{escape(verdict(difference))} ({escape(title)})</title>",
        f"<style>{style}</style>",
        "</head>",
        "<body>",
        *_header(difference),
        "<main>",
        *_changes(difference),
        *_images(difference),
        *_overlays(difference),
        '<p class="empty" hidden>Nothing matches.</p>',
        "</main>",
        f"<script>{script}</script>",
        "</body>",
        "</html>",
        "",
    )
    return "\n".join(lines)


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _header(difference: Difference) -> Iterator[str]:
    changes = changes_of(difference.overlays)
    before, after = (escape(printable(name)) for name in (difference.before, difference.after))
    yield f'<header class="tone-{_tone(difference.danger)}">'
    yield f"<h1>{escape(verdict(difference))}</h1>"
    yield f'<p class="sides">{title_text(difference)}: <code>{before}</code> → <code>{after}</code></p>'
    for commit in difference.commits:
        yield f"<p>{escape(printable(f'{commit.name} {commit.subject}: {commit_verdict(commit)}'))}</p>"
    facts = [line for line in summary(difference) if not line.startswith("virtual machines: ")]
    yield f'<p class="facts">{"<br>".join(map(escape, facts))}</p>'
    yield '<ul class="effects" aria-label="Virtual machines by effect">'
    for effect, count in effects_of(changes).items():
        yield (
            f'<li><button type="button" data-effect="{effect}" aria-pressed="false">'
            f"<b>{count}</b> {_badge(effect)}</button></li>"
        )
    yield "</ul>"
    yield from _totals(difference.overlays)
    yield '<form class="filter" hidden><label>Filter <input type="search" placeholder="name, kind or field">'
    yield '</label><button type="button" data-fold="open">Open all</button>'
    yield '<button type="button" data-fold="close">Close all</button></form>'
    yield "</header>"


def _totals(overlays: Sequence[OverlayDifference]) -> Iterator[str]:
    rows = total_rows(overlays)
    if not rows:
        return
    yield '<dl class="totals">'
    for row in rows:
        before, after = (escape(amount or "none") for amount in (row.before, row.after))
        amounts = f"<s>{before}</s> <b>{after}</b>" if row.differs else after
        yield f"<div><dt>{row.name}</dt><dd>{amounts}</dd></div>"
    yield "</dl>"


def _changes(difference: Difference) -> Iterator[str]:
    """Yield the changes in the sources, then a section for each danger, the worst first."""
    groups, position = groups_of(difference.overlays), 0
    shared = shared_sources(groups)
    if shared:
        yield '<section class="sources"><h2>changes in the sources</h2><ul>'
        yield from (f"<li>{escape(str(each))}</li>" for each in shared[:_MOST_CAUSES])
        yield f"<li>and {len(shared) - _MOST_CAUSES} more</li>" if len(shared) > _MOST_CAUSES else ""
        yield "</ul></section>"
    for (danger, heading), dangerous in groupby(groups, key=section_of):
        yield f'<section class="danger tone-{_tone(danger)}"><h2>{heading}</h2>'
        for group in dangerous:
            yield from _group(group, difference, is_open=position < _MOST_OPEN)
            position += 1
        yield "</section>"
        if danger is worst_refused(groups):
            yield from _stalled(difference)


def _images(difference: Difference) -> Iterator[str]:
    """Yield the table of the images that move."""
    rows = image_rows(difference)
    if not rows:
        return
    yield f'<section class="overlays"><h2>{IMAGES}</h2><table class="images">'
    yield "<thead><tr><th>image</th><th>before</th><th>after</th><th>of</th></tr></thead><tbody>"
    for row in rows:
        yield f"<tr><td><code>{escape(row.image)}</code></td><td><del>{escape(row.before)}</del></td>"
        yield f"<td><ins>{escape(row.after)}</ins></td><td>{escape(row.use)}: {escape(row.users)}</td></tr>"
    yield "</tbody></table></section>"


def _stalled(difference: Difference) -> Iterator[str]:
    """Yield the parts of syncs that are not done because of refused objects."""
    shown = [*stalled_texts(difference, _MOST_UNDONE)]
    if not shown:
        return
    yield f'<section class="overlays"><h2>{HEADING}</h2><ul>'
    for sync in shown:
        lines = "".join(f"<br><small>{escape(line)}</small>" for line in sync.lines)
        yield f"<li>{escape(sync.title)}{lines}</li>"
    yield "</ul></section>"


def _overlays(difference: Difference) -> Iterator[str]:
    """Yield what is to be said of overlays as a whole."""
    yield f'<section class="overlays"><h2>{overlays_text(difference)}</h2><ul>'
    for news in overlay_news(difference.overlays):
        overlay, facts = news.first, [*map(str, news.rows)]
        facts += [equal_text(overlay, is_live=difference.is_live)] if overlay.equal else []
        yield f"<li><b>{escape(str(news))}</b> {escape('; '.join(facts))}"
        if overlay.incomparable:
            yield f'<p class="lost">Not compared: {escape(printable(overlay.incomparable))}</p>'
        yield from (f'<p class="equal">{escape(line)}</p>' for line in ignored_lines(overlay))
        yield "</li>"
    yield "</ul></section>"


def _group(group: Group, difference: Difference, *, is_open: bool) -> Iterator[str]:
    change = group.change
    names = [escape(member_name(member.change)) for member in group.members]
    more = f" <small>and {len(names) - _MOST_NAMES} more</small>" if len(names) > _MOST_NAMES else ""
    effect = change.impact.effect if change.impact else ""
    yield (
        f'<details class="change"{" open" if is_open else ""} data-meets="{effect}"><summary>'
        f'<span class="type {change.type}">{type_text(change.type, is_live=difference.is_live)}</span> '
        f'<span class="kind">{escape(printable(change.id.gvk.kind))}</span> '
        f'<span class="names">{_spans(dict.fromkeys(names[:_MOST_NAMES]))}{more} '
        f"<small>{escape(place_of(group, difference))}</small></span> "
        f"{_badge(change.impact.effect) if change.impact else ''}</summary>"
    )
    if causes := causes_text(group, _MOST_NAMES):
        yield f'<p class="cause">by {escape(causes)}</p>'
    if reason := reason_of(group):
        yield f'<p class="reason">{escape(reason)}</p>'
    for data in data_lines(group):
        label = _label(DATA_EFFECTS[data.effect], "hard" if data.is_harm else "none")
        yield f'<p class="reason"{_source_title(data.source)}>{label} {escape(data.text)}</p>'
    for seen in sights_of(change.guest):
        label = _label("guest sees", "later" if seen.risk else "none")
        risk = f" <small>at risk: {escape(seen.risk)}</small>" if seen.risk else ""
        yield f'<p class="reason">{label} {"<br>".join(map(escape, seen.lines))}{risk}</p>'
    if change.fields:
        yield '<div class="fields">'
        for field, reason in zip(change.fields, field_reasons(group), strict=True):
            yield from _field(field, reason)
        yield "</div>"
    if len(names) > _MOST_NAMES or len(group.overlays) > 1:
        yield f'<details class="members"><summary>all {len(names)}</summary>'
        for overlay, members in groupby(group.members, key=lambda member: member.overlay.path):
            found = _spans(escape(member_name(member.change)) for member in members)
            yield f"<p><small>{escape(printable(overlay))}</small> {found}</p>"
        yield "</details>"
    yield "</details>"


def _spans(names: Iterable[str]) -> str:
    return " ".join(f"<code>{name}</code>" for name in names)


def _field(change: FieldChange, reason: str) -> Iterator[str]:
    before, after = (escape(side) for side in side_texts(change))
    path = escape(printable(str(change.field))).replace(".", ".<wbr>")
    origin = ""
    if change.inherited:
        origin = ' <small title="It is in no manifest.">from the instance type</small>'
    elif text := origin_text(change):
        origin = f" <small>{escape(text)}</small>"
    yield f'<div class="field"><div class="path"><code>{path}</code>{origin}</div>'
    arrow = '<span aria-hidden="true">→</span>'
    yield f'<div class="values"><del>{before}</del> {arrow} <ins>{after}</ins></div>'
    if change.impact:
        title = _source_title(change.impact.source)
        yield f'<div class="why"{title}>{_badge(change.impact.effect)} {escape(reason)}</div>'
    yield "</div>"


def _source_title(source: str) -> str:
    """Return the tooltip with the function upstream; a path without a project is KubeVirt's."""
    project = "KubeVirt " if source.startswith(("pkg/", "staging/")) else ""
    return f' title="{project}{escape(source)}"' if source else ""


def _badge(effect: Effect) -> str:
    return _label(EFFECTS[effect], _tone(effect.danger))


def _label(words: str, tone: str) -> str:
    return f'<span class="effect {tone}">{words}</span>'


def _tone(danger: Danger) -> str:
    return _TONES.get(danger, "hard")
