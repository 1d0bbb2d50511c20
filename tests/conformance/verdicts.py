"""The suite ``verdicts``: whether KubeVirt admits one object, as ``vmrender validate FILE`` judges it.

Each case is a repository with one file. The object is refused if there is a finding of level error.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from renderer.app.project import Project
from renderer.app.validate import validate
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import MemoryFileSystem
from renderer.model.diagnostic import Severity
from renderer.model.release import Release
from renderer.model.render_config import RenderConfig
from tests.conformance.case_result import CaseResult
from tests.conformance.lines import read_lines

_FILE = "object.yaml"


def run(paths: Iterable[Path]) -> Iterator[CaseResult]:
    """Return the results of all cases in the files ``paths``."""
    for path in paths:
        for line in read_lines(path):
            yield _result(json.loads(line))


def _result(case: dict[str, Any]) -> CaseResult:
    fs = BuiltinFileSystem(MemoryFileSystem({_FILE: json.dumps(case["object"]).encode()}))
    project = Project(Path(), fs, RenderConfig())
    findings = validate(project, [_FILE], Release.parse(case["release"])).findings
    errors = [each for each in findings if each.severity is Severity.ERROR]
    verdict = "refused" if errors else "allowed"
    passed = verdict == case["expect"]
    reason = "; ".join(f"{each.code}: {each.message}" for each in errors) or "no error"
    return CaseResult(
        id=case["id"],
        group=f"{case['release']} {case['expect']}",
        passed=passed,
        detail="" if passed else f"{verdict} ({reason}), upstream: {case.get('why')}",
        actual={"verdict": verdict},
        release=case["release"],
    )
