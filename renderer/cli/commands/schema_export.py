"""``vmrender schema export [KIND…]``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

import click

from renderer.app.schemas import project_schemas
from renderer.cli.commands.schema_list import known_release
from renderer.cli.exit_code import ExitCode
from renderer.cli.repository import Repository
from renderer.emit.edit_user_files import change_files
from renderer.model.json import JsonObject, object_at
from renderer.model.release import LATEST, Release
from renderer.model.res_id import Gvk
from renderer.validation.kubernetes_formats import Schema
from renderer.validation.kubevirt_kinds import KINDS, KubevirtKind, api_versions
from renderer.validation.registry import SchemaRegistry
from renderer.validation.schema_import import encoded


@click.command("export")
@click.argument("kinds", metavar="[KIND]...", nargs=-1)
@click.option("--release", default=str(LATEST), show_default=True, metavar="RELEASE", help="Of KubeVirt.")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write files for kubeconform: <group>/<kind>_<version>.json.",
)
def command(kinds: tuple[str, ...], release: str, into: Path | None) -> ExitCode:
    """Print the schema of one KIND, or write those of all kinds of a release into a folder.

    \b
    Examples:
      vmrender schema export VirtualMachine --release 1.8
      vmrender schema export --into schemas-for-kubeconform
    """
    registry = SchemaRegistry(project=project_schemas())
    target = known_release(registry, release)
    chosen = [_kind(name) for name in kinds] or list(KINDS)
    if into is not None:
        files = dict(_files(registry, target, chosen))
        top, folder = _place(into)
        change_files(top, {f"{folder}/{path}": content for path, content in files.items()}, ())
        click.echo(f"{into}: {len(files)} files written", err=True)
        return ExitCode.CLEAN
    if len(chosen) != 1:
        raise click.UsageError("name one KIND to print, or a folder with --into")
    click.echo(_text(_document(registry, target, chosen[0])), nl=False)
    return ExitCode.CLEAN


def _place(into: Path) -> tuple[Path, str]:
    """The folder below which nothing is written through a link, and the way from there.

    That is the repository, or for a folder elsewhere this folder itself, as one has named it.
    """
    root = Repository.root_of(Path.cwd())
    folder = Path(os.path.normpath(Path.cwd() / into))
    if folder.is_relative_to(root):
        return root, folder.relative_to(root).as_posix()
    into.mkdir(parents=True, exist_ok=True)
    return into.resolve(), "."


def _kind(name: str) -> KubevirtKind:
    """Raises ``click.BadParameter``."""
    for kind in KINDS:
        if kind.name.lower() == name.lower():
            return kind
    raise click.BadParameter(
        f"there is no schema of {name}: {', '.join(kind.name for kind in KINDS)} have one"
    )


def _document(registry: SchemaRegistry, release: Release, kind: KubevirtKind) -> JsonObject:
    return registry.schema(release, Gvk(kind.group, "", kind.name)).document


def _files(
    registry: SchemaRegistry, release: Release, kinds: Iterable[KubevirtKind]
) -> Iterator[tuple[str, bytes]]:
    """One for each version, as kubeconform looks them up, by path."""
    for kind in kinds:
        document = _document(registry, release, kind)
        for api_version in api_versions(kind, release):
            properties = {**object_at(document, "properties"), "apiVersion": {"const": api_version}}
            version = api_version.rpartition("/")[2]
            path = f"{kind.group}/{kind.name.lower()}_{version}.json"
            yield path, _text({**document, "properties": properties}).encode()


def _text(document: JsonObject) -> str:
    return encoded(cast("Schema", document))
