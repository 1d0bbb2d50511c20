"""Overlays that belong to another cluster from a change on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.cli.diff_repositories import PROJECT, SCHEMA
from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import FLUX_SOURCE, ORIGIN, VM, kustomization, run

EAST, WEST = "{name: east}", "{name: west}"
BOTH = f"clusters: [{EAST}, {WEST}]\n"
KUSTOMIZATION = "resources: [vm.yaml]\n"
DB = {"overlays/prod/kustomization.yaml": KUSTOMIZATION, "overlays/prod/vm.yaml": VM}


def project(clusters: str = BOTH, **overlays: str) -> str:
    entries = ", ".join(
        f"{{path: overlays/{name}{f', cluster: {cluster}' if cluster else ''}}}"
        for name, cluster in overlays.items()
    )
    return f"{PROJECT}{clusters}overlays: [{entries}]\n"


@pytest.fixture
def folder(folder: Path) -> Path:
    commit(folder, DB)
    return folder


def shown(folder: Path, before: str, after: str, *arguments: str) -> str:
    """Return what is said of another project file, of which the gate says the same."""
    commit(folder, {"vmrender.yaml": before})
    write(folder, {"vmrender.yaml": after})
    text = run(*arguments).stdout
    assert run("--fail-on", "data", *arguments).exit == text.startswith(("DATA: ", "NOT COMPARED: "))
    Draft202012Validator(SCHEMA).validate(json.loads(run("--format", "json", *arguments).stdout))
    return text


@pytest.mark.parametrize(
    ("before", "after", "old", "new"),
    [
        (project(prod="east"), project(prod="west"), "the cluster east", "the cluster west"),
        (project(prod="east"), project(BOTH.replace("west", "new"), prod="new"), "east", "the cluster new"),
        (project(prod="east"), project(prod="west", other=""), "the cluster east", "the cluster west"),
        (
            project(prod="", other="east"),
            project(prod="east", other="east"),
            "the default cluster",
            "the cluster east",
        ),
        (
            project(f"clusters: [{EAST}]\n", prod="east", other=""),
            project("", prod="", other=""),
            "the cluster east",
            "the default cluster",
        ),
    ],
)
def test_machines_leave_one_cluster_and_appear_in_the_other(
    folder: Path, before: str, after: str, old: str, new: str
) -> None:
    other = VM.replace("name: db", "name: other")
    commit(folder, {"overlays/other/kustomization.yaml": KUSTOMIZATION, "overlays/other/vm.yaml": other})
    text = shown(folder, before, after)
    assert text.startswith("DATA: prod/db is deleted\n")
    assert "removed VirtualMachine prod/db" in text
    assert "\n  added " in text
    assert f"{old}: deleted with the disks that it owns, once it is pruned" in text
    assert new in text.partition("it goes to ")[2].partition(" from now on")[0]


def test_line_of_a_machine_names_the_cluster_that_it_leaves(folder: Path) -> None:
    commit(folder, {"vmrender.yaml": project(prod="east")})
    write(folder, {"vmrender.yaml": project(prod="west")})
    lines = map(json.loads, run("--format", "jsonl").stdout.splitlines())
    assert [(each["type"], each["cluster"]) for each in lines] == [("removed", "east"), ("added", "west")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (project("", prod=""), project(f"clusters: [{EAST}]\n", prod="east")),
        (project(f"clusters: [{EAST}]\n", prod="east"), project(f"clusters: [{WEST}]\n", prod="west")),
    ],
)
def test_another_name_of_a_cluster_moves_nothing(folder: Path, before: str, after: str) -> None:
    text = shown(folder, before, after)
    assert text.startswith("nothing that runs changes\n")
    assert "taken for another name of" in text
    assert run().exit == 1


def test_overlays_that_change_their_clusters_with_each_other(folder: Path) -> None:
    """What each cluster has is the same, and comes from the other overlay."""
    commit(folder, {path.replace("prod", "test"): text for path, text in DB.items()})
    text = shown(folder, project(prod="east", test="west"), project(prod="west", test="east"))
    assert "2 changed (2 overlays)\n" in text
    assert "memory" not in text
    assert "moved from overlays/test" in text


@pytest.mark.parametrize(("cluster", "count"), [("east", "1 removed"), ("west", "1 added")])
def test_one_cluster_is_compared(folder: Path, cluster: str, count: str) -> None:
    other = VM.replace("name: db", "name: other")
    for name in ("east", "west"):
        files = {f"overlays/{name}/kustomization.yaml": KUSTOMIZATION, f"overlays/{name}/vm.yaml": other}
        commit(folder, files)
    commit(folder, {"vmrender.yaml": project(prod="east", east="east", west="west")})
    write(folder, {"vmrender.yaml": project(prod="west", east="east", west="west")})
    found = run("--cluster", cluster).stdout
    assert f"\n{count} (" in found


def test_folder_that_moves_to_the_folder_of_another_cluster(folder: Path) -> None:
    east = {path.replace("overlays", "clusters/east"): text for path, text in DB.items()}
    west = {path.replace("overlays", "clusters/west"): text for path, text in DB.items()}
    commit(folder, {**east, "vmrender.yaml": f"{PROJECT}{BOTH}overlays: [{{path: clusters/*/prod}}]\n"})
    for path in east:
        (folder / path).unlink()
    write(folder, west)
    assert run().stdout.startswith("DATA: prod/db is deleted\n")


def test_cluster_of_an_entry_of_flux(folder: Path) -> None:
    files = {"flux/apps.yaml": kustomization("apps") + "---\n" + FLUX_SOURCE, "apps/db.yaml": VM}
    commit(folder, files)
    entry = f"{PROJECT}repositories: ['{ORIGIN}']\n{BOTH}overlays: [{{flux: flux, cluster: %s}}]\n"
    text = shown(folder, entry % "east", entry % "west")
    assert text.startswith("DATA: prod/db is deleted\n")


def test_tree_that_is_rendered_elsewhere_and_deployed_from_elsewhere(folder: Path) -> None:
    commit(folder, {"rendered/prod/db.yaml": VM})
    before = f"{PROJECT}overlays: [{{path: overlays/prod, output: rendered/prod}}]\n"
    text = shown(folder, before, before.replace("output: rendered/prod", "output: other"))
    assert text.startswith("NOT COMPARED: overlays/prod\n")
    assert "it is rendered into other, and what deploys rendered/prod is not in this repository" in text
