"""Several projects in one run, as a hook over a monorepo has them."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pytest

from renderer.app import validation_run
from renderer.app.project import Project
from renderer.app.source_edits import SourceEdits, write_files
from renderer.app.validate import validate_paths
from renderer.model.diagnostic import DiagnosticError
from renderer.pipeline import Pipeline

PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: a}
spec: {runStrategy: Always, x: 1, template: {spec: {domain: {devices: {}}}}}
"""


def test_no_project_is_changed_if_one_cannot_be(tmp_path: Path) -> None:
    roots = [tmp_path / folder for folder in "abc"]
    for root in roots:
        root.mkdir()
        (root / "a.yaml").write_bytes(b"old")
    (roots[1] / "a.yaml").write_bytes(b"of somebody else")
    with pytest.raises(DiagnosticError, match="was changed by someone else"):
        write_files(
            [
                SourceEdits(Project.with_defaults(each), {"a.yaml": b"new"}, {"a.yaml": b"old"})
                for each in roots
            ]
        )
    assert [(root / "a.yaml").read_bytes() for root in roots] == [b"old", b"of somebody else", b"old"]
    assert [path.name for root in roots for path in root.iterdir()] == ["a.yaml"] * 3


def test_state_of_a_project_is_dropped_before_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pipeline(*args: Any) -> Pipeline:  # noqa: ANN401 - what a run gives
        made = Pipeline(*args)
        pipelines.add(made)
        return made

    def open_project(path: Path, top: Path | None = None) -> Project:
        alive.append(len(pipelines))
        return Project.read(top or path.parent)

    files = tuple(tmp_path / folder / "a.yaml" for folder in "abc")
    for file in files:
        file.parent.mkdir()
        file.with_name("vmrender.yaml").write_text(PROJECT)
        file.write_text(VM)
    alive: list[int] = []
    pipelines: WeakSet[Pipeline] = WeakSet()
    monkeypatch.setattr(validation_run, "Pipeline", pipeline)
    gc.disable()  # a collection of all would hide what is kept
    try:
        result = validate_paths(open_project, files, None)
    finally:
        gc.enable()
    assert len(result.findings) == 3
    assert alive == [0, 0, 0]
