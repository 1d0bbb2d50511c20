"""Run vmrender on a project in memory: render everything, and report all findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from renderer.app.explanations import explanation_of
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import FileSystem, MemoryFileSystem
from renderer.findings.for_report import with_target_named
from renderer.findings.quoted_lines import quoted_lines
from renderer.findings.run_findings import locate
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.pipeline import Pipeline
from renderer.project.overlays import find_overlays
from renderer.project.project import load_project
from renderer.report.formats import Format
from renderer.report.report import Report
from renderer.yamlio.encode import encode
from tests.fuzz.mutation import mutated_file, project
from tests.fuzz.target import SEEDS, Target
from tests.security.planted import FORBIDDEN
from tests.started import machines_start_the_same

Files = Mapping[str, bytes]


def project_target(seed: str, *files: str) -> Target:
    """The project in a folder of the seeds, with one of the ``files`` changed."""
    whole = project(SEEDS / seed)
    assert whole.keys() >= {*files}

    @st.composite
    def inputs(draw: st.DrawFn) -> Files:
        file = draw(st.sampled_from(files))
        return {**whole, file: draw(mutated_file(whole[file]))}

    return Target(inputs(), judge)


def judge(files: Files) -> None:
    """Render every overlay, or the root if there is none, and report in every format."""
    fs = BuiltinFileSystem(MemoryFileSystem(files))
    findings: list[Diagnostic] = []
    try:
        findings += _rendered(fs)
    except DiagnosticError as error:
        findings += error.diagnostics
    report(fs, findings)


def report(fs: FileSystem, findings: Sequence[Diagnostic]) -> None:
    """Every format, with lines."""
    located = tuple(map(with_target_named, locate(fs, findings)))
    lines = quoted_lines(fs, located)
    for each in Format:
        check_reveals_nothing(each.write(Report(located, (), lines, explanation_of)))


def check_reveals_nothing(*texts: str) -> None:
    """Assert that texts contain no planted word and no terminal control."""
    for text in texts:
        assert [word for word in FORBIDDEN if word in text] == []
        assert [character for character in text if not character.isprintable() and character != "\n"] == []


def _rendered(fs: FileSystem) -> Sequence[Diagnostic]:
    config = load_project(fs)
    pipeline = Pipeline(fs, config)
    findings: list[Diagnostic] = []
    with machines_start_the_same():
        for overlay in find_overlays(fs, config):
            outcome = pipeline.render(overlay)
            findings += outcome.diagnostics
            if not outcome.failed:
                encode(resource.content for resource in outcome.value)
    return findings
