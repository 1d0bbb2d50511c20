"""``vmrender catalog diff BEFORE AFTER``."""

from __future__ import annotations

import click

from renderer.catalogs.differences import as_json, as_text, differences
from renderer.catalogs.entry import is_entry
from renderer.cli.catalog_reference import open_catalog
from renderer.cli.exit_code import ExitCode
from renderer.cli.plain_output import echo_lines


@click.command("diff")
@click.argument("before")
@click.argument("after")
@click.option("--spec-only", is_flag=True, help="Compare what is in spec, not labels and annotations.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How differences are printed.",
)
def command(before: str, after: str, spec_only: bool, output_format: str) -> ExitCode:  # noqa: FBT001 - click passes flags so
    """Compare the instance types and preferences of two catalogs, field by field.

    BEFORE and AFTER are folders, files, builtin:common-instancetypes or REVISION:PATH, with a path of the
    project. Quantities are compared by what they amount to. Exits with 1 when anything differs.

    \b
    Examples:
      vmrender catalog diff catalog/common-instancetypes/v1.3.0 builtin:common-instancetypes --spec-only
      vmrender catalog diff main:catalogs/ours catalogs/ours
      vmrender catalog diff v1.2:catalogs/ours HEAD:catalogs/ours --format json
    """
    sides = [filter(is_entry, open_catalog(reference).resources) for reference in (before, after)]
    found = differences(*sides, spec_only=spec_only)
    if output_format == "json":
        import json  # noqa: PLC0415 - only for this format

        click.echo(json.dumps(as_json(found), indent=2))
    else:
        echo_lines(as_text(found))
    return ExitCode.FINDINGS if found else ExitCode.CLEAN
