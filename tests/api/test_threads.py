"""The library in a program with many threads: each call is a separate run."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import renderer
from renderer.model.run.limits import limits
from renderer.model.run.taint import tainted
from renderer.model.run.work import spent

THREADS = 8
SECRET = "an-unusual-value-of-a-variable"  # noqa: S105 - the text that must not be shown elsewhere


def in_threads(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Begin all calls at the same time."""
    begin = threading.Barrier(min(THREADS, len(calls)))

    def wait(call: Callable[[], Any]) -> Any:  # noqa: ANN401 - of any call
        begin.wait(timeout=60)
        return call()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(wait, calls))


def test_one_project_is_rendered_by_many_threads(shop: Path) -> None:
    project = renderer.open_project(shop)
    expected = [renderer.render(project, name) for name in ("prod", "test")]
    rendered = in_threads([partial(renderer.render, project, name) for name in ("prod", "test")] * 8)
    assert [each.files for each in rendered] == [each.files for each in expected] * 8


def test_different_projects_keep_their_limits_and_secrets_apart(shop: Path, tmp_path: Path) -> None:
    projects = []
    for number in range(THREADS):
        copied = shutil.copytree(shop, tmp_path / f"copy{number}")
        base = copied / "base/web.yaml"
        base.write_text(base.read_text().replace("team: shop", f"team: number{number}"))
        settings = copied / "vmrender.yaml"
        if number % 2:
            settings.write_text(settings.read_text() + "limits: {overlays: 1}\n")
        projects.append(renderer.open_project(copied))

    def team(project: renderer.Project) -> str:
        try:
            return str(renderer.render(project, "prod").manifests[1]["metadata"]["labels"]["team"])
        except renderer.DiagnosticError as error:
            return error.diagnostics[0].code.value

    found = in_threads([partial(team, project) for project in projects])
    assert found == [("build-limit" if number % 2 else f"number{number}") for number in range(THREADS)]


def test_different_functions_run_concurrently(shop: Path) -> None:
    project = renderer.open_project(shop)
    calls: list[Callable[[], Any]] = [
        lambda: renderer.list_fleet(project),
        lambda: renderer.validate(project),
        lambda: renderer.compare(project, "HEAD~1", "HEAD").difference,
        lambda: renderer.explain(project, "vm/db", overlay="prod"),
        lambda: renderer.expand(renderer.render(project, "test").manifests[0]).manifest,
        lambda: renderer.list_overlays(project),
        lambda: renderer.render(project, "prod").files,
        lambda: renderer.explain_code("conflict"),
    ]
    assert in_threads(calls) == [call() for call in calls]


def test_trees_are_written_concurrently(shop: Path) -> None:
    """Each run writes the same tree: one of them creates it, and all see it complete."""
    project = renderer.open_project(shop)
    results = in_threads([lambda: renderer.write(project)] * THREADS)
    assert [result.findings for result in results] == [()] * THREADS
    assert renderer.write(project, check=True).findings == ()


def test_no_state_leaks_between_calls(shop: Path) -> None:
    listed = shop / "base/kustomization.yaml"
    listed.write_text(
        f"{listed.read_text()}secretGenerator: [{{name: key, literals: [password={SECRET}]}}]\n"
    )
    settings = shop / "vmrender.yaml"
    settings.write_text(f"{settings.read_text()}limits: {{overlays: 7}}\n")

    def calls() -> None:
        before = limits(), tainted(), spent()
        project = renderer.open_project(shop, {"VMRENDER_LIMITS": "overlays=30"})
        assert len(renderer.render(project, "prod").manifests) == 3
        renderer.list_fleet(project)
        assert (limits(), tainted(), spent()) == before

    copy_context().run(calls)


def test_each_call_has_its_own_budget(shop: Path) -> None:
    few = renderer.open_project(shop, {"VMRENDER_LIMITS": "work=1"})
    with pytest.raises(renderer.DiagnosticError) as raised:
        renderer.render(few, "prod")
    assert [found.code for found in raised.value.diagnostics] == ["build-limit"]
    whole = renderer.open_project(shop)
    assert all(renderer.render(whole, "prod").findings == () for _ in range(3))


def test_unknown_limits_in_the_environment_are_refused(shop: Path) -> None:
    with pytest.raises(ValueError, match="there is no limit speed"):
        renderer.list_overlays(renderer.open_project(shop, {"VMRENDER_LIMITS": "speed=10"}))
