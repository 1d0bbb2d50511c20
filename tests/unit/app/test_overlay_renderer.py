"""Renderers record, of each overlay, all files that decide what comes of it."""

from __future__ import annotations

import shutil
from collections.abc import Container, Iterable
from pathlib import Path

import pytest

from renderer.app.overlay_renderer import OverlayRenderer
from renderer.app.project import Project
from renderer.source.recorder import FileQuestion
from tests.cli.project_of_everything import write_project

CASES = Path(__file__).parents[2] / "cases"


@pytest.fixture
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Project:
    root = tmp_path / "project"
    if request.param == "everything":
        write_project(root)
    else:
        shutil.copytree(CASES / request.param, root)
    return Project.read(root)


def not_among(inputs: Iterable[FileQuestion], others: Container[FileQuestion]) -> set[FileQuestion]:
    """The questions that the others do not answer; a file that was read need not be asked for as well."""
    return {each for each in inputs if each not in others and FileQuestion("read", each.path) not in others}


@pytest.mark.parametrize(
    "project",
    ["everything", "gitops/flux-monorepo", "gitops/instancetypes-of-the-same-cluster"],
    indirect=True,
)
def test_an_overlay_depends_on_the_same_files_alone_and_after_others(project: Project) -> None:
    overlays, together = project.overlays(), OverlayRenderer(project.root, project.config)
    assert len(overlays) > 1
    for overlay in overlays:
        alone = OverlayRenderer(project.root, project.config).render(overlay)
        assert not_among(alone.inputs, together.render(overlay).inputs) == set()
