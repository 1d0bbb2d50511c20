"""``vmrender schema``: the JSON Schemas that manifests are validated against."""

from __future__ import annotations

from pathlib import Path

import click

from renderer.app.project import Project
from renderer.app.schemas import (
    SchemaVariant,
    export_schemas,
    import_schemas,
    list_schemas,
    project_choices,
    schema_remarks,
    schema_text,
)
from renderer.cli.command import CommandGroup
from renderer.cli.completions import complete_kinds, complete_releases
from renderer.cli.console import ExitCode, note, open_project, print_json, print_lines
from renderer.cli.options import ExistingPath
from renderer.model.release import NEWEST, Release
from renderer.model.render_config import PROJECT_FILE
from renderer.project.project_root import find_project_root
from renderer.project.project_schemas import RELEASES


def _parse_minor_release(text: str) -> Release:
    try:
        return Release.parse(text).minor_release
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.group("schema", cls=CommandGroup)
def command() -> None:
    """Show the JSON Schemas that manifests are validated against, and import the schemas of other releases.

    \b
    Examples:
      vmrender schema list --release 1.9
      vmrender schema import crds.yaml --release 1.11
    """


@command.command("list", short_help="List the releases and kinds with schemas.")
@click.option(
    "--release",
    metavar="RELEASE",
    shell_complete=complete_releases,
    help="List the kinds of one KubeVirt release.",
)
def list_(release: str | None) -> ExitCode:
    """List the KubeVirt releases with schemas, the project's own schemas, and the releases of products.

    With --release, list the kinds of that release and their API versions.

    \b
    Examples:
      vmrender schema list
      vmrender schema list --release 1.9
    """
    print_lines(list_schemas(open_project(), release))
    return ExitCode.CLEAN


@command.command("export", short_help="Print a schema, or write all schemas of a release into a folder.")
@click.argument("kinds", metavar="[KIND]...", nargs=-1, shell_complete=complete_kinds)
@click.option(
    "--release",
    metavar="RELEASE",
    shell_complete=complete_releases,
    help="KubeVirt release [default: vmrender.yaml's, else the latest]",
)
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write files for kubeconform, <group>/<kind>_<version>.json, and all.json for editors.",
)
@click.option("--editor", is_flag=True, help="For editors: what vmrender merely warns about is not an error.")
@click.option("--patch", is_flag=True, help="For strategic merge patches, in which nothing is required.")
@click.option(
    "--project",
    "names_project",
    is_flag=True,
    help="Accept only sizes that the project's catalogs have; with --editor, offer them.",
)
def export(  # noqa: PLR0913 - one for each option
    kinds: tuple[str, ...],
    release: str | None,
    into: Path | None,
    *,
    editor: bool,
    patch: bool,
    names_project: bool,
) -> ExitCode:
    """Print the schema of one KIND, or write the schemas of all kinds of a release into a folder.

    Each field has a title and a description. The folder has a file for each kind and API version, and
    all.json, which judges each document by its kind: the one to name in an editor.

    \b
    Examples:
      vmrender schema export VirtualMachine --release 1.8
      vmrender schema export --into schemas-for-kubeconform
      vmrender schema export --editor --project --into .vmrender-schemas
      vmrender schema export --editor --patch --into .vmrender-schemas/patch
    """
    project = open_project()
    variant = SchemaVariant(editor, patch, project_choices(project) if names_project else {})
    target = release or project.config.kubevirt.minor_release.number
    note(*schema_remarks(project, target))
    if into is not None:
        note(f"{into}: {export_schemas(project, kinds, target, into, variant)} files written")
        return ExitCode.CLEAN
    if len(kinds) != 1:
        raise click.UsageError("name one KIND to print, or a folder with --into")
    print_json(schema_text(project, kinds[0], target, variant))
    return ExitCode.CLEAN


@command.command("import", short_help="Make the schemas of a KubeVirt release from its definitions.")
@click.argument(
    "paths", metavar="PATH...", nargs=-1, required=True, type=ExistingPath(exists=True, path_type=Path)
)
@click.option(
    "--release",
    type=_parse_minor_release,
    required=True,
    metavar="RELEASE",
    help="KubeVirt release, such as 1.11.",
)
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    default="schemas",
    show_default=True,
    metavar="DIR",
    help="The folder of the repository in which kubevirt/RELEASE is created.",
)
def import_(paths: tuple[Path, ...], release: Release, into: Path) -> ExitCode:
    """Make the schemas of a KubeVirt release from its definitions of its kinds.

    PATH is a file, or a folder of files, with CustomResourceDefinitions (one, a bundle, or the output of
    `kubectl get crd -o yaml`), the operator's manifest, or the OpenAPI document
    api/openapi-spec/swagger.json. The operator's manifest defines only the kind KubeVirt; add the OpenAPI
    document to it.

    \b
    Examples:
      vmrender schema import swagger.json kubevirt-operator.yaml --release 1.11
      kubectl get crd -o yaml > crds.yaml && vmrender schema import crds.yaml --release 1.11
    """
    # The project file is not read: it may already target the release whose schemas are imported here.
    project = Project.with_defaults(find_project_root(Path.cwd()))
    imported = import_schemas(project, paths, release, into)
    note(f"{imported.folder}/{RELEASES}/{release}: {imported.files} files written")
    note(f"{PROJECT_FILE} has to list the folder:", "schemas:", f"- path: {imported.folder}")
    if release > NEWEST:
        note(f"expansion, webhooks and rules still follow KubeVirt {NEWEST}")
    return ExitCode.CLEAN
