"""Calls of the library are separate runs: in sequence, in threads, and when one exceeds a limit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import renderer
from renderer.model.codes import Code

PROJECT = (
    "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\nlimits: {work: WORK}\noverlays: [{path: prod}]\n"
)
CONFIG_MAPS = "".join(
    f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a{number}}}\n" for number in range(60)
)
PATCHES = "".join(
    f'- target: {{name: \'a{number}.*\'}}\n  patch: \'[{{"op": "add", "path": "/data", "value": {{}}}}]\'\n'
    for number in range(60)
)


def opened(folder: Path, work: int) -> renderer.Project:
    (folder / "prod").mkdir()
    (folder / "vmrender.yaml").write_text(PROJECT.replace("WORK", str(work)))
    (folder / "prod/kustomization.yaml").write_text(f"resources: [a.yaml]\npatches:\n{PATCHES}")
    (folder / "prod/a.yaml").write_text(CONFIG_MAPS)
    return renderer.open_project(folder)


def test_calls_have_a_budget_each(tmp_path: Path) -> None:
    project = opened(tmp_path, 1_000)
    for _ in range(20):
        assert renderer.list_overlays(project)
        assert not renderer.render(project, "prod").findings


def test_threads_have_a_budget_each(tmp_path: Path) -> None:
    project = opened(tmp_path, 1_000)
    with ThreadPoolExecutor(8) as pool:
        rendered = list(pool.map(lambda _: renderer.render(project, "prod"), range(16)))
    assert len({tuple(sorted(each.files.items())) for each in rendered}) == 1
    assert not any(each.findings for each in rendered)


def test_exceeded_limit_is_an_ordinary_error(tmp_path: Path) -> None:
    project = opened(tmp_path, 1_000)
    (tmp_path / "prod/kustomization.yaml").write_text(
        "resources: [a.yaml]\nimages:\n- &i {name: a}\n" + "- *i\n" * 9000
    )
    with pytest.raises(renderer.DiagnosticError) as raised:
        renderer.render(project, "prod")
    assert [found.code for found in raised.value.diagnostics] == [Code.BUILD_LIMIT]
    (tmp_path / "prod/kustomization.yaml").write_text("resources: [a.yaml]\n")
    assert not renderer.render(project, "prod").findings
