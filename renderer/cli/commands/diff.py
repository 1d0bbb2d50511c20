"""``vmrender diff [REVISION [REVISION]]``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import click

from renderer.app.diff import RenderedSide, Side
from renderer.app.stopwatch import Stopwatch
from renderer.cli.console import report
from renderer.cli.diff_output import DiffFormat, write_difference
from renderer.cli.exit_code import ExitCode, exit_code_of
from renderer.cli.git import git_of
from renderer.cli.options import no_progress_option, verbose_option
from renderer.cli.progress import Watch
from renderer.cli.repository import Repository
from renderer.diff.compare import OverlayComparer
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, has_errors
from renderer.model.difference import Difference, OverlayDifference
from renderer.source.builtin_catalogs import BuiltinFileSystem
from renderer.source.file_system import FileSystem, MemoryFileSystem
from renderer.source.git_repository import GitRepository
from renderer.source.overlays import select_overlays

_WORK_TREE = "work tree"
_SHORT = 12
_DEFAULT_LIMIT = 60_000
_LEAST_LIMIT = 1_000


class Compared(NamedTuple):
    """What came out, and the errors of both sides, those before the change first."""

    difference: Difference
    before: tuple[Diagnostic, ...]
    after: tuple[Diagnostic, ...]


@click.command("diff")
@click.argument("revisions", metavar="[REVISION]...", nargs=-1)
@click.option("--overlay", "overlays", metavar="OVERLAY", multiple=True, help="Only this one. Repeatable.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice([member.value for member in DiffFormat]),  # of values: click takes an enum's names
    default=DiffFormat.TEXT.value,
    show_default=True,
    help="How the difference is written to standard output.",
)
@click.option(
    "--limit-bytes",
    type=click.IntRange(min=_LEAST_LIMIT),
    default=_DEFAULT_LIMIT,
    show_default=True,
    help="How long Markdown may become; GitHub takes 65536 characters in a comment.",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 also when there are differences.")
@verbose_option
@no_progress_option
def command(  # noqa: PLR0913 - one for each option
    revisions: tuple[str, ...],
    overlays: tuple[str, ...],
    output_format: str,
    limit_bytes: int,
    *,
    exit_zero: bool,
    verbose: bool,
    no_progress: bool,
) -> ExitCode:
    """Compare what is rendered, and say what the change does to each virtual machine.

    Without a REVISION the work tree is compared with HEAD; with one, with that; with two, the second with
    the first. A..B is the same as A B, and A...B compares B with the commit where it parted from A. Each
    side is rendered in memory by its own vmrender.yaml. Exits with 1 when there are differences, with 2 when
    something cannot be read.

    \b
    Examples:
      vmrender diff
      vmrender diff origin/main...HEAD --format markdown --exit-zero
      vmrender diff v1.2 --overlay prod --format html > diff.html
    """
    watch, stopwatch = Watch.of(verbose=verbose, no_progress=no_progress), Stopwatch()
    repository = Repository.here()
    with git_of(repository) as git:
        before, after = _sides(repository, git, revisions)
        compared = _compare(before, after, overlays, watch)
    watch.say(f"done in {stopwatch.total()}")
    write_difference(compared.difference, DiffFormat(output_format), limit_bytes)
    report(None, (*compared.before, *compared.after))
    return _exit_code(compared, exit_zero=exit_zero)


def _exit_code(compared: Compared, *, exit_zero: bool) -> ExitCode:
    """What is wrong before the change is no fault of it: it counts as a difference."""
    if has_errors(compared.after):
        return exit_code_of(compared.after)
    if exit_zero or not compared.difference:
        return ExitCode.CLEAN
    return ExitCode.FINDINGS


def _sides(repository: Repository, git: GitRepository, revisions: Sequence[str]) -> tuple[Side, Side]:
    """Raises ``click.UsageError`` for more than two, and ``DiagnosticError`` for what is none."""
    match _named(revisions):
        case []:
            before, after = "HEAD", None
        case [only] if "..." in only:
            one, _, other = only.partition("...")
            after = other or "HEAD"
            base = git.merge_base(one or "HEAD", after)
            return _at(git, base, f"{base[:_SHORT]} (merge base of {one or 'HEAD'})"), _at(git, after)
        case [only]:
            before, after = only, None
        case [first, second]:
            before, after = first, second
        case _:
            raise click.UsageError("there are two sides at most: vmrender diff REVISION REVISION")
    return _at(git, before), _at(git, after) if after else _work_tree(repository, git)


def _work_tree(repository: Repository, git: GitRepository) -> Side:
    """Raises ``DiagnosticError`` where there is none."""
    if git.is_bare:
        message = f"{repository.root} is a bare repository, which has no work tree to compare"
        hint = "name two revisions: vmrender diff A B"
        raise DiagnosticError(Diagnostic(code=Code.GIT_UNAVAILABLE, message=message, hint=hint))
    return Side(_WORK_TREE, repository.fs)


def _named(revisions: Sequence[str]) -> list[str]:
    """``A..B`` is two revisions, and either may be left out for HEAD."""
    if len(revisions) == 1 and ".." in revisions[0] and "..." not in revisions[0]:
        one, _, other = revisions[0].partition("..")
        return [one or "HEAD", other or "HEAD"]
    return [*revisions]


def _at(git: GitRepository, revision: str, name: str = "") -> Side:
    git.commit(revision)
    return Side(
        name or revision, BuiltinFileSystem(_tree(git, revision)), revision[:_SHORT] if name else revision
    )


def _tree(git: GitRepository, revision: str) -> FileSystem:
    """The project at a revision; an empty one where its folder was not there yet."""
    try:
        return git.tree(revision)
    except DiagnosticError as error:
        if any(found.code is not Code.FILE_NOT_FOUND for found in error.diagnostics):
            raise
        return MemoryFileSystem({})


def _compare(before: Side, after: Side, wanted: Iterable[str], watch: Watch) -> Compared:
    comparer = OverlayComparer()
    compared: list[OverlayDifference] = []
    errors: tuple[list[Diagnostic], list[Diagnostic]] = [], []
    selected = tuple(_selected(before, after, wanted))
    for number, (path, name) in enumerate(selected, start=1):
        stopwatch = Stopwatch()
        with watch.progress.doing(f"rendering both sides of {path} ({number} of {len(selected)})"):
            sides = before.render(path), after.render(path)
        rendering = stopwatch.lap()
        if sides[0] and sides[0].content is None:  # what is refused there is the past
            errors[0].extend(before.located(sides[0].errors))
        if sides[1]:
            errors[1].extend(after.located(sides[1].errors))
        with watch.progress.doing(f"comparing {path} ({number} of {len(selected)})"):
            compared.append(_compared(comparer, (before, after), sides, path, name))
        watch.say(f"{path}: both sides rendered in {rendering}, compared in {stopwatch.lap()}")
    difference = Difference(before.name, after.name, tuple(compared))
    return Compared(difference, tuple(errors[0]), tuple(errors[1]))


def _selected(before: Side, after: Side, wanted: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Path and name of each overlay of either side. Raises ``DiagnosticError`` for one that neither has."""
    gone = (overlay for path, overlay in before.overlays.items() if path not in after.overlays)
    for overlay in select_overlays((*after.overlays.values(), *gone), wanted):
        yield overlay.path, overlay.name


def _compared(
    comparer: OverlayComparer,
    sides: tuple[Side, Side],
    rendered: tuple[RenderedSide | None, RenderedSide | None],
    path: str,
    name: str,
) -> OverlayDifference:
    failed = [
        f"it cannot be rendered in {side.name}"
        for side, content in zip(sides, rendered, strict=True)
        if content is not None and content.content is None
    ]
    if failed:
        releases = tuple(side.overlays[path].kubevirt if path in side.overlays else None for side in sides)
        return OverlayDifference(path, name, (releases[0], releases[1]), incomparable="; ".join(failed))
    before, after = (content.content if content is not None else None for content in rendered)
    return comparer.compare(path, name, before, after)
