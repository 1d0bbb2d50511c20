"""Files of a new project that engines at the top of the repository must not apply."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from renderer.app.engine_ignores import EngineIgnores, engine_ignores
from renderer.discovery.survey import survey
from renderer.files.file_system import MemoryFileSystem
from renderer.gitops.flux.artifact import DEFAULT_PATTERNS

KUSTOMIZATION = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: all, namespace: flux-system}
spec: {path: PATH, prune: true, interval: 10m, sourceRef: {kind: GitRepository, name: flux-system}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec:
  url: https://github.com/acme/fleet
  ignore: |
    IGNORE
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: all
spec:
  source:
    repoURL: https://github.com/acme/fleet
    path: .
    directory:  # everything
      recurse: true
EXCLUDE
  destination: {namespace: x}
"""
PLANNED = ("vmrender.yaml", ".pre-commit-config.yaml", ".gitattributes")


def ignores(files: Mapping[str, str]) -> tuple[EngineIgnores, dict[str, str]]:
    """The result for a repository of ``files``, and the planned files."""
    fs = MemoryFileSystem({path: text.encode() for path, text in files.items()})
    planned = dict.fromkeys(PLANNED, "")
    return engine_ignores(survey(fs).readers, planned, files.get), planned


def flux(path: str = "./", ignore: str = "# nothing") -> str:
    return KUSTOMIZATION.replace("PATH", path).replace("IGNORE", ignore)


@pytest.mark.parametrize("path", ["./", ".", '""', "/", "./../"])
def test_flux_at_the_top_ignores_files_of_vmrender(path: str) -> None:
    found, _ = ignores({"flux.yaml": flux(path)})
    old, text = found.changes[".sourceignore"]
    assert old is None
    assert text.splitlines()[-2:] == ["/.pre-commit-config.yaml", "/vmrender.yaml"]
    assert set(DEFAULT_PATTERNS) <= set(text.splitlines())
    assert set(found.changes) == {".sourceignore", "rendered/kustomization.yaml"}


def test_ignore_file_is_continued_without_the_defaults_that_it_has_switched_off() -> None:
    found, _ = ignores({"flux.yaml": flux(), ".sourceignore": "/docs/"})
    old, text = found.changes[".sourceignore"]
    assert old == "/docs/"
    assert text == "/docs/\n# Files of vmrender.\n/.pre-commit-config.yaml\n/vmrender.yaml\n"


@pytest.mark.parametrize(
    "files",
    [
        {"flux.yaml": flux("./clusters/prod")},
        {"flux.yaml": flux(ignore="/*\n    !/vms/")},
        {"flux.yaml": flux(), ".sourceignore": "/*\n!/vms\n"},
        {"flux.yaml": flux(), "kustomization.yaml": "resources: [flux.yaml]\n"},
    ],
)
def test_flux_that_does_not_see_the_files_needs_nothing(files: dict[str, str]) -> None:
    assert ignores(files)[0] == EngineIgnores({})


def test_operator_of_flux_that_syncs_the_top_is_a_reader() -> None:
    instance = (
        "apiVersion: fluxcd.controlplane.io/v1\nkind: FluxInstance\n"
        "metadata: {name: flux, namespace: flux-system}\n"
        "spec: {sync: {kind: GitRepository, url: 'https://github.com/acme/fleet', path: ./}}\n"
    )
    found, _ = ignores({"flux/instance.yaml": instance})
    assert set(found.changes) == {".sourceignore", "rendered/kustomization.yaml"}


def test_second_run_changes_nothing() -> None:
    files = {"flux.yaml": flux()}
    found, _ = ignores(files)
    after = files | {path: text for path, (_, text) in found.changes.items()}
    assert ignores(after)[0].changes == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "rendered/*"),
        ("      exclude: old/*\n", '"{old/*,rendered/*}"'),
        ("      exclude: '{old/*,docs/*}'\n", "'{old/*,docs/*,rendered/*}'"),
    ],
)
def test_rendered_trees_are_excluded_from_an_application_at_the_top(before: str, after: str) -> None:
    text = APPLICATION.replace("EXCLUDE\n", before)
    found, planned = ignores({"app.yaml": text})
    old, new = found.changes["app.yaml"]
    assert old == text
    assert new == APPLICATION.replace("EXCLUDE\n", f"      exclude: {after}\n")
    assert planned["vmrender.yaml"].startswith("# +argocd:skip-file-rendering")
    assert ignores({"app.yaml": new})[0].changes == {}


def test_application_without_recurse_does_not_see_the_trees() -> None:
    text = APPLICATION.replace("EXCLUDE\n", "").replace("recurse: true", "include: '*.yaml'")
    found, planned = ignores({"app.yaml": text})
    assert found.changes == {}
    assert planned["vmrender.yaml"].startswith("# +argocd:skip-file-rendering")


def test_project_file_that_argocd_would_apply_is_named() -> None:
    text = APPLICATION.replace("EXCLUDE\n", "      exclude: rendered/*\n")
    fs = {"app.yaml": text, "vmrender.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"}
    readers = survey(MemoryFileSystem({path: text.encode() for path, text in fs.items()})).readers
    [note] = engine_ignores(readers, {}, fs.get).notes
    assert note.startswith("vmrender.yaml: add the line '# +argocd:skip-file-rendering")


def test_application_that_cannot_be_edited_is_named() -> None:
    text = APPLICATION.replace("EXCLUDE\n", "").replace("directory:", "directory: &all")
    text = text.replace("destination: {namespace: x}", "destination: {namespace: x, other: *all}")
    found, _ = ignores({"app.yaml": text})
    assert found.changes == {}
    [note] = found.notes
    assert note.startswith("app.yaml: the Application all would apply the rendered trees: add exclude:")
