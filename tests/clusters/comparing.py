"""A generated cluster as a project on disk with a dump beside it, and their comparison."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from renderer.app.diff import Comparison
from renderer.app.diff_live import Dump, compare_with_dump
from renderer.app.project import Project
from renderer.app.reporter import Silent
from renderer.model.difference import FieldChange, ResourceChange
from renderer.yamlio.encode import encode
from tests.clusters.cluster import GeneratedCluster, print_list
from tests.clusters.machines import Object

_PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
kubevirt: "1.{release}"
expand: "off"
"""


def compare(cluster: GeneratedCluster, live: list[Object], folder: Path, output: str = "json") -> Comparison:
    """Write Git's objects and the dump below ``folder``, and compare them."""
    overlay = folder / "overlays/all"
    overlay.mkdir(parents=True, exist_ok=True)
    (folder / "vmrender.yaml").write_text(_PROJECT.format(release=cluster.release))
    (overlay / "kustomization.yaml").write_text("resources:\n  - all.yaml\n")
    (overlay / "all.yaml").write_text(encode(cluster.git), encoding="utf-8")
    dump = folder / f"dump.{output}"
    dump.write_text(print_list(live, output), encoding="utf-8")
    return compare_with_dump(Project.read(folder), (), Dump(str(dump), BytesIO()), (), Silent())


def changes_of(compared: Comparison) -> list[ResourceChange]:
    assert not compared.after, [finding.message for finding in compared.after]
    return [change for overlay in compared.difference.overlays for change in overlay.changes]


def own_fields(change: ResourceChange) -> list[FieldChange]:
    """The fields that differ themselves, without those that follow from an instance type."""
    return [field for field in change.fields if not field.inherited]
