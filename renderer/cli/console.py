"""Standard output and standard error: manifests and documents, reports of findings, and exit codes.

Only manifests go to standard output; people read the rest on standard error. A command without manifests
can print a machine-readable report on standard output.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Self, TextIO

import click

from renderer.app.known_secrets import learn_from_project
from renderer.app.project import Project, project_files
from renderer.app.usage_error import UsageError
from renderer.cli.terminal import write_document, write_lines, write_text
from renderer.files.file_system import STANDARD_INPUT, EditedFiles, FileSystem, check_size
from renderer.findings.located import Located, Unshown
from renderer.model.codes import SOURCE_UNREADABLE, UNREADABLE
from renderer.model.diagnostic import Severity
from renderer.model.kube.json import EMPTY, Json
from renderer.model.kube.location import Location
from renderer.model.kube.resource import ResourceSet
from renderer.model.log_line import log_json
from renderer.model.record import Record
from renderer.project.project_root import find_project_root, folder_in_checkout, path_in_project
from renderer.report.formats import Format

if TYPE_CHECKING:
    from renderer.report.report import Report

_KEY = __name__


class ExitCode(IntEnum):
    """The exit codes of every command."""

    CLEAN = 0
    FINDINGS = 1  # or differences
    UNUSABLE = 2  # wrong usage, files that cannot be read or written, a run that exceeds its limit of work
    BUG = 3  # in vmrender
    INTERRUPTED = 130


class ReportTarget(Record):
    """Format and destination of the findings of one run, kept in click's context for the error handler.

    ``beside_manifests``: standard output is used for manifests. ``fs`` is the project, once it is known.
    ``folder`` is its path in the Git checkout: in CI systems, paths are relative to the top of the checkout.
    ``is_quiet``: show people errors only. ``cluster`` is the cluster that the command is about, if any, and
    ``cluster_option`` the option that names it.
    """

    format: Format = Format.TEXT
    beside_manifests: bool = False
    fs: FileSystem | None = None
    folder: str = "."
    is_quiet: bool = False
    cluster: str = ""
    cluster_option: str = "--cluster"

    @property
    def on_stdout(self) -> bool:
        """True if the report goes to standard output, where machines read it; people read standard error."""
        return self.format is not Format.TEXT and not self.beside_manifests

    @classmethod
    def current(cls) -> Self:
        """Return the target of this run; the default is text on standard error."""
        context = click.get_current_context(silent=True)
        current: Self = context.meta.get(_KEY, cls()) if context else cls()
        return current

    def activate(self) -> None:
        """Make this the target of the run."""
        context = click.get_current_context(silent=True)
        if context:
            context.meta[_KEY] = self


def open_project(
    path: Path | None = None,
    top: Path | None = None,
    standard_input: bytes | None = None,
    *,
    with_facts: bool = True,
) -> Project:
    """Open the project of ``path`` (default: the working directory); findings are then about its files.

    ``standard_input`` is the content of the file ``path``, which need not exist, or of the file ``-``. The
    limits of the project apply from now on. ``with_facts`` is as in ``Project.read``. Raises
    ``DiagnosticError`` for an invalid ``vmrender.yaml``, and ``UsageError`` for a path outside the project.
    """
    from renderer.model.run.limits import lower  # noqa: PLC0415 - schema import opens no project

    root = find_project_root(path or Path.cwd(), top)
    fs = project_files(root, os.environ)
    if standard_input is not None:
        name = path_in_project(root, path) if path else STANDARD_INPUT
        if name is None:
            raise UsageError(f"{path} lies outside the repository {root}", "--path")
        fs = EditedFiles({name: standard_input}, fs)
    ReportTarget.current()._replace(fs=fs, folder=folder_in_checkout(root)).activate()
    project = Project.read(root, os.environ, fs, with_facts=with_facts)
    lower(project.config.limits)
    learn_from_project(root, fs, project.config)
    check_size(len(standard_input or b""), STANDARD_INPUT)
    target = ReportTarget.current()
    return project.of_cluster(target.cluster, target.cluster_option) if target.cluster else project


def print_manifests(resources: ResourceSet) -> None:
    """Print manifests. Raises ``click.FileError`` (broken output) and ``DiagnosticError`` (build-limit)."""
    from renderer.emit.bounded_text import bounded_texts  # noqa: PLC0415 - few commands print manifests
    from renderer.model.run.limits import limits  # noqa: PLC0415 - as above

    print_document("---\n".join(bounded_texts(resources, limits().output_size)))


def print_document(text: str, *, colour: bool | None = None) -> None:
    """Print unchanged on standard output. Raises ``click.FileError`` if it cannot be written to."""
    try:
        write_document(text, colour=colour)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise click.FileError("standard output", error.strerror) from error


def print_json(text: str) -> None:
    """Print a JSON document on standard output. Raises ``click.FileError`` if it cannot be written to."""
    print_document(log_json(text))


def print_lines(lines: str | Iterable[str], *, colour: bool | None = None) -> None:
    """Print lines, or a text of lines, on standard output; control characters and CI commands are escaped.

    Raises ``click.FileError`` if it cannot be written to.
    """
    try:
        if isinstance(lines, str):
            lines = lines.removesuffix("\n").split("\n") if lines else ()
        write_lines(_masked(lines), colour=colour)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise click.FileError("standard output", error.strerror) from error


def terminal_width() -> int | None:
    """Return the width of the terminal in characters; None if standard output is not a terminal."""
    if not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size  # noqa: PLC0415 - brings three libraries for archives

    return get_terminal_size().columns


def print_diff(diff: str) -> None:
    """Print a diff on standard output, unless a report goes there."""
    write_text(diff, err=ReportTarget.current().on_stdout)


def note(*lines: str) -> None:
    """Print lines for people on standard error, unless they want to see errors only."""
    if not ReportTarget.current().is_quiet:
        write_lines(_masked(lines), err=True)


def _masked(lines: Iterable[str]) -> Iterable[str]:
    """Return the lines without the values of Secrets that were noted so far."""
    from renderer.model.run.taint import noted_masking  # noqa: PLC0415 - not for --help

    masking = noted_masking()
    return map(masking.mask, lines) if masking else lines


def report(
    fs: FileSystem | None,
    findings: Sequence[Located],
    overlays: Iterable[str] = (),
    unshown: Unshown | None = None,
    results: Mapping[str, Json] = EMPTY,
) -> ExitCode:
    """Print the findings, as text with the lines of ``fs`` that they are about, and return the exit code.

    ``overlays`` are the paths of the processed overlays, ``unshown`` counts the findings that the run did not
    keep, ``results`` are fields to add to a JSON document. As text, nothing is printed without a finding; in
    any other format, the report is a complete document even then. Raises ``click.FileError``.
    """
    unshown, overlays = unshown or Unshown(), tuple(overlays)
    target = ReportTarget.current()
    if target.is_quiet and target.format is Format.TEXT:
        findings = [finding for finding in findings if finding.severity is Severity.ERROR]
        unshown = unshown._replace(others=0)
    if findings or target.format is not Format.TEXT:
        full_report = _report_of(fs, findings, unshown, overlays, target)._replace(results=results)
        document = target.format.write(full_report)
        if target.format is Format.TEXT:
            write_text(document, err=True, colour=shows_colour(sys.stderr))
        elif target.on_stdout:
            print_document(target.format.for_log(document))
            _print_summary(full_report)
        else:
            write_document(target.format.for_log(document), err=True)
    return exit_code_of(findings, unshown, overlays)


def exit_code_of(
    findings: Iterable[Located], unshown: Unshown | None = None, overlays: Iterable[str] = ()
) -> ExitCode:
    """Return the worst exit code of the errors.

    A source that cannot be read is a finding like any other if one of ``overlays`` has no error.
    """
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    codes = {finding.code for finding in errors}
    codes |= unshown.codes if unshown else set()
    is_partial = bool(set(overlays).difference(*(finding.overlays for finding in errors)))
    if codes & (UNREADABLE - SOURCE_UNREADABLE if is_partial else UNREADABLE):
        return ExitCode.UNUSABLE
    return ExitCode.FINDINGS if codes else ExitCode.CLEAN


def shows_colour(stream: TextIO) -> bool:
    """Return True if output to ``stream`` is coloured; ``NO_COLOR`` overrides ``FORCE_COLOR``, as in CPython.

    Source: https://no-color.org and https://force-color.org.
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def _home_page() -> str:
    from renderer.files.installation import published_addresses  # noqa: PLC0415 - for the one format that names it

    return published_addresses().source


