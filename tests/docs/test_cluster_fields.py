"""The page of the cluster's fields matches the table in the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from renderer.kubevirt.facts.allocated_fields import ALLOCATED_FIELDS, TRACKING_MARKS
from renderer.kubevirt.facts.controller_marks import CONTROLLER_FINALIZERS, CONTROLLER_MARKS
from renderer.kubevirt.facts.server_fields import SERVER_FIELDS, SERVER_FINALIZERS

PAGE = Path(__file__).parents[2] / "docs" / "cluster-fields.md"
_BEGIN = "<!-- held by tests/docs/test_cluster_fields.py -->\n"


def rows() -> str:
    lines = [f"| `{'.'.join(path)}` | all | {source} |" for path, source in SERVER_FIELDS]
    for row in (*ALLOCATED_FIELDS, *TRACKING_MARKS):
        if row.is_kept:
            continue
        kinds = row.kind or "all, when importing"
        lines.append(f"| `{'.'.join(row.path)}` | {kinds} | {row.source} |")
    for mark in CONTROLLER_MARKS:
        kinds = ", ".join(kind for _, kind in mark.kinds) or "all, when importing"
        lines.append(f"| `{'.'.join(mark.path)}` | {kinds} | {mark.source} |")
    lines += [
        f"| `metadata.finalizers`: `{name}` | all | {source} |" for name, source in SERVER_FINALIZERS.items()
    ]
    lines += [
        f"| `metadata.finalizers`: `{name}` | all, when importing | {source} |"
        for name, source in CONTROLLER_FINALIZERS.items()
    ]
    head = ["| field | of which kind | written or defined by |", "|---|---|---|"]
    return "\n".join([*head, *lines]) + "\n"


def test_the_page_has_every_row(request: pytest.FixtureRequest) -> None:
    before, _, _ = PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    page = f"{before}{_BEGIN}\n{rows()}"
    if request.config.getoption("--update-cases"):
        PAGE.write_text(page, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page
