"""A generated cluster as a project on disk with a dump next to it, and their comparison."""

from __future__ import annotations

from copy import deepcopy
from io import BytesIO
from pathlib import Path

from renderer.app.comparison.result import Comparison
from renderer.app.comparison.side import Side
from renderer.app.diff_live import Dump, compare_with_dump
from renderer.app.project import Project
from renderer.app.reporter import Silent
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import MemoryFileSystem
from renderer.model.difference import FieldChange, ResourceChange
from renderer.yamlio.encode import encode
from tests.clusters.cluster import GeneratedCluster, print_list
from tests.clusters.machines import Object

_PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
kubevirt: "1.{release}"
expand: "{expand}"
"""
_OVERLAY = "overlays/all"


def project_files(sources: list[Object], release: int, expand: str = "off") -> dict[str, str]:
    """Return the files of a project with these objects in one overlay."""
    return {
        "vmrender.yaml": _PROJECT.format(release=release, expand=expand),
        f"{_OVERLAY}/kustomization.yaml": "resources:\n  - all.yaml\n",
        f"{_OVERLAY}/all.yaml": encode(sources),
    }


def expanded(sources: list[Object], release: int) -> list[Object]:
    """Return the objects as vmrender renders them, with sizes and preferences in the virtual machines."""
    files = {path: text.encode() for path, text in project_files(sources, release, "applied").items()}
    side = Side("", BuiltinFileSystem(MemoryFileSystem(files))).render(_OVERLAY)
    assert side
    assert side.content, side.errors
    return [deepcopy(dict(each.content)) for each in side.content.written]


def compare(cluster: GeneratedCluster, live: list[Object], folder: Path, output: str = "json") -> Comparison:
    """Write Git's objects and the dump below ``folder``, and compare them."""
    expand = "off" if cluster.git is cluster.sources else "applied"
    (folder / _OVERLAY).mkdir(parents=True, exist_ok=True)
    for path, text in project_files(cluster.sources, cluster.release, expand).items():
        (folder / path).write_text(text, encoding="utf-8")
    dump = folder / f"dump.{output}"
    dump.write_text(print_list(live, output), encoding="utf-8")
    return compare_with_dump(Project.read(folder), (), Dump(str(dump), BytesIO()), (), Silent())


def changes_of(compared: Comparison) -> list[ResourceChange]:
    assert not compared.after, [finding.message for finding in compared.after]
    return [change for overlay in compared.difference.overlays for change in overlay.changes]


def own_fields(change: ResourceChange) -> list[FieldChange]:
    """The fields that differ themselves, without derived ones of an instance type."""
    return [field for field in change.fields if not field.inherited]
