"""``tests/data/validation``: manifests as people write them, and their findings.

The comments at the top of an invalid file are the findings, in order; ``release:`` is the target.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from renderer.checks.schemas.registry import SchemaRegistry
from renderer.checks.schemas.validate import validate
from renderer.findings.for_report import with_target_named
from renderer.findings.run_findings import RunFindings
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import LATEST, Release
from renderer.yamlio.decode import decode_documents

EXAMPLES = Path(__file__).parents[3] / "data" / "validation"
SCHEMAS = SchemaRegistry()


def files(folder: str) -> list[Path]:
    return sorted((EXAMPLES / folder).glob("*.yaml"))


def header(text: str) -> list[str]:
    comments: list[str] = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        comments.append(line.removeprefix("#").removeprefix(" "))
    return comments


def findings(path: Path) -> tuple[Diagnostic, ...]:
    text = path.read_text()
    releases = [line.removeprefix("release: ") for line in header(text) if line.startswith("release: ")]
    resources = [
        Resource(document, Site(path.name, index))
        for index, document in enumerate(decode_documents(text.encode(), path.name))
        if isinstance(document, dict)
    ]
    release = Release.parse(releases[0]) if releases else LATEST
    return validate(ResourceSet(tuple(resources)), release, SCHEMAS)


def printed(diagnostics: tuple[Diagnostic, ...]) -> list[str]:
    lines: list[str] = []
    run = RunFindings(None)
    for finding in map(with_target_named, map(run.located, diagnostics)):
        lines.append(f"{finding.severity}[{finding.code}] {finding.message}")
        lines += [f"  {finding.hint}"] if finding.hint else []
    return lines


@pytest.mark.parametrize("path", files("valid"), ids=lambda path: path.stem)
def test_valid_examples_have_no_findings(path: Path) -> None:
    assert printed(findings(path)) == []


@pytest.mark.parametrize("path", files("invalid"), ids=lambda path: path.stem)
def test_invalid_examples_have_the_recorded_messages(path: Path) -> None:
    expected = [line for line in header(path.read_text()) if not line.startswith("release: ")]
    assert printed(findings(path)) == expected


@pytest.mark.parametrize("path", files("invalid"), ids=lambda path: path.stem)
def test_every_finding_has_a_place(path: Path) -> None:
    for diagnostic in findings(path):
        assert diagnostic.resource is not None
        assert [site.path for site in diagnostic.sites] == [path.name]


def test_there_are_examples() -> None:
    assert len(files("valid")) > 5
    assert len(files("invalid")) > 15
