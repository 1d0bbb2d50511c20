"""Every field of all rendered resources has a correct history."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import DiskFileSystem
from renderer.kustomize.compose import BuildOptions, Composer
from renderer.kustomize.reader.find_kustomization import LoadRestrictor
from renderer.kustomize.reader.load import Loader
from renderer.model.diagnostic import DiagnosticError
from renderer.model.difference import NoValue
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.provenance import StepKind
from renderer.model.render_config import RenderConfig
from renderer.model.run.work import begin_run, spent
from renderer.pipeline import Pipeline
from renderer.pipeline.run_context import RunContext
from renderer.project.overlays import find_overlays
from renderer.project.project import load_project
from renderer.provenance import histories
from renderer.provenance.histories import Historian
from renderer.provenance.paths import leaves
from renderer.provenance.trace import Trace
from tests.conformance.kustomize import write_tree
from tests.unit.provenance.history_checks import mistakes, overlay_of

ROOT = Path(__file__).parents[3]
VECTORS = sorted((ROOT.parent / "shared" / "conformance" / "kustomize").glob("*.jsonl"))
#: Areas whose cases are about checks or output, not about composition.
AREAS_OF_ONE_KIND = frozenset(
    {"admission", "bad-input", "init", "locations", "report", "rules", "schema", "usage", "validate"}
)
#: Objects that follow another one in a stream of JSON have a file, and no line in it.
STREAMS = frozenset({"plain-folder-json-stream"})
CASES = sorted(
    {
        file.parent
        for file in (ROOT / "tests" / "cases").glob("*/*/case.yaml")
        if file.parents[1].name not in AREAS_OF_ONE_KIND and file.parent.name not in STREAMS
    }
)


def rendered_mistakes(folder: Path) -> Iterator[str]:
    """Of the overlays of the repository in ``folder`` that can be composed."""
    fs = BuiltinFileSystem(DiskFileSystem(folder))
    try:
        config = load_project(fs)
        overlays = find_overlays(fs, config)
    except DiagnosticError:
        return
    trace = Trace()
    pipeline = Pipeline(fs, config, context=RunContext.fresh(trace))
    for overlay in overlays:
        try:
            rendered = pipeline.render(overlay).value
        except DiagnosticError:
            return
        yield from mistakes(trace, overlay, rendered, fs)


def test_histories_of_the_fleet_are_consistent() -> None:
    assert list(rendered_mistakes(ROOT)) == []


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.relative_to(ROOT).as_posix())
def test_histories_of_golden_cases_are_consistent(folder: Path, tmp_path: Path) -> None:
    repository = shutil.copytree(folder, tmp_path / "repository")
    assert list(rendered_mistakes(repository)) == []


def test_fields_are_followed_one_by_one_at_the_cost_of_all_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walked: list[JsonObject] = []

    def walk(content: JsonObject) -> Iterator[tuple[FieldPath, Json]]:
        walked.append(content)
        return leaves(content)

    monkeypatch.setattr(histories, "leaves", walk)
    lines = [f"  k{number}: a" for number in range(100)]
    configuration = ["apiVersion: v1", "kind: ConfigMap", "metadata:", "  name: c", "data:", *lines]
    (tmp_path / "c.yaml").write_text("\n".join(configuration))
    removals = [f"  k{number}: null" for number in range(0, 100, 2)]
    (tmp_path / "patch.yaml").write_text("\n".join([*configuration[:5], *removals]))
    (tmp_path / "kustomization.yaml").write_text("resources: [c.yaml]\npatches: [{path: patch.yaml}]")
    trace = Trace()
    overlay = overlay_of(".")
    pipeline = Pipeline(DiskFileSystem(tmp_path), RenderConfig(), context=RunContext.fresh(trace))
    (resource,) = pipeline.render(overlay).value
    begin_run()
    at_once = Historian(trace, overlay)
    fields = at_once.fields(resource)
    expected = at_once.histories(resource, frozenset(fields))
    cost, walks = spent(), len(walked)
    begin_run()
    historian = Historian(trace, overlay)
    found = [historian.histories(resource, {field}) for field in historian.fields(resource)]
    assert [history for each in found for history in each] == list(expected)
    assert any(history.value is NoValue.ABSENT for history in expected)
    assert (spent(), len(walked)) == (cost, 2 * walks)
    data = FieldPath.of("data")
    assert historian.fields_at(resource, data) == {each for each in fields if each.parent == data}


def built_cases() -> Iterator[dict[str, Any]]:
    for path in VECTORS:
        for line in path.read_bytes().splitlines():
            case = json.loads(line)
            if case["excluded"] is None and "error" not in case["expect"]:
                yield case


@pytest.mark.skipif(not VECTORS, reason="kustomize's vectors are not here")
def test_histories_of_kustomize_builds_are_consistent(tmp_path: Path) -> None:
    found: dict[str, list[str]] = {}
    for number, case in enumerate(built_cases()):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_tree(folder, case["files"])
        fs, trace, overlay = DiskFileSystem(folder), Trace(), overlay_of(case["path"])
        composer = Composer({}, BuildOptions(), trace)
        loader = Loader(fs, LoadRestrictor.NONE, composer.accumulate)
        resources = composer.compose(loader.load(case["path"])).value
        trace.passed(overlay, StepKind.SUPPRESSION, resources, resources)
        found[case["id"]] = list(mistakes(trace, overlay, resources, fs))
    assert found
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
