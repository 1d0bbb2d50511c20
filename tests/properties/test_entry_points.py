"""Entry points depend neither on names of folders nor on the order in which a disk lists files."""

from __future__ import annotations

import string
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from renderer.files.file_system import MemoryFileSystem
from renderer.model.entry_point import EntryKind, EntryOptions
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.pipeline import Pipeline
from renderer.pipeline.entry_points import find_overlays
from tests.properties.examples import examples

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: %s}
spec: {runStrategy: Halted, template: {spec: {domain: {devices: {}, memory: {guest: 1Gi}}}}}
"""
KUSTOMIZATION = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: %s, namespace: flux-system}
spec: {path: ./%s, targetNamespace: vms, sourceRef: {kind: GitRepository, name: flux-system}}
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: %s, namespace: argocd}
spec: {project: default, destination: {namespace: vms}, source: {repoURL: x, path: %s}}
"""
NAMES = st.lists(st.text(string.ascii_lowercase, min_size=3, max_size=8), min_size=4, max_size=4, unique=True)


def rendered(files: dict[str, str], kind: EntryKind, entry: str) -> set[tuple[str, str, str]]:
    """Overlay, namespace and name of every object."""
    fs = MemoryFileSystem({path: text.encode() for path, text in files.items()})
    options = EntryOptions(kind, name_prefix="c")
    config = RenderConfig(overlays=(OverlayEntry(entry, entry=options),))
    pipeline = Pipeline(fs, config)
    found = set()
    for overlay in find_overlays(fs, config):
        outcome = pipeline.render(overlay)
        assert not outcome.failed, outcome.diagnostics
        found |= {(overlay.name, each.namespace, each.name) for each in outcome.value}
    return found


def tree(kind: EntryKind, cluster: str, apps: str, one: str, two: str) -> dict[str, str]:
    entry = KUSTOMIZATION if kind is EntryKind.FLUX else APPLICATION
    return {
        f"{cluster}/a.yaml": entry % ("a", f"{apps}/{one}"),
        f"{cluster}/b.yaml": entry % ("b", f"{apps}/{two}"),
        f"{apps}/{one}/x.yaml": VM % "web",
        f"{apps}/{one}/y.yaml": VM % "db",
        f"{apps}/{two}/kustomization.yaml": "namePrefix: p-\nresources: [z.yaml]\n",
        f"{apps}/{two}/z.yaml": VM % "log",
    }


GENERATOR = """\
apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata: {name: g, namespace: flux-system}
spec:
  sources: [{alias: r, kind: GitRepository, name: flux-system}]
  artifacts: [{name: made, copy: [{from: "@r/%s/*/*.yaml", to: "@artifact/a/"}]}]
"""
RESOURCE_SET = """\
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: s, namespace: flux-system}
spec:
  inputs: [{n: web}, {n: db}, {n: log}]
  resources:
  - apiVersion: kubevirt.io/v1
    kind: VirtualMachine
    metadata: {name: << inputs.n >>, namespace: vms}
    spec: {runStrategy: Halted, template: {spec: {domain: {devices: {}, memory: {guest: 1Gi}}}}}
"""


def generated_tree(cluster: str, apps: str, one: str, two: str) -> dict[str, str]:
    """An artifact of two folders, and a ResourceSet with the same machines."""
    artifact = (KUSTOMIZATION % ("a", "a")).replace(
        "GitRepository, name: flux-system", "ExternalArtifact, name: made"
    )
    return {
        f"{cluster}/a.yaml": artifact,
        f"{cluster}/g.yaml": GENERATOR % apps,
        f"{cluster}/s.yaml": RESOURCE_SET,
        f"{apps}/{one}/x.yaml": VM % "web",
        f"{apps}/{one}/y.yaml": VM % "db",
        f"{apps}/{two}/z.yaml": VM % "log",
    }


@examples(0.2)
@given(NAMES, st.randoms(use_true_random=False))
def test_generated_objects_depend_on_no_folder_and_no_order(names: list[str], random: Random) -> None:
    renamed = list(generated_tree(*names).items())
    random.shuffle(renamed)
    machines = {"web", "db", "log"}
    found = rendered(dict(renamed), EntryKind.FLUX, names[0])
    assert {each for each in found if each[1] == "vms"} == {
        (overlay, "vms", name) for overlay in ("c/a", "c/resourceset_s") for name in machines
    }


@examples(0.2)
@given(NAMES, st.sampled_from([EntryKind.FLUX, EntryKind.ARGOCD]), st.randoms(use_true_random=False))
def test_renaming_folders_and_reordering_files_changes_nothing(
    names: list[str], kind: EntryKind, random: Random
) -> None:
    files = tree(kind, "clusters", "apps", "one", "two")
    renamed = list(tree(kind, *names).items())
    random.shuffle(renamed)
    expected = {("c/a", "vms", "web"), ("c/a", "vms", "db"), ("c/b", "vms", "p-log")}
    assert rendered(files, kind, "clusters") == expected
    assert rendered(dict(renamed), kind, names[0]) == expected
