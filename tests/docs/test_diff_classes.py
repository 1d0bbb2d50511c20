"""The tables of ``docs/diff-sources.md`` list every class of change with its upstream function.

Each table is written from the code: ``pytest tests/docs/test_diff_classes.py --update-cases``. A new table of
the code needs a heading in the page and a line in ``TABLES``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest

from renderer.gitops.stalled_sync import ARGOCD_SOURCE, FLUX_SOURCE
from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.kubevirt.impact.data import SOURCES as DISKS
from renderer.kubevirt.impact.guest_view import FACTS
from renderer.kubevirt.impact.immutable.refusals import ROWS as REFUSALS
from renderer.kubevirt.impact.immutable.refusals import read_in
from renderer.kubevirt.impact.immutable.row import ImmutableRow
from renderer.kubevirt.impact.reads import IMPORTER
from renderer.kubevirt.impact.reads import RULES as READS
from renderer.kubevirt.impact.settings import SETTINGS
from renderer.kubevirt.impact.sync import STEPS
from renderer.kubevirt.impact.table import ROWS as FIELDS
from renderer.kubevirt.impact.table import Base
from renderer.model.kube.field_path import ROOT as WHOLE
from renderer.model.release import OLDEST
from renderer.report.diff_outlook import DATA_EFFECTS
from renderer.report.diff_words import EFFECTS
from tests.house import ROOT

PAGE = ROOT / "docs" / "diff-sources.md"
Row = tuple[str, ...]


def refusals() -> Iterator[Row]:
    yield "kinds", "fields", "still admitted", "upstream", "read in"
    for row in REFUSALS:
        kinds = ", ".join(row.kinds)
        admitted = f"{row.admitted}{_bounds(row)}"
        yield kinds, _code(row.fields), admitted, _code([row.source]), read_in(row)


def _bounds(row: ImmutableRow) -> str:
    words = [
        *([f"from KubeVirt {row.since.as_bound} on"] if row.since else []),
        *([f"before KubeVirt {row.until.as_bound}"] if row.until else []),
    ]
    return f"{'; ' if row.admitted else ''}{' and '.join(words)}" if words else ""


def machine_fields() -> Iterator[Row]:
    yield "kind", "fields", "upstream"
    for kind, rows in FIELDS.items():
        for row in rows:
            if row.source:
                bases = {
                    Base.RESOURCE: WHOLE,
                    Base.SPEC: PATHS[kind].spec,
                    Base.INSTANCE: PATHS[kind].instance,
                }
                fields = [".".join(filter(None, (*bases[row.base].keys, field))) for field in row.fields]
                yield kind, _code(fields) if any(fields) else "all others", _code([row.source])


def reads() -> Iterator[Row]:
    yield "object", "named at", "in effect", "upstream"
    for rule in READS:
        yield rule.kind, _code([rule.place]), EFFECTS[rule.impact.effect], _code([rule.impact.source])
    yield "Secret, ConfigMap", "sources of a DataVolume or DataImportCron", "at its import", _code([IMPORTER])


def stalls() -> Iterator[Row]:
    yield "engine", "upstream"
    yield "Flux", _code([FLUX_SOURCE])
    yield "Argo CD", _code([ARGOCD_SOURCE])


def steps() -> Iterator[Row]:
    yield "step of `sync`", "since", "upstream"
    for step in STEPS:
        name = step.step.__name__.replace("_", " ")
        yield name, "" if step.since == OLDEST else step.since.as_bound, _code([step.source])


def disks() -> Iterator[Row]:
    yield "words", "upstream"
    for effect, sources in DISKS.items():
        yield f"`{DATA_EFFECTS[effect]}`", _code(sources)


def guest() -> Iterator[Row]:
    yield "fact", "at risk in Windows", "at risk in Linux", "upstream"
    for row in FACTS:
        yield row.fact, row.windows, row.linux, _code([row.upstream])


def settings() -> Iterator[Row]:
    yield "setting", "judged", "upstream"
    notes = dict.fromkeys(each.note for each in SETTINGS)
    for note in sorted(notes, key=bool):
        rows = [each for each in SETTINGS if each.note == note]
        for row in rows if not note else ():
            yield _code([row.field]), "by its value", _code([row.source])
        if note:
            yield _code([each.field for each in rows]), note, ""


def _code(texts: Sequence[str]) -> str:
    return ", ".join(f"`{text}`" for text in texts)


#: The heading of each table in the page.
TABLES: Mapping[str, Callable[[], Iterator[Row]]] = {
    "## Updates that are refused": refusals,
    "## What a refused object stops": stalls,
    "## Objects that machines read": reads,
    "## Disks": disks,
    "## Facts that the guest sees": guest,
    "## Fields of a running machine": steps,
    "## Settings of the KubeVirt object": settings,
    "## Fields outside of the template, pools and replica sets": machine_fields,
}


@pytest.mark.parametrize("heading", TABLES)
def test_page_lists_every_class(heading: str, request: pytest.FixtureRequest) -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    first, end = table_after(lines, heading)
    title, *rows = TABLES[heading]()
    wanted = [_line(title), f"|{'---|' * len(title)}", *map(_line, rows)]
    if request.config.getoption("--update-cases"):
        lines[first:end] = wanted
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return
    assert lines[first:end] == wanted


def _line(row: Row) -> str:
    return f"| {' | '.join(row)} |"


def table_after(lines: list[str], heading: str) -> tuple[int, int]:
    """Return the lines of the first table after a heading, from its first line to the one after its last."""
    first = next(index for index in range(lines.index(heading), len(lines)) if lines[index].startswith("|"))
    end = next((index for index in range(first, len(lines)) if not lines[index].startswith("|")), len(lines))
    return first, end
