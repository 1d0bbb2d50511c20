"""``vmrender validate [PATH…]``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from renderer.app.several_projects import group_by_project
from renderer.app.usage_error import UsageError
from renderer.app.validate import ValidationResult, validate, validate_overlays, validate_paths
from renderer.cli.command import Command
from renderer.cli.console import ExitCode, ReportTarget, note, open_project, report
from renderer.cli.options import (
    OverlayPath,
    cluster_option,
    format_option,
    kubevirt_option,
    overlay_option,
    quiet_option,
    strict_option,
)
from renderer.files.file_system import STANDARD_INPUT, read_limited
from renderer.findings.run_findings import FindingFilter
from renderer.model.codes import Code
from renderer.model.plural import plural
from renderer.model.release import Release
from renderer.model.run.limits import limits
from renderer.report.formats import Format

_MOST_KINDS = 12
_STANDARD_INPUT = Path(STANDARD_INPUT)


@click.command("validate", cls=Command)
@click.argument(
    "paths", metavar="[PATH]...", nargs=-1, type=OverlayPath(exists=True, allow_dash=True, path_type=Path)
)
@overlay_option("Check")
@cluster_option
@click.option(
    "--path",
    "name",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Check standard input as the content of FILE, which need not exist.",
)
@kubevirt_option
@click.option("--ignore-missing-schemas", is_flag=True, help="Do not report objects without a schema.")
@strict_option
@quiet_option
@format_option()
def command(  # noqa: PLR0913 - one for each option
    paths: tuple[Path, ...],
    named: tuple[str, ...],
    name: Path | None,
    kubevirt: Release | None,
    *,
    ignore_missing_schemas: bool,
    strict: bool,
) -> ExitCode:
    """Check files, folders or, without PATH, the whole project; - is standard input.

    A file that a kustomization lists is checked through the overlays that are built from it: their findings
    about objects of the file are shown. Any other file is checked alone; it is skipped if KubeVirt and the
    project have no schema for its objects, or if vmrender rendered it.

    \b
    Examples:
      vmrender validate
      vmrender validate overlays/prod
      vmrender validate --overlay clusters/prod:apps
      vmrender validate --kubevirt 1.8 --format sarif vm.yaml
      kubectl get vm db -o yaml | vmrender validate -
      vmrender validate --path overlays/prod/vm.yaml - < unsaved.yaml
    """
    reads_input = _STANDARD_INPUT in paths
    if reads_input and len(paths) > 1:
        raise UsageError("- is standard input, and is checked alone; leave out the other paths")
    if name and not reads_input:
        raise UsageError("--path names the file whose content is read from standard input; add -", "--path")
    ignored = frozenset({Code.SCHEMA_MISSING} if ignore_missing_schemas else ())
    chosen = FindingFilter(ignored, strict, limits().findings)
    nothing = "no file has an object to check"
    if named and paths:
        raise UsageError("--overlay checks overlays of this project; leave out PATH")
    cluster = ReportTarget.current().cluster
    if named or (cluster and not paths):
        project = open_project()
        result = validate_overlays(project, named, kubevirt, chosen, note)
    elif reads_input:
        content = read_limited(sys.stdin.buffer, STANDARD_INPUT)
        nothing = f"standard input {'has no object to check' if content.strip() else 'is empty'}"
        project = open_project(name, standard_input=content)
        file = project.relative(name) if name else STANDARD_INPUT
        result = validate(project, [file], kubevirt, chosen, note)
    else:
        result = validate_paths(open_project, paths, kubevirt, chosen, note)
    if len(group_by_project(paths)) > 1:  # then paths are relative to their common folder
        ReportTarget.current()._replace(folder=".").activate()
    code = report(result.fs, result.findings, result.overlays, result.unshown)
    if ReportTarget.current().format is Format.TEXT:
        note(f"checked {_scope_text(result, nothing)}")
        if result.unchecked:
            note(_unchecked_text(result.unchecked))
    return code


def _scope_text(result: ValidationResult, nothing: str) -> str:
    """Return what was checked, ``2 overlays, 1 catalog and 1 file``, or why ``nothing`` was."""
    overlays = len(result.overlays) - result.unbuilt - result.catalogs
    counts = {"overlay": overlays, "catalog": result.catalogs, "file": len(result.files)}
    *most, last = [plural(count, noun) for noun, count in counts.items() if count] or [""]
    checked = f"{', '.join(most)} and {last}" if most else last
    if result.unbuilt:
        return f"{checked or 'nothing'}; {plural(result.unbuilt, 'overlay')} could not be built"
    return checked or f"nothing: {nothing}"


def _unchecked_text(kinds: Mapping[str, int]) -> str:
    """Return ``9 objects of 3 kinds were not checked (Bar, Baz, Foo)``: they have no schema."""
    objects = sum(kinds.values())
    shown = ", ".join(sorted(kinds)[:_MOST_KINDS]) + (" …" if len(kinds) > _MOST_KINDS else "")
    number = f"{plural(objects, 'object')} of {plural(len(kinds), 'kind')}"
    return f"{number} {'was' if objects == 1 else 'were'} not checked ({shown})"
