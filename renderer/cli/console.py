"""What is printed: manifests, and nothing else, on standard output; the rest on standard error."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable

import click

from renderer.cli.exit_code import ExitCode, exit_code_of
from renderer.model.diagnostic import Diagnostic
from renderer.model.resource_set import ResourceSet
from renderer.report import text
from renderer.source.file_system import FileSystem
from renderer.yamlio.encode import encode


def print_manifests(resources: ResourceSet) -> None:
    """Raises ``click.FileError`` when standard output cannot take them."""
    manifests = encode(resource.content for resource in resources)
    try:
        click.echo(manifests, nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise click.FileError("standard output", error.strerror) from error


def report(fs: FileSystem, diagnostics: Iterable[Diagnostic]) -> ExitCode:
    """Prints the diagnostics with the lines of ``fs`` that caused them, and says what they amount to."""
    diagnostics = tuple(diagnostics)
    if not diagnostics:
        return ExitCode.CLEAN
    from renderer.source.locate import locate  # noqa: PLC0415 - only when something is wrong

    return print_findings(locate(fs, diagnostics))


def print_findings(located: Collection[Diagnostic]) -> ExitCode:
    """Prints diagnostics that know their lines, and says what they amount to."""
    click.echo(text.render(located), err=True, nl=False)
    if located:
        click.echo(text.summary(located), err=True)
    return exit_code_of(located)
