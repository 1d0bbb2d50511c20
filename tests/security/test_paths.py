"""No path in any field of a repository leads out of it or to a special file."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from renderer.cli.app import main
from tests.security.path_fields import (
    CANARY,
    FILES,
    FOLDERS,
    WAYS_TO_A_FILE,
    WAYS_TO_A_FOLDER,
    good,
    planted,
)

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="links and pipes as on Unix")

SECONDS = 300
#: A linked folder may be a base: none of these links to one.
FIELDS = [("file", name) for name in FILES] + [("folder", name) for name in FOLDERS]
IDS = [f"{kind}: {name}" for kind, name in FIELDS]


@pytest.mark.parametrize(("kind", "name"), FIELDS, ids=IDS)
def test_path_inside_the_root_is_used(kind: str, name: str, tmp_path: Path) -> None:
    field = (FILES if kind == "file" else FOLDERS)[name]
    root = tmp_path / "repository"
    good(root, field, is_folder=kind == "folder")
    code, output = invoked(root, "validate")
    if name == "components as a file":  # which is read, and refused for what it is
        assert "error[" in output
    else:
        assert code == 0, output


@pytest.mark.parametrize(("kind", "name"), FIELDS, ids=IDS)
def test_path_outside_the_root_is_refused(kind: str, name: str, tmp_path: Path) -> None:
    ways, fields = (WAYS_TO_A_FILE, FILES) if kind == "file" else (WAYS_TO_A_FOLDER, FOLDERS)
    for number, (way, written) in enumerate(ways.items()):
        root = tmp_path / str(number) / "repository"
        planted(root, fields[name], way, written, is_folder=kind == "folder")
        code, output = invoked(root, "render")
        assert CANARY not in output, way
        if name == "schemas":  # a folder without schemas
            continue
        assert code in (1, 2), (way, output)
        assert not (root / "rendered").exists(), way
        assert "Traceback" not in output, (way, output)
        assert "error[" in output, (way, output)


@contextmanager
def in_time() -> Iterator[None]:
    """Fail instead of waiting for a named pipe forever."""

    def fail(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def invoked(root: Path, command: str) -> tuple[int, str]:
    here = Path.cwd()
    os.chdir(root)
    try:
        with in_time():
            run = CliRunner().invoke(main, shlex.split(command), prog_name="vmrender")
    finally:
        os.chdir(here)
    return run.exit_code, run.output
