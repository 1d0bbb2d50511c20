"""Machines imported with fitted instance types render to the cluster's objects."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest

from renderer.adopt.import_summary import ImportSummary
from renderer.app.cluster_import.files import SourceChoices
from renderer.app.import_cluster import ClusterImport, ImportedCluster, import_cluster
from renderer.app.project import Project
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import DiskFileSystem
from renderer.kubevirt.facts.stored_values import as_stored, differences
from renderer.model.kube.json import Json, JsonObject, object_at, with_value
from renderer.model.release import LATEST
from renderer.pipeline import Pipeline
from renderer.project.overlays import find_overlays
from renderer.project.project import load_project
from tests.conformance.kubevirt.case import read_cases
from tests.conformance.lines import VECTORS

_MACHINES = 41
LABEL = "tier"


def expanded_machines() -> list[JsonObject]:
    """VirtualMachines that KubeVirt expanded with pairs of the common instance types, each with its name."""
    machines: list[JsonObject] = []
    for case in read_cases(VECTORS / "expansion.jsonl.xz"):
        machine = object_at(case.output, "expand", "vm")
        if machine and case.group == "catalog" and len(machines) < _MACHINES:
            metadata: Json = {
                "name": f"vm-{len(machines)}",
                "namespace": "prod",
                "labels": {LABEL: f"tier-{len(machines) % 3}"},
            }
            machines.append(with_value(machine, ("metadata",), metadata))
    return machines


def imported(root: Path, machines: list[JsonObject], *, group_by: str = "") -> ImportedCluster:
    (root / ".git").mkdir(exist_ok=True)
    items: Json = list(machines)
    dump = json.dumps({"apiVersion": "v1", "kind": "List", "items": items}).encode()
    choices = SourceChoices(fits=True, group_by=group_by)
    request = ClusterImport(("-",), BytesIO(dump), root / "overlays", LATEST, choices)
    return import_cluster(Project.read(root, {}), request)


def rendered(root: Path) -> dict[str, JsonObject]:
    fs = BuiltinFileSystem(DiskFileSystem(root))
    config = load_project(fs)
    pipeline = Pipeline(fs, config)
    outcomes = [pipeline.render(overlay) for overlay in find_overlays(fs, config)]
    return {each.name: each.content for outcome in outcomes for each in outcome.value}


def summary_of(result: ImportedCluster) -> ImportSummary:
    assert result.summary is not None
    return result.summary


@pytest.mark.parametrize("group_by", ["", LABEL])
def test_import_with_fits_renders_to_the_clusters_state(tmp_path: Path, group_by: str) -> None:
    machines = expanded_machines()
    result = imported(tmp_path, machines, group_by=group_by)
    assert sum(report.is_written for report in summary_of(result).fits) == len(machines) >= 10
    after = rendered(tmp_path)
    for machine in machines:
        name = str(object_at(machine, "metadata")["name"])
        assert list(differences(as_stored(machine), as_stored(after[name]))) == []


def test_a_second_import_changes_nothing(tmp_path: Path) -> None:
    machines = expanded_machines()
    imported(tmp_path, machines, group_by=LABEL)
    again = imported(tmp_path, machines, group_by=LABEL)
    assert (again.findings, summary_of(again).written) == ((), ())
