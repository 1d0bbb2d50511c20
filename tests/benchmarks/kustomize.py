"""Work that kustomize does too, on the same input; the outputs are compared before measuring."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.comparison import (
    CACHE,
    VMRENDER,
    Command,
    Work,
    check_same_output,
    measure,
    print_into,
    run,
)
from tests.benchmarks.inputs import AS_KUSTOMIZE, TIERS, virtual_machines, write_overlay, write_repository
from tests.benchmarks.table import Row, ratio

_ROOT = Path(__file__).parents[2]
_UPSTREAM_CATALOG = _ROOT / "../shared/catalogs/common-instancetypes-v1.7.0"
_OUR_CATALOG = _ROOT / "catalog/common-instancetypes/v1.7.0"

_KUBECTL = "`kubectl kustomize`"
_VMS = 1_000  # of one overlay
_OVERLAYS, _FEW = 200, 5  # small overlays, and the virtual machines of each


def upstream_catalog() -> Path | None:
    """The release as upstream published it, where this machine has it."""
    named = os.environ.get("VMRENDER_BENCH_CATALOG")
    if named:
        return Path(named)
    return _UPSTREAM_CATALOG if _UPSTREAM_CATALOG.is_dir() else None


def standalone() -> str | None:
    """The program ``kustomize``, which is newer than the one in kubectl, where this machine has it."""
    return os.environ.get("VMRENDER_BENCH_KUSTOMIZE") or shutil.which("kustomize")


def against_kustomize(catalog: Path | None, runs: int) -> Iterator[Row]:
    """Each with its input made in the working directory."""
    yield _catalog(catalog, runs)
    yield from _small_overlay(runs)
    yield from _one_overlay(min(runs, 3))
    yield _many_overlays(min(runs, 3))


def build(folder: Path) -> Command:
    """Print the comparison with kustomize."""
    return VMRENDER, "build", "--expand", "off", str(folder)


def kustomize(folder: Path) -> Command:
    return "kubectl", "kustomize", str(folder)


def cold_render(project: Path, runs: int, *options: str) -> Work:
    """Remove rendered trees and caches of earlier runs."""
    return Work([(VMRENDER, "render", *options)], runs, project, missing=(project / "rendered", CACHE))


def _catalog(catalog: Path | None, runs: int) -> Row:
    folder = _copy_catalog(catalog)
    check_same_output(build(folder), kustomize(folder))
    ours, theirs = measure([Work([build(folder)], runs), Work([kustomize(folder)], runs)])
    limit = 0.25 if catalog else None
    return ratio("`vmrender build`, common-instancetypes", ours.cpu, _KUBECTL, theirs.cpu, limit)


def _small_overlay(runs: int) -> Iterator[Row]:
    """Mostly start-up: an overlay of four VMs with a prefix, a label and patches."""
    project = Path("small-overlay")
    write_overlay(project, len(TIERS))
    (project / "plain.yaml").write_text(virtual_machines(1, matchers=False))
    overlay = project / "prod"
    check_same_output(build(overlay), kustomize(overlay))
    limits = {"build --expand off prod": 0.6, "build prod": 0.8, "validate plain.yaml": 0.8, "render": 0.8}
    missing = (project / "rendered", CACHE)
    works = [Work([(VMRENDER, *arguments.split())], runs, project, missing) for arguments in limits]
    *ours, theirs = measure([*works, Work([kustomize(overlay)], runs)])
    for (arguments, limit), usage in zip(limits.items(), ours, strict=True):
        what = f"`vmrender {arguments}`, {len(TIERS)} VMs"
        yield ratio(what, usage.cpu, _KUBECTL, theirs.cpu, limit)


def _one_overlay(runs: int) -> Iterator[Row]:
    project = Path("one-overlay")
    write_overlay(project, _VMS)
    overlay = project / "prod"
    check_same_output(build(overlay), kustomize(overlay))
    alone_of_itself = standalone()
    works = [Work([build(overlay)], runs), cold_render(project, runs), Work([kustomize(overlay)], runs)]
    if alone_of_itself:
        works.append(Work([(alone_of_itself, "build", str(overlay))], runs))
    composed, rendered, theirs, *newer = measure(works)
    alone = f"`vmrender build --expand off`, {_VMS:,} VMs: composition alone"
    yield ratio(alone, composed.cpu, _KUBECTL, theirs.cpu, limit=0.11)
    everything = f"`vmrender render`, {_VMS:,} VMs: everything, cold"
    yield ratio(everything, rendered.cpu, _KUBECTL, theirs.cpu, limit=0.18)
    for usage in newer:
        yield ratio(alone, composed.cpu, "`kustomize build`", usage.cpu, limit=0.11)
        yield ratio(everything, rendered.cpu, "`kustomize build`", usage.cpu, limit=0.18)


def _many_overlays(runs: int) -> Row:
    """A project as a whole, against one kustomize run per overlay."""
    project = Path("many-overlays")
    write_repository(project, _OVERLAYS, _FEW, AS_KUSTOMIZE, matchers=False)
    folders = sorted((project / "overlays").iterdir())
    render = cold_render(project, runs)
    run(render)
    for folder in folders:
        rendered = project / "rendered" / folder.name / "manifests.yaml"
        check_same_output(("cat", str(rendered)), kustomize(folder))
    ours, theirs = measure([render, Work([kustomize(folder) for folder in folders], runs=1)])
    what = f'`vmrender render`, {_OVERLAYS} overlays of {_FEW} VMs, `expand: "off"`, cold'
    return ratio(what, ours.cpu, f"{_KUBECTL}, {_OVERLAYS} runs", theirs.cpu, limit=0.10)


def _copy_catalog(catalog: Path | None) -> Path:
    """Put it next to the other input; otherwise use ours as plain resources."""
    folder = Path("common-instancetypes")
    if catalog:
        shutil.copytree(catalog, folder)
        return folder
    print("no upstream catalog on this machine: ours is built, as plain resources", file=sys.stderr)
    folder.mkdir()
    (folder / "kustomization.yaml").write_text("resources: [manifests.yaml]\n")
    print_into(folder / "manifests.yaml", (VMRENDER, "build", str(_OUR_CATALOG)))
    return folder
