"""A run over one repository."""

from __future__ import annotations

from typing import Any

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.kubevirt.instancetype import expand as stage
from renderer.model.diagnostic import Outcome
from renderer.model.kube.json import object_at
from renderer.model.kube.resource import ResourceSet
from renderer.model.render_config import ExpandMode, OverlayEntry, RenderConfig
from renderer.pipeline import Pipeline

VM = b"""\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec: {runStrategy: Halted, instancetype: {name: no.such}, template: {spec: {domain: {devices: {}}}}}
"""


def pipeline(folder: str) -> Pipeline:
    files = {f"{folder}/kustomization.yaml": b"resources: [vm.yaml]\n", f"{folder}/vm.yaml": VM}
    fs = MemoryFileSystem({path.removeprefix("./"): content for path, content in files.items()})
    return Pipeline(fs, RenderConfig())


@pytest.mark.parametrize("folder", [".", "overlay"])
def test_each_request_composes_the_folder(folder: str) -> None:
    run = pipeline(folder)
    first, second = run.compose(folder), run.compose(folder)
    assert not first.failed
    assert first == second


@pytest.mark.parametrize(("validate", "codes"), [(False, set()), (True, {"instancetype-not-found"})])
def test_build_without_expansion_does_no_lookups_unless_validating(
    validate: bool,  # noqa: FBT001 - pytest passes parameters so
    codes: set[str],
) -> None:
    overlay = RenderConfig().overlay(OverlayEntry("o"), "o", "o").with_target(None, ExpandMode.OFF)
    built = pipeline("o").build(overlay, validate=validate)
    assert [resource.name for resource in built.value] == ["web"]
    assert {found.code for found in built.diagnostics} == codes


def test_unexpanded_output_is_expanded_once_for_admission(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = VM.replace(b"no.such", b"u1.small").replace(b"devices: {}", b"devices: {disks: [{name: root}]}")
    fs = MemoryFileSystem({"o/kustomization.yaml": b"resources: [vm.yaml]\n", "o/vm.yaml": machine})
    overlay = RenderConfig().overlay(OverlayEntry("o"), "o", "o").with_target(None, ExpandMode.OFF)
    expanded = []

    def expand(resources: ResourceSet, *others: Any, **options: Any) -> Outcome[ResourceSet]:  # noqa: ANN401 - as the original
        expanded.append(resources)
        return original(resources, *others, **options)

    original = stage.expand
    monkeypatch.setattr(stage, "expand", expand)
    rendered = Pipeline(fs, RenderConfig()).render(overlay)

    assert len(expanded) == 1
    assert "instancetype" in object_at(rendered.value.resources[0].content, "spec")
    assert {found.code for found in rendered.diagnostics} == {"admission"}