def _report_of(
    fs: FileSystem | None,
    findings: Sequence[Located],
    unshown: Unshown,
    overlays: tuple[str, ...],
    target: ReportTarget,
) -> Report:
    from renderer.app.explanations import explanation_of  # noqa: PLC0415 - only with findings
    from renderer.findings.for_report import for_report  # noqa: PLC0415 - as above
    from renderer.model.run.limits import limits  # noqa: PLC0415 - as above
    from renderer.report.report import Report  # noqa: PLC0415 - as above

    shown = for_report(findings, limits().findings, unshown)
    full_report = Report(
        shown, overlays, explain=explanation_of, home=_home_page, colour=shows_colour(sys.stderr)
    )
    if fs is None or not findings:
        return full_report
    if target.format is Format.TEXT:
        from renderer.findings.quoted_lines import quoted_lines  # noqa: PLC0415 - few formats quote lines
        from renderer.report.text import quoted  # noqa: PLC0415 - the writer may be of another format

        return full_report._replace(lines=quoted_lines(fs, quoted(shown)))
    if target.format in (Format.JSON, Format.SARIF) and any(each.fix for each in shown):
        from renderer.findings.quoted_lines import without_hidden_values  # noqa: PLC0415 - only with fixes

        shown = without_hidden_values(fs, shown)
        full_report = full_report._replace(findings=shown)
    if target.format is not Format.JSON and target.folder != ".":
        from renderer.report.paths import below  # noqa: PLC0415 - only below the top of a checkout

        moved = tuple(below(target.folder, finding) for finding in shown)
        return full_report._replace(findings=moved, nowhere=Location(f"{target.folder}/vmrender.yaml"))
    return full_report


def _print_summary(full_report: Report) -> None:
    """Print a summary for people if the report itself goes into a file."""
    from renderer.report.text import summary  # noqa: PLC0415 - the writer may be of another format

    counted = summary(full_report.findings)
    if counted:
        note(counted)
