"""``vmrender catalog``: the instance types and preferences of the project's catalogs, or of others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from renderer.app.catalogs import (
    catalog_names,
    catalogs_between,
    describe_entry,
    is_catalog_reference,
    of_one_cluster,
    open_catalog,
    project_entries,
)
from renderer.app.usage_error import UsageError
from renderer.authoring.catalogs import listing
from renderer.authoring.catalogs.entry import CatalogEntry, EntryScope, EntryType, is_entry
from renderer.authoring.catalogs.filters import Filter, Range, amount_of_memory, count, parse_range
from renderer.cli.command import CommandGroup
from renderer.cli.completions import complete_revisions, complete_sizes
from renderer.cli.console import (
    ExitCode,
    note,
    open_project,
    print_json,
    print_lines,
    print_manifests,
    report,
    terminal_width,
)
from renderer.cli.options import ExistingPath, TextChoice, cluster_option, kubevirt_option
from renderer.kubevirt.facts.confidential.masked import masked
from renderer.kubevirt.facts.confidential.scope import root_scope
from renderer.model.kube.json import Json
from renderer.model.kube.resource import ResourceSet
from renderer.model.quantity import Quantity
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE
from renderer.model.run.taint import taint_masking

#: A longer text of differences, in lines, is summed up.
_PAGE = 50
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")


def _parse_name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise click.BadParameter("a name has lower-case letters, digits and . _ -")
    return text


def _parse_release(text: str) -> str:
    from renderer.app.catalog_import import normalized_release  # noqa: PLC0415 - for one command

    try:
        return normalized_release(text)
    except UsageError as error:
        raise click.BadParameter(str(error)) from None


def _range_type(parse: Callable[[str], Quantity]) -> Callable[[str], Range]:
    def convert(text: str) -> Range:
        try:
            return parse_range(text, parse)
        except ValueError as error:
            raise click.BadParameter(str(error)) from error

    return convert


@click.group("catalog", cls=CommandGroup)
def command() -> None:
    """Show instance types and preferences of the project's catalogs, or of other catalogs.

    \b
    Examples:
      vmrender catalog list --class u1 --vcpus 2..8
      vmrender catalog show u1.medium
      vmrender catalog import ~/src/common-instancetypes --release v1.5.1
    """


@command.command("diff", short_help="Compare two catalogs, field by field.")
@click.argument("before", metavar="BEFORE", shell_complete=complete_revisions)
@click.argument("after", metavar="[AFTER]", required=False, shell_complete=complete_revisions)
@cluster_option
@click.option(
    "--spec", "--spec-only", "spec_only", is_flag=True, help="Compare only spec, not labels and annotations."
)
@click.option("--full", is_flag=True, help="List each entry and field, however many there are.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of the differences.",
)
def diff(before: str, after: str | None, output_format: str, *, spec_only: bool, full: bool) -> ExitCode:
    """Compare the instance types and preferences of two catalogs, field by field.

    BEFORE and AFTER are folders, files, builtin:common-instancetypes or REVISION:PATH, with a path in the
    project. With revisions alone, A..B, A...B, or one that is compared with the work tree, the catalogs that
    vmrender.yaml lists are compared, each side with its own. Quantities are compared as amounts. More than a
    page is summed up: a line for each field, with the entries that change alike; --full lists each entry.
    Virtual machines of the project that would get a change are listed with what may break in their guests.
    Exits with 1 if there are differences.

    \b
    Examples:
      vmrender catalog diff catalog/common-instancetypes/v1.3.0 builtin:common-instancetypes --spec
      vmrender catalog diff main:catalogs/ours catalogs/ours
      vmrender catalog diff origin/main...HEAD
      vmrender catalog diff v1.2:catalogs/ours HEAD:catalogs/ours --format json
    """
    from renderer.app.catalog_users import catalog_users  # noqa: PLC0415 - for one command
    from renderer.authoring.catalogs.difference_summary import as_summary  # noqa: PLC0415 - as above
    from renderer.authoring.catalogs.differences import as_json, as_text, differences  # noqa: PLC0415 - as above
    from renderer.report import catalog_users as users_report  # noqa: PLC0415 - as above

    sides = _catalogs_to_compare(before, after)
    entries = [tuple(filter(is_entry, each)) for each in sides]
    found = differences(*entries, spec_only=spec_only)
    changed = {(each.resource.kind, each.resource.name) for each in found.changed}
    users = [*catalog_users(open_project(), sides[0], sides[1], changed)] if changed else []
    if output_format == "json":
        document = {**as_json(found), "virtualMachines": users_report.as_json(users)}
        print_json(json.dumps(_public(document), indent=2) + "\n")
    else:
        text, is_long = as_text(found), False
        if text.count("\n") > _PAGE and not full:
            text, is_long = as_summary(found, (*entries[0], *entries[1])), True
        print_lines(taint_masking().mask(text + users_report.as_text(users)))
        if is_long:
            note("--full lists each entry")
    return ExitCode.FINDINGS if found else ExitCode.CLEAN


def _catalogs_to_compare(before: str, after: str | None) -> tuple[ResourceSet, ResourceSet]:
    if after is not None:
        opened = (open_catalog(each, open_project).resources for each in (before, after))
        return next(opened), next(opened)
    if is_catalog_reference(before):
        raise UsageError(
            "name the other catalog, too: vmrender catalog diff BEFORE AFTER;"
            " or A..B for the project's catalogs at two revisions"
        )
    return catalogs_between(open_project(), before)


@command.command("export", short_help="Print a catalog as manifests.")
@click.argument("catalog", required=False)
@cluster_option
def export(catalog: str | None) -> ExitCode:
    """Print the manifests of CATALOG: a folder, builtin:common-instancetypes or REVISION:PATH.

    Without CATALOG, the instance types and preferences of the project's catalogs are printed as virtual
    machines find them: of two with the same name, the first. Sizes that leave vCPUs or memory to the virtual
    machine (custom) are omitted, as no release of KubeVirt supports them.

    \b
    Examples:
      vmrender catalog export > all.yaml
      vmrender catalog export builtin:common-instancetypes | kubectl apply -f -
      vmrender catalog export main:catalogs/ours
    """
    from renderer.kubevirt.instancetype.served_version import served_resources  # noqa: PLC0415 - a stage

    if catalog is not None:
        resources = open_catalog(catalog, open_project).resources
    else:
        entries = project_entries(of_one_cluster(open_project()), as_manifests=True)
        resources = ResourceSet(tuple(entry.resource for entry in entries))
    print_manifests(served_resources(resources))
    return ExitCode.CLEAN


@command.command(
    "import", short_help="Make a folder of the repository from a release of common-instancetypes."
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=ExistingPath(exists=True))
@click.option(
    "--release",
    type=_parse_release,
    metavar="RELEASE",
    help="Such as v1.5.1 [default: the release that a bundle names]",
)
@click.option(
    "--name",
    type=_parse_name,
    metavar="NAME",
    default="common-instancetypes",
    show_default=True,
    help="Name of the catalog, and of its folder below --into.",
)
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    default="catalog",
    show_default=True,
    metavar="DIR",
    help="The folder in which NAME/RELEASE is created.",
)
@cluster_option
@click.option(
    "--add",
    "adds",
    is_flag=True,
    help=f"List it in {PROJECT_FILE}: after your own catalogs, whose names go on winning, and before other"
    " releases of it.",
)
@click.option(
    "--force", is_flag=True, help="Replace an earlier import of that release that has other content."
)
def import_(paths: tuple[str, ...], release: str | None, name: str, into: Path, **switches: bool) -> ExitCode:
    """Make a folder of the repository from a release of common-instancetypes.

    PATH is a checkout of its repository, a published bundle, or a folder with bundles. Only instance types
    and preferences are imported. They are checked against the schemas of the project's KubeVirt release, and
    their digests are written to SHA256SUMS: a later import of that release must have the same content.

    \b
    Examples:
      vmrender catalog import ~/src/common-instancetypes --release v1.5.1
      vmrender catalog import common-instancetypes-all-bundle-v1.5.1.yaml --add
    """
    from renderer.app.catalog_import import ImportRequest, import_catalog  # noqa: PLC0415 - for one command

    project = open_project()
    request = ImportRequest(paths, release, name, into, **switches)
    result = import_catalog(project, request, open_project)
    if result.catalog:
        note(*result.catalog.lines())
    return report(result.fs, result.findings)


@command.command("list", short_help="List the instance types and preferences of the project's catalogs.")
@click.argument("words", metavar="[WORD]...", nargs=-1)
@cluster_option
@click.option(
    "--kind",
    "type",
    type=TextChoice(EntryType),
    help="Only instance types, or only preferences.",
)
@click.option(
    "--scope",
    type=TextChoice(EntryScope),
    help="Only cluster-wide, or only namespaced entries.",
)
@click.option(
    "--class", "class_name", metavar="CLASS", help="A class or series, such as general.purpose or u1."
)
@click.option("--vcpus", type=_range_type(count), metavar="RANGE", help="Such as 4, 2..8 or '>=4'.")
@click.option(
    "--memory", type=_range_type(amount_of_memory), metavar="RANGE", help="Such as 4Gi, 2Gi..8Gi or '<2Gi'."
)
@click.option("--arch", "architecture", metavar="ARCH", help="Only preferences for amd64, arm64 or s390x.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json", "names"]),
    default="table",
    show_default=True,
    help="Format of the list.",
)
def list_(output_format: str, **criteria: Any) -> ExitCode:  # noqa: ANN401 - each as its option says
    """List the instance types and preferences of the project's catalogs.

    Only entries are listed that have every WORD in their name, class, description, tags or features, and
    match all options. VCPUS and MEMORY of a preference are its requirements.

    \b
    Examples:
      vmrender catalog list
      vmrender catalog list --class u1 --vcpus 2..8
      vmrender catalog list windows --memory '>=4Gi' --scope cluster
      vmrender catalog list --kind instancetype --format names hugepages=1Gi
    """
    project = open_project()
    wanted = Filter(**criteria)
    everything = project_entries(project)
    entries = list(wanted.apply(everything))
    if output_format == "json":
        print_json(json.dumps(_public(listing.as_json(entries)), indent=2) + "\n")
    else:
        shown = (
            listing.names(entries) if output_format == "names" else listing.table(entries, terminal_width())
        )
        print_lines(taint_masking().mask(shown))
    if not entries:
        note(f"no matching entry in {', '.join(catalog_names(project))}")
        for what, known in _known_choices(wanted, everything):
            note(f"{what}: {', '.join(sorted(known - {''}))}")
    return ExitCode.CLEAN


@command.command("show", short_help="Describe one instance type or preference.")
@click.argument("name", shell_complete=complete_sizes)
@cluster_option
@kubevirt_option
def show(name: str, kubevirt: Release | None) -> ExitCode:
    """Describe one instance type or preference of the project's catalogs.

    The description has its purpose, labels and spec, the file and line of its source, the fields that are
    deprecated in the target release, and the preferences that an instance type satisfies, or the instance
    types that satisfy a preference. NAME is a cluster-wide entry, or else a namespaced one; where several
    have the name, write KIND/NAME or NAMESPACE/KIND/NAME.

    \b
    Examples:
      vmrender catalog show u1.medium
      vmrender catalog show preference/fedora
      vmrender catalog show db.large --kubevirt 1.8
    """
    description = describe_entry(open_project(), name, kubevirt)
    print_lines(taint_masking().mask(description))  # the values are known once they were read
    return ExitCode.CLEAN


def _public(document: Json) -> Json:
    """Return the document without the values of Secrets that were substituted into an entry."""
    return masked(document, root_scope("Catalog"), taint_masking())


def _known_choices(wanted: Filter, everything: Sequence[CatalogEntry]) -> Iterator[tuple[str, set[str]]]:
    """Yield the existing classes or architectures, if no entry has the requested one."""
    if wanted.class_name and not Filter(class_name=wanted.class_name).matches_any(everything):
        yield "classes", {entry.class_name for entry in everything}
    if wanted.architecture and not Filter(architecture=wanted.architecture).matches_any(everything):
        yield "architectures", {entry.architecture for entry in everything}
