from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.page import PAGE, write_figures


def test_figures_replace_the_previous_ones(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.read_text())
    write_figures("| new |\n", page)
    once = page.read_text()
    write_figures("| new |\n", page)
    assert page.read_text() == once
    assert once.count("| new |") == 1
    assert once.startswith(PAGE.read_text().partition("<!-- begin")[0])
    assert once.endswith(PAGE.read_text().partition("<!-- end")[2])


def test_page_without_the_marker_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("No figures.\n")
    with pytest.raises(SystemExit, match="has no lines"):
        write_figures("| new |", page)
    assert page.read_text() == "No figures.\n"
