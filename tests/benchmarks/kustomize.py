"""What kustomize does too, on the same input; the outputs are compared before anything is measured."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.comparison import Command, Comparison, Work, output
from tests.benchmarks.inputs import write_overlay, write_small_overlays

VMRENDER = str(Path(sys.executable).with_name("vmrender"))
_RENDER: Command = VMRENDER, "render"

_ROOT = Path(__file__).parents[2]
_UPSTREAM_CATALOG = _ROOT / "../shared/catalogs/common-instancetypes-v1.7.0"
_OUR_CATALOG = _ROOT / "catalog/common-instancetypes/v1.7.0"

_SOME, _MANY = 1_000, 5_000  # virtual machines of one overlay
_OVERLAYS, _FEW = 200, 5  # small overlays, and the virtual machines of each


def upstream_catalog() -> Path | None:
    """The release as upstream published it, where this machine has it."""
    named = os.environ.get("VMRENDER_BENCH_CATALOG")
    if named:
        return Path(named)
    return _UPSTREAM_CATALOG if _UPSTREAM_CATALOG.is_dir() else None


def comparisons(catalog: Path | None, runs: int, *, slow: bool) -> Iterator[Comparison]:
    """Each with its input made in the working directory; ``slow`` has kustomize build the largest, too."""
    yield _against_kustomize(
        "common-instancetypes", _copy_catalog(catalog), 0.25 if catalog else None, runs=runs
    )
    few_runs = min(runs, 3)
    some, many = _overlay(_SOME), _overlay(_MANY)
    yield _against_kustomize(f"{_SOME:,} VMs", some, 0.22, runs=few_runs)
    if slow:
        yield _against_kustomize(f"{_MANY:,} VMs", many, 0.08, runs=1)
    large = _vmrender(f"{_MANY:,} VMs", many, few_runs)
    yield Comparison(large, _vmrender(f"{_SOME:,} VMs", some, few_runs), limit=_MANY / _SOME)
    yield from _small_overlays(few_runs)


def _against_kustomize(name: str, folder: Path, limit: float | None, runs: int) -> Comparison:
    theirs = _kustomize(folder)
    if output(_build(folder)) != output(theirs):
        raise SystemExit(f"vmrender and kustomize print different things for {folder}")
    return Comparison(_vmrender(name, folder, runs), Work("`kubectl kustomize`", [theirs], runs), limit)


def _vmrender(name: str, folder: Path, runs: int) -> Work:
    return Work(f"`vmrender build`, {name}", [_build(folder)], runs)


def _build(folder: Path) -> Command:
    return VMRENDER, "build", "--expand", "off", str(folder)


def _kustomize(folder: Path) -> Command:
    return "kubectl", "kustomize", str(folder)


def _overlay(vms: int) -> Path:
    folder = Path(f"fleet-{vms}")
    write_overlay(folder, vms)
    return folder / "prod"


def _small_overlays(runs: int) -> Iterator[Comparison]:
    """A project as a whole, with nothing rendered yet, against one kustomize run per overlay; and again."""
    project = Path("project")
    rendered = project / "rendered"
    write_small_overlays(project, _OVERLAYS, _FEW)
    folders = sorted((project / "overlays").iterdir())
    output(_RENDER, project)
    for folder in folders:
        if (rendered / folder.name / "manifests.yaml").read_bytes() != output(_kustomize(folder)):
            raise SystemExit(f"vmrender and kustomize make different things of {folder}")
    name = f"`vmrender render`, {_OVERLAYS} overlays of {_FEW} VMs"
    first = Work(name, [_RENDER], runs, project, fresh=rendered)
    again = Work(f"{name}, again", [_RENDER], runs, project)
    theirs = Work(
        f"`kubectl kustomize`, {_OVERLAYS} runs", [_kustomize(folder) for folder in folders], runs=1
    )
    yield Comparison(first, theirs, limit=0.10)
    yield Comparison(again, first)


def _copy_catalog(catalog: Path | None) -> Path:
    """Puts it beside the other input; else ours as plain resources."""
    folder = Path("common-instancetypes")
    if catalog:
        shutil.copytree(catalog, folder)
        return folder
    print("no upstream catalog on this machine: ours is built, as plain resources", file=sys.stderr)
    folder.mkdir()
    (folder / "kustomization.yaml").write_text("resources: [manifests.yaml]\n")
    (folder / "manifests.yaml").write_bytes(output((VMRENDER, "build", str(_OUR_CATALOG))))
    return folder
