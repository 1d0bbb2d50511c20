"""A clone whose files and settings try to make git run programs, or wait for ever: no command lets it."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from renderer.cli.app import main
from tests.security.git_history import committed, git

pytestmark = pytest.mark.skipif(not shutil.which("git") or os.name == "nt", reason="needs git and scripts")

PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [path: o]\n"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME, namespace: a}\ndata: {a: b}\n"
#: Git backtracks: a name that is as long would take it years.
STARS, LONG = "*a" * 30 + "b", "a" * 150
#: Settings of which git runs the value.
PROGRAMS = (
    *("core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "core.askPass", "core.gitProxy"),
    *("core.alternateRefsCommand", "credential.helper", "diff.external", "diff.evil.command"),
    *("diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process"),
    *("gpg.program", "gpg.ssh.program", "interactive.diffFilter", "merge.evil.driver", "sequence.editor"),
    *("uploadpack.packObjectsHook", "remote.origin.uploadpack", "pager.log", "pager.diff", "pager.rev-list"),
    *(
        "alias.log",
        "alias.ls-files",
        "alias.rev-list",
        "alias.rev-parse",
        "alias.merge-base",
        "alias.cat-file",
    ),
)
SWITCHES = {"log.showSignature": "true", "filter.evil.required": "true", "core.untrackedCache": "true"}
HOOKS = ("post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc")
COMMANDS = (
    "diff",
    "diff HEAD~2",
    "diff HEAD~2..HEAD",
    "diff HEAD~2...HEAD",
    "diff --each HEAD~2..HEAD",
    "render --tracked",
    "validate",
    "import dump.yaml --all-namespaces --dry-run",
    "init --dry-run",
)


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


def project(root: Path, name: str = "c") -> None:
    write(root, "vmrender.yaml", PROJECT)
    write(root, "o/kustomization.yaml", f"resources: [{name}.yaml]\n")
    write(root, f"o/{name}.yaml", CONFIG_MAP.replace("NAME", name))
    write(root, "dump.yaml", CONFIG_MAP.replace("NAME", "dumped"))


COMMIT = """\
tree {tree}
parent {parent}
author a <a@example.org> 1700000000 +0000
committer a <a@example.org> 1700000000 +0000
gpgsig -----BEGIN PGP SIGNATURE-----
 AAAA
 -----END PGP SIGNATURE-----

signed
"""


def commit_with_signature(root: Path) -> None:
    """Add a commit with a signature, which git verifies with a program if it is told to show it."""
    tree, parent = git(root, "rev-parse", "HEAD^{tree}"), git(root, "rev-parse", "HEAD")
    write(root, ".git/signed", COMMIT.format(tree=tree, parent=parent))
    oid = git(root, "hash-object", "-t", "commit", "-w", "--no-filters", ".git/signed")
    git(root, "update-ref", "HEAD", oid)


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "ran"


@pytest.fixture(params=["", "*.yaml -filter\n"], ids=["all files filtered", "others filtered"])
def root(
    request: pytest.FixtureRequest, tmp_path: Path, marker: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A repository of three commits, whose settings name a program that leaves a mark."""
    script = tmp_path / "program"
    script.write_text(f'#!/bin/sh\necho "$0 $@" >> {marker}\ncat\n', encoding="utf-8")
    script.chmod(0o755)
    root = tmp_path / "clone"
    root.mkdir()
    project(root)
    attributes = "* text eol=crlf filter=evil diff=evil merge=evil ident export-subst\n"
    write(root, ".gitattributes", attributes + request.param)
    committed(root)
    commit_with_signature(root)
    commit_with_signature(root)
    write(root, "o/c.yaml", CONFIG_MAP.replace("NAME", "c").replace("b}", "c}"))
    for name in PROGRAMS:
        git(root, "config", name, str(script))
    for name, value in SWITCHES.items():
        git(root, "config", name, value)
    (root / ".git/hooks").mkdir(exist_ok=True)
    for name in HOOKS:
        shutil.copy(script, root / ".git/hooks" / name)
    monkeypatch.chdir(root)
    return root


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("command", COMMANDS)
def test_git_runs_no_program_of_a_clone(command: str, marker: Path) -> None:
    result = CliRunner().invoke(main, command.split())

    assert result.exit_code in (0, 1) or "its attribute filter=evil" in result.output, result.output
    assert not marker.exists(), marker.read_text()


@pytest.mark.usefixtures("root")
def test_these_settings_make_git_run_programs(marker: Path) -> None:
    """Without the options of ``GitProcess``, at least the filter and the program for signatures run."""
    for command in (("log", "-1"), ("status",), ("diff",)):
        subprocess.run(["git", *command], stdin=subprocess.DEVNULL, capture_output=True, check=False)

    assert len(marker.read_text().splitlines()) > 2


def attributes_with_stars(root: Path) -> None:
    write(root, ".gitattributes", f"{STARS} text eol=crlf\n")


def ignored_with_stars(root: Path) -> None:
    write(root, ".gitignore", f"{STARS}\n")


def pipes_for_gits_own_files(root: Path) -> None:
    for name in (".gitattributes", ".gitignore", ".mailmap", ".gitmodules"):
        os.mkfifo(root / name)


@pytest.mark.parametrize("hostile", [attributes_with_stars, ignored_with_stars, pipes_for_gits_own_files])
@pytest.mark.parametrize("command", [*COMMANDS, "import . --all-namespaces --dry-run"])
def test_git_keeps_no_command_waiting(
    command: str, hostile: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("renderer.files.git.PATTERN_SECONDS", 0.3)
    monkeypatch.setattr("renderer.files.git_repository.PATTERN_SECONDS", 0.3)
    project(tmp_path, LONG)
    committed(tmp_path)
    commit_with_signature(tmp_path)
    commit_with_signature(tmp_path)
    hostile(tmp_path)
    monkeypatch.chdir(tmp_path)

    start = time.monotonic()
    result = CliRunner().invoke(main, command.split())

    assert result.exit_code in (0, 1, 2), result.output
    assert time.monotonic() - start < 10
