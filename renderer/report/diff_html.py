"""A difference as one HTML page: it needs no other file, no network and no script.

Its script only adds a filter. Its content security policy allows only this style and this script, whatever a
manifest contains.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape

from renderer.model.difference import Difference, Effect, FieldChange, OverlayDifference
from renderer.report.diff_words import (
    EFFECTS,
    Group,
    commit_verdict,
    counts_text,
    effects_of,
    equal_text,
    groups_of,
    ignored_lines,
    member_name,
    origin_text,
    overlays_text,
    reason_of,
    release_text,
    side_texts,
    summary,
    title_text,
    total_rows,
    type_text,
)
from renderer.report.plain_text import printable

_MOST_OPEN = 20
_MOST_NAMES = 4
#: The colour of each effect.
_TONES = {
    Effect.NONE: "none",
    Effect.NEXT_START: "later",
    Effect.LIVE: "live",
    Effect.HOT_PLUG: "live",
    Effect.NEXT_MIGRATION: "later",
    Effect.MIGRATION: "later",
    Effect.START: "later",
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
        f"<title>{escape(title)}: {title_text(difference).lower()}</title>",
        f"<style>{style}</style>",
        "</head>",
        "<body>",
        *_header(difference),
        "<main>",
        *(line for each in difference.overlays for line in _overlay(each, is_live=difference.is_live)),
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
    changes = [change for overlay in difference.overlays for change in overlay.changes]
    before, after = (escape(printable(name)) for name in (difference.before, difference.after))
    yield "<header>"
    yield f"<h1>{title_text(difference)} <span><code>{before}</code> → <code>{after}</code></span></h1>"
    counts = counts_text(changes, is_live=difference.is_live)
    yield f"<p>{', '.join(counts) or 'No changed resources'} in {overlays_text(difference)}</p>"
    for commit in difference.commits:
        yield f"<p>{escape(printable(f'{commit.name} {commit.subject}: {commit_verdict(commit)}'))}</p>"
    presumed = [line for line in summary(difference) if line.startswith("judged ")]
    yield from (f"<p>{escape(line)}</p>" for line in presumed)
    yield '<ul class="effects" aria-label="Virtual machines by effect">'
    for effect, count in effects_of(changes).items():
        yield (
            f'<li><button type="button" data-effect="{effect}" aria-pressed="false">'
            f"<b>{count}</b> {_badge(effect)}</button></li>"
        )
    yield "</ul>"
    yield '<form class="filter" hidden><label>Filter <input type="search" placeholder="name, kind or field">'
    yield '</label><button type="button" data-fold="open">Open all</button>'
    yield '<button type="button" data-fold="close">Close all</button></form>'
    yield "</header>"


def _overlay(overlay: OverlayDifference, *, is_live: bool) -> Iterator[str]:
    yield f'<section class="overlay"><h2>{escape(printable(overlay.path))}'
    yield f" <small>{escape(release_text(overlay))}</small></h2>"
    if overlay.incomparable:
        yield f'<p class="lost">Not compared: {escape(printable(overlay.incomparable))}</p>'
    elif not overlay.changes:
        yield "<p>No differences.</p>"
    yield from _totals(overlay)
    groups = groups_of(overlay.changes)
    for position, group in enumerate(groups):
        yield from _group(group, is_open=position < _MOST_OPEN, is_live=is_live)
    if overlay.equal and overlay.changes:
        yield f'<p class="equal">{equal_text(overlay, is_live=is_live)}</p>'
    yield from (f'<p class="equal">{escape(line)}</p>' for line in ignored_lines(overlay))
    yield "</section>"


def _totals(overlay: OverlayDifference) -> Iterator[str]:
    rows = total_rows(overlay)
    if not rows:
        return
    yield '<dl class="totals">'
    for row in rows:
        before, after = (escape(amount or "none") for amount in (row.before, row.after))
        amounts = f"<s>{before}</s> <b>{after}</b>" if row.differs else after
        yield f"<div><dt>{row.name}</dt><dd>{amounts}</dd></div>"
    yield "</dl>"


def _group(group: Group, *, is_open: bool, is_live: bool) -> Iterator[str]:
    change = group.change
    names = [escape(member_name(member)) for member in group.members]
    more = f" <small>and {len(names) - _MOST_NAMES} more</small>" if len(names) > _MOST_NAMES else ""
    effect = change.impact.effect if change.impact else ""
    yield (
        f'<details class="change"{" open" if is_open else ""} data-meets="{effect}"><summary>'
        f'<span class="type {change.type}">{type_text(change.type, is_live=is_live)}</span> '
        f'<span class="kind">{escape(printable(change.id.gvk.kind))}</span> '
        f'<span class="names">{_spans(names[:_MOST_NAMES])}{more}</span> '
        f"{_badge(change.impact.effect) if change.impact else ''}</summary>"
    )
    if reason_of(change):
        yield f'<p class="reason">{escape(reason_of(change))}</p>'
    if change.fields:
        yield '<div class="fields">'
        for field in change.fields:
            yield from _field(field)
        yield "</div>"
    if len(names) > _MOST_NAMES:
        yield f'<details class="members"><summary>all {len(names)}</summary><p>{_spans(names)}</p></details>'
    yield "</details>"


def _spans(names: Iterable[str]) -> str:
    return " ".join(f"<code>{name}</code>" for name in names)


def _field(change: FieldChange) -> Iterator[str]:
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
        source = f' title="KubeVirt {escape(change.impact.source)}"' if change.impact.source else ""
        reason = escape(printable(change.impact.reason))
        yield f'<div class="why"{source}>{_badge(change.impact.effect)} {reason}</div>'
    yield "</div>"


def _badge(effect: Effect) -> str:
    return f'<span class="effect {_TONES.get(effect, "hard")}">{EFFECTS[effect]}</span>'
