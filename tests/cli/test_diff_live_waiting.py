"""``vmrender diff --live`` of machines that run another spec than the stored one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from renderer.cli.app import main

PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
kubevirt: "1.6"
"""
WAITS = "running with another spec than the cluster stores, and due for a restart: VirtualMachine shop/db"


def machine(sockets: int, grace: int = 60, **labels: str) -> dict[str, Any]:
    domain = {
        "cpu": {"sockets": sockets, "cores": 1, "threads": 1},
        "devices": {},
        "memory": {"guest": "2Gi"},
    }
    domain |= {"machine": {"type": "q35"}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "db", "namespace": "shop", "labels": labels},
        "spec": {
            "runStrategy": "Always",
            "template": {
                "spec": {"architecture": "amd64", "domain": domain, "terminationGracePeriodSeconds": grace}
            },
        },
    }


def instance(started: dict[str, Any], phase: str = "Running") -> dict[str, Any]:
    """Return the instance of a machine, with what KubeVirt fills in."""
    spec = json.loads(json.dumps(started["spec"]["template"]["spec"]))
    spec["domain"]["memory"] |= {"guest": "2048Mi", "maxGuest": "8Gi"}
    spec["domain"]["cpu"] |= {"maxSockets": 16, "model": "host-model"}
    spec["domain"]["firmware"] = {"uuid": "5d307ca9-b3ef-428c-8861-06e72d69f223"}
    spec["evictionStrategy"] = "None"
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstance",
        "metadata": {"name": "db", "namespace": "shop"},
        "spec": spec,
        "status": {"phase": phase},
    }


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "overlays/shop").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    Path("vmrender.yaml").write_text(PROJECT)
    Path("overlays/shop/kustomization.yaml").write_text("resources: [db.yaml]\n")


def compared(in_git: dict[str, Any], *cluster: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the only reported change (empty if there is none) and the notes."""
    Path("overlays/shop/db.yaml").write_text(json.dumps(in_git))
    Path("dump.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": cluster}))
    result = CliRunner().invoke(main, ["diff", "--live", "dump.json", "--format", "json"])
    document = json.loads(result.stdout)
    [overlay] = document["overlays"]
    assert len(overlay["changes"]) <= 1
    notes = [each for each in overlay.get("notes", ()) if "who owns" not in each]
    return next(iter(overlay["changes"]), {}), notes


def test_machine_that_runs_its_stored_spec_waits_for_nothing() -> None:
    assert compared(machine(2), machine(2), instance(machine(2))) == ({}, [])


def test_a_machine_in_sync_that_waits_for_a_restart_is_noted() -> None:
    change, notes = compared(machine(2, 90), machine(2, 90), instance(machine(2, 60)))
    assert (change, notes) == ({}, [f"{WAITS} (terminationGracePeriodSeconds)"])


def test_finished_instance_is_not_running() -> None:
    assert compared(machine(2, 90), machine(2, 90), instance(machine(2, 60), "Succeeded")) == ({}, [])


def test_restart_due_before_the_sync_is_not_attributed_to_it() -> None:
    change, notes = compared(machine(2, 90, app="db"), machine(2, 90), instance(machine(2, 60)))
    assert change["impact"]["effect"] == "none"
    assert notes == [f"{WAITS} (terminationGracePeriodSeconds)"]


def test_sync_that_changes_a_pending_field_still_needs_a_restart() -> None:
    change, _ = compared(machine(2, 120), machine(2, 90), instance(machine(2, 60)))
    assert change["impact"]["effect"] == "restart"


def test_sync_back_to_the_running_state_changes_nothing() -> None:
    change, _ = compared(machine(2, 60), machine(2, 90), instance(machine(2, 60)))
    assert change["impact"]["effect"] == "none"
    [field] = change["fields"]
    assert field["impact"]["reason"] == "the running VM stays unchanged"


def test_sync_that_itself_needs_a_restart_says_so() -> None:
    change, notes = compared(machine(2, 90), machine(2, 60), instance(machine(2, 60)))
    assert (change["impact"]["effect"], notes) == ("restart", [])
