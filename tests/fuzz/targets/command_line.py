"""Golden repositories with changed structure, through the command line.

Each input is a repository of ``tests/cases``, with one file changed. Its own command, ``validate``,
``render`` and one of all others run on it, in this process. No command may crash, whatever a field contains;
and where ``validate`` finds nothing in a project, ``render`` refuses nothing.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from contextlib import chdir
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import yaml
from click.testing import CliRunner
from click.testing import Result as Run
from hypothesis import strategies as st

from renderer.cli.app import main
from renderer.model.render_config import PROJECT_FILE
from tests.command_surface import LINES, filled
from tests.fuzz.mutation import mutated_file, project, retyped_file
from tests.fuzz.target import Target
from tests.test_cases import CASES, FOLDERS, Case

#: Bytes of a repository: larger ones are slow, and have nothing that a smaller one lacks.
_MOST_BYTES = 20_000
_YAML = (".yaml", ".yml", ".json", ".j2")
#: What stops ``render`` alone: it is about what is in the rendered trees.
_ABOUT_TREES = frozenset({"foreign-file", "ownership-invalid", "stale", "stale-tree", "tree-missing"})
_NOTHING_TO_RENDER = "the project has no overlays"
_GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/dev/null")

_FOLDER = TemporaryDirectory()
_HERE = Path(_FOLDER.name).resolve()
_ENVIRONMENT = {name: str(_HERE / name) for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME")}


class _Input(NamedTuple):
    case: str
    file: str
    content: bytes
    command: str


@cache
def _cases() -> dict[str, tuple[str, ...]]:
    """Return the files that may be changed, by case."""
    found = {}
    for folder in FOLDERS:
        files = {path: text for path, text in project(folder).items() if _is_input(path)}
        changeable = tuple(path for path, text in files.items() if path.endswith(_YAML) and _is_text(text))
        if changeable and sum(map(len, files.values())) <= _MOST_BYTES:
            found[folder.relative_to(CASES).as_posix()] = changeable
    return found


def _is_input(path: str) -> bool:
    return not path.startswith(("expected", "case.yaml"))


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


@st.composite
def _inputs(draw: st.DrawFn) -> _Input:
    case = draw(st.sampled_from(sorted(_cases())))
    file = draw(st.sampled_from(_cases()[case]))
    content = (CASES / case / file).read_bytes()
    changed = draw(st.one_of(retyped_file(content), retyped_file(content), mutated_file(content)))
    return _Input(case, file, changed, draw(st.sampled_from(LINES)))


def _check(given: _Input) -> None:
    repository = _checkout(given.case)
    (repository / given.file).write_bytes(given.content)
    case = Case.read(CASES / given.case)
    with chdir(repository):
        checked = _run("validate --format json", given)
        rendered = _run("render --jobs 1 --format json", given)
        has_file = (repository / PROJECT_FILE).exists()  # without one, validate looks at files, not overlays
        if has_file and checked.exit_code == 0 and rendered.exit_code != 0:
            errors = [found for found in _findings(rendered) if found["severity"] == "error"]
            refused = {found["code"] for found in errors if found["message"] != _NOTHING_TO_RENDER}
            assert refused <= _ABOUT_TREES, f"validate finds nothing\n{rendered.output}"
        _run(f"{case.command} < {case.stdin}" if case.stdin else case.command, given)
        _run(given.command, given)


def _findings(run: Run) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(run.stdout)["findings"] if run.stdout else []
    return found


def _run(command: str, given: _Input) -> Run:
    """Run a command as it is typed; the changed file is whatever file the command reads."""
    folder = os.path.dirname(given.file) or "."  # noqa: PTH120 - a path in a repository
    typed = filled(
        command,
        FILE=given.file,
        DUMP=given.file,
        PLAN=given.file,
        FOLDER=folder,
        CATALOG=folder,
        SIZE="u1.nano",
        MACHINE=_name_in(given.content),
    )
    arguments, _, source = typed.partition(" < ")
    words = shlex.split(arguments)
    stdin = _list_of(given.content) if source == "LIST" else Path(source).read_bytes() if source else b""
    run = CliRunner(env=_ENVIRONMENT).invoke(main, words, input=stdin, prog_name="vmrender")
    assert run.exit_code in (0, 1, 2), f"vmrender {command}: exit code {run.exit_code}\n{run.output[-4000:]}"
    assert "Traceback" not in run.stderr, f"vmrender {command}\n{run.stderr[-4000:]}"
    return run


def _name_in(content: bytes) -> str:
    """Return a name that the file has, if it is plain."""
    found = re.search(rb"\bname\W{1,4}([a-z][a-z0-9-]*)", content)
    return found[1].decode() if found else "web"


def _list_of(content: bytes) -> bytes:
    """Return a ResourceList of the documents of a file, whatever they are."""
    try:
        items = list(yaml.safe_load_all(content))
        return json.dumps(
            {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items}, default=str
        ).encode()
    except (yaml.YAMLError, ValueError, TypeError):
        return content


def _checkout(case: str) -> Path:
    """Return a fresh copy of a case's repository, whose files are committed."""
    committed, repository = _HERE / "committed" / case, _HERE / "repository"
    if not committed.exists():
        committed.mkdir(parents=True)
        for path, content in project(CASES / case).items():
            if _is_input(path):
                (committed / path).parent.mkdir(parents=True, exist_ok=True)
                (committed / path).write_bytes(content)
        for arguments in (("init", "-q", "--template="), ("add", "-A", "-f"), ("commit", "-qm", "all")):
            subprocess.run([*_GIT, *arguments], cwd=committed, check=True)
    shutil.rmtree(repository, ignore_errors=True)
    shutil.copytree(committed, repository, symlinks=True)
    return repository


TARGET = Target(_inputs(), _check, starts_programs=True)
