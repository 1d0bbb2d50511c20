"""Renderers record all files that determine the result of each overlay."""

from __future__ import annotations

import json
import shutil
from collections.abc import Container, Iterable
from pathlib import Path

import pytest

from renderer.app.overlay_renderer import OverlayRenderer, RenderedOverlay
from renderer.app.project import Project
from renderer.files.recorder import FileQuestion
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


def questions(rendered: RenderedOverlay) -> set[FileQuestion]:
    shared = [asked for part in rendered.inputs.shared for asked in json.loads(part.text)]
    return {*rendered.inputs.own, *(FileQuestion(method, path) for method, path, _ in shared)}


def places(rendered: RenderedOverlay) -> Iterable[str]:
    for found in rendered.findings:
        for location in (found.location, *(related.location for related in found.related)):
            if location and location.line and not location.path.startswith("builtin:"):
                yield location.path


@pytest.mark.parametrize(
    "project",
    ["everything", "gitops/flux-monorepo", "gitops/instancetypes-of-the-same-cluster"],
    indirect=True,
)
def test_dependencies_of_an_overlay_do_not_depend_on_earlier_ones(project: Project) -> None:
    overlays, together = project.overlays(), OverlayRenderer(project.root, project.config, {})
    assert len(overlays) > 1
    for overlay in overlays:
        alone = OverlayRenderer(project.root, project.config, {}).render(overlay)
        assert not_among(questions(alone), questions(together.render(overlay))) == set()


@pytest.mark.parametrize("project", ["gitops/argocd-app-of-apps", "gitops/flux-monorepo"], indirect=True)
def test_overlay_depends_on_the_files_of_its_findings(project: Project) -> None:
    renderer, found = OverlayRenderer(project.root, project.config, {}), set[str]()
    for overlay in project.overlays():
        rendered = renderer.render(overlay)
        found.update(places(rendered))
        assert set(places(rendered)) <= {each.path for each in questions(rendered) if each.method == "read"}
    assert found
