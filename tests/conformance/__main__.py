"""``python -m tests.conformance SUITE PATH… [--emit FILE]``: runs shared vectors and prints what passed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

from renderer.model.kube.json import Json
from tests.conformance.case_result import CaseResult
from tests.conformance.table import table

#: Each suite's module, which has ``run(paths) -> Iterable[CaseResult]``, loaded on demand.
_SUITES = {
    "kubevirt": "tests.conformance.kubevirt",
    "kustomize": "tests.conformance.kustomize",
    "impact": "tests.conformance.impact",
    "catalogs": "tests.conformance.catalogs",
    "entry-points": "tests.conformance.entry_points",
    "fit": "tests.conformance.fit",
    "hyperconverged": "tests.conformance.hyperconverged",
    "start": "tests.conformance.start",
    "vm-template": "tests.conformance.vm_template",
    "verdicts": "tests.conformance.verdicts",
}


def main(arguments: Sequence[str]) -> int:
    """0 when every case passed, 1 when one failed, 2 for wrong arguments."""
    options = _parser().parse_args(arguments)
    results = list(import_module(_SUITES[options.suite]).run(_files(options.suite, options.paths)))
    if options.emit:
        options.emit.write_text("".join(map(_emitted, results)))
    print(table(results))
    for result in results:
        if not result.passed:
            print(f"FAILED {result.id}: {_one_line(result.detail)}")
    passed = sum(result.passed for result in results)
    print(f"{passed} passed, {len(results) - passed} failed")
    return int(passed < len(results))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("suite", choices=_SUITES)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--emit", type=Path, metavar="FILE", help="write every actual result as JSON lines")
    return parser


def _files(suite: str, paths: Iterable[Path]) -> list[Path]:
    """The vector files in folders; the path of a catalog is itself a folder."""
    if suite == "catalogs":
        return list(paths)
    return [file for path in paths for file in (sorted(path.glob("*.jsonl*")) if path.is_dir() else [path])]


def _emitted(result: CaseResult) -> str:
    emitted: dict[str, Json] = {"id": result.id, "actual": result.actual}
    if result.release is not None:
        emitted["release"] = result.release
    return json.dumps(emitted) + "\n"


def _one_line(detail: str) -> str:
    line = " ".join(detail.split())
    return line if len(line) <= 200 else f"{line[:199]}…"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
