"""``diff`` of two commits and ``diff --live`` of a cluster with the second one say the same of a change."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from io import BytesIO
from pathlib import Path
from random import Random

import pytest

from renderer.app.comparison.side import Side
from renderer.app.diff import compare_projects
from renderer.app.diff_live import Dump, compare_with_dump
from renderer.app.project import Project
from renderer.app.reporter import Silent
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import MemoryFileSystem
from renderer.model.difference import Difference, FieldChange, ResourceChange
from renderer.model.kube.field_path import FieldPath
from tests.clusters.cluster import RELEASES, GeneratedCluster, generate, print_list
from tests.clusters.comparing import project_files
from tests.clusters.machines import Object
from tests.clusters.mutation import changed_sources

SEEDS = 3
_UNLESS = "unless the cluster has it"


def disagreements(
    cluster: GeneratedCluster, changed: list[Object], live: list[Object], folder: Path
) -> list[str]:
    """Return what the two commands say about an object if it is not the same."""
    after = project_files(changed, cluster.release)
    for path, text in after.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    (folder / "dump.json").write_text(print_list(live), encoding="utf-8")
    by_cluster = compare_with_dump(
        Project.read(folder), (), Dump(str(folder / "dump.json"), BytesIO()), (), Silent()
    )
    before = project_files(cluster.sources, cluster.release)
    by_commits = compare_projects(_side(before), _side(after), (), Silent())
    one, other = _verdicts(by_commits.difference), _verdicts(by_cluster.difference)
    return [
        f"{name}: diff says {one.get(name)}, diff --live {other.get(name)}"
        for name in sorted(one.keys() | other.keys())
        if one.get(name) != other.get(name) and name not in _asking_the_cluster(by_commits.difference)
    ]


def _asking_the_cluster(difference: Difference) -> set[str]:
    """Return the machines that name what Git does not have: the cluster may have it."""
    changes = (change for overlay in difference.overlays for change in overlay.changes)
    return {str(each.id) for each in changes if _UNLESS in each.start_refusal}


def _side(files: Mapping[str, str]) -> Side:
    content = {path: text.encode() for path, text in files.items()}
    return Side("", BuiltinFileSystem(MemoryFileSystem(content)))


def _verdicts(difference: Difference) -> dict[str, tuple[object, ...]]:
    changes = (change for overlay in difference.overlays for change in overlay.changes)
    return {str(change.id): _verdict(change) for change in changes}


def _verdict(change: ResourceChange) -> tuple[object, ...]:
    own = (each for each in change.fields if not each.inherited)
    fields = {_shown(each): each.impact and each.impact.effect for each in own}
    data = [(each.effect, each.disk) for each in change.data]  # only the cluster knows all sizes
    return change.danger, sorted(change.effects), fields, data, change.guest


def _shown(change: FieldChange) -> str:
    """Return the field; ``diff --live`` names each label, also the first one of an object."""
    segments = change.field.segments
    return str(FieldPath(segments[:2]) if segments[0] == "metadata" else change.field)


def started(cluster: GeneratedCluster) -> list[Object]:
    """Return the objects of a cluster in which each machine runs that Git does not halt."""
    made = [deepcopy(each) for each in cluster.live if each["kind"] != "VirtualMachineInstance"]
    for each in made:
        if each["kind"] == "VirtualMachine":
            halted = each["spec"].get("runStrategy") == "Halted" or each["spec"].get("running") is False
            status = {"created": not halted, "printableStatus": "Stopped" if halted else "Running"}
            each["status"] = {**each["status"], **status}
    return made


def before_webhook(live: list[Object], sources: list[Object]) -> list[Object]:
    """Return the objects with machines that are older than the defaults of the cluster's webhook."""
    made = deepcopy(live)
    machines = {_name(each): each for each in made if each["kind"] == "VirtualMachine"}
    for written in sources:
        if written["kind"] == "VirtualMachine":
            spec, own = (each["spec"]["template"]["spec"] for each in (machines[_name(written)], written))
            if "architecture" not in own:
                spec.pop("architecture", None)
            if "machine" not in own["domain"]:
                spec["domain"].pop("machine", None)
    return made


def _name(content: Object) -> tuple[str, str]:
    return content["metadata"]["namespace"], content["metadata"]["name"]


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("release", RELEASES)
def test_a_change_has_one_verdict(release: int, seed: int, tmp_path: Path) -> None:
    cluster = generate(300 + seed, 2, release)
    changed = changed_sources(cluster, Random(seed))
    live = started(cluster)
    assert disagreements(cluster, changed, live, tmp_path) == []
    assert disagreements(cluster, changed, before_webhook(live, cluster.sources), tmp_path) == []
