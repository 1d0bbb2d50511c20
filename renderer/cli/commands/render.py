"""``vmrender render [OVERLAY…]``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from os.path import isdir, lexists, realpath
from pathlib import Path
from posixpath import normpath

import click

from renderer.app.catalog_hints import with_catalog_hints
from renderer.app.found_project import proposed_project
from renderer.app.processors import processors
from renderer.app.render import render_overlays
from renderer.app.run_cache import RunCache
from renderer.app.stopwatch import Stopwatch
from renderer.cli.completion_items import complete_overlays
from renderer.cli.console import report
from renderer.cli.exit_code import ExitCode
from renderer.cli.options import format_option, no_progress_option, verbose_option
from renderer.cli.progress import Watch
from renderer.cli.rendered_trees import RenderedTrees, stale_trees
from renderer.cli.repository import Repository
from renderer.cli.shard_options import shard_options
from renderer.emit.leftovers import find_stale_trees
from renderer.emit.output_folder import check_outputs
from renderer.model.diagnostic import Diagnostic, Severity, has_errors
from renderer.model.render_config import Overlay, RenderConfig
from renderer.pipeline.entry_points import find_overlays
from renderer.sharding import ShardName
from renderer.source.overlays import output_sites, select_overlays
from renderer.source.project import PROJECT_FILE


@click.command("render")
@click.argument("overlays", metavar="[OVERLAY]...", nargs=-1, shell_complete=complete_overlays)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 when the rendered tree is stale.")
@click.option(
    "--force",
    "forced",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Overwrite or remove this file although it is not as vmrender wrote it. Repeatable.",
)
@click.option("--prune", is_flag=True, help="Remove trees that no overlay is rendered into any more.")
@click.option("--tracked", is_flag=True, help="Exit with 1, too, when Git does not track a rendered file.")
@click.option("--no-cache", is_flag=True, help="Render everything anew, and leave nothing for the next run.")
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes that render at once [default: as many as there are processors, where they are of use]",
)
@shard_options
@verbose_option
@no_progress_option
@format_option()
def command(  # noqa: PLR0913 - one for each option
    overlays: tuple[str, ...],
    forced: tuple[Path, ...],
    *,
    check: bool,
    prune: bool,
    tracked: bool,
    no_cache: bool,
    jobs: int | None,
    shard: ShardName | None,
    plan: Path | None,
    verbose: bool,
    no_progress: bool,
) -> ExitCode:
    """Render the project's overlays, or those given by name or path, each into its own folder.

    Nothing is written as long as anything is wrong with any of them. Only files that vmrender wrote are
    overwritten or removed; one that was edited since, or was there before, is reported and left alone.

    \b
    Examples:
      vmrender render
      vmrender render prod
      vmrender render --check
      vmrender render --prune
      vmrender render --force rendered/prod/shop/virtualmachine_db.yaml
    """
    _check_usage(overlays, forced, shard, plan, check=check, prune=prune)
    stopwatch, repository = Stopwatch(), with_proposed_project(Repository.here())
    found = find_overlays(repository.fs, repository.config)
    outputs = {overlay.output: output_sites(overlay) for overlay in found}
    named = select_overlays(found, [_named(repository, name) for name in overlays])
    selected = _in_shard(repository, named, shard, plan)
    stale = () if overlays or _is_later(shard) else _stale(repository, outputs)
    written = [overlay.output for overlay in selected]
    given_up = _given_up(repository, forced, (*written, *(stale if prune else ())))
    watch = Watch.of(verbose=verbose, no_progress=no_progress)
    with RunCache.of(repository, wanted=not no_cache) as cache:
        rendering = render_overlays(repository, selected, cache, jobs or processors(), watch)
    hinted = with_catalog_hints(repository.fs, rendering.findings)
    findings = [*hinted, *check_outputs(outputs, rendering.folders)]
    if not has_errors(findings):
        trees = RenderedTrees(repository.root, given_up, watch)
        findings += trees.check(rendering.results) if check else trees.write(rendering.results)
        if prune:
            findings += trees.prune(stale)
        else:
            findings += stale_trees(stale, Severity.ERROR if check else Severity.WARNING)
        findings += _untracked(repository, written) if tracked else ()
    watch.say(f"done in {stopwatch.total()}")
    return report(repository.fs, findings, [overlay.path for overlay in selected])


def with_proposed_project(repository: Repository) -> Repository:
    """A repository without a project file is rendered as ``vmrender init`` would propose, which is said."""
    if repository.fs.is_file(PROJECT_FILE):
        return repository
    proposed = proposed_project(repository.fs, repository.config)
    if proposed is None:
        return repository
    click.echo(
        f"there is no {PROJECT_FILE}: rendering what vmrender init would list ({proposed.total})", err=True
    )
    return repository._replace(config=proposed.config or repository.config)


def _check_usage(  # noqa: PLR0913 - whatever can be at odds
    overlays: Collection[str],
    forced: Collection[Path],
    shard: ShardName | None,
    plan: Path | None,
    *,
    check: bool,
    prune: bool,
) -> None:
    """Raises ``click.UsageError`` for options that do not go together."""
    if check and (forced or prune):
        raise click.UsageError(f"--check writes nothing; leave out {'--force' if forced else '--prune'}")
    if prune and overlays:
        raise click.UsageError("--prune is for the whole project; name no overlay")
    if plan and not shard:
        raise click.UsageError("--plan says what is in which shard; add --shard I/N")
    if shard and (overlays or prune):
        raise click.UsageError("--shard is for the whole project; name no overlay, and leave out --prune")


def _is_later(shard: ShardName | None) -> bool:
    """Whether another shard looks for trees that belong to no overlay, so that one of them does."""
    return shard is not None and shard.number > 1


def _in_shard(
    repository: Repository, overlays: tuple[Overlay, ...], shard: ShardName | None, plan: Path | None
) -> tuple[Overlay, ...]:
    if shard is None:
        return overlays
    from renderer.cli.shards import overlays_in  # noqa: PLC0415 - only where a shard is asked for

    selected = overlays_in(repository, overlays, shard, plan)
    click.echo(f"shard {shard}: {len(selected)} of {len(overlays)} overlays", err=True)
    return selected


def _named(repository: Repository, name: str) -> str:
    """A folder as the project names it; anything else is the name of an overlay."""
    # Not Path.resolve() and Path.is_dir(): they raise for a loop of links and for a name that is too long.
    folder = Path(realpath(name))
    is_inside = isdir(folder) and folder.is_relative_to(repository.root)  # noqa: PTH112 - as said
    return repository.relative(folder) if is_inside and any(folder.glob("[kK]ustomization*")) else name


def _stale(repository: Repository, outputs: Collection[str]) -> tuple[str, ...]:
    current = [normpath(output) for output in outputs]
    return find_stale_trees(repository.root, current, _patterns(repository.config), PROJECT_FILE)


def _patterns(config: RenderConfig) -> frozenset[str]:
    """Every output that the project speaks of."""
    default = RenderConfig().output
    named = (default, config.output, *(entry.output or default for entry in config.overlays))
    return frozenset(normpath(output) for output in named)


def _untracked(repository: Repository, outputs: Iterable[str]) -> Iterable[Diagnostic]:
    from renderer.app.untracked import untracked_outputs  # noqa: PLC0415 - it starts git: only when asked for

    return untracked_outputs(repository, outputs)


def _given_up(
    repository: Repository, forced: Iterable[Path], outputs: Iterable[str]
) -> Mapping[str, tuple[str, ...]]:
    """The files by the output that they are in. Raises ``click.UsageError`` for one that is in none."""
    outputs, given_up = tuple(outputs), dict[str, tuple[str, ...]]()
    for file in forced:
        # As typed from here, or as findings name it.
        places = sorted((Path.cwd() / file, repository.root / file), key=lambda place: not lexists(place))
        found = next((found for place in places if (found := _in_tree(repository, place, outputs))), None)
        if found is None:
            raise click.UsageError(f"--force {file}: no file of a tree that is rendered now")
        given_up[found[0]] = (*given_up.get(found[0], ()), found[1])
    return given_up


def _in_tree(repository: Repository, place: Path, outputs: Iterable[str]) -> tuple[str, str] | None:
    """The output that a file is in, and its path there. A link counts as itself, wherever it leads."""
    file = Path(realpath(place.parent), place.name)
    for output in outputs:
        folder = repository.root.resolve() / output
        if folder in file.parents:
            return output, file.relative_to(folder).as_posix()
    return None
