from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.cluster_settings import CatalogPath
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.model.run.work import begin_run, spent
from renderer.project.overlays import find_overlays
from renderer.project.validation_scope import ManifestFiles, ScopeFinder, ValidationScope

FILES = {
    "base/kustomization.yaml": "resources: [vm.yaml]\nconfigMapGenerator: [{files: [key=notes.txt]}]",
    "base/vm.yaml": "",
    "base/notes.txt": "",
    "overlays/prod/kustomization.yaml": """
resources: [../../base]
components: [../../parts/ha]
patches: [{path: patch.yaml}, {patch: "- op: remove"}]
patchesStrategicMerge: [old.yaml, "kind: A\\nmetadata: {}"]
replacements: [{path: replacement.yaml}]
openapi: {path: schema.json}
generators: [template.yaml]
secretGenerator: [{name: s, envs: [s.env], env: t.env}]
""",
    "overlays/prod/patch.yaml": "",
    "overlays/prod/old.yaml": "",
    "overlays/prod/replacement.yaml": "",
    "overlays/prod/schema.json": "",
    "overlays/prod/template.yaml": "spec: {template: web.yaml, valuesFrom: [{file: values.yaml}]}",
    "overlays/prod/web.yaml": "",
    "overlays/prod/values.yaml": "",
    "overlays/prod/s.env": "",
    "overlays/prod/t.env": "",
    "overlays/prod/unlisted.yaml": "",
    "overlays/dev/Kustomization": "Resources: [../../base]",
    "parts/ha/kustomization.yaml": "kind: Component\npatches: [{path: ha.yaml}]",
    "parts/ha/ha.yaml": "",
    "parts/unused/kustomization.yaml": "kind: Component\npatches: [{path: a.yaml}]",
    "parts/unused/a.yaml": "",
    "catalog/kustomization.yaml": "resources: [sizes.yaml]",
    "catalog/sizes.yaml": "",
    "clusters/a/kustomization.yaml": "resources: [../../apps/web]",
    "clusters/b/kustomization.yaml": "resources: [../../apps/web]",
    "apps/web/kustomization.yaml": "resources: [web.yaml]",
    "apps/web/web.yaml": "",
    "broken/kustomization.yaml": "resources: [",
    "broken/vm.yaml": "",
    "alone.yaml": "",
}


def scope(*files: str, **more: str) -> ValidationScope:
    fs = MemoryFileSystem({path: text.encode() for path, text in {**FILES, **more}.items()})
    config = RenderConfig(overlays=(OverlayEntry("overlays/*"),), catalogs=(CatalogPath("catalog"),))
    overlays = find_overlays(fs, config)
    graph, manifests = KustomizationGraph(fs), ManifestFiles(fs)
    return ScopeFinder(graph, manifests, config, overlays, graph.files_of_overlay).scope_of(files)


def built(found: ValidationScope) -> list[str]:
    return [overlay.path for overlay in (*found.overlays, *found.unlisted)]


@pytest.mark.parametrize(
    "name",
    ["patch", "old", "replacement", "template", "web", "values"],
)
def test_listed_files_are_reached(name: str) -> None:
    found = scope(f"overlays/prod/{name}.yaml")
    assert (built(found), found.alone) == (["overlays/prod"], ())


@pytest.mark.parametrize("name", ["schema.json", "s.env", "t.env", "kustomization.yaml"])
def test_listed_files_that_are_not_manifests_are_reached(name: str) -> None:
    assert built(scope(f"overlays/prod/{name}")) == ["overlays/prod"]


def test_base_is_validated_with_all_overlays_that_use_it() -> None:
    assert built(scope("base/vm.yaml")) == ["overlays/dev", "overlays/prod"]
    assert built(scope("base/notes.txt")) == ["overlays/dev", "overlays/prod"]
    assert built(scope("parts/ha/ha.yaml")) == ["overlays/prod"]


def test_unlisted_file_is_validated_alone() -> None:
    found = scope("alone.yaml", "overlays/prod/unlisted.yaml")
    assert found.alone == ("alone.yaml", "overlays/prod/unlisted.yaml")
    assert built(found) == []


