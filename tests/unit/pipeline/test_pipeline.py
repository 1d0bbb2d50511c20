"""A run over one repository."""

from __future__ import annotations

import pytest

from renderer.model.render_config import ExpandMode, OverlayEntry, RenderConfig
from renderer.pipeline import Pipeline
from renderer.source.file_system import MemoryFileSystem

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
def test_a_folder_is_composed_as_often_as_it_is_asked_for(folder: str) -> None:
    run = pipeline(folder)
    first, second = run.compose(folder), run.compose(folder)
    assert not first.failed
    assert first == second


@pytest.mark.parametrize(("validate", "codes"), [(False, set()), (True, {"instancetype-not-found"})])
def test_a_build_that_expands_nothing_looks_nothing_up_unless_it_is_to_validate(
    validate: bool,  # noqa: FBT001 - pytest passes parameters so
    codes: set[str],
) -> None:
    overlay = RenderConfig().overlay(OverlayEntry("o"), "o", "o").with_target(None, ExpandMode.OFF)
    built = pipeline("o").build(overlay, validate=validate)
    assert [resource.name for resource in built.value] == ["web"]
    assert {found.code for found in built.diagnostics} == codes
