"""``vmrender schema import PATH…``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from renderer.cli.exit_code import ExitCode
from renderer.cli.repository import Repository
from renderer.cli.source_folder import SourceFolder
from renderer.emit.edit_user_files import change_files
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.json import Json
from renderer.model.release import LATEST, Release
from renderer.source.file_system import DiskFileSystem, FileSystem
from renderer.source.project import PROJECT_FILE
from renderer.source.project_schemas import RELEASES, read_project_schemas
from renderer.validation.kubevirt_kinds import KINDS
from renderer.validation.release_sources import release_schemas
from renderer.validation.schema_import import UnlikeKubevirtError, checksums, import_release
from renderer.validation.user_schema import UnusableSchemaError, UserSchema
from renderer.yamlio.decode import decode_documents

_SUMS = "SHA256SUMS"
_SUFFIXES = (".yaml", ".yml", ".json")


def _release(text: str) -> Release:
    try:
        return Release.parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.command("import")
@click.argument(
    "paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path)
)
@click.option("--release", type=_release, required=True, metavar="RELEASE", help="Of KubeVirt, as in 1.10.")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    default="schemas",
    show_default=True,
    metavar="DIR",
    help="The folder of the repository that gets kubevirt/RELEASE.",
)
def command(paths: tuple[Path, ...], release: Release, into: Path) -> ExitCode:
    """Make the schemas of a KubeVirt release from its own definitions of its kinds.

    PATH is a file, or a folder of files, with CustomResourceDefinitions (one, a bundle, or what
    `kubectl get crd -o yaml` prints), the operator's manifest, or the OpenAPI document
    api/openapi-spec/swagger.json. The operator's manifest defines the kind KubeVirt alone; give the OpenAPI
    document with it.

    \b
    Examples:
      vmrender schema import swagger.json kubevirt-operator.yaml --release 1.10
      kubectl get crd -o yaml > crds.yaml && vmrender schema import crds.yaml --release 1.10
    """
    repository = (
        Repository.unread()
    )  # it may well target the release already, of which this makes the schemas
    folder = SourceFolder.locate(repository, into).path
    documents = [document for path in paths for document in _documents(path)]
    try:
        found = release_schemas(documents, release)
    except UnlikeKubevirtError as error:
        raise _refused(str(error), {}) from None
    missing = [kind.name for kind in KINDS if kind.name not in found]
    if missing:
        raise _refused(f"there is no definition of {', '.join(missing)}", found)
    try:
        files = {path: text.encode() for path, text in import_release(found, release).items()}
        for content in files.values():
            UserSchema(json.loads(content))
    except (UnlikeKubevirtError, UnusableSchemaError) as error:
        raise _refused(str(error), found) from None
    change_files(repository.root, _with_sums(repository.fs, folder, files), ())
    click.echo(f"{folder}/{RELEASES}/{release}: {len(files)} files written", err=True)
    click.echo(f"{PROJECT_FILE} has to list the folder:\nschemas:\n- path: {folder}", err=True)
    if release > LATEST:
        click.echo(f"expansion, webhooks and rules stay those of KubeVirt {LATEST}", err=True)
    return ExitCode.CLEAN


def _documents(path: Path) -> Iterator[tuple[str, Json]]:
    """The documents in a file, or in those of a folder, each with its file's name."""
    files = sorted(each for each in path.iterdir() if each.suffix in _SUFFIXES) if path.is_dir() else [path]
    for file in files:
        content = DiskFileSystem(file.parent.resolve()).read(file.name)
        yield from ((file.name, document) for document in decode_documents(content, str(file)))


def _with_sums(fs: FileSystem, folder: str, files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """The files by their path in the repository, and with them the digests of all schemas in the folder."""
    present = read_project_schemas(fs, (folder,))
    everything = {
        **{f"{RELEASES}/{path}": content for path, (_, content) in present.releases.items()},
        **{below: content for below, content in present.others.values() if below.endswith(".json")},
        **files,
    }
    written = {f"{folder}/{path}": content for path, content in files.items()}
    return {**written, f"{folder}/{_SUMS}": checksums(everything).encode()}


def _refused(message: str, found: Mapping[str, object]) -> DiagnosticError:
    hint = (
        f"found {', '.join(found) or 'none of KubeVirt'}; give the release's OpenAPI document or CRDs as well"
    )
    return DiagnosticError(Diagnostic(code=Code.IMPORT_REFUSED, message=message, hint=hint))
