"""Shards, rendered as by workers of a CI system: each in a separate checkout."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from renderer.app.run_cache import RunCache
from renderer.cli.app import main
from renderer.model.render_config import Overlay

OVERLAYS = 7
WORKERS = 3
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: web-{number}}}
spec:
  runStrategy: Always
  instancetype: {{name: u1.nano}}
  template: {{spec: {{domain: {{devices: {{}}}}}}}}
"""


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "sources"
    for number in range(OVERLAYS):
        overlay = folder / f"overlays/o{number}"
        overlay.mkdir(parents=True)
        vms = "---\n".join(VM.format(number=vm) for vm in range(number + 1))
        (overlay / "vms.yaml").write_text(vms)
        (overlay / "kustomization.yaml").write_text(f"namespace: o{number}\nresources: [vms.yaml]\n")
    (folder / "vmrender.yaml").write_text("apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n")
    return folder


@pytest.fixture
def vmrender(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    def run(folder: Path, *args: str) -> Result:
        monkeypatch.chdir(folder)
        return CliRunner().invoke(main, args)

    return run


def tree(folder: Path) -> dict[str, bytes]:
    files = (path for path in (folder / "rendered").rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def union(
    sources: Path, tmp_path: Path, vmrender: Callable[..., Result], request: pytest.FixtureRequest
) -> Path:
    """Return a checkout with the trees of all shards; assert that no two shards have a file in common."""
    options = getattr(request, "param", ())
    union = Path(shutil.copytree(sources, tmp_path / "union"))
    (union / "rendered").mkdir()
    plan = vmrender(sources, "plan", "--shards", str(WORKERS)).stdout
    for number in range(1, WORKERS + 1):
        worker = Path(shutil.copytree(sources, tmp_path / f"worker-{number}"))
        (worker / "plan.json").write_text(plan)
        assert vmrender(worker, "render", "--shard", f"{number}/{WORKERS}", *options).exit_code == 0
        for rendered in (worker / "rendered").iterdir():
            shutil.copytree(rendered, union / "rendered" / rendered.name)  # fails where there is one
    return union


@pytest.mark.parametrize("union", [(), ("--plan", "plan.json")], indirect=True, ids=["estimated", "planned"])
def test_sharded_run_gives_the_same_bytes(
    sources: Path, union: Path, vmrender: Callable[..., Result]
) -> None:
    assert vmrender(sources, "render").exit_code == 0

    assert len(tree(sources)) > OVERLAYS
    assert tree(union) == tree(sources)
    assert vmrender(union, "render", "--check").exit_code == 0


def test_check_of_the_union_finds_missing_and_extra_trees(
    union: Path, vmrender: Callable[..., Result]
) -> None:
    """In one run, or shared out among workers again."""
    shutil.copytree(union / "rendered/o1", union / "rendered/o9")
    shutil.rmtree(union / "rendered/o2")

    def found(*options: str) -> list[tuple[str, str]]:
        report = json.loads(vmrender(union, "render", "--check", "--format", "json", *options).stdout)
        return [(each["code"], each["location"]["path"]) for each in report["findings"]]

    whole = found()
    assert {(code, path.split("/")[1]) for code, path in whole} == {("stale-tree", "o9"), ("stale", "o2")}
    shards = [f"{number}/{WORKERS}" for number in range(1, WORKERS + 1)]
    assert sorted(each for shard in shards for each in found("--shard", shard)) == sorted(whole)


def test_plan_uses_measurements(
    sources: Path, vmrender: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    def seconds(_cache: RunCache, overlay: Overlay) -> float | None:
        return 60.0 if overlay.path == "overlays/o0" else 0.5

    monkeypatch.setattr(RunCache, "seconds", seconds)
    shards = json.loads(vmrender(sources, "plan", "--shards", "2").stdout)["shards"]

    assert shards[0]["overlays"] == ["overlays/o0"]
    assert shards[0]["seconds"] == 60
    assert len(shards[1]["overlays"]) == OVERLAYS - 1


def test_run_records_measurements_for_the_plan(sources: Path, vmrender: Callable[..., Result]) -> None:
    measured: dict[str, float | None] = {}
    original = RunCache.seconds

    def noted(cache: RunCache, overlay: Overlay) -> float | None:
        measured[overlay.path] = original(cache, overlay)
        return measured[overlay.path]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(RunCache, "seconds", noted)
        vmrender(sources, "render", "--shard", f"1/{WORKERS}")
        vmrender(sources, "plan", "--shards", "2")

    rendered = {f"overlays/{path.name}" for path in (sources / "rendered").iterdir()}
    assert {path for path, took in measured.items() if took} == rendered
    assert len(measured) == OVERLAYS
