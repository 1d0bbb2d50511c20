"""``vmrender fix`` over golden cases: a second run changes nothing.

Every eighth case is tried, all with ``--hypothesis-profile=thorough``.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import settings

from renderer.cli.app import main
from tests.agreement.test_hints import JUDGED
from tests.test_cases import CASES, Case, read_tree, write_tree

TRIED = JUDGED if settings.get_current_profile_name() == "thorough" else JUDGED[::8]


def fix() -> None:
    run = CliRunner(catch_exceptions=False).invoke(main, ["fix", "--quiet"], prog_name="vmrender")
    assert run.exit_code in (0, 1, 2), run.stderr


@pytest.mark.parametrize("folder", TRIED, ids=lambda folder: folder.relative_to(CASES).as_posix())
def test_a_second_run_changes_nothing(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / ".git").mkdir()
    write_tree(repository, Case.read(folder).inputs())
    monkeypatch.chdir(repository)
    fix()
    once = read_tree(repository)
    fix()
    assert read_tree(repository) == once
