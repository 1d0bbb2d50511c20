"""Golden cases: ``tests/cases/<area>/<case>/`` is a user's repository with the result of a command.

``case.yaml`` has the command (``command``, as typed after ``vmrender``; ``stdin``, a file), its exit code
(``exit``, 0) and the files that it removes (``removed``, none). ``expected.stdout`` and ``expected.stderr``
are its output, empty if they are absent; ``expected/`` has the files that it creates or changes. ``pytest
--update-cases`` writes these three. Every case also shows that a second run changes nothing and that the
order in which files were created does not matter. A command that changed nothing has no second run, unless it
uses results of earlier ones: it would be the first again.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from renderer.cli.app import main
from tests.started import machines_start_the_same

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(file.parent for file in CASES.glob("*/*/case.yaml"))


@dataclass(frozen=True)
class Result:
    """The visible result of a run: ``files`` are the created and changed ones."""

    exit: int
    stdout: str
    stderr: str
    files: dict[str, str]
    removed: list[str]


@dataclass(frozen=True)
class Case:
    """One folder."""

    folder: Path
    command: str
    exit: int = 0
    removed: tuple[str, ...] = ()
    stdin: str | None = None

    @classmethod
    def read(cls, folder: Path) -> Case:
        return cls(folder, **yaml.safe_load((folder / "case.yaml").read_text(encoding="utf-8")))

    def inputs(self) -> dict[str, str]:
        files = read_tree(self.folder)
        return {path: text for path, text in files.items() if not path.startswith(("expected", "case.yaml"))}

    def expected(self) -> Result:
        texts = {"expected.stdout": "", "expected.stderr": "", **read_tree(self.folder)}
        files = {
            path.removeprefix("expected/"): text
            for path, text in texts.items()
            if path.startswith("expected/")
        }
        return Result(
            self.exit, texts["expected.stdout"], texts["expected.stderr"], files, list(self.removed)
        )

    def update(self, result: Result) -> None:
        shutil.rmtree(self.folder / "expected", ignore_errors=True)
        write_tree(self.folder / "expected", result.files)
        for name, text in (("expected.stdout", result.stdout), ("expected.stderr", result.stderr)):
            (self.folder / name).unlink(missing_ok=True)
            if text:
                (self.folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(CASES).as_posix())
def test_case(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    case = Case.read(folder)
    inputs = case.inputs()
    first, other = tmp_path / "first", tmp_path / "other"
    first.mkdir()
    other.mkdir()
    write_tree(first, inputs)
    write_tree(other, dict(reversed(inputs.items())))

    as_made = states(first)
    result = run(case, first, inputs, monkeypatch)
    if request.config.getoption("--update-cases"):
        case.update(result)
    assert result == case.expected()

    before = states(first)
    if before != as_made or case.command.startswith("render"):
        assert run(case, first, inputs, monkeypatch).exit == result.exit
        assert states(first) == before, "a second run touched files"

    if FOLDERS.index(folder) % 4 == 0:  # no case depends on it more than another
        assert run(case, other, inputs, monkeypatch) == result, "the order of files matters"


def test_there_are_cases() -> None:
    assert FOLDERS


def run(case: Case, repository: Path, inputs: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.chdir(repository)
    stdin = inputs[case.stdin] if case.stdin else None
    with machines_start_the_same():
        run = CliRunner(catch_exceptions=False).invoke(
            main, shlex.split(case.command), input=stdin, prog_name="vmrender"
        )
    files = read_tree(repository)
    return Result(
        exit=run.exit_code,
        stdout=run.stdout.replace(str(repository), "<repository>"),
        stderr=run.stderr.replace(str(repository), "<repository>"),
        files={path: text for path, text in files.items() if inputs.get(path) != text},
        removed=sorted(inputs.keys() - files.keys()),
    )


def read_tree(folder: Path) -> dict[str, str]:
    """Every file below ``folder``, bytes that are not text as they were (``surrogateescape``)."""
    files = ((path, Path(path)) for path in sorted(paths(folder)))
    return {
        path.removeprefix(f"{folder}/"): file.read_bytes().decode("utf-8", "surrogateescape")
        for path, file in files
        if file.is_file()
    }


def write_tree(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode("utf-8", "surrogateescape"))


def states(folder: Path) -> dict[str, tuple[int, int]]:
    found = ((path, Path(path).lstat()) for path in paths(folder))
    return {path: (state.st_ino, state.st_mtime_ns) for path, state in found}


def paths(folder: Path) -> Iterator[str]:
    """Yield everything below ``folder``, in a tenth of the time of ``rglob``."""
    return (f"{place}/{name}" for place, folders, files in os.walk(folder) for name in folders + files)
