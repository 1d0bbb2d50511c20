"""Services that no longer reach a machine of another overlay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.diff_repositories import PROJECT
from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import run
from tests.cli.test_diff_readers import ENTRIES, FLUX, VM

SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: db, namespace: shop}
spec: {selector: {vm.kubevirt.io/name: db}, ports: [{port: 5432}, {port: 22}]}
"""
ROUTE = """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: db, namespace: shop}
spec: {defaultBackend: {service: {name: db, port: {number: 5432}}}}
"""
OVERLAYS = PROJECT + "overlays: [{path: machines}, {path: services}]\n"
LOST = "connections to VirtualMachine db by {} fail at once"
CHANGES = [
    ("db.yaml", "", LOST.format("the name or address of this Service")),
    ("db.yaml", SERVICE.replace(", {port: 22}", ""), LOST.format("port 22/TCP of this Service")),
    ("db.yaml", SERVICE.replace("name: db}, p", "name: web}, p"), "it no longer selects VirtualMachine db"),
    ("route.yaml", "", LOST.format("this Ingress")),
]


def files(*overlays: str) -> dict[str, str]:
    found = {"machines/db.yaml": VM, "machines/kustomization.yaml": "resources: [db.yaml]\n"}
    for overlay in overlays:
        found |= {f"{overlay}/db.yaml": SERVICE, f"{overlay}/route.yaml": ROUTE}
        found[f"{overlay}/kustomization.yaml"] = "resources: [db.yaml, route.yaml]\n"
    return found


@pytest.mark.parametrize(("name", "text", "said"), CHANGES)
@pytest.mark.parametrize("project", [OVERLAYS, ENTRIES], ids=["paths", "flux"])
def test_service_of_another_overlay_is_judged(
    folder: Path, project: str, name: str, text: str, said: str
) -> None:
    flux = FLUX.replace("secrets", "services")
    commit(folder, files("services") | {"vmrender.yaml": project, "clusters/apps.yaml": flux})
    rest = "route.yaml" if name == "db.yaml" else "db.yaml"
    kept = f"resources: [{rest}{f', {name}' if text else ''}]\n"
    write(folder, {f"services/{name}": text, "services/kustomization.yaml": kept})
    assert said in run().stdout


@pytest.mark.parametrize("selector", ["kubevirt.io: virt-launcher", "vm.kubevirt.io/name: sql"])
def test_service_may_select_a_machine_by_the_labels_that_kubevirt_adds(folder: Path, selector: str) -> None:
    before = files("services") | {"vmrender.yaml": OVERLAYS}
    before["machines/db.yaml"] = VM.replace("    spec:\n", "    spec:\n      hostname: sql\n")
    before["services/db.yaml"] = SERVICE.replace("vm.kubevirt.io/name: db", selector)
    commit(folder, before)
    write(folder, {"services/kustomization.yaml": "resources: [route.yaml]\n"})
    assert LOST.format("the name or address of this Service") in run().stdout


def test_service_that_is_not_listed_is_judged(folder: Path) -> None:
    project = PROJECT + "overlays: [{path: machines}]\n"
    flux = FLUX.replace("secrets", "services")
    commit(folder, files("services") | {"vmrender.yaml": project, "clusters/apps.yaml": flux})
    write(folder, {"services/kustomization.yaml": "resources: [route.yaml]\n"})
    assert LOST.format("the name or address of this Service") in run().stdout


def test_service_that_several_overlays_have_is_not_judged(folder: Path) -> None:
    project = OVERLAYS.replace("]", ", {path: others}]")
    commit(folder, files("services", "others") | {"vmrender.yaml": project})
    write(folder, {"services/kustomization.yaml": "resources: [route.yaml]\n"})
    found = run().stdout
    assert "removed Service shop/db in overlays" not in found
    assert "fail at once" not in found


@pytest.mark.parametrize(
    ("selected", "said"),
    [
        ("db", "no condition says so; Service db no longer selects it then"),
        (
            "sql",
            "it selects VirtualMachine db only after its next start, with the new labels: connections fail",
        ),
    ],
    ids=["the machine alone", "both"],
)
def test_machine_that_changes_its_labels_keeps_the_old_ones_while_it_runs(
    folder: Path, selected: str, said: str
) -> None:
    before = files("services") | {"vmrender.yaml": OVERLAYS}
    before["machines/db.yaml"] = VM.replace("template:", "template:\n    metadata: {labels: {app: db}}", 1)
    before["services/db.yaml"] = SERVICE.replace("vm.kubevirt.io/name", "app")
    commit(folder, before)
    write(folder, {"machines/db.yaml": before["machines/db.yaml"].replace("app: db", "app: sql")})
    write(folder, {"services/db.yaml": before["services/db.yaml"].replace("app: db", f"app: {selected}")})
    assert said in run().stdout
