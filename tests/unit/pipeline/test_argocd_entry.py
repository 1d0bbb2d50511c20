"""Notes about the targets of an Argo CD entry."""

from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.model.diagnostic import Severity
from renderer.model.kube.json import JsonObject
from renderer.pipeline.entry_points import find_overlays, look_up_overlays
from renderer.project.project import load_project
from renderer.yamlio.encode import encode

HERE: JsonObject = {"repoURL": "https://git.example.org/fleet.git", "path": "web"}
PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{argocd: argocd}]\n"
CHARTS = "https://charts.example.org"


def notes(*sources: JsonObject) -> list[str]:
    """The notes about an Application of the sources, where master is checked out."""
    application: JsonObject = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "web", "namespace": "argocd"},
        "spec": {"destination": {"namespace": "web"}, "sources": list(sources)},
    }
    files = {
        ".git/HEAD": "ref: refs/heads/master\n",
        "vmrender.yaml": PROJECT,
        "argocd/web.yaml": encode([application]),
        "web/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n",
    }
    fs = MemoryFileSystem({path: text.encode() for path, text in files.items()})
    [overlay] = find_overlays(fs, load_project(fs))
    assert overlay.entry is not None
    return [note.message.removeprefix("not rendered of argocd: ") for note in overlay.entry.notes]


OTHER_REVISION = "1 Application of {}, rendered as master has it (web)"
WITH_CHARTS = "1 Application with charts, plugins, jsonnet or remote bases (web)"


@pytest.mark.parametrize("revision", ["", "HEAD", "master"])
def test_target_revision_is_the_checked_out_one(revision: str) -> None:
    assert notes({**HERE, "targetRevision": revision}) == []


def test_other_target_revision_is_rendered_from_the_work_tree() -> None:
    assert notes({**HERE, "targetRevision": "stable"}) == [OTHER_REVISION.format("stable")]


def test_chart_version_is_not_a_revision() -> None:
    chart: JsonObject = {"repoURL": CHARTS, "chart": "ingress", "targetRevision": "1.0.0"}
    assert notes(HERE, chart) == [WITH_CHARTS]


def test_revision_of_values_for_a_chart_is_ignored() -> None:
    values: JsonObject = {"repoURL": HERE["repoURL"], "ref": "values", "targetRevision": "stable"}
    assert notes(HERE, values) == []


@pytest.mark.parametrize(
    ("listed", "severity"),
    [
        ("[../../base, nope.yaml]", Severity.ERROR),
        ("[../../bases]", Severity.ERROR),  # mistyped
        ("[../../elsewhere]", Severity.WARNING),
    ],
)
def test_broken_folder_whose_base_has_applications_is_an_error(listed: str, severity: Severity) -> None:
    application: JsonObject = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "web", "namespace": "argocd"},
        "spec": {"destination": {"namespace": "web"}, "source": HERE},
    }
    files = {
        "vmrender.yaml": PROJECT,
        "argocd/web.yaml": encode([application]),
        "argocd/prod/kustomization.yaml": f"resources: {listed}\n",
        "base/kustomization.yaml": "resources: [db.yaml]\n",
        "base/db.yaml": encode([application]).replace("name: web", "name: db"),
        "web/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n",
    }
    fs = MemoryFileSystem({path: text.encode() for path, text in files.items()})
    found = look_up_overlays(fs, load_project(fs))
    assert [each.severity for _, each in found.findings] == [severity]
