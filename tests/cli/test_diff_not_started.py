"""What ``diff`` says of the disks of machines that may not run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.diff_repositories import PROJECT
from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import run

MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: prod}
spec:
  runStrategy: Always
  updateVolumesStrategy: Migration
  template:
    spec:
      domain:
        memory: {guest: 2Gi}
        devices:
          disks: [{name: root}, {name: data, disk: {bus: scsi}}]
          interfaces: [{name: default, masquerade: {}}]
      networks: [{name: default, pod: {}}]
      volumes:
        - {name: root, persistentVolumeClaim: {claimName: old}}
        - {name: data, persistentVolumeClaim: {claimName: data, hotpluggable: true}}
"""
CLAIMS = "".join(
    f"""\
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: {name}, namespace: prod}}
spec: {{accessModes: [ReadWriteMany], resources: {{requests: {{storage: 10Gi}}}}}}
"""
    for name in ("old", "new", "data")
)
COPIED = "a live migration copies the data, and the old disk stays"
UNCOPIED = "at the next start if it does not run now (runStrategy: Manual): nothing copies the data"


def changed(folder: Path, before: str, after: str, edits: dict[str, str], machine: str = MACHINE) -> str:
    project = f"{PROJECT}featureGates: [DeclarativeHotplugVolumes]\n"
    files = {"vmrender.yaml": project, "overlays/prod/kustomization.yaml": "resources: [vm.yaml]\n"}
    commit(folder, {**files, "overlays/prod/vm.yaml": machine.replace("Always", before) + CLAIMS})
    for old, new in edits.items():
        machine = machine.replace(old, new)
    write(folder, {"overlays/prod/vm.yaml": machine.replace("Always", after) + CLAIMS})
    return run().stdout


@pytest.mark.parametrize(
    ("before", "after", "is_harm", "text"),
    [
        ("Always", "Always", False, f"disk copied: claim old (10Gi) -> claim new (10Gi): {COPIED}\n"),
        ("Once", "Once", False, f"{COPIED}; if its guest has shut down, nothing copies it\n"),
        (
            "RerunOnFailure",
            "RerunOnFailure",
            False,
            f"{COPIED}; if its guest has shut down, nothing copies it\n",
        ),
        ("Manual", "Manual", True, f"{UNCOPIED}; if it runs, {COPIED}\n"),
        ("Halted", "Halted", True, "claim new (10Gi): at the next start\n"),
        ("Halted", "Always", True, "claim new (10Gi): as the change starts it\n"),
        ("Always", "Halted", True, "claim new (10Gi): at the next start\n"),
    ],
)
def test_volume_that_is_to_be_migrated(
    folder: Path,
    before: str,
    after: str,
    is_harm: bool,  # noqa: FBT001 - a parameter of the test
    text: str,
) -> None:
    found = changed(folder, before, after, {"claimName: old": "claimName: new"})
    assert text in found
    assert found.startswith("DATA: prod/db boots from another disk") is is_harm
    assert run("--fail-on", "data").exit == is_harm


@pytest.mark.parametrize(
    ("strategy", "when"),
    [
        ("Always", "at once; nothing"),
        ("Manual", "at once if it runs, else at the next start; nothing"),
        ("Halted", "at the next start; nothing"),
    ],
)
def test_disk_that_is_unplugged(folder: Path, strategy: str, when: str) -> None:
    without = {
        ", {name: data, disk: {bus: scsi}}]": "]",
        "        - {name: data, persistentVolumeClaim: {claimName: data, hotpluggable: true}}\n": "",
    }
    machine = MACHINE.replace("  updateVolumesStrategy: Migration\n", "")
    found = changed(folder, strategy, strategy, without, machine)
    assert f"without a data disk: claim data (10Gi): {when}" in found


def test_machine_that_people_start_is_started_unless_it_runs(folder: Path) -> None:
    found = changed(folder, "Manual", "Always", {})
    assert "it is started if it does not run" in found
