"""The six reading paths of ARCHITECTURE.md match the code.

A path has the files of the functions on the call stack when a value is decided: from the entry point of the
use case or stage to the function that decides. A reader opens these, in this order.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from renderer.cli.app import main
from renderer.model.kube.sharing import forget_shared
from tests.house import RENDERER, ROOT

ARCHITECTURE = ROOT / "ARCHITECTURE.md"

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  instancetype: {name: o1.small}
  template:
    spec:
      domain: {devices: {}}
"""
FILES = {
    "vmrender.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [path: prod]\n",
    "prod/kustomization.yaml": "resources: [vm.yaml]\ngenerators: [made.yaml]\npatches: [path: patch.yaml]\n",
    "prod/vm.yaml": VM,
    "prod/patch.yaml": VM.partition("spec:")[0] + "spec: {template: {metadata: {labels: {tier: web}}}}\n",
    "prod/made.yaml": (
        "apiVersion: vmrender.io/v1alpha1\nkind: Template\nmetadata: {name: made}\n"
        "spec: {template: made.j2, matrix: {size: [1]}}\n"
    ),
    "prod/made.j2": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made}\ndata: {size: '{{ size }}'}\n",
}


class ReadingPath(NamedTuple):
    """``door`` and ``decides`` are functions, as ``file:name``."""

    question: str
    command: str
    door: str
    decides: tuple[str, ...]
    changed: Mapping[str, tuple[str, str]] = {}


PATHS = (
    ReadingPath(
        "What does `render` do?",
        "render --no-cache --jobs 1",
        "cli/commands/render.py:command",
        (
            "kustomize/compose.py:compose",
            "kubevirt/instancetype/expand.py:expand",
            "checks/schemas/validate.py:validate",
            "kubevirt/admission/review.py:review",
            "checks/rules/judge.py:judge",
            "emit/layout.py:file_paths",
            "emit/write.py:write_trees",
        ),
    ),
    ReadingPath(
        "How is a strategic merge patch applied?",
        "build prod",
        "kustomize/compose.py:compose",
        ("kustomize/strategic_merge.py:_merged_field",),
    ),
    ReadingPath(
        "Where does `overcommitPercent` become a memory request?",
        "build prod",
        "kubevirt/instancetype/expand.py:expand",
        ("kubevirt/instancetype/apply/memory.py:request_with_overcommit",),
    ),
    ReadingPath(
        "How does a finding get its line?",
        "build prod",
        "findings/run_findings.py:add",
        ("yamlio/marks.py:_find",),
        {"prod/vm.yaml": ("runStrategy: Always", "runStrategi: Always")},
    ),
    ReadingPath(
        "What becomes of a `Template`?",
        "build prod",
        "kustomize/compose.py:compose",
        ("authoring/templates/render.py:render",),
    ),
    ReadingPath(
        "Why does a VM need a restart?",
        "diff",
        "cli/commands/diff.py:command",
        ("kubevirt/impact/restart.py:sync_restart_required",),
        {"prod/vm.yaml": ("domain: {devices: {}}", "domain: {devices: {}, cpu: {model: Skylake}}")},
    ),
)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.question)
def test_path_in_architecture_matches_the_code(
    path: ReadingPath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    repository(tmp_path)
    for name, (old, new) in path.changed.items():
        text = (tmp_path / name).read_text()
        assert old in text
        (tmp_path / name).write_text(text.replace(old, new))
    monkeypatch.chdir(tmp_path)
    forget_shared()  # what another test computed would not be computed again

    files_by_function: dict[str, list[str]] = {}
    with watched(path, files_by_function):
        CliRunner().invoke(main, path.command.split(), prog_name="vmrender")

    assert set(files_by_function) == set(path.decides)
    files = list(dict.fromkeys(file for way in files_by_function.values() for file in way))
    if request.config.getoption("--update-cases"):
        write_row(path.question, files)
    assert listed(path.question) == files


def listed(question: str) -> list[str]:
    """The files that ARCHITECTURE.md lists for a question."""
    text = ARCHITECTURE.read_text(encoding="utf-8")
    row = next((line for line in text.splitlines() if line.startswith(f"| {question} |")), "")
    return re.findall(r"`([\w/]+\.py)`", row)


def write_row(question: str, files: list[str]) -> None:
    row = f"| {question} | {len(files)} | {', '.join(f'`{file}`' for file in files)} |"
    lines = ARCHITECTURE.read_text(encoding="utf-8").splitlines()
    kept = [row if line.startswith(f"| {question} |") else line for line in lines]
    ARCHITECTURE.write_text("\n".join(kept) + "\n", encoding="utf-8")


def repository(folder: Path) -> None:
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    someone = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    for command in (("init", "--quiet"), ("add", "-A"), (*someone, "commit", "--quiet", "-m", "x")):
        subprocess.run(["git", *command], cwd=folder, check=True, env=environment)


@contextmanager
def watched(path: ReadingPath, files_by_function: dict[str, list[str]]) -> Iterator[None]:
    """Record in ``files_by_function`` the files on the way to each deciding function, at its first call."""
    wanted = {
        (str(RENDERER / file), name) for file, _, name in (each.partition(":") for each in path.decides)
    }
    names = {name for _, name in wanted}

    def called(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name in names and (code.co_filename, code.co_name) in wanted:
            place = f"{Path(code.co_filename).relative_to(RENDERER).as_posix()}:{code.co_name}"
            way = way_to(frame, path.door)
            if way and place not in files_by_function:
                files_by_function[place] = way

    sys.setprofile(called)
    try:
        yield
    finally:
        sys.setprofile(None)


def way_to(frame: FrameType | None, door: str) -> list[str]:
    """The files of the frames from the door to ``frame``, each once; none without a door."""
    way: list[str] = []
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(RENDERER):
            place = file.relative_to(RENDERER).as_posix()
            way.append(place)
            if f"{place}:{frame.f_code.co_name}" == door:
                return list(dict.fromkeys(reversed(way)))
        frame = frame.f_back
    return []
