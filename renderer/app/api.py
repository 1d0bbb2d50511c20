"""The library: open a project, list, render, compare, expand, validate and explain, as plain values.

These functions print nothing and end no process. They raise ``DiagnosticError`` for an input that stops the
work, and ``UsageError`` for a request that makes no sense. Findings come with their file and line.

    import renderer

    project = renderer.open_project("path/to/repository")
    for overlay in renderer.list_overlays(project):
        rendered = renderer.render(project, overlay.name)
        print(overlay.path, len(rendered.files), [finding.message for finding in rendered.findings])
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from renderer.app.diff import Comparison, compare_revisions
from renderer.app.explain import explain_resource
from renderer.app.explanations import Question, explanation_of
from renderer.app.project import Project
from renderer.app.render import RenderMode, RenderRequest, RenderResult
from renderer.app.render import render as run_render
from renderer.app.reporter import Silent
from renderer.app.usage_error import UsageError
from renderer.app.validate import ValidationResult
from renderer.app.validate import validate as run_validate
from renderer.emit.layout import layout
from renderer.kubevirt.confidential import mask_in_findings
from renderer.model.codes import Code, Explanation
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.history import ResourceHistory
from renderer.model.limits import lowered
from renderer.model.release import target_release
from renderer.model.render_config import ExpandMode, Overlay
from renderer.model.resource import ResourceSet
from renderer.model.taint import noted, taint_masking
from renderer.model.work import WorkLimitError, counted
from renderer.pipeline import Pipeline
from renderer.source.file_system import FilesAbove, FileSystem
from renderer.source.locate import locate
from renderer.source.overlays import select_overlays
from renderer.source.project_root import find_project_root

__all__ = [
    "Comparison",
    "DiagnosticError",
    "Expanded",
    "Project",
    "RenderResult",
    "Rendered",
    "UsageError",
    "ValidationResult",
    "compare",
    "expand",
    "explain",
    "explain_code",
    "list_overlays",
    "open_project",
    "render",
    "validate",
    "write",
]


class Rendered(NamedTuple):
    """An overlay in memory: ``files``, text by path below ``overlay.output``, and the findings.

    ``files`` and ``resources`` are empty when one of the findings is an error.
    """

    overlay: Overlay
    files: Mapping[str, str]
    resources: ResourceSet
    findings: tuple[Diagnostic, ...]


class Expanded(NamedTuple):
    """Expanded documents, and the findings; no resources when one of the findings is an error."""

    resources: ResourceSet
    findings: tuple[Diagnostic, ...]


def open_project(path: str | Path = ".", environment: Mapping[str, str] | None = None) -> Project:
    """Open the project that ``path`` is in; without a ``vmrender.yaml`` it has the defaults.

    ``environment`` has the variables by which git and the cache are found, by default those of the process.
    Raises ``DiagnosticError`` for a ``vmrender.yaml`` that cannot be used.
    """
    root = find_project_root(Path(path))
    return Project.read(root, os.environ if environment is None else environment)


def list_overlays(project: Project) -> tuple[Overlay, ...]:
    """Return the overlays of the project. Raises ``DiagnosticError``."""
    with _run(project):
        return project.overlays()


def render(project: Project, overlay: str) -> Rendered:
    """Render an overlay, a name or path, in memory. Raises ``DiagnosticError`` for an unknown overlay."""
    with _run(project):
        [selected] = select_overlays(project.overlays(), [overlay])
        outcome = Pipeline(project.fs, project.config).render(selected).in_overlay(selected.path)
        findings = _located(project.fs, outcome.diagnostics)
        if outcome.failed:
            return Rendered(selected, {}, ResourceSet(), findings)
        return Rendered(selected, layout(outcome.value, selected.files), outcome.value, findings)


def write(project: Project, *overlays: str, check: bool = False) -> RenderResult:
    """Render overlays, all without names, into their folders; with ``check``, only compare these.

    Nothing is written when there is an error in any of the overlays. Raises ``DiagnosticError``.
    """
    mode = RenderMode.CHECK if check else RenderMode.WRITE
    with _run(project):
        result = run_render(project, RenderRequest(overlays, mode), Silent())
        return result._replace(findings=_located(project.fs, result.findings))


def compare(project: Project, *revisions: str, overlays: Iterable[str] = ()) -> Comparison:
    """Compare what is rendered at HEAD, at a revision, or at two; without a second, with the work tree.

    Raises ``DiagnosticError``: revision-unknown, git-unavailable.
    """
    with _run(project):
        return compare_revisions(project, revisions, overlays, Silent())


def expand(
    project: Project,
    documents: Mapping[str, bytes | str],
    *,
    kubevirt: str | None = None,
    mode: str | None = None,
) -> Expanded:
    """Expand the virtual machines of YAML documents, which are given by name, and check all documents.

    Instance types and preferences are looked up in the documents, then in the project's catalogs.
    ``kubevirt``, as in ``1.9``, and ``mode`` (``off``, ``applied`` or ``defaults``) overrule the project.

    Raises ``DiagnosticError`` for a document that is no YAML, and ``ValueError`` for an unknown release or
    mode.
    """
    contents = {name: text.encode() if isinstance(text, str) else text for name, text in documents.items()}
    fs, config = FilesAbove(contents, project.fs), project.config
    release = target_release(kubevirt) if kubevirt else config.kubevirt
    expand_mode = ExpandMode(mode) if mode else config.expand
    with _run(project):
        try:
            outcome = Pipeline(fs, config).expand(contents, release, expand_mode)
        except DiagnosticError as error:
            raise DiagnosticError(*_located(fs, error.diagnostics)) from error
        return Expanded(ResourceSet() if outcome.failed else outcome.value, _located(fs, outcome.diagnostics))


def validate(project: Project, *paths: str, kubevirt: str | None = None) -> ValidationResult:
    """Validate files and folders of the project, which are relative to its root; without paths all of it.

    Raises ``DiagnosticError`` for a project whose overlays cannot be found.
    """
    with _run(project):
        result = run_validate(project, paths or ["."], target_release(kubevirt) if kubevirt else None)
        return result._replace(findings=_located(result.fs, result.findings))


def explain(project: Project, resource: str, field: str = "", overlay: str = "") -> ResourceHistory:
    """Return where the fields of a rendered resource come from.

    ``resource`` is ``NAME``, ``KIND/NAME``, ``NAMESPACE/KIND/NAME`` or a place in a rendered tree.

    Raises ``UsageError`` for one that is in no overlay or in several, and ``DiagnosticError`` when no
    overlay can be rendered.
    """
    with _run(project):
        explained = explain_resource(project, Question(resource, field, overlay))
        if explained.history is None:
            raise DiagnosticError(*_located(project.fs, explained.findings))
        return explained.history


def explain_code(code: str) -> Explanation:
    """Return the meaning of a diagnostic code. Raises ``ValueError`` for an unknown one."""
    return explanation_of(Code(code))


@contextmanager
def _run(project: Project) -> Iterator[None]:
    """One run, whatever other threads do: with the limits of the project, and accounts of its own.

    Raises ``DiagnosticError``: build-limit for a run that takes too many steps.
    """
    with lowered(project.config.limits), counted(), noted():
        try:
            yield
        except WorkLimitError as error:
            raise DiagnosticError(error.diagnostic) from error


def _located(fs: FileSystem, findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the findings with their lines, and without values that no output may repeat."""
    return mask_in_findings(locate(fs, findings), taint_masking())
