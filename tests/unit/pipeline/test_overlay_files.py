"""The files of an overlay are those that its engine reads."""

from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.entry_point import EntryKind, EntryOptions
from renderer.model.kube.json import JsonObject
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.pipeline.entry_points import find_overlays
from renderer.pipeline.overlay_files import OverlayFiles

VM = b"""apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: NAME}
spec: {runStrategy: Always, template: {spec: {domain: {devices: {}, memory: {guest: 1Gi}}}}}
"""
SOURCES = {
    f"vms/{path}": VM.replace(b"NAME", name.encode())
    for path, name in {
        "a.yaml": "a",
        "old/c.yaml": "c",
        "old/d.yaml": "d",
        ".kept/e.yaml": "e",
        "notes.txt": "f",
    }.items()
}
SOURCES["vms/b.json"] = b'{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}}'
SOURCES["vms/skipped.yaml"] = VM + b"# +argocd:skip-file-rendering\n"


def application(**source: object) -> bytes:
    fields = "".join(f"\n    {key}: {value}" for key, value in source.items())
    return (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: vms, namespace: argocd}\n"
        "spec:\n  project: default\n  destination: {namespace: x}\n"
        f"  source:\n    repoURL: https://example.org/ours.git\n    path: vms{fields}\n"
    ).encode()


def files(entry: OverlayEntry, more: dict[str, bytes]) -> set[str]:
    fs = MemoryFileSystem({**SOURCES, **more})
    config = RenderConfig(overlays=(entry,), repositories=("https://example.org/ours.git",))
    (overlay,) = find_overlays(fs, config)
    found = OverlayFiles(fs, KustomizationGraph(fs)).of(overlay)
    return {path.removeprefix("vms/") for path in found}


def of_directory(directory: JsonObject | None = None) -> set[str]:
    return files(OverlayEntry("vms", entry=EntryOptions(EntryKind.DIRECTORY, directory)), {})


def of_argocd(source: bytes, more: dict[str, bytes] | None = None) -> set[str]:
    entry = OverlayEntry("argocd", entry=EntryOptions(EntryKind.ARGOCD, name_prefix="argocd"))
    return files(entry, {"argocd/app.yaml": source, **(more or {})}) - {"argocd/app.yaml"}


def test_plain_folder_has_its_own_manifests() -> None:
    assert of_directory() == {"a.yaml", "b.json"}
    assert of_directory({"recurse": True}) == {"a.yaml", "b.json", "old/c.yaml", "old/d.yaml", ".kept/e.yaml"}
    assert of_directory({"recurse": True, "exclude": "old/*"}) == {"a.yaml", "b.json", ".kept/e.yaml"}


def test_directory_of_an_application_is_read_as_its_source_says() -> None:
    assert of_argocd(application()) == {"a.yaml", "b.json"}
    assert of_argocd(application(directory="{include: 'a.*'}")) == {"a.yaml"}
    assert of_argocd(application(directory="{recurse: true, exclude: '{b.json,.kept/*}'}")) == {
        "a.yaml",
        "old/c.yaml",
        "old/d.yaml",
    }
    overridden = {"vms/.argocd-source.yaml": b"directory: {recurse: true}"}
    assert "old/c.yaml" in of_argocd(application(), overridden)


def test_application_with_a_kustomization_reads_what_it_lists() -> None:
    listed = {"vms/kustomization.yaml": b"resources: [old/c.yaml]"}
    assert of_argocd(application(), listed) == {"kustomization.yaml", "old/c.yaml"}


@pytest.mark.parametrize("ignore", ["", "vms/old/d.yaml"])
def test_flux_reads_all_yaml_files_that_its_source_contains(ignore: str) -> None:
    more = {".sourceignore": ignore.encode()} if ignore else {}
    found = files(OverlayEntry("vms", entry=EntryOptions(EntryKind.GENERATED)), more)
    everything = {"a.yaml", "skipped.yaml", "old/c.yaml", "old/d.yaml", ".kept/e.yaml"}
    assert found == everything - {ignore.removeprefix("vms/")}
