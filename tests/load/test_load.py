"""The loads of ``python -m tests.load``, a small part of each: nothing is refused, and memory is bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.load.loads import LOADS
from tests.load.measure import measured, measured_command

_MI = 1 << 20


@pytest.mark.parametrize(("name", "size"), [("resources", 2000), ("machines", 500), ("overlays", 10)])
def test_small_load_stays_within_its_bounds(name: str, size: int) -> None:
    took = measured(LOADS[name], size)

    assert took.code == 0
    assert took.memory < 300 * _MI


def test_similar_machines_share_equal_parts() -> None:
    load = LOADS["machines"]

    few, many = measured(load, 500), measured(load, 3500)

    assert (many.memory - few.memory) / 3000 < 9_000  # bytes for a machine; 10,600 when nothing is shared


def test_file_of_50_megabytes_is_refused_in_little_memory() -> None:
    load = LOADS["file"]

    took = measured(load, load.size)

    assert took.code == load.exits
    assert took.memory < 200 * _MI


def test_mistakes_of_a_base_cost_little_in_each_overlay(tmp_path: Path) -> None:
    def seconds(value: str, overlays: int) -> float:
        folder = tmp_path / f"{len(value)}-{overlays}"
        _write_overlays(folder, value, overlays)
        return min(measured_command(folder, ("validate",)).seconds for _ in range(2))

    mistakes, none, once = seconds("1", 200), seconds('"1"', 200), seconds("1", 1)

    assert mistakes - none < 1.5 * once + 200 * 0.001


def _write_overlays(folder: Path, value: str, overlays: int) -> None:
    """Write overlays of ten ConfigMaps with a hundred values each, none of which may be a number."""
    entries = "".join(f"  key-{number}: {value}\n" for number in range(100))
    objects = (
        f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: map-{number}}}\ndata:\n{entries}"
        for number in range(10)
    )
    project = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{path: overlays/*}]\n"
    files = {
        "vmrender.yaml": project,
        "base/kustomization.yaml": "resources: [maps.yaml]\n",
        "base/maps.yaml": "".join(objects),
        **{
            f"overlays/{number}/kustomization.yaml": "resources: [../../base]\n" for number in range(overlays)
        },
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
