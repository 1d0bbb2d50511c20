"""CustomResourceDefinitions that no longer serve a version, or no longer have a field, of what Git has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import run
from tests.cli.test_diff_shared_clusters import PATHS, UNLISTED, VM, repository, root

SPEC = """\
              properties:
                runStrategy: {type: string}
                template: {type: object, x-kubernetes-preserve-unknown-fields: true}
"""
DEFINITION = f"""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: virtualmachines.kubevirt.io}}
spec:
  group: kubevirt.io
  scope: Namespaced
  names: {{kind: VirtualMachine, plural: virtualmachines}}
  versions:
    - name: v1
      served: true
      storage: true
      schema: &schema
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
{SPEC}\
    - name: v2
      served: true
      storage: false
      schema: *schema
"""
NO_LONGER = "CustomResourceDefinition virtualmachines.kubevirt.io no longer "
REFUSED = f"{NO_LONGER}serves kubevirt.io/v1, and the API server rejects it"
DROPPED = f"{NO_LONGER}has it, and the API server drops it"
IN_SCHEMA = "template: {type: object, x-kubernetes-preserve-unknown-fields: true}"


def not_served(version: str) -> str:
    return DEFINITION.replace(f"name: {version}\n      served: true", f"name: {version}\n      served: false")


@pytest.mark.parametrize(
    ("after", "said", "danger"),
    [
        (not_served("v1"), REFUSED, "refused"),
        (DEFINITION.replace("name: v1", "name: v3"), REFUSED, "refused"),
        (not_served("v2"), "", ""),
        (DEFINITION.replace(IN_SCHEMA, "template: {type: object}"), DROPPED, "restart"),
        (DEFINITION.replace(f"                {IN_SCHEMA}\n", ""), DROPPED, "restart"),
        (DEFINITION.replace("runStrategy:", "running:"), DROPPED, "refused"),
        (DEFINITION.replace(IN_SCHEMA, f"{IN_SCHEMA}\n                running: {{type: boolean}}"), "", ""),
    ],
    ids=["not served", "removed", "other version", "preserved", "property", "strategy", "more"],
)
@pytest.mark.parametrize("project", [PATHS, UNLISTED], ids=["paths", "unlisted"])
def test_definition_that_its_objects_depend_on(
    folder: Path, project: str, after: str, said: str, danger: str
) -> None:
    files = {**root("east", "machines", "secrets"), "secrets/crd.yaml": DEFINITION}
    commit(folder, repository(project, files))
    write(folder, {"secrets/crd.yaml": after})
    found = run("--fail-on", danger or "refused,restart,data,no-start")
    assert found.exit == bool(danger)
    assert said in found.stdout
    assert said or NO_LONGER not in found.stdout


def test_definition_of_another_cluster_is_not_looked_at(folder: Path) -> None:
    files = {**root("east", "machines"), **root("west", "secrets"), "secrets/crd.yaml": DEFINITION}
    commit(folder, repository(PATHS, files))
    write(folder, {"secrets/crd.yaml": not_served("v1")})
    assert NO_LONGER not in run().stdout


def test_field_that_changes_and_one_that_is_dropped_are_both_shown(folder: Path) -> None:
    machine = VM.replace("spec:\n", "spec:\n  updateVolumesStrategy: Replacement\n", 1)
    kept = DEFINITION.replace(
        IN_SCHEMA, f"{IN_SCHEMA}\n                updateVolumesStrategy: {{type: string}}"
    )
    commit(folder, repository(PATHS, {"secrets/crd.yaml": kept, "machines/db.yaml": machine}))
    write(folder, {"secrets/crd.yaml": DEFINITION})
    write(folder, {"machines/db.yaml": machine.replace("guest: 1Gi", "guest: 2Gi")})
    found = run().stdout
    assert DROPPED in found
    assert "memory.guest: 1Gi -> 2Gi" in found
    assert "spec.updateVolumesStrategy: Replacement -> nothing" in found


def test_preference_keeps_its_machines_as_they_are(folder: Path) -> None:
    group = "instancetype.kubevirt.io"
    definition = DEFINITION.replace("kubevirt.io\n", f"{group}\n").replace("s.kubevirt.io}", f"s.{group}}}")
    definition = definition.replace("VirtualMachine,", "VirtualMachinePreference,")
    definition = definition.replace("runStrategy:", "cpu:").replace("type: string", "type: object")
    preference = (
        f"apiVersion: {group}/v1\nkind: VirtualMachinePreference\nmetadata: {{name: p, namespace: shop}}\n"
        "spec: {template: {a: b}}\n"
    )
    files = {"secrets/crd.yaml": definition, "machines/preference.yaml": preference}
    commit(folder, repository(PATHS, files))
    write(folder, {"secrets/crd.yaml": definition.replace(f"                {IN_SCHEMA}\n", "")})
    found = run("--fail-on", "restart,refused").stdout
    assert 'spec.template: {"a": "b"} -> nothing' in found
    assert run("--fail-on", "restart").exit == 0
