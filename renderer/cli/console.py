"""What is printed: manifests, and nothing else, on standard output; the rest on standard error.

A command without manifests has room on standard output for a report that a machine reads.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

import click

from renderer.cli.exit_code import ExitCode, exit_code_of
from renderer.cli.report_target import ReportTarget
from renderer.model.diagnostic import Diagnostic
from renderer.model.resource import ResourceSet
from renderer.report.formats import Format, writer_of
from renderer.source.file_system import FileSystem

if TYPE_CHECKING:
    from renderer.report.report import Report


def print_manifests(resources: ResourceSet) -> None:
    """Raises ``click.FileError`` when standard output cannot take them; ``DiagnosticError``: build-limit."""
    from renderer.emit.bounded_text import bounded_texts  # noqa: PLC0415 - few commands print manifests
    from renderer.model.limits import limits  # noqa: PLC0415 - as above

    _print("---\n".join(bounded_texts(resources, limits().output_size)))


def print_document(text: str, *, colour: bool = False) -> None:
    """On standard output. Raises ``click.FileError`` when that cannot take it."""
    _print(text, colour=colour)


def print_diff(diff: str) -> None:
    """On standard output, unless a report has its place there."""
    click.echo(diff, nl=False, err=ReportTarget.chosen().on_stdout)


def report(
    fs: FileSystem | None, diagnostics: Iterable[Diagnostic], overlays: Iterable[str] = ()
) -> ExitCode:
    """Prints the diagnostics with the lines of ``fs`` that caused them, and says what they amount to.

    ``overlays`` are the paths of those that were looked at. As text nothing is printed of no diagnostics; a
    report in any other format is a whole document also then. Raises ``click.FileError``.
    """
    target = ReportTarget.chosen()
    found = tuple(diagnostics)
    if found or target.format is not Format.TEXT:
        made = _report(fs, found, tuple(overlays), target)
        document = writer_of(target.format)(made)
        if target.on_stdout:
            _print(document)
            _print_summary(made)
        else:
            click.echo(document, err=True, nl=False, color=_has_colour())
    return exit_code_of(found)


def _report(
    fs: FileSystem | None, found: tuple[Diagnostic, ...], overlays: tuple[str, ...], target: ReportTarget
) -> Report:
    from renderer.app.explanations import explanation_of  # noqa: PLC0415 - only when something is said
    from renderer.report.report import Report, naming_target  # noqa: PLC0415 - only when something is said

    if fs is None or not found:
        return Report(tuple(map(naming_target, found)), overlays, explain=explanation_of)
    from renderer.report.paths import below  # noqa: PLC0415 - as above
    from renderer.report.report import bounded  # noqa: PLC0415 - only when something is wrong
    from renderer.source.locate import locate, quoted_lines  # noqa: PLC0415 - only when something is said

    located = bounded(tuple(map(naming_target, locate(fs, found))))
    if target.format is Format.TEXT:
        lines = quoted_lines(fs, (finding.location for finding in located))
        return Report(located, overlays, lines, explanation_of, colour=_has_colour())
    if target.format is not Format.JSON and target.folder != ".":
        located = tuple(below(target.folder, finding) for finding in located)
    return Report(located, overlays, explain=explanation_of)


def _print_summary(made: Report) -> None:
    """For whoever watches, while the report itself goes into a file."""
    from renderer.report.text import summary  # noqa: PLC0415 - the writer may be of another format

    counted = summary(made.findings)
    if counted:
        click.echo(counted, err=True)


def _has_colour() -> bool:
    return shows_colour(sys.stderr)


def shows_colour(stream: TextIO) -> bool:
    """https://no-color.org and https://force-color.org; of both the former counts, as in CPython."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def _print(text: str, *, colour: bool | None = None) -> None:
    try:
        click.echo(text, nl=False, color=colour)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise click.FileError("standard output", error.strerror) from error
