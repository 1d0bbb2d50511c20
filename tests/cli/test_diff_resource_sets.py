"""``vmrender diff`` of what ResourceSets of the Flux operator make, and what that deploys."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import VM, kustomization, run
from tests.cli.test_diff_handovers import PLAIN, TREE, resource_set
from tests.cli.test_diff_unlisted import KUBEVIRT, RELEASE, WEB

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

PLACE = "clusters/set.yaml"
TWO = resource_set("apps", PLAIN).replace(
    "spec:\n", "spec:\n  inputsFrom:\n    - {kind: ResourceSetInputProvider, name: sites}\n", 1
)
INPUTS = """\
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSetInputProvider
metadata: {name: sites, namespace: flux-system}
spec: {type: Static, defaultValues: {suspend: false, path: ./overlays/prod}}
"""


def shown(folder: Path, before: dict[str, str], after: dict[str, str]) -> str:
    commit(folder, TREE | before)
    write(folder, after)
    return run().stdout


@pytest.mark.parametrize(
    ("old", "new", "reported"),
    [
        ("prune: true", "force: true", "changed Kustomization flux-system/apps: may delete objects"),
        ("prune: true", "suspend: true", "not compared: Kustomization apps is suspended"),
        ("prune: true", "targetNamespace: a", "not compared: Kustomization apps has another spec.targetN"),
        ("./overlays/prod", "./elsewhere", "not compared: nothing in this repository deploys it any more"),
        ("name: apps", "name: other", "Kustomization flux-system/apps may delete it"),
    ],
)
def test_kustomization_that_a_set_makes_for_a_folder(folder: Path, old: str, new: str, reported: str) -> None:
    before = resource_set("all", PLAIN)
    text = shown(folder, {PLACE: before}, {PLACE: before.replace(old, new)})
    assert reported in text
    assert text.count("Kustomization flux-system/apps: may") < 2


def test_inputs_of_a_set_are_read(folder: Path) -> None:
    made = TWO.replace("prune: true", "suspend: << inputs.suspend >>")
    files = {PLACE: made, "clusters/inputs.yaml": INPUTS}
    text = shown(folder, files, {"clusters/inputs.yaml": INPUTS.replace("false", "true")})
    assert "not compared: Kustomization apps is suspended" in text


def test_set_in_place_of_a_kustomization(folder: Path) -> None:
    text = shown(folder, {PLACE: PLAIN}, {PLACE: resource_set("all", PLAIN)})
    assert "may delete" in text


@pytest.mark.parametrize(
    ("before", "after", "reported"),
    [
        (RELEASE, WEB, "removed HelmRelease rook/rook in clusters: may delete objects"),
        (KUBEVIRT, WEB, "removed KubeVirt kubevirt/kubevirt in clusters"),
        (VM, VM.replace("Always", "Halted"), "prod/db is stopped"),
        (WEB, WEB.replace("web:1", "web:2"), "2 changed objects outside of the overlays do no known harm"),
    ],
)
def test_other_objects_that_a_set_makes(folder: Path, before: str, after: str, reported: str) -> None:
    files = {"overlays/prod/vm.yaml": VM.replace("name: db", "name: other")}
    places = {PLACE: resource_set("all", before)}
    text = shown(folder, files | places, {PLACE: resource_set("all", after)})
    assert reported in text


def test_folder_that_a_kustomization_of_a_set_deploys(folder: Path) -> None:
    made = {PLACE: resource_set("all", kustomization("infra")), "infra/kubevirt.yaml": KUBEVIRT}
    assert "removed KubeVirt kubevirt/kubevirt in clusters:infra" in shown(
        folder, made, {"infra/kubevirt.yaml": WEB}
    )
