"""``vmrender catalog import PATH…``."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

import click

from renderer.catalogs.entry import is_entry
from renderer.catalogs.imported import (
    SUMS,
    Imported,
    described_kinds,
    imported,
    plan_import,
    release_label,
)
from renderer.cli.catalog_reference import OpenedCatalog, open_catalog
from renderer.cli.console import report
from renderer.cli.exit_code import ExitCode
from renderer.cli.repository import Repository
from renderer.cli.source_folder import SourceFolder
from renderer.emit.edit_user_files import change_files
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, has_errors
from renderer.model.render_config import CatalogPath
from renderer.report.plain_text import printable
from renderer.source.locate import locate
from renderer.source.project import PROJECT_FILE
from renderer.source.project_edit import with_catalog

_RELEASE = re.compile(r"v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)")
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise click.BadParameter("a name has lower-case letters, digits and . _ -")
    return text


def _release(text: str) -> str:
    match = _RELEASE.fullmatch(text)
    if not match:
        raise click.BadParameter(f"{text!r} is no release; write it as v1.5.1")
    return f"v{match[1]}"


@click.command("import")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(exists=True))
@click.option(
    "--release", type=_release, metavar="RELEASE", help="As in v1.5.1 [default: what a bundle says]"
)
@click.option(
    "--name",
    type=_name,
    metavar="NAME",
    default="common-instancetypes",
    show_default=True,
    help="What the catalog is called: its folder below --into.",
)
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    default="catalog",
    show_default=True,
    metavar="DIR",
    help="The folder that gets NAME/RELEASE.",
)
@click.option("--add", "adds", is_flag=True, help=f"List it in {PROJECT_FILE}, before all other catalogs.")
@click.option("--force", is_flag=True, help="Replace an import of that release with other content.")
def command(paths: tuple[str, ...], release: str | None, name: str, into: Path, **switches: bool) -> ExitCode:
    """Make a folder of the repository from a release of common-instancetypes.

    PATH is a checkout of it, a bundle as it publishes them, or a folder with bundles. Only instance types and
    preferences are taken. They are checked against the schemas of the project's KubeVirt release, and their
    digests are kept in SHA256SUMS: a later import of that release must give the same.

    \b
    Examples:
      vmrender catalog import ~/src/common-instancetypes --release v1.5.1
      vmrender catalog import common-instancetypes-all-bundle-v1.5.1.yaml --add
    """
    repository = Repository.here()
    sources = [open_catalog(path) for path in paths]
    resources = [resource for source in sources for resource in source.resources]
    release = _agreed(release, release_label(resources), force=switches["force"])
    findings = [found for source in sources for found in _checked(source, repository)]
    fs = sources[0].fs if len(sources) == 1 else None  # else they are located, and in different trees
    if has_errors(findings):
        return report(fs, findings)
    found = imported(resources, name, release)
    folder = SourceFolder.locate(repository, into / name / release).path
    _write(repository, folder, found, **switches)
    return report(fs, findings)


def _agreed(asked: str | None, said: str | None, *, force: bool) -> str:
    """The release to import. Raises ``click.UsageError`` when none is known, and ``DiagnosticError``."""
    if asked is None and said is None:
        raise click.UsageError("say which release this is: --release v1.5.1")
    if asked is None or said is None:
        return asked or _release(said or "")
    if asked != said and not force:
        message = f"this is not {asked}: the bundle says that it is {said}"
        hint = f"import it with --release {said}"
        raise DiagnosticError(Diagnostic(code=Code.IMPORT_REFUSED, message=message, hint=hint))
    return asked


def _checked(source: OpenedCatalog, repository: Repository) -> tuple[Diagnostic, ...]:
    entries = source.resources.where(is_entry)
    return locate(source.fs, source.pipeline.check(entries, repository.config.kubevirt))


def _write(repository: Repository, folder: str, found: Imported, *, adds: bool, force: bool) -> None:
    fs = repository.fs
    present = {
        name: fs.read(f"{folder}/{name}") for name in fs.list(folder) if fs.is_file(f"{folder}/{name}")
    }
    plan = plan_import(found, present, folder, force=force)
    writes = {f"{folder}/{name}": content for name, content in plan.writes.items()}
    if adds:
        project = fs.read(PROJECT_FILE) if fs.is_file(PROJECT_FILE) else None
        edited = with_catalog(project, folder, repository.config.catalogs)
        writes |= {PROJECT_FILE: edited} if edited != project else {}
    change_files(repository.root, writes, tuple(f"{folder}/{name}" for name in plan.removals))
    _say(folder, found, writes, is_listed=adds or CatalogPath(folder) in repository.config.catalogs)


def _say(folder: str, found: Imported, written: Collection[str], *, is_listed: bool) -> None:
    count = len(set(written) - {PROJECT_FILE})
    state = f"{count} files written" if count else "unchanged"
    click.echo(f"{folder}: {found.size} instance types and preferences, {state}", err=True)
    click.echo(f"sha256 of {SUMS}: {found.digest}", err=True)
    if PROJECT_FILE in written:
        click.echo(f"{PROJECT_FILE}: written", err=True)
    if found.left_out:
        click.echo(f"left out: {printable(described_kinds(found.left_out))}", err=True)
    if not is_listed:
        lines = f"catalogs:\n- path: {folder}"
        click.echo(f"list it in {PROJECT_FILE}, before those it takes precedence of:\n{lines}", err=True)
