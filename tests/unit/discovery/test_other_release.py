"""The release that the project file says, and the one that the repository installs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from renderer.discovery.other_release import remarks_on_other_releases
from renderer.discovery.project_proposal import survey_repository
from renderer.files.file_system import MemoryFileSystem
from renderer.model.diagnostic import Diagnostic
from renderer.model.field_edit import AddField, SetField
from renderer.pipeline.entry_points import look_up_overlays
from renderer.project.project import load_project

HEAD = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
OPERATOR = "image: quay.io/kubevirt/virt-operator:v%s\n"
SUBSCRIPTION = (
    "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nspec: {name: kubevirt-hyperconverged, "
    "startingCSV: kubevirt-hyperconverged-operator.v1.15.0, installPlanApproval: %s}\n"
)


def remarks(project: str, files: dict[str, str], *overlays: str) -> tuple[Diagnostic, ...]:
    built = {f"{each}/kustomization.yaml": "resources: []\n" for each in overlays or ("overlays/prod",)}
    every = {"vmrender.yaml": HEAD + project, **built, **files}
    fs = MemoryFileSystem({path: text.encode() for path, text in every.items()})
    config = load_project(fs)
    found = look_up_overlays(fs, config).overlays
    return tuple(remarks_on_other_releases(fs, config, found, found))


def message(project: str, *installed: str) -> str | None:
    found = remarks(project, {f"{number}.yaml": text for number, text in enumerate(installed)})
    return found[0].message if found else None


@pytest.mark.parametrize(
    ("kubevirt", "installed", "says"),
    [
        ("1.7.1", OPERATOR % "1.8.0", "1.8.0"),
        ("1.8.1", OPERATOR % "1.8.0", "1.8.0"),  # a patch that is named
        ("1.8", OPERATOR % "1.8.0", None),
        ("1.8.0", OPERATOR % "1.8.0", None),
        ("1.9", OPERATOR % "1.10.0", "1.10.0"),  # which no project is rendered for unless somebody says so
        ("1.10", OPERATOR % "1.10.0", None),
        ("1.9", OPERATOR % "1.11.0", "1.11.0"),
        ("1.9", OPERATOR % "0.57.1", None),  # which vmrender has never known
        ("1.9", SUBSCRIPTION % "Manual", "1.5.2 of hco-1.15"),
        ("1.9", SUBSCRIPTION % "Automatic", None),  # the cluster may have it by now
        ("1.4", SUBSCRIPTION % "Automatic", "1.5.2 of hco-1.15"),
        ("1.5", SUBSCRIPTION % "Manual", None),
        ("hco-1.15", OPERATOR % "1.5.0", None),  # the product says which patch
        ("hco-1.15", SUBSCRIPTION % "Manual", None),
        ("hco-1.16", SUBSCRIPTION % "Manual", "1.5.2 of hco-1.15"),
    ],
)
def test_a_release_that_is_not_installed(kubevirt: str, installed: str, says: str | None) -> None:
    found = message(f'kubevirt: "{kubevirt}"\n', installed)
    assert (found or "").partition(",")[0] == (f"the repository installs KubeVirt {says}" if says else "")


def test_one_of_several_operators_is_enough() -> None:
    assert message('kubevirt: "1.7"\n', OPERATOR % "1.8.0", OPERATOR % "1.7.1") is None
    tag = "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nspec: {imageTag: v1.8.0}\n"
    assert message('kubevirt: "1.7"\n', tag, OPERATOR % "1.7.1") is not None


@pytest.mark.parametrize("folder", ["docs", "infra/examples"])
def test_examples_do_not_count(folder: str) -> None:
    assert not remarks('kubevirt: "1.7"\n', {f"{folder}/operator.yaml": OPERATOR % "1.8.0"})


def test_object_of_a_release_does_not_count() -> None:
    url = "https://github.com/kubevirt/kubevirt/releases/download/v1.8.3/kubevirt-%s.yaml"
    assert message('kubevirt: "1.7"\n', f"resources: ['{url % 'cr'}']\n") is None
    assert message('kubevirt: "1.7"\n', f"resources: ['{url % 'operator'}']\n") is not None


@pytest.mark.parametrize(
    ("project", "fix"),
    [('kubevirt: "1.7"\n', SetField), ("output: rendered/{name}\n", AddField)],
)
def test_the_fix_writes_the_release(project: str, fix: type[Any]) -> None:
    (found,) = remarks(project, {"operator.yaml": OPERATOR % "1.8.0"})
    assert found.fix is not None
    assert [type(each) for each in found.fix.edits] == [fix]
    assert found.hint == 'write kubevirt: "1.8.0"'
    assert [str(each.location) for each in found.related] == ["operator.yaml:1"]


def test_several_releases_have_no_fix() -> None:
    (found,) = remarks('kubevirt: "1.7"\n', {"a.yaml": OPERATOR % "1.8.0", "b.yaml": OPERATOR % "1.9.0"})
    assert found.fix is None


def test_a_release_that_is_not_known_has_no_fix() -> None:
    (found,) = remarks('kubevirt: "1.9"\n', {"operator.yaml": OPERATOR % "1.10.0"})
    assert found.fix is None
    assert found.hint == (
        'update vmrender, which does not know that release, or write kubevirt: "1.10" for what it knows of it'
    )


CLUSTERS = """\
kubevirt: "1.9"
clusters: [{name: east, kubevirt: "1.7"}, {name: west}]
overlays: [path: clusters/*/east, path: clusters/*/west]
"""


@pytest.mark.parametrize(
    ("east", "west", "said"),
    [
        ("1.7.1", "1.9.0", []),
        ("1.8.0", "1.9.0", ["east is rendered for 1.7"]),
        ("1.8.0", "1.8.0", ["east is rendered for 1.7", "west is rendered for 1.9"]),
    ],
)
def test_each_cluster_has_its_own(east: str, west: str, said: list[str]) -> None:
    files = {"clusters/east/operator.yaml": OPERATOR % east, "clusters/west/operator.yaml": OPERATOR % west}
    found = remarks(CLUSTERS, files, "clusters/vms/east", "clusters/vms/west")
    assert [each.message.partition(" and ")[2] for each in found] == said
    assert all(each.fix for each in found)


@pytest.mark.parametrize(
    ("installed", "said"),
    [("1.7.1", []), ("1.9.0", []), ("1.8.0", ["a is rendered for 1.7", "the project is rendered for 1.9"])],
)
def test_an_entry_may_have_a_release_of_its_own(installed: str, said: list[str]) -> None:
    entries = 'kubevirt: "1.9"\noverlays: [{path: a, kubevirt: "1.7"}, {path: b}]\n'
    found = remarks(entries, {"operator.yaml": OPERATOR % installed}, "a", "b")
    assert [each.message.partition(" and ")[2] for each in found] == said


def test_a_setting_of_two_clusters_has_no_fix() -> None:
    roots = {
        f"clusters/{name}/root.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        f"metadata: {{name: vms, namespace: {name}}}\nspec: {{path: ./overlays/prod, prune: true, "
        "sourceRef: {kind: GitRepository, name: fleet}}\n"
        for name in ("east", "west")
    }
    operators = {f"clusters/{name}/operator.yaml": OPERATOR % each for name, each in RELEASES}
    entries = 'kubevirt: "1.7"\noverlays: [flux: clusters/east, flux: clusters/west]\n'
    (found,) = remarks(entries, {**roots, **operators})
    assert (found.fix, found.hint) == (
        None,
        'write kubevirt: "1.8.0" for the overlays that this is applied with',
    )


def test_second_init_says_it(tmp_path: Path) -> None:
    (tmp_path / "vmrender.yaml").write_text(f'{HEAD}kubevirt: "1.7"\noverlays: [path: a]\n', "utf-8")
    (tmp_path / "operator.yaml").write_text(OPERATOR % "1.8.0", "utf-8")
    (tmp_path / "a").mkdir()
    (tmp_path / "a/kustomization.yaml").write_text("resources: []\n", "utf-8")
    proposal = survey_repository(tmp_path)
    assert proposal is not None
    assert "\n".join(proposal.changes[1:]) == (
        "the repository installs KubeVirt 1.8.0, and the project is rendered for 1.7; "
        'write kubevirt: "1.8.0" (the image virt-operator:v1.8.0 in operator.yaml:1)'
    )


RELEASES = (("east", "1.7.1"), ("west", "1.8.0"))
