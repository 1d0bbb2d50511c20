from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.commands import STEPS
from tests.benchmarks.page import PAGE, write_figures
from tests.benchmarks.sampled import STEP_OF


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


def test_sampled_steps_name_modules_and_folders_that_exist() -> None:
    renderer = Path(__file__).parents[2] / "renderer"

    assert [path for path in STEP_OF if not (renderer / path).exists()] == []
    assert set(STEP_OF.values()) <= set(STEPS)
