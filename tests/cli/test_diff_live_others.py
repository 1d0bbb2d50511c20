"""``vmrender diff --live``: what drifted objects of one overlay do to machines of another, or of none."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import run
from tests.cli.test_diff_definitions import DEFINITION
from tests.cli.test_diff_shared_clusters import CLAIM, INIT, PATHS, POLICY, QUOTA, READ, SERVICE, SETTINGS, VM

NODE_PORT = SERVICE.replace("port: 5432", "port: 5432, nodePort: 30432").replace(
    "spec: {", "spec: {type: NodePort, "
)
GIT_NODE_PORT = SERVICE.replace("spec: {", "spec: {type: NodePort, ")
KUBEVIRT = (
    "{apiVersion: kubevirt.io/v1, kind: KubeVirt, metadata: {name: k, namespace: kubevirt}, spec: SPEC}\n"
)
PLACED = "{workloads: {nodePlacement: {nodeSelector: {gpu: 'true'}}}}"


def applied(text: str, *, is_running: bool = True) -> str:
    """Return an object as the cluster has it, with all of its fields applied by Flux."""
    content = yaml.safe_load(text)

    def owned(value: object) -> dict[str, object]:
        items = value.items() if isinstance(value, dict) else ()
        return {f"f:{key}": owned(child) for key, child in items}

    fields = {"f:spec": owned(content.get("spec"))}
    content["metadata"]["managedFields"] = [
        {
            "manager": "kustomize-controller",
            "operation": "Apply",
            "apiVersion": content["apiVersion"],
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        }
    ]
    if content["kind"] == "VirtualMachine":
        content["status"] = {"printableStatus": "Running" if is_running else "Stopped"}
    return yaml.safe_dump(content)


CASES = [
    (
        SERVICE,
        SERVICE.replace("5432", "5433"),
        "connections to VirtualMachine db by port 5432/TCP of this Service",
    ),
    (SERVICE, SERVICE.replace("name: db}, p", "name: web}, p"), "it no longer selects VirtualMachine db"),
    (NODE_PORT, GIT_NODE_PORT, ""),
    ("", POLICY, "only some connections to VirtualMachine db are allowed from now on"),
    ("", QUOTA.replace("SPEC", "{hard: {pods: 0}}"), "VirtualMachine db runs, and pods is 0"),
    ("", VM.replace("name: db", "name: evil"), "claim data: VirtualMachine db writes to it, too"),
    (
        KUBEVIRT.replace("SPEC", "{}"),
        KUBEVIRT.replace("SPEC", PLACED),
        "workloads.nodePlacement may take virt-handler",
    ),
    (KUBEVIRT.replace("SPEC", "{}"), KUBEVIRT.replace("SPEC", PLACED), "not by KubeVirt k of Git"),
    (DEFINITION, DEFINITION.replace("served: true", "served: false"), "not judged with --live: what another"),
]


@pytest.mark.parametrize(("live", "git", "said"), CASES)
@pytest.mark.parametrize("place", ["overlay", "cluster", "halted"])
def test_drift_that_harms_machines_of_the_cluster(
    folder: Path, live: str, git: str, said: str, place: str
) -> None:
    machines = f"{VM}---\n{CLAIM}" if place != "cluster" else SETTINGS
    commit(folder, {"vmrender.yaml": PATHS, "machines/db.yaml": machines, "secrets/object.yaml": git})
    dumped = [VM, CLAIM, *filter(None, [live])]
    found = "---\n".join(applied(each, is_running=place != "halted") for each in dumped)
    write(folder, {"cluster.yaml": found})
    result = run("--live", "cluster.yaml").stdout
    if place == "halted" and "VirtualMachine db" in said:
        assert said not in result
    else:
        assert said in result
        assert said or "fail at once" not in result


def test_drift_of_what_a_machine_of_another_overlay_reads(folder: Path) -> None:
    init = INIT.replace("stringData: {a: b}", "stringData: {userdata: new}")
    commit(folder, {"vmrender.yaml": PATHS, "machines/db.yaml": READ, "secrets/init.yaml": init})
    live = INIT.replace("stringData: {a: b}", "data: {userdata: Zm9ybWVy}")
    write(folder, {"cluster.yaml": f"{applied(READ)}---\n{applied(live)}"})
    result = run("--live", "cluster.yaml").stdout
    assert "Secret init in secrets changes: virt-launcher reads it when the instance starts" in result
    assert "former" not in result
