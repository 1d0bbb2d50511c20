"""``app.diff_live``: what all overlays of a comparison share."""

from __future__ import annotations

import json
from contextvars import copy_context
from io import BytesIO
from pathlib import Path

from renderer.app.diff_live import Dump, compare_with_dump
from renderer.app.project import Project
from renderer.cli.progress import TerminalReporter
from renderer.model.run.work import begin_run, spent

#: Objects of the cluster in which values of Secrets may be, as their annotations mention one.
OTHERS = 300


def steps_of(folder: Path, overlays: int) -> int:
    """Return the steps of a comparison in which each overlay has drifted."""
    items = [config_map(f"other-{number}", "kind: Secret") for number in range(OTHERS)]
    for number in range(overlays):
        overlay = folder / f"overlays/site-{number}"
        overlay.mkdir(parents=True)
        (overlay / "kustomization.yaml").write_text("resources: [settings.yaml]\n")
        (overlay / "settings.yaml").write_text(json.dumps(config_map(f"site-{number}", "git")))
        items.append(config_map(f"site-{number}", "cluster"))
    (folder / "vmrender.yaml").write_text("apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n")
    (folder / "dump.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    begin_run()
    reporter = TerminalReporter(verbose=False, no_progress=True)
    dump = Dump(str(folder / "dump.json"), BytesIO())
    found = compare_with_dump(Project.read(folder), (), dump, (), reporter).difference
    changed = [each for overlay in found.overlays for each in overlay.changes if each.fields]
    assert len(changed) == overlays
    return spent()


def config_map(name: str, mode: str) -> dict[str, object]:
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"mode": mode}}


def test_objects_of_the_cluster_are_searched_for_secrets_once_for_all_overlays(tmp_path: Path) -> None:
    one = copy_context().run(steps_of, tmp_path / "one", 1)
    many = copy_context().run(steps_of, tmp_path / "many", 6)
    assert many < 2 * one, (one, many)