def test_catalog_file_belongs_to_every_build() -> None:
    overlays = ["overlays/dev", "overlays/prod"]
    assert built(scope("catalog/sizes.yaml")) == [*overlays, "catalog", "clusters/a", "clusters/b"]


def test_outside_the_project_the_outermost_kustomizations_are_used() -> None:
    assert built(scope("apps/web/web.yaml")) == ["clusters/a", "clusters/b"]


def test_unused_component_is_only_read() -> None:
    found = scope("parts/unused/a.yaml")
    assert (built(found), found.parts, found.alone) == ([], ("parts/unused",), ())


def test_a_kustomization_that_cannot_be_read_may_list_anything() -> None:
    found = scope("broken/vm.yaml")
    assert (built(found), found.alone) == (["broken"], ())


def test_kustomization_covers_all_its_files() -> None:
    assert scope("overlays/dev/Kustomization").files >= {"base/vm.yaml", "base/kustomization.yaml"}
    assert scope("overlays/prod/patch.yaml").files == {"overlays/prod/patch.yaml"}


def test_circular_kustomizations_terminate() -> None:
    circle = {
        "x/kustomization.yaml": "resources: [../y]",
        "y/kustomization.yaml": "resources: [../x, vm.yaml]",
        "y/vm.yaml": "",
    }
    assert scope("y/vm.yaml", **circle).alone == ()


def test_candidates_are_neither_hidden_nor_rendered_nor_of_another_project() -> None:
    names = (
        "a.yaml b.yml c.json d.txt .hidden/a.yaml rendered/prod/a.yaml old/.vmrender-owned old/deep/a.yaml"
        " project/vmrender.yaml project/a.yaml deep/Kustomization"
    )
    fs = MemoryFileSystem(dict.fromkeys(names.split(), b""))
    candidates = ManifestFiles(fs, ("rendered/prod",))
    assert set(candidates.below(".")) == {"a.yaml", "b.yml", "c.json", "deep/Kustomization"}
    assert candidates.is_rendered("old/deep")
    assert not candidates.is_rendered("deep")


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        ([], {"vm.yaml", "tests/a.yaml", "tests/x/b.yaml", "app/tests/c.yaml", "app/testdata/d.yaml"}),
        (["tests"], {"vm.yaml", "app/tests/c.yaml", "app/testdata/d.yaml"}),
        (["tests/*.yaml"], {"vm.yaml", "tests/x/b.yaml", "app/tests/c.yaml", "app/testdata/d.yaml"}),
        (["**/tests"], {"vm.yaml", "app/testdata/d.yaml"}),
        (["app/test*"], {"vm.yaml", "tests/a.yaml", "tests/x/b.yaml"}),
        (["**/tests/**/*.yaml", "vm.yaml"], {"app/testdata/d.yaml"}),
        (["*"], set()),
    ],
)
def test_excluded_file_is_not_a_manifest(patterns: list[str], left: set[str]) -> None:
    paths = ("vm.yaml", "tests/a.yaml", "tests/x/b.yaml", "app/tests/c.yaml", "app/testdata/d.yaml")
    fs = MemoryFileSystem(dict.fromkeys(paths, b""))
    manifests = ManifestFiles(fs, (), patterns)
    assert set(manifests.below(".")) == left
    assert {path for path in paths if manifests.is_candidate(path)} == left
    assert set(manifests.below("tests/x")) == left & {"tests/x/b.yaml"}


def test_sets_of_folders_that_fill_the_memory_are_forgotten() -> None:
    """Each kustomization of a chain uses all that follow."""
    files = {
        f"{number}/kustomization.yaml": f"resources: [../{number + 1}]\n".encode() for number in range(1200)
    }
    graph = KustomizationGraph(MemoryFileSystem(files))
    begin_run()
    first = graph.folders("0")
    assert graph.folders("0") is first
    assert [len(graph.folders(str(number))) for number in range(1200)] == [*range(1200, 0, -1)]
    assert graph.folders("0") == first
    assert graph.folders("0") is not first
    assert spent() > 300_000
