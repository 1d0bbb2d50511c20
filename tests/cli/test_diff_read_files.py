"""``vmrender diff`` looks at what an engine reads, and not only at what has the name of a manifest."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from renderer.cli.app import main
from tests.cli.diff_repositories import PROJECT, SETTINGS
from tests.cli.git_work_tree import commit, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: prod}\n"
SOURCE = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: fleet, namespace: flux-system}
spec: {interval: 1m, url: https://git.example.org/fleet.git, ref: {branch: main}}
"""
URL = "https://git.example.org/fleet.git"
LOST = "data lost: Namespace prod"
PATCHES = "spec.patches"
UNDEPLOYED = "nothing in this repository deploys it any more"


def kustomization(name: str, path: str, more: str = "") -> str:
    return f"""\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec: {{interval: 10m, path: {path}, prune: true, sourceRef: {{kind: GitRepository, name: fleet}}{more}}}
"""


def application(name: str, path: str, more: str = "") -> str:
    return f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: {URL}, path: {path}, targetRevision: main{more}}}
  destination: {{server: https://kubernetes.default.svc, namespace: prod}}
"""


def set_of(generator: str, name: str) -> str:
    return f"""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: vms, namespace: argocd}}
spec:
  generators: [{{git: {{repoURL: {URL}, revision: main, {generator}}}}}]
  template:
    metadata: {{name: "{name}"}}
    spec:
      project: default
      source: {{repoURL: {URL}, path: overlays/prod, targetRevision: main}}
      destination: {{server: "https://{name}.example.org", namespace: prod}}
