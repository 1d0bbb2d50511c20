"""The list of rows by release matches the reviewed one."""

from __future__ import annotations

import pytest

from renderer.kubevirt.admission.check_table import CheckTable
from renderer.model.release import Release
from tests.releases.__main__ import RELEASES, ROWS, TABLES, name_of, rows


def test_rows_match_the_reviewed_list() -> None:
    listed = [row.rstrip() for row in rows()]

    assert listed == ROWS.read_text(encoding="utf-8").splitlines(), (
        "python -m tests.releases --write, and review"
    )


@pytest.mark.parametrize("title", TABLES)
def test_every_row_cites_its_upstream_source(title: str) -> None:
    assert [name_of(check.run) for check in TABLES[title].checks if not check.upstream] == []


@pytest.mark.parametrize("title", TABLES)
def test_ranges_are_not_empty(title: str) -> None:
    table: CheckTable[...] = TABLES[title]

    assert [
        name_of(check.run)
        for check in table.checks
        if not any(check.is_made_by(release) for release in RELEASES)
    ] == []


def test_future_release_has_the_rows_of_the_newest() -> None:
    def admission(release: Release) -> list[str]:
        listed = list(rows(release))
        return listed[: listed.index("expansion")]

    assert admission(Release.parse("1.11")) == admission(Release.parse("1.10"))
