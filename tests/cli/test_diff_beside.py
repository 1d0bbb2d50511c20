"""``vmrender diff`` of what is applied with overlays, as their source is a folder above them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import ORIGIN, VM, run
from tests.cli.test_diff_handovers import PLAIN, TREE, application
from tests.cli.test_diff_unlisted import KUBEVIRT, WEB

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

ROOT = PLAIN.replace("./overlays/prod", "./")
RECURSING = application(path=".").replace(
    f'repoURL: "{ORIGIN}"', f'repoURL: "{ORIGIN}", directory: {{recurse: true}}'
)
LOST = "removed KubeVirt kubevirt/kubevirt in clusters:apps"
OTHER = VM.replace("name: db", "name: other")


def shown(folder: Path, before: dict[str, str], after: dict[str, str]) -> str:
    commit(folder, TREE | before)
    write(folder, after)
    return run().stdout


@pytest.mark.parametrize("deployer", [ROOT, RECURSING])
@pytest.mark.parametrize(
    ("before", "after", "reported"),
    [
        (KUBEVIRT, WEB, LOST),
        (OTHER, OTHER.replace("Always", "Halted"), "prod/other is stopped"),
        (WEB, VM, "infra/object.yaml has a VirtualMachine db, too: one of them is applied"),
        (WEB, WEB.replace("web:1", "web:2"), "1 changed object outside of the overlays does no known harm"),
    ],
)
def test_manifest_below_the_source_of_an_overlay(
    folder: Path, deployer: str, before: str, after: str, reported: str
) -> None:
    files = {"clusters/apps.yaml": deployer, "infra/object.yaml": before}
    text = shown(folder, files, {"infra/object.yaml": after})
    assert reported in text


def test_kustomization_below_the_source_of_an_overlay(folder: Path) -> None:
    files = {f"infra/{name}.yaml": text for name, text in (("kubevirt", KUBEVIRT), ("web", WEB))}
    files |= {"clusters/apps.yaml": ROOT, "infra/kustomization.yaml": "resources: [kubevirt.yaml]\n"}
    assert LOST in shown(folder, files, {"infra/kustomization.yaml": "resources: [web.yaml]\n"})


def test_manifest_that_a_kustomization_does_not_list_is_not_applied(folder: Path) -> None:
    files = {"infra/kubevirt.yaml": KUBEVIRT, "infra/web.yaml": WEB, "clusters/apps.yaml": ROOT}
    files |= {"infra/kustomization.yaml": "resources: [web.yaml]\n"}
    assert LOST not in shown(folder, files, {"infra/kubevirt.yaml": ""})


def test_manifest_of_a_source_that_prunes_nothing_stays(folder: Path) -> None:
    files = {"clusters/apps.yaml": ROOT.replace("prune: true", "prune: false"), "infra/object.yaml": KUBEVIRT}
    text = shown(folder, files, {"infra/object.yaml": WEB})
    assert text.startswith("nothing that runs changes\n")
    assert "it stays in the cluster: Kustomization apps has no prune: true\n" in text


def test_another_source_leaves_manifests(folder: Path) -> None:
    files = {"clusters/apps.yaml": ROOT, "infra/object.yaml": KUBEVIRT}
    assert LOST in shown(folder, files, {"clusters/apps.yaml": PLAIN})
