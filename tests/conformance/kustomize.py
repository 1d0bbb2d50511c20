"""Cases recorded with kustomize: level 1 compares documents in order, level 2 compares bytes."""

from __future__ import annotations

import base64
import json
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from renderer.files.file_system import DiskFileSystem
from renderer.kustomize.compose import BuildOptions
from renderer.kustomize.order import Reorder
from renderer.kustomize.reader.find_kustomization import LoadRestrictor
from renderer.yamlio.decode import decode_documents
from tests.conformance.build import Built, build
from tests.conformance.case_result import CaseResult
from tests.conformance.lines import read_lines


def run(paths: Iterable[Path]) -> Iterator[CaseResult]:
    """Yield the results of the cases in the files ``paths`` that need no network."""
    for path in paths:
        for line in read_lines(path):
            case = json.loads(line)
            if case["excluded"] is None:
                yield run_case(case)


def run_case(case: dict[str, Any]) -> CaseResult:
    """Write the tree of the case into a temporary folder and build it there."""
    expect = case["expect"]
    arguments = case.get("args") or []
    with tempfile.TemporaryDirectory() as folder:
        write_tree(Path(folder), case["files"])
        built = _build(Path(folder), case["path"], arguments)
        levels = {"level 1": _same_documents(built, expect), "level 2": _same_bytes(built, expect)}
        if "stdout_reorder_none" in expect:
            unordered = _build(Path(folder), case["path"], [*arguments, "--reorder", "none"])
            levels["reorder none"] = unordered.stdout == expect["stdout_reorder_none"]
    return CaseResult(
        id=case["id"],
        group=case["id"].split("/")[0],
        passed=levels["level 2"],
        detail="" if levels["level 2"] else _detail(built, expect),
        actual=built.actual,
        fields=levels,
    )


def write_tree(folder: Path, files: dict[str, Any]) -> None:
    """Write a case's files: texts, bytes and symbolic links."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            file.write_bytes(content.encode())
        elif "symlink" in content:
            file.symlink_to(content["symlink"])
        else:
            file.write_bytes(base64.b64decode(content["base64"]))


def _build(folder: Path, path: str, arguments: Sequence[str]) -> Built:
    parser = ArgumentParser(allow_abbrev=False)
    parser.add_argument("--load-restrictor", type=LoadRestrictor, default=LoadRestrictor.ROOT_ONLY)
    parser.add_argument("--reorder", type=Reorder, default=Reorder.LEGACY)
    parser.add_argument("--enable-managedby-label", action="store_true")
    options, _ = parser.parse_known_args(arguments)
    return build(
        DiskFileSystem(folder),
        path,
        options.load_restrictor,
        BuildOptions(reorder=options.reorder, managed_by_label=options.enable_managedby_label),
    )


def _same_documents(built: Built, expect: dict[str, Any]) -> bool:
    if built.stdout is None or "error" in expect:
        return built.stdout is None and "error" in expect
    actual, expected = (
        json.dumps(decode_documents(text.encode(), "case"), sort_keys=True)  # 1 is not "1", nor true
        for text in (built.stdout, expect["stdout"])
    )
    return actual == expected


def _same_bytes(built: Built, expect: dict[str, Any]) -> bool:
    return built.stdout is None if "error" in expect else built.stdout == expect["stdout"]


def _detail(built: Built, expect: dict[str, Any]) -> str:
    if built.stdout is None:
        return built.error
    return f"no error, expected: {expect['error']}" if "error" in expect else "the output differs"
