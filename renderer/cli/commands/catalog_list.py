"""``vmrender catalog list [WORD…]``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import click

from renderer.catalogs.entry import CatalogEntry, EntryScope, EntryType, entries_of
from renderer.catalogs.filters import Filter, Range, amount_of_memory, count, parse_range
from renderer.catalogs.listing import as_json, names, table
from renderer.cli.exit_code import ExitCode
from renderer.cli.plain_output import echo_lines
from renderer.cli.repository import Repository
from renderer.model.quantity import Quantity
from renderer.pipeline import Pipeline


def _range(parse: Callable[[str], Quantity]) -> Callable[[str], Range]:
    def convert(text: str) -> Range:
        try:
            return parse_range(text, parse)
        except ValueError as error:
            raise click.BadParameter(str(error)) from error

    return convert


@click.command("list")
@click.argument("words", metavar="[WORD]...", nargs=-1)
@click.option(
    "--kind",
    "entry_type",
    type=click.Choice([str(kind) for kind in EntryType]),
    help="Instance types or preferences alone.",
)
@click.option(
    "--scope",
    type=click.Choice([str(scope) for scope in EntryScope]),
    help="Cluster-wide or namespaced ones alone.",
)
@click.option("--class", "class_name", metavar="CLASS", help="A class or series: general.purpose or u1.")
@click.option("--vcpus", type=_range(count), metavar="RANGE", help="As in 4, 2..8 or '>=4'.")
@click.option(
    "--memory", type=_range(amount_of_memory), metavar="RANGE", help="As in 4Gi, 2Gi..8Gi or '<2Gi'."
)
@click.option("--arch", "architecture", metavar="ARCH", help="Preferences for amd64, arm64 or s390x alone.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json", "names"]),
    default="table",
    show_default=True,
    help="How the list is printed.",
)
def command(entry_type: str | None, scope: str | None, output_format: str, **asked: object) -> ExitCode:
    """List the instance types and preferences of the project's catalogs.

    Those that have every WORD in their name, class, description, tags or features, and all that the options
    ask for. VCPUS and MEMORY of a preference are what it requires.

    \b
    Examples:
      vmrender catalog list
      vmrender catalog list --class u1 --vcpus 2..8
      vmrender catalog list windows --memory '>=4Gi' --scope cluster
      vmrender catalog list --kind instancetype --format names hugepages=1Gi
    """
    repository = Repository.here()
    pipeline = Pipeline(repository.fs, repository.config)
    wanted = Filter(
        type=None if entry_type is None else EntryType(entry_type),
        scope=None if scope is None else EntryScope(scope),
        **asked,  # type: ignore[arg-type] # click has converted each as its option says
    )
    sources = pipeline.catalog_sources
    everything = tuple(entries_of((source.name, source.resources) for source in sources))
    entries = list(wanted.apply(everything))
    if output_format == "json":
        import json  # noqa: PLC0415 - only for this format

        click.echo(json.dumps(as_json(entries), indent=2))
    else:
        echo_lines(names(entries) if output_format == "names" else table(entries))
    if not entries:
        click.echo(f"nothing of that kind in {', '.join(source.name for source in sources)}", err=True)
        for what, known in _misnamed(wanted, everything):
            click.echo(f"{what}: {', '.join(sorted(known - {''}))}", err=True)
    return ExitCode.CLEAN


def _misnamed(wanted: Filter, everything: Sequence[CatalogEntry]) -> Iterator[tuple[str, set[str]]]:
    """What there is, of what was asked for by a name that no entry has."""
    if wanted.class_name and not Filter(class_name=wanted.class_name).matches_any(everything):
        yield "classes", {entry.class_name for entry in everything}
    if wanted.architecture and not Filter(architecture=wanted.architecture).matches_any(everything):
        yield "architectures", {entry.architecture for entry in everything}
