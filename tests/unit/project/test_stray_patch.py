"""Only a file that a kustomization could list as a patch is excused for what it leaves out."""

from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.kustomize.reader.resources import read_resources
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.kube.resource import Resource
from renderer.project.stray_patch import StrayPatches, is_named_as_patch

WEB = "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: web}, spec: {template: {}}}"
WEB_ID = ResId(Gvk.parse("kubevirt.io/v1", "VirtualMachine"), "web")


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("patches/cpu.yaml", "web", True),
        ("cpu-patch.yaml", "web", True),
        ("cpuPatch.yaml", "web", True),
        ("CPU_PATCH.yaml", "web", True),
        ("overlays/prod/web.patch.yaml", "web", True),
        ("vms/dispatch-01.yaml", "dispatch-01", False),
        ("vms/patchwork.yaml", "web", False),
        ("vms/patched/web.yaml", "web", False),
        ("vms/patch-panel.yaml", "patch-panel", False),
        ("patches/patch-panel.yaml", "patch-panel", True),
        ("vms/web.yaml", "", False),
    ],
)
def test_patch_is_a_word_of_the_path(path: str, name: str, *, expected: bool) -> None:
    assert is_named_as_patch(path, name) is expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"base/kustomization.yaml": "resources: [web.yaml]", "base/web.yaml": WEB}, False),
        (
            {
                "base/kustomization.yaml": "resources: [web.yaml]",
                "base/web.yaml": WEB,
                "prod/kustomization.yaml": "resources: [../base]",
            },
            True,
        ),
        ({"prod/web.yaml": WEB}, True),
        ({"prod/kustomization.yaml": "resources: []", "prod/web.yaml": WEB}, False),
        ({"test/web.yaml": WEB}, False),
        ({"prod/old/web.yaml": WEB}, False),
        ({"kustomization.yaml": "resources: [test/web.yaml]", "test/web.yaml": WEB}, True),
        ({"prod/web.yaml": WEB.replace("VirtualMachine", "VirtualMachineInstance")}, False),
        ({"prod/web.yaml": WEB.replace("name: web", "name: db")}, False),
    ],
)
def test_namesake_counts_only_where_a_kustomization_could_combine_both(
    files: dict[str, str], *, expected: bool
) -> None:
    fs = MemoryFileSystem({path: text.encode() for path, text in {**files, "prod/half.yaml": WEB}.items()})

    def resources(path: str) -> tuple[Resource, ...]:
        return read_resources(fs.read(path), Site(path)) if path.endswith("web.yaml") else ()

    patches = StrayPatches(KustomizationGraph(fs), fs.list, resources)
    assert patches.is_patch("prod/half.yaml", WEB_ID, FieldPath.of("spec", "template")) is expected
    assert not patches.is_patch("prod/half.yaml", WEB_ID, FieldPath.of("spec", "preference"))
