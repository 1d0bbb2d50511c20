"""Objects that leave one overlay and that another one has: an update in place, if both have one cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.cli.diff_repositories import PROJECT, SCHEMA
from tests.cli.git_work_tree import commit, git, write
from tests.cli.test_diff import FILES, FLUX_SOURCE, ORIGIN, VM, kustomization, run
from tests.cli.test_diff_gates import DISK

GATE = ("--fail-on", "refused,data,no-start")
WITH_ROOT = (
    VM.replace("devices:", "devices:\n          disks: [{name: root}]")
    + "      volumes: [{name: root, persistentVolumeClaim: {claimName: db}}]\n"
)
OTHER_ROOT = WITH_ROOT.replace("claimName: db", "claimName: other").replace("u1.small", "u1.large")


def overlay(path: str, **manifests: str) -> dict[str, str]:
    """The files of an overlay with these manifests."""
    names = [f"{name}.yaml" for name in manifests]
    return {
        f"{path}/kustomization.yaml": f"resources: {json.dumps(names)}\n",
        **{f"{path}/{name}.yaml": text for name, text in manifests.items()},
    }


def rename(folder: Path, path: str, new: str) -> None:
    (folder / new).parent.mkdir(exist_ok=True)
    (folder / path).rename(folder / new)


def document(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--format", "json").stdout)
    Draft202012Validator(SCHEMA).validate(found)
    return found


def changes(*arguments: str) -> dict[str, dict[str, Any]]:
    """The changes by overlay and name."""
    return {
        f"{each['path']} {change['after']['name'] if change['after'] else '-'}": change
        for each in document(*arguments)["overlays"]
        for change in each["changes"]
    }


def judged_in_place(folder: Path, before: dict[str, str], after: dict[str, str]) -> list[dict[str, Any]]:
    """The changes of an overlay that stays where it is, without their causes."""
    commit(folder, {"vmrender.yaml": PROJECT, **before})
    write(folder, after)
    found = changes()
    git(folder, "checkout", "--quiet", "--", ".")
    return [without_place(each) for each in found.values()]


def without_place(change: dict[str, Any]) -> dict[str, Any]:
    fields = [{**field, "cause": None} for field in change["fields"]]
    return {**change, "fields": fields, "cause": None, "movedFrom": None}


BEFORE = {"db": WITH_ROOT, "disk": DISK}
AFTER = {"db": OTHER_ROOT, "disk": DISK.replace("1Gi", "512Mi")}


@pytest.mark.parametrize("output", ["", "overlays: [{path: other/prod, output: rendered/prod}]\n"])
def test_renamed_overlay_is_judged_as_if_it_had_stayed(folder: Path, output: str) -> None:
    in_place = judged_in_place(folder, overlay("overlays/prod", **BEFORE), overlay("overlays/prod", **AFTER))
    new = "other/prod" if output else "overlays/production"
    rename(folder, "overlays/prod", new)
    write(folder, {"vmrender.yaml": PROJECT + output, **overlay(new, **AFTER)})

    found = document()
    [only] = found["overlays"]
    assert (only["path"], only["formerPath"]) == (new, "overlays/prod")
    assert [without_place(each) for each in only["changes"]] == in_place
    assert {each["movedFrom"] for each in only["changes"]} == {"overlays/prod"}
    assert found["summary"]["resources"] == {"changed": 2}
    assert run(*GATE).exit == 1
    text = run().stdout
    assert text.startswith("REFUSED: DataVolume prod/data; DATA: prod/db boots from another disk")
    assert f"{new}/db.yaml:6 (new)" in text


def test_moved_machine_is_judged_as_if_it_had_stayed(folder: Path) -> None:
    files = overlay("overlays/prod", db=WITH_ROOT) | overlay("overlays/keep", disk=DISK)
    in_place = judged_in_place(folder, files, overlay("overlays/prod", db=OTHER_ROOT))
    write(folder, overlay("overlays/prod") | overlay("overlays/keep", disk=DISK, db=OTHER_ROOT))

    assert [without_place(each) for each in changes().values()] == in_place
    assert run(*GATE).exit == 1
    assert run("--ignore", "name=db,danger=data", *GATE).exit == 0
    text = run().stdout
    assert "  changed VirtualMachine prod/db in overlays/keep: needs a restart" in text
    assert "    moved from overlays/prod\n" in text
    assert "removed" not in text


def test_equal_move_has_no_effect(folder: Path) -> None:
    commit(folder, {"vmrender.yaml": PROJECT, **overlay("overlays/prod", **BEFORE)})
    rename(folder, "overlays/prod", "overlays/production")
    assert run(*GATE, "--fail-on", "restart,guest,migration,live").exit == 0
    assert run().stdout == (
        "nothing that runs changes\n"
        "HEAD -> work tree\n\n"
        "2 changed (1 overlay)\n"
        "virtual machines: 1 no effect\n"
        "other objects: 1 no effect\n\n"
        "no effect on what runs\n"
        "  changed VirtualMachine prod/db: no effect\n"
        "    moved from overlays/prod\n"
        "  changed DataVolume prod/data: no effect\n"
        "    moved from overlays/prod\n\n"
        "overlays/production (KubeVirt 1.9)\n"
    )


def test_each_site_is_compared_with_its_own_former_overlay(folder: Path) -> None:
    sites = {name: WITH_ROOT.replace("claimName: db", f"claimName: {name}") for name in ("a", "b", "c")}
    before = [overlay(f"overlays/{name}", db=text) for name, text in sites.items()]
    commit(folder, {"vmrender.yaml": PROJECT, **before[0], **before[1], **before[2]})
    rename(folder, "overlays", "sites")
    write(folder, {"vmrender.yaml": f"{PROJECT}overlays: [{{path: sites/*}}]\n"})
    write(folder, {"sites/b/db.yaml": sites["b"].replace("u1.small", "u1.large")})
    found = {path: (each["movedFrom"], each["danger"]) for path, each in changes().items()}
    assert found == {
        "sites/a db": ("overlays/a", "none"),
        "sites/b db": ("overlays/b", "migration"),
        "sites/c db": ("overlays/c", "none"),
    }


def test_without_a_common_name_equal_objects_belong_together(folder: Path) -> None:
    sites = {name: WITH_ROOT.replace("claimName: db", f"claimName: {name}") for name in ("a", "b")}
    commit(
        folder,
        {
            "vmrender.yaml": PROJECT,
            **overlay("overlays/a", db=sites["a"]),
            **overlay("overlays/b", db=sites["b"]),
        },
    )
    rename(folder, "overlays/a", "overlays/y")
    rename(folder, "overlays/b", "overlays/x")
    assert {path: each["danger"] for path, each in changes().items()} == {
        "overlays/x db": "none",
        "overlays/y db": "none",
    }


CLUSTERS = """\
clusters: [{name: one}, {name: two}]
overlays: [{path: overlays/one, cluster: one}, {path: overlays/two, cluster: two}]
"""


def test_machine_that_goes_to_another_cluster_is_deleted(folder: Path) -> None:
    empty = overlay("overlays/two") | overlay("overlays/one")
    commit(folder, {"vmrender.yaml": PROJECT + CLUSTERS, **empty, **overlay("overlays/one", db=VM)})
    write(folder, empty | overlay("overlays/two", db=VM))
    text = run().stdout
    assert "removed VirtualMachine prod/db in overlays/one: deleted\n" in text
    assert "added VirtualMachine prod/db in overlays/two\n" in text


def test_overlay_that_becomes_an_entry_point_is_compared_with_the_folder(folder: Path) -> None:
    files = {
        "clusters/source.yaml": FLUX_SOURCE,
        "clusters/prod.yaml": kustomization("prod").replace("./prod", "./overlays/prod"),
        **overlay("overlays/prod", db=WITH_ROOT),
        **overlay("overlays/keep", disk=DISK),
    }
    repositories = f"{PROJECT}repositories: ['{ORIGIN}']\n"
    commit(folder, {"vmrender.yaml": repositories, **files})
    entries = "overlays: [{flux: clusters}, {path: overlays/keep}]\n"
    write(folder, {"vmrender.yaml": repositories + entries, "overlays/prod/db.yaml": OTHER_ROOT})
    [change] = changes().values()
    assert (change["type"], change["danger"], change["movedFrom"]) == ("changed", "data", "overlays/prod")
    assert "may be deleted" not in run().stdout


def test_renamed_clusters_are_told_apart(folder: Path) -> None:
    entry = f"{PROJECT}repositories: ['{ORIGIN}']\noverlays: [{{flux: clusters/a}}, {{flux: clusters/b}}]\n"
    files = {
        f"clusters/{name}/apps.yaml": f"{FLUX_SOURCE}---\n{kustomization('apps').replace('./', f'./{name}/')}"
        for name in ("a", "b")
    }
    machines = {"a/apps/db.yaml": VM, "b/apps/db.yaml": VM.replace("u1.small", "u1.medium")}
    commit(folder, {"vmrender.yaml": entry, **files, **machines})
    rename(folder, "clusters", "fleet")
    write(folder, {"vmrender.yaml": entry.replace("clusters/", "fleet/"), "b/apps/db.yaml": WITH_ROOT})
    found = {path: (each["movedFrom"], each["danger"]) for path, each in changes().items() if " db" in path}
    assert found == {
        "fleet/a:apps db": ("clusters/a:apps", "none"),
        "fleet/b:apps db": ("clusters/b:apps", "restart"),
    }


def test_handover_is_a_risk_besides_what_changes(folder: Path) -> None:
    commit(
        folder,
        {
            "vmrender.yaml": f"{PROJECT}repositories: ['{ORIGIN}']\noverlays: [{{flux: clusters}}]\n",
            "clusters/source.yaml": FLUX_SOURCE,
            **{f"clusters/{name}.yaml": kustomization(name) for name in ("apps", "vms")},
            "apps/db.yaml": WITH_ROOT,
            "apps/disk.yaml": DISK,
            "vms/other.yaml": VM.replace("name: db,", "name: other,"),
        },
    )
    rename(folder, "apps/db.yaml", "vms/db.yaml")
    write(folder, {"vms/db.yaml": OTHER_ROOT})
    change = changes()["clusters:vms db"]
    assert change["effects"] == ["at-risk", "restart"]
    assert [each["effect"] for each in change["data"]] == ["other-root", "kept"]
    assert "before Kustomization flux-system/vms takes it over" in change["impact"]["reason"]


def test_new_name_in_place_of_a_moved_machine_is_another_machine(folder: Path) -> None:
    commit(folder, {"vmrender.yaml": PROJECT, **overlay("overlays/a", db=VM), **overlay("overlays/b")})
    write(
        folder, overlay("overlays/a", db=VM.replace("name: db,", "name: web,")) | overlay("overlays/b", db=VM)
    )
    found = {path: each["type"] for path, each in changes().items()}
    assert found == {"overlays/a web": "added", "overlays/b db": "changed"}


def test_machine_in_several_overlays_is_compared_in_each(folder: Path) -> None:
    commit(folder, {"vmrender.yaml": PROJECT, **overlay("overlays/a", db=WITH_ROOT)})
    rename(folder, "overlays/a", "overlays/b")
    write(folder, overlay("overlays/c", db=OTHER_ROOT))
    assert {path: each["danger"] for path, each in changes().items()} == {
        "overlays/b db": "none",
        "overlays/c db": "data",
    }


def test_former_overlay_that_cannot_be_rendered_fails_the_gate(folder: Path) -> None:
    broken = {"overlays/prod/kustomization.yaml": "resources: [missing.yaml]\n"}
    commit(folder, {**FILES, **broken})
    rename(folder, "overlays/prod", "overlays/production")
    write(folder, {"overlays/production/kustomization.yaml": "resources: [vm.yaml]\n"})
    found = run(*GATE)
    assert found.exit == 1
    assert "overlays/prod (KubeVirt 1.9)\n  not compared: it cannot be rendered in HEAD" in found.stdout


INIT = """\
apiVersion: v1
kind: Secret
metadata: {name: init, namespace: prod}
stringData: {userdata: %s}
"""
READER = (
    VM.replace("devices:", "devices:\n          disks: [{name: init}]")
    + "      volumes: [{name: init, cloudInitNoCloud: {secretRef: {name: init}}}]\n"
)


def test_machine_reads_a_secret_that_moves_with_it(folder: Path) -> None:
    commit(folder, {"vmrender.yaml": PROJECT, **overlay("overlays/a", db=READER, init=INIT % "one-value")})
    rename(folder, "overlays/a", "overlays/b")
    write(folder, {"overlays/b/init.yaml": INIT % "other-value"})
    text = run().stdout
    assert "changed VirtualMachine prod/db: counts after a restart" in text
    assert "Secret init changes" in text
    assert "-value" not in text


def test_value_of_a_secret_that_stays_is_not_shown(folder: Path) -> None:
    labelled = VM.replace("metadata: {", "metadata: {annotations: {note: hunter-two}, ")
    files = overlay("overlays/a", db=labelled, init=INIT % "hunter-two")
    commit(folder, {"vmrender.yaml": PROJECT, **files, **overlay("overlays/b")})
    write(folder, overlay("overlays/a", init=INIT % "hunter-two") | overlay("overlays/b", db=VM))
    text = run().stdout
    assert "metadata.annotations" in text
    assert "hunter-two" not in text + json.dumps(document())


SIZE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineInstancetype
metadata: {name: own, namespace: prod}
spec: {cpu: {guest: 2}, memory: {guest: 4Gi}}
"""
SIZED = VM.replace("{name: u1.small}", "{name: own, kind: VirtualMachineInstancetype}")


