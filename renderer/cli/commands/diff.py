"""``vmrender diff [REVISION [REVISION]]``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from renderer.app.comparison.result import Comparison
from renderer.app.diff import compare_revisions
from renderer.app.project import Project
from renderer.app.reporter import Stopwatch
from renderer.app.usage_error import UsageError
from renderer.cli.command import Command
from renderer.cli.completions import complete_releases, complete_revisions
from renderer.cli.console import (
    ExitCode,
    exit_code_of,
    note,
    open_project,
    print_diff,
    print_document,
    print_json,
    print_lines,
    report,
    shows_colour,
)
from renderer.cli.options import (
    TextChoice,
    cluster_option,
    jobs_option,
    no_progress_option,
    overlay_option,
    release_of,
    verbose_option,
)
from renderer.cli.progress import TerminalReporter
from renderer.model.diagnostic import has_errors
from renderer.model.difference import WORK_TREE, Danger, Difference, changes_of
from renderer.model.log_line import log_markup
from renderer.model.plural import plural
from renderer.model.release import Release
from renderer.model.text_enum import TextEnum

_PAGE = Path(__file__).resolve().parents[2] / "report" / "page"
_DEFAULT_LIMIT = 60_000
_LEAST_LIMIT = 1_000


class DiffFormat(TextEnum):
    """Formats of a difference."""

    TEXT = "text"  # for people
    JSON = "json"  # schemas/vmrender/diff.json
    JSONL = "jsonl"  # a line for each object that differs
    MARKDOWN = "markdown"  # for a comment on a pull request
    HTML = "html"  # one self-contained page


@click.command("diff", cls=Command)
@click.argument("revisions", metavar="[REVISION]...", nargs=-1, shell_complete=complete_revisions)
@overlay_option("Compare")
@cluster_option
@click.option(
    "--format",
    "output_format",
    type=TextChoice(DiffFormat),
    default=DiffFormat.TEXT,
    show_default=True,
    help="Format of the difference, which goes to standard output.",
)
@click.option(
    "--limit-bytes",
    type=click.IntRange(min=_LEAST_LIMIT),
    default=_DEFAULT_LIMIT,
    show_default=True,
    help="Largest size of Markdown; GitHub accepts 65536 characters in a comment.",
)
@click.option(
    "--each",
    is_flag=True,
    help="Also compare each commit between the sides, for VMs that have run since the first side.",
)
@click.option(
    "--since",
    metavar="REVISION",
    help="The revision from which the VMs were started: sets the first REVISION and --each.",
)
@click.option(
    "--live",
    metavar="DUMP",
    help="Compare a cluster with the project: a file or folder with kubectl get -o yaml output, or -.",
)
@click.option(
    "--accept",
    metavar="NAMESPACE/NAME",
    multiple=True,
    help="With --live, write the cluster's values of these objects into the sources; * matches any part.",
)
@click.option("--dry-run", is_flag=True, help="With --accept, write nothing; print the changes as a diff.")
@click.option(
    "--ignore",
    metavar="RULE",
    multiple=True,
    help="Count, and do not show: kind=, name=, namespace=, field=, owner= or danger=, joined by commas.",
)
@click.option(
    "--fail-on",
    metavar="DANGER",
    multiple=True,
    help="Exit with 1 only for changes with one of these dangers, joined by commas: refused,data,no-start.",
)
@click.option(
    "--kubevirt",
    type=release_of,
    metavar="RELEASE",
    shell_complete=complete_releases,
    help="Render the newer side for this release: what an upgrade does to each virtual machine.",
)
@jobs_option("With --live, the maximum number of processes")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are differences.")
@verbose_option
@no_progress_option
def command(  # noqa: PLR0913 - one for each option
    revisions: tuple[str, ...],
    named: tuple[str, ...],
    output_format: DiffFormat,
    limit_bytes: int,
    *,
    each: bool,
    since: str | None,
    live: str | None,
    accept: tuple[str, ...],
    dry_run: bool,
    ignore: tuple[str, ...],
    fail_on: tuple[str, ...],
    kubevirt: Release | None,
    jobs: int | None,
    exit_zero: bool,
    verbose: bool,
    no_progress: bool,
) -> ExitCode:
    """Compare rendered overlays, and say what the change does to each virtual machine.

    Without a REVISION, HEAD is compared with the work tree; with one REVISION, that revision with the work
    tree; with two, the first with the second. A..B is the same as A B, and A...B compares the merge base of A
    and B with B. Each side is rendered in memory with its own vmrender.yaml. With --live, a cluster is
    compared with the work tree or with one REVISION, after the defaults of KubeVirt and the API server are
    applied: which fields have drifted, who changed them, and what a sync does to running VMs. --accept writes
    values of the cluster into the files that decide them instead, if nothing else changes. Exits with 1 if
    there are differences, with --each also at a commit that a later one reverts, and with 2 if something
    cannot be read.

    \b
    Examples:
      vmrender diff
      vmrender diff origin/main...HEAD --format markdown --exit-zero
      vmrender diff v1.2 --overlay prod --format html > diff.html
      vmrender diff v1.2..HEAD --each
      vmrender diff origin/main...HEAD --fail-on refused,data --ignore kind=ConfigMap
      vmrender diff --since v1.2
      vmrender diff HEAD --kubevirt 1.9
      kubectl get vm,vmi,secret,cm,svc,pvc -A -o yaml --show-managed-fields | vmrender diff --live -
      vmrender diff --live cluster.yaml --accept prod/db --dry-run
    """
    dangers = _read_dangers(fail_on)
    if dangers and exit_zero:
        raise UsageError("--exit-zero never fails: leave out --fail-on, or --exit-zero")
    if (accept and (live is None or revisions)) or (dry_run and not accept):
        raise UsageError("--accept changes the work tree: vmrender diff --live DUMP --accept NAMESPACE/NAME")
    reporter, stopwatch = TerminalReporter(verbose=verbose, no_progress=no_progress), Stopwatch()
    if live is not None:
        if each or since is not None:
            raise UsageError("--live looks at one state of a cluster: leave out --each and --since")
        if kubevirt is not None:
            raise UsageError("--kubevirt is about the newer of two revisions: leave out --live")
        from renderer.app.diff_live import Dump, compare_with_dump  # noqa: PLC0415 - only with --live

        dump, project = Dump(live, sys.stdin.buffer), open_project()
        compared = compare_with_dump(project, revisions, dump, named, reporter, ignore=ignore, jobs=jobs)
        if accept:
            return _accept(project, compared, accept, dry_run=dry_run)
    else:
        if jobs is not None:
            raise UsageError("--jobs is for a cluster: vmrender diff --live DUMP --jobs N")
        if since is not None:
            revisions, each = (since, *revisions), True
        compared = compare_revisions(
            open_project(), revisions, named, reporter, each=each, ignore=ignore, kubevirt=kubevirt
        )
    reporter.detail(f"done in {stopwatch.total()}")
    _print(compared.difference, output_format, limit_bytes)
    report(None, compared.reported)
    old = len(compared.old_errors)
    if old:
        was, them = ("was", "it") if old == 1 else ("were", "them")
        hint = f": vmrender validate shows {them}" if compared.difference.after == WORK_TREE else ""
        note(f"{plural(old, 'error')} {was} there before{hint}")
    return _exit_code(compared, dangers, exit_zero=exit_zero)


def _accept(project: Project, compared: Comparison, names: Sequence[str], *, dry_run: bool) -> ExitCode:
    """Write the accepted values, or print them as a diff; report what is not accepted."""
    from renderer.app.accept import accept_values  # noqa: PLC0415 - only with --accept

    try:
        accepted = accept_values(project, compared.difference, names)
    except UsageError:
        if not has_errors(compared.after):
            raise
        return report(project.fs, compared.after)  # the object may be in an overlay that cannot be rendered
    if not (accepted.accepted or accepted.refused):
        note("nothing to accept: Git decides none of these differences")
    if dry_run:
        for shown in accepted.diffs():
            print_diff(shown)
    else:
        accepted.write()
        note(*accepted.lines())
    return report(project.fs, (*compared.after, *accepted.refused))


def _read_dangers(texts: Iterable[str]) -> frozenset[Danger]:
    """Return the dangers that are typed after ``--fail-on``. Raises ``UsageError``."""
    words = [word for text in texts for word in text.split(",")]
    for word in words:
        if word not in {*Danger}:
            raise UsageError(f"--fail-on {word!r}: the dangers are {', '.join(reversed(Danger))}")
    return frozenset(map(Danger, words))


def _print(difference: Difference, chosen: DiffFormat, limit_bytes: int) -> None:
    colour = chosen is DiffFormat.TEXT and shows_colour(sys.stdout)
    document = _document(difference, chosen, limit_bytes, colour=colour)
    match chosen:
        case DiffFormat.TEXT:
            print_lines(document, colour=colour)
        case DiffFormat.JSON | DiffFormat.JSONL:
            print_json(document)
        case _:
            print_document(log_markup(document))


def _exit_code(compared: Comparison, dangers: frozenset[Danger], *, exit_zero: bool) -> ExitCode:
    """Return the exit code. An error on the side before, or on both, counts only as a difference.

    With ``dangers``, only changes that have one of them count, and what could not be compared. A commit
    between the sides counts like the last one: an engine may sync it before the next comes.
    """
    errors = compared.new_errors
    if has_errors(errors):
        return exit_code_of(errors, overlays=[each.path for each in compared.difference.overlays])
    if exit_zero or not compared.difference:
        return ExitCode.CLEAN
    overlays = [overlay for state in compared.difference.states for overlay in state]
    if dangers and not any(overlay.incomparable for overlay in overlays):
        is_found = any(change.dangers & dangers for change in changes_of(overlays))
        return ExitCode.FINDINGS if is_found else ExitCode.CLEAN
    return ExitCode.FINDINGS


def _document(difference: Difference, chosen: DiffFormat, limit_bytes: int, *, colour: bool) -> str:
    match chosen:
        case DiffFormat.TEXT:
            from renderer.report.diff_text import write as text  # noqa: PLC0415 - one writer of five

            return text(difference, colour=colour)
        case DiffFormat.JSON:
            from renderer.report.diff_json import write as json  # noqa: PLC0415 - one writer of five

            return json(difference)
        case DiffFormat.JSONL:
            from renderer.report.diff_json import write_lines as json_lines  # noqa: PLC0415 - one writer of five

            return json_lines(difference)
        case DiffFormat.MARKDOWN:
            from renderer.report.diff_markdown import write as markdown  # noqa: PLC0415 - one writer of five

            return markdown(difference, limit_bytes)
        case DiffFormat.HTML:
            from renderer.report.diff_html import write as html  # noqa: PLC0415 - one writer of five

            assets = ((_PAGE / name).read_text(encoding="utf-8") for name in ("diff.css", "diff.js"))
            return html(difference, *assets)
