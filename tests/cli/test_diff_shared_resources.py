"""A second Kustomization or Application that begins to apply what another one goes on applying."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from renderer.app.comparison.compared_overlay import compare_sides
from renderer.model.difference import OverlayDifference
from tests.cli.diff_repositories import PROJECT
from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import FLUX_SOURCE, ORIGIN, VM, kustomization, run
from tests.cli.test_diff_handovers import application

REPOSITORY = f"{PROJECT}repositories: ['{ORIGIN}']\n"
FLUX = {
    "vmrender.yaml": f"{REPOSITORY}overlays: [{{flux: clusters/prod}}]\n",
    "clusters/prod/source.yaml": FLUX_SOURCE,
    "clusters/prod/apps.yaml": kustomization("apps"),
    "apps/vm.yaml": VM,
}
ARGOCD = {
    "vmrender.yaml": f"{REPOSITORY}overlays: [{{argocd: argocd}}]\n",
    "argocd/apps.yaml": application("apps"),
    "apps/vm.yaml": VM,
}
BOTH = {
    **FLUX,
    **ARGOCD,
    "vmrender.yaml": (
        f"{REPOSITORY}clusters: [{{name: east}}]\n"
        "overlays: [{argocd: argocd, cluster: east}, {flux: clusters/prod, cluster: east}]\n"
    ),
    "argocd/apps.yaml": application("other", path="other"),
    "other/vm.yaml": VM.replace("name: db", "name: other"),
}
OTHER = VM.replace("name: db", "name: other")
SECOND = kustomization("apps").replace("name: apps", "name: second")


def machines() -> list[int]:
    overlays = json.loads(run("--format", "json").stdout)["overlays"]
    sides = ([each["totals"][side] for each in overlays] for side in ("before", "after"))
    return [sum(each["running"]["virtualMachines"] for each in side if each) for side in sides]


@pytest.mark.parametrize(
    ("before", "after", "owner", "count"),
    [
        (FLUX, {"clusters/prod/second.yaml": SECOND}, "Kustomization apps (overlay clusters/prod:apps)", 1),
        (ARGOCD, {"argocd/b.yaml": application("b")}, "Application apps (overlay argocd:apps)", 1),
        (BOTH, {"argocd/b.yaml": application("b")}, "Kustomization apps (overlay clusters/prod:apps)", 2),
    ],
)
def test_machine_with_two_owners_is_counted_once(
    folder: Path, before: dict[str, str], after: dict[str, str], owner: str, count: int
) -> None:
    commit(folder, before)
    write(folder, after)
    found = run().stdout
    assert "changed VirtualMachine prod/db" in found
    assert f"{owner} applies it, too: whichever of the two loses it may delete it" in found
    assert machines() == [count, count]


def test_second_owner_applies_another_form(folder: Path) -> None:
    commit(folder, FLUX)
    second = SECOND.replace("./apps", "./more")
    write(folder, {"clusters/prod/second.yaml": second, "more/vm.yaml": VM.replace("u1.small", "u1.medium")})
    found = run().stdout
    assert found.startswith("prod/db changes with its next live migration\n")
    assert "memory.guest: 2Gi -> 4Gi" in found
    assert "too, in another form: each undoes at its sync what the other has applied" in found
    assert machines() == [1, 1]


@pytest.mark.parametrize(
    ("kind", "content", "other", "said"),
    [
        (
            "Secret",
            "stringData: {userdata: a}",
            "stringData: {userdata: b}",
            "stringData",
        ),
        (
            "Service",
            "spec: {selector: {vm.kubevirt.io/name: db}, ports: [{port: 22}]}",
            "spec: {selector: {vm.kubevirt.io/name: no}, ports: [{port: 22}]}",
            "spec.selector",
        ),
    ],
)
def test_second_owner_of_what_a_machine_needs(
    folder: Path, kind: str, content: str, other: str, said: str
) -> None:
    text = f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: db, namespace: prod}}\n"
    commit(folder, {**FLUX, "apps/own.yaml": f"{text}{content}\n"})
    second = SECOND.replace("./apps", "./more")
    write(folder, {"clusters/prod/second.yaml": second, "more/own.yaml": f"{text}{other}\n"})
    found = run().stdout
    assert f"changed {kind} prod/db" in found
    assert said in found
    assert "too, in another form: each undoes at its sync what the other has applied" in found


def test_two_owners_that_are_new(folder: Path) -> None:
    others = {"clusters/prod/other.yaml": kustomization("other"), "other/vm.yaml": OTHER}
    commit(folder, {**{path: text for path, text in FLUX.items() if "apps.yaml" not in path}, **others})
    write(folder, {"clusters/prod/apps.yaml": kustomization("apps"), "clusters/prod/second.yaml": SECOND})
    found = run().stdout
    assert "added VirtualMachine prod/db" in found
    assert "applies it, too" in found
    assert machines() == [1, 2]


def test_sites_have_machines_of_one_name(folder: Path) -> None:
    sites = {
        f"clusters/{site}/{name}": text
        for site in ("east", "west")
        for name, text in (("source.yaml", FLUX_SOURCE), ("other.yaml", kustomization("other")))
    }
    project = f"{REPOSITORY}overlays: [{{flux: clusters/east}}, {{flux: clusters/west}}]\n"
    commit(folder, {**sites, "vmrender.yaml": project, "apps/vm.yaml": VM, "other/vm.yaml": OTHER})
    commit(folder, {"clusters/east/apps.yaml": kustomization("apps")})
    write(folder, {"clusters/west/apps.yaml": kustomization("apps")})
    found = run().stdout
    assert "added VirtualMachine prod/db" in found
    assert "too" not in found


@pytest.mark.parametrize(
    ("path", "is_joint"), [("clusters/second.yaml", True), ("elsewhere/second.yaml", False)]
)
def test_folder_with_two_owners(folder: Path, path: str, is_joint: bool) -> None:  # noqa: FBT001 - a parameter of the test
    plain = kustomization("apps").replace("./apps", "./overlays/prod")
    files = {"overlays/prod/kustomization.yaml": "resources: [vm.yaml]\n", "overlays/prod/vm.yaml": VM}
    commit(folder, {"vmrender.yaml": REPOSITORY, "clusters/apps.yaml": plain, **files})
    write(folder, {path: plain.replace("name: apps", "name: second")})
    note = "second begins to apply what Kustomization flux-system/apps applies, too: whichever of the two"
    assert (note in run().stdout) is is_joint


def test_machines_of_two_owners_are_compared_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def counted(*arguments: Any) -> OverlayDifference:  # noqa: ANN401 - those of compare_sides
        calls.append(arguments[2])
        return compare_sides(*arguments)

    commit(folder, {**FLUX, "apps/vm.yaml": "---\n".join(VM.replace("db", f"db{n}") for n in range(5))})
    write(folder, {"clusters/prod/second.yaml": SECOND})
    monkeypatch.setattr("renderer.app.comparison.shared_resources.compare_sides", counted)
    assert "5 changed" in run().stdout
    assert calls == ["clusters/prod:second"]