def test_machine_moves_away_from_the_overlay_with_its_size(folder: Path) -> None:
    files = overlay("overlays/a", db=SIZED, size=SIZE) | overlay("overlays/b")
    commit(folder, {"vmrender.yaml": f'{PROJECT}expand: "off"\n', **files})
    write(folder, overlay("overlays/a", size=SIZE) | overlay("overlays/b", db=SIZED))
    [change] = changes().values()
    assert (change["movedFrom"], change["danger"], change["fields"]) == ("overlays/a", "none", [])


def test_each_commit_is_compared_with_what_has_moved(folder: Path) -> None:
    files = overlay("overlays/a", db=WITH_ROOT) | overlay("overlays/b", disk=DISK)
    commit(folder, {"vmrender.yaml": PROJECT, **files})
    commit(folder, overlay("overlays/a", db=WITH_ROOT.replace("u1.small", "u1.medium")))
    commit(folder, overlay("overlays/a") | overlay("overlays/b", disk=DISK, db=OTHER_ROOT))
    commit(folder, overlay("overlays/c", db=OTHER_ROOT) | overlay("overlays/b", disk=DISK))
    found = document("HEAD~3", "HEAD", "--each")
    assert [each["virtualMachines"] for each in found["commits"]] == [{"next-migration": 1}, {"restart": 1}]
    [(path, change)] = changes("HEAD~3", "HEAD", "--each").items()
    assert (path, change["movedFrom"], change["danger"]) == ("overlays/c db", "overlays/a", "data")