"""


#: A set that makes an Application of any folder that it finds, its own among them.
EVERY_FOLDER = set_of("directories: [{path: 'tests/*'}, {path: 'overlays/*'}]", "{{path.basename}}").replace(
    "path: overlays/prod", "path: '{{path}}'"
)
HALT = ", patches: [{target: {kind: VirtualMachine}, patch: '[]'}]"
DEPLOYERS = {
    "clusters/fleet.yaml": kustomization("clusters", "./clusters") + "---\n" + SOURCE,
    "clusters/prod.yaml": kustomization("prod", "./overlays/prod"),
    "clusters/infra.yaml": kustomization("infra", "./infra"),
}
INFRA = {"infra/namespace.yaml": NAMESPACE, "infra/settings.yaml": SETTINGS}
HIDDEN = {
    ".flux/fleet.yaml": kustomization("clusters", "./.flux") + "---\n" + SOURCE,
    ".flux/prod.yaml": kustomization("prod", "./overlays/prod"),
}


def infra(kustomization: str, **files: str) -> dict[str, str]:
    named = {f"infra/{name.replace('_', '.')}": content for name, content in files.items()}
    return {**DEPLOYERS, "infra/kustomization.yaml": kustomization, **named}


#: Files, what changes of them (None: the file is removed), and what the report says.
CHANGES: dict[str, tuple[Mapping[str, str], Mapping[str, str | None], str]] = {
    "a patch of any name": (
        infra(
            "resources: [namespace.yaml]\npatches: [{path: patch.txt}]\n",
            namespace_yaml=NAMESPACE,
            patch_txt=NAMESPACE,
        ),
        {"infra/patch.txt": NAMESPACE + "$patch: delete\n"},
        LOST,
    ),
    "a resource of any name": (
        infra("resources: [namespace.txt]\n", namespace_txt=NAMESPACE),
        {"infra/namespace.txt": NAMESPACE.replace("prod", "other")},
        LOST,
    ),
    "an engine's object in a resource of any name": (
        {
            **DEPLOYERS,
            "clusters/kustomization.yaml": "resources: [fleet.yaml, vms.txt, prod.yaml]\n",
            "clusters/prod.yaml": SETTINGS,
            "clusters/vms.txt": kustomization("prod", "./overlays/prod"),
        },
        {"clusters/vms.txt": kustomization("prod", "./overlays/prod", HALT)},
        PATCHES,
    ),
    "a hidden folder": (HIDDEN, {".flux/prod.yaml": kustomization("prod", "./overlays/prod", HALT)}, PATCHES),
    "a removed file in a hidden folder": (HIDDEN, {".flux/prod.yaml": None}, UNDEPLOYED),
    "an excluded object that another one applies": (
        {**DEPLOYERS, "vmrender.yaml": PROJECT + "exclude: [clusters]\n"},
        {"clusters/prod.yaml": None},
        UNDEPLOYED,
    ),
    "an excluded folder that is deployed": (
        {**DEPLOYERS, **INFRA, "vmrender.yaml": PROJECT + "exclude: [infra]\n"},
        {"infra/namespace.yaml": None},
        LOST,
    ),
    "another project that is deployed": (
        {
            **DEPLOYERS,
            "infra/vmrender.yaml": PROJECT,
            **infra("resources: [a.yaml, b.yaml]\n", a_yaml=NAMESPACE, b_yaml=SETTINGS),
        },
        {"infra/kustomization.yaml": "resources: [b.yaml]\n"},
        LOST,
    ),
    "a tree of no overlay": (
        {**DEPLOYERS, **INFRA, "infra/.vmrender-owned": ""},
        {"infra/namespace.yaml": None},
        LOST,
    ),
    "a file of a generator": (
        {"sets/vms.yaml": set_of("files: [{path: 'sites/*.txt'}]", "{{site}}"), "sites/a.txt": "site: a\n"},
        {"sites/a.txt": "site: b\n"},
        "no set makes Application a any more",
    ),
    "a folder of a generator": (
        {
            "sets/vms.yaml": set_of("directories: [{path: 'sites/*'}]", "{{path.basename}}"),
            "sites/a/README.md": "a\n",
        },
        {"sites/a/README.md": None, "sites/b/README.md": "a\n"},
        "no set makes Application a any more",
    ),
    "a ConfigMap with variables": (
        {
            **DEPLOYERS,
            "clusters/infra.yaml": kustomization(
                "infra", "./infra", ", postBuild: {substituteFrom: [{kind: ConfigMap, name: vars}]}"
            ),
            "clusters/vars.yaml": SETTINGS.replace(
                "settings, namespace: prod", "vars, namespace: flux-system"
            )
            + "data: {name: prod}\n",
            "infra/namespace.yaml": NAMESPACE.replace("prod", '"${name}"'),
        },
        {
            "clusters/vars.yaml": SETTINGS.replace(
                "settings, namespace: prod", "vars, namespace: flux-system"
            )
            + "data: {name: other}\n"
        },
        LOST,
    ),
    "a link to a folder": (
        {
            "argocd/infra.yaml": application("infra", "current"),
            "old/namespace.yaml": NAMESPACE,
            "old/settings.yaml": SETTINGS,
            "new/settings.yaml": SETTINGS,
        },
        {"current": "-> new"},
        LOST,
    ),
    "a file below a link": (
        {
            "argocd/infra.yaml": application("infra", "current"),
            **{path.replace("infra", "old"): each for path, each in INFRA.items()},
        },
        {"old/namespace.yaml": None},
        LOST,
    ),
    "a link to the folder of what deploys": (
        {
            "root.yaml": application("root", "current"),
            "old/prod.yaml": application("prod", "overlays/prod"),
            "new/prod.yaml": application("prod", "overlays/prod", ", kustomize: {namePrefix: x-}"),
        },
        {"current": "-> new"},
        "nothing in this repository applies Application prod of old/prod.yaml any more",
    ),
}


@pytest.fixture
def folder(folder: Path) -> Path:
    """Return a repository with one overlay, which contains no machine."""
    write(
        folder,
        {
            "vmrender.yaml": PROJECT,
            "overlays/prod/kustomization.yaml": "resources: [settings.yaml]\n",
            "overlays/prod/settings.yaml": SETTINGS,
        },
    )
    return folder


def change(folder: Path, files: Mapping[str, str | None]) -> None:
    for name, content in files.items():
        if content is None or content.startswith("-> "):
            (folder / name).unlink()
            remove_if_empty((folder / name).parent)
        if content is not None and content.startswith("-> "):
            (folder / name).symlink_to(content.removeprefix("-> "))
        elif content is not None:
            write(folder, {name: content})


def remove_if_empty(folder: Path) -> None:
    if not any(folder.iterdir()):  # as a checkout does
        folder.rmdir()


def diff(*arguments: str) -> str:
    return CliRunner(catch_exceptions=False).invoke(main, ("diff", *arguments)).stdout


@pytest.mark.parametrize("case", CHANGES)
def test_change_of_what_an_engine_reads_is_reported(folder: Path, case: str) -> None:
    files, changed, reported = CHANGES[case]
    (folder / "current").symlink_to("old")
    commit(folder, dict(files))
    change(folder, changed)
    assert reported in diff()
    commit(folder, {})
    assert reported in diff("HEAD~1..HEAD")


def test_test_data_that_nothing_applies_is_left_out(folder: Path) -> None:
    data = {
        "tests/a/prod.yaml": kustomization("prod", "./overlays/prod") + "---\n" + SOURCE,
        "tests/a/all.yaml": kustomization("all", "./"),
        "tests/a/set.yaml": EVERY_FOLDER,
    }
    commit(folder, {"vmrender.yaml": PROJECT + "exclude: [tests]\n", **data})
    change(folder, dict.fromkeys(data))
    assert not diff()
    commit(folder, {})
    assert not diff("HEAD~1..HEAD")


def test_files_that_hold_no_manifest_are_not_named(folder: Path) -> None:
    commit(folder, {"README.md": "a\n", ".github/workflows/ci.yaml": "on: push\n", "tests/a.yaml": SETTINGS})
    files = {"README.md": SETTINGS, ".github/workflows/ci.yaml": SETTINGS, "notes.txt": SETTINGS}
    write(folder, files | {"vmrender.yaml": PROJECT + "exclude: [tests]\n"})
    assert not diff()
    commit(folder, {})
    assert not diff("HEAD~1..HEAD")
    write(folder, {"tests/a.yaml": SETTINGS + "data: {a: b}\n"})
    assert not diff()
