"""The output of ``vmrender render`` other than findings."""

from __future__ import annotations

import errno
import os
import re
import subprocess
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

import pytest

from tests import warm_program

pty = pytest.importorskip("pty")

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "COLUMNS": "80", "TERM": "xterm"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    for overlay in ("dev", "prod"):
        (tmp_path / "overlays" / overlay).mkdir(parents=True)
        (tmp_path / "overlays" / overlay / "kustomization.yaml").write_text("resources: [ns.yaml]\n")
        (tmp_path / "overlays" / overlay / "ns.yaml").write_text(
            "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"
        )
    return tmp_path


def on_a_terminal(project: Path, *args: str, **environment: str) -> str:
    """Return all output on standard error to a terminal."""
    leader, follower = pty.openpty()
    with os.fdopen(leader, "rb", buffering=0) as terminal:
        with os.fdopen(follower, "wb") as stderr:
            command = subprocess.Popen(
                [warm_program.command(), *args],
                cwd=project,
                env={**ENVIRONMENT, **environment},
                stderr=stderr,
            )
        seen = b"".join(pieces(terminal))
    assert command.wait() == 0
    return seen.decode()


def pieces(terminal: FileIO) -> Iterator[bytes]:
    """Read until the other side is closed, which Linux reports with EIO."""
    try:
        while piece := terminal.read(4096):
            yield piece
    except OSError as ended:
        if ended.errno != errno.EIO:
            raise


def run(project: Path, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [warm_program.command(), *args],
        cwd=project,
        env={**ENVIRONMENT, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_progress_is_shown_on_a_terminal_and_erased(project: Path) -> None:
    seen = on_a_terminal(project, "render")

    assert "rendering overlays/dev (1 of 2)\r" in seen
    assert "writing rendered/dev, with 1 more\r" in seen
    lines = [re.sub(r"[^\r]*\r(?!$)", "", line).strip() for line in seen.split("\n")]
    assert lines == [
        "overlays/dev -> rendered/dev: 1 file (1 created)",
        "overlays/prod -> rendered/prod: 1 file (1 created)",
        "2 overlays: 2 files, 2 created",
        "",
    ]


@pytest.mark.parametrize(
    ("option", "environment"), [("--no-progress", {}), ("--check", {"TERM": "dumb"}), ("--verbose", {})]
)
def test_some_terminals_get_no_progress(project: Path, option: str, environment: dict[str, str]) -> None:
    run(project, "render")
    assert "rendering" not in on_a_terminal(project, "render", option, **environment)


def test_a_log_gets_no_progress(project: Path) -> None:
    assert run(project, "render").stderr == (
        "overlays/dev -> rendered/dev: 1 file (1 created)\n"
        "overlays/prod -> rendered/prod: 1 file (1 created)\n"
        "2 overlays: 2 files, 2 created\n"
    )


def test_verbose_reports_steps_and_durations(project: Path) -> None:
    seen = re.sub(r"\d+ ms|\d+\.\d s", "TIME", run(project, "render", "prod", "-v").stderr)
    assert seen == (
        "overlays/prod: 1 resource composed in TIME, expanded, checked and laid out in TIME\n"
        "overlays/prod -> rendered/prod: 1 file (1 created)\n"
        "rendered/prod: written in TIME\n"
        "done in TIME\n"
        "1 overlay: 1 file, 1 created\n"
    )


def test_unchanged_trees_are_listed_up_to_a_number(project: Path) -> None:
    for number in range(12):
        (project / f"overlays/site-{number}").mkdir()
        (project / f"overlays/site-{number}/kustomization.yaml").write_text("resources: [../dev]\n")
    run(project, "render")
    (project / "overlays/prod/ns.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n")
    *trees, more, _ = run(project, "render").stderr.splitlines()
    assert (len(trees), trees[1]) == (11, "overlays/prod -> rendered/prod: 1 file (1 created, 1 removed)")
    assert more == "more overlays are unchanged: --verbose lists all of them"
    assert run(project, "render", "--verbose").stderr.count("1 file, unchanged") == 14


@pytest.mark.parametrize("below", [".", "overlays", "rendered/prod"])
def test_force_accepts_paths_from_the_working_directory_or_the_root(project: Path, below: str) -> None:
    file = project / "rendered/prod/_cluster/namespace_a.yaml"
    for path in ("rendered/prod/_cluster/namespace_a.yaml", os.path.relpath(file, project / below)):
        run(project, "render")
        file.write_text("edited")
        assert run(project, "render").returncode == 1
        assert run(project / below, "render", "--force", path).returncode == 0
        assert "kind: Namespace" in file.read_text()


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "overlays/dev/ns.yaml", "rendered/dev"])
def test_force_accepts_only_files_of_rendered_trees(project: Path, path: str) -> None:
    refused = run(project, "render", "--force", path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "not a file of a tree that is rendered now" in refused.stderr
    assert not (project / "rendered").exists()


@pytest.mark.parametrize("option", [[], ["--check"]])
def test_foreign_manifest_in_a_tree_is_left_alone_with_a_warning(project: Path, option: list[str]) -> None:
    run(project, "render")
    for path in ("mine.yaml", "_cluster/mine.json", "notes.txt"):
        (project / "rendered/prod" / path).write_text("{}")
    result = run(project, "render", *option)
    assert result.returncode == 0
    assert re.findall(r"^(\S+): warning\[foreign-file\]", result.stderr, re.MULTILINE) == [
        "rendered/prod/_cluster/mine.json",
        "rendered/prod/mine.yaml",
    ]
    files = [*(project / "rendered/prod").glob("*/*.yaml")]
    listed = "".join(f"- {each.relative_to(project / 'rendered/prod').as_posix()}\n" for each in files)
    (project / "rendered/prod/kustomization.yaml").write_text(f"resources:\n{listed}")
    assert "warning" not in run(project, "render", *option).stderr
    assert (project / "rendered/prod/mine.yaml").read_text() == "{}"


@pytest.mark.parametrize("digests", ["a", "ab"])
def test_forged_list_removes_no_file_of_somebody_else(project: Path, digests: str) -> None:
    run(project, "render")
    tree, files = project / "rendered/prod", (".env", "notes.txt", "mine.yaml")
    conflict = "<<<<<<< HEAD\nmine\n=======\nyours\n>>>>>>> other\n"
    for file in files:
        (tree / file).write_text(conflict)
    entries = "".join(f"# {file}\n{digit * 64}  {file}\n\n" for file in files for digit in digests)
    owned = tree / ".vmrender-owned"
    owned.write_text(owned.read_text().replace("# end\n", f"{entries}# end\n"))
    run(project, "render")
    assert [(tree / file).read_text() for file in files] == [conflict] * len(files)


def test_leftover_file_is_reported_once(project: Path) -> None:
    run(project, "render")
    (project / "overlays/prod/ns.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n")
    assert "warning" not in run(project, "render", "--check").stderr
    (project / "rendered/prod/_cluster/namespace_a.yaml").write_text("edited")
    assert "warning" not in run(project, "render", "--check").stderr


def test_pruning_is_for_the_whole_project(project: Path) -> None:
    assert run(project, "render", "--prune", "prod").returncode == 2
