"""What the shortest run costs, and of what that is made."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.comparison import Comparison, Work, measure, shown
from tests.benchmarks.kustomize import VMRENDER

_CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: smallest
"""


def comparisons(runs: int) -> Iterator[Comparison]:
    version = Work("`vmrender --version`", [(VMRENDER, "--version")], runs)
    yield Comparison(version, _python("import click", runs), limit=2)
    yield Comparison(version, _python("pass", runs))


def report(runs: int) -> None:
    """Prints the table: what a build of next to nothing adds to what it stands on."""
    folder = Path("smallest")
    folder.mkdir()
    (folder / "kustomization.yaml").write_text("resources: [config-map.yaml]\n")
    (folder / "config-map.yaml").write_text(_CONFIG_MAP)
    build = [(VMRENDER, "build", "--expand", "off", str(folder))]
    works = (
        *(_python(code, runs) for code in ("pass", "import click", "import click, yaml")),
        Work("`vmrender build` of one ConfigMap", build, runs),
    )
    print("\n| the shortest run | CPU | more than the one above |\n|---|--:|--:|")
    above = 0.0
    for work, time in zip(works, measure(works), strict=True):
        print(f"| {work.name} | {shown(time)} | {shown(time - above)} |")
        above = time


def _python(code: str, runs: int) -> Work:
    return Work(f'`python -c "{code}"`', [(sys.executable, "-c", code)], runs)
