"""Entry points of Flux and Argo CD: the result of each for a Git tree, recorded with their own code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from renderer.files.file_system import FileSystem, MemoryFileSystem
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json
from renderer.yamlio.decode import decode_yaml11
from tests.conformance.case_result import CaseResult
from tests.conformance.entry_points_argocd import run_argocd
from tests.conformance.entry_points_flux import run_flux
from tests.conformance.lines import read_lines


def run(paths: Iterable[Path]) -> Iterator[CaseResult]:
    """The results of all cases in the files ``paths``."""
    for path in paths:
        for line in read_lines(path):
            yield run_case(json.loads(line))


def run_case(case: dict[str, Any]) -> CaseResult:
    fs = MemoryFileSystem({path: text.encode() for path, text in case["files"].items()})
    actual = _actual(fs, case)
    detail = _difference(actual, case["expect"], unordered=bool(case.get("unordered")))
    return CaseResult(
        id=case["id"],
        group=f"{case['engine']} {case['group']}",
        passed=not detail,
        detail=detail,
        actual=actual,
    )


def _actual(fs: FileSystem, case: dict[str, Any]) -> dict[str, Any]:
    try:
        return run_flux(fs, case) if case["engine"] == "flux" else run_argocd(fs, case)
    except DiagnosticError as error:
        return {"error": str(error)}


def _difference(actual: dict[str, Any], expect: dict[str, Any], *, unordered: bool) -> str:
    """Return the differences from the expectation; empty if there are none."""
    if "error" in expect or "error" in actual:
        if "error" in expect and "error" in actual:
            return ""
        return f"error {actual.get('error')!r}, expected {expect.get('error')!r}"
    if "entries" in expect:
        return _entries_difference(actual["entries"], expect["entries"], unordered=unordered)
    for name in ("stdout", "applied"):
        is_set = unordered or name == "applied"
        if name in expect and not _same_documents(actual[name], expect[name], unordered=is_set):
            return f"the documents of {name} differ"
    if expect.get("bytes") and actual["stdout"] != expect["stdout"]:
        return "the documents are right, but not their text"
    return ""


def _entries_difference(
    actual: list[dict[str, Any]], expect: list[dict[str, Any]], *, unordered: bool
) -> str:
    if unordered:  # by name
        actual, expect = (sorted(entries, key=lambda each: str(each["name"])) for entries in (actual, expect))
    names = [[each["name"] for each in entries] for entries in (actual, expect)]
    if names[0] != names[1]:
        return f"the entries are {names[0]}, expected {names[1]}"
    return next(filter(None, map(_entry_difference, actual, expect)), "")


def _entry_difference(one: dict[str, Any], other: dict[str, Any]) -> str:
    if set(one) != set(other) - {"bytes"}:
        return f"{one['name']} has {sorted(one)}, expected {sorted(other)}: {one.get('error')}"
    if other.get("bytes") and one["stdout"] != other["stdout"]:
        return f"the text of {one['name']} differs"
    for key in set(other) - {"stdout", "error", "bytes"}:
        if json.dumps(one[key], sort_keys=True) != json.dumps(other[key], sort_keys=True):
            return f"{key} of {one['name']} is {one[key]!r}, expected {other[key]!r}"
    if "stdout" in other and not _same_documents(one["stdout"], other["stdout"], unordered=False):
        return f"the documents of {one['name']} differ"
    return ""


def _same_documents(actual: str, expected: str, *, unordered: bool) -> bool:
    one, other = (list(_documents(text)) for text in (actual, expected))
    return sorted(one) == sorted(other) if unordered else one == other


def _documents(text: str) -> Iterator[str]:
    """The documents as JSON: ``8`` and ``8.0`` alike, 1 neither "1" nor true."""
    for document in f"\n{text}".split("\n---\n"):
        decoded = decode_yaml11(document.encode(), "case")
        if decoded is not None:
            yield json.dumps(_whole_numbers(decoded), sort_keys=True)


def _whole_numbers(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _whole_numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
