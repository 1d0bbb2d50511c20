"""``vmrender catalog export [CATALOG]``."""

from __future__ import annotations

import click

from renderer.catalogs.entry import entries_of
from renderer.cli.catalog_reference import open_catalog
from renderer.cli.console import print_manifests
from renderer.cli.exit_code import ExitCode
from renderer.cli.repository import Repository
from renderer.instancetype.target_form import written_form
from renderer.model.resource import ResourceSet
from renderer.pipeline import Pipeline


@click.command("export")
@click.argument("catalog", required=False)
def command(catalog: str | None) -> ExitCode:
    """Print all of CATALOG as manifests: a folder, builtin:common-instancetypes or REVISION:PATH.

    Without CATALOG it is the instance types and preferences of the project's catalogs, each as virtual
    machines see it: of two with one name the first. Sizes that leave vCPUs or memory to the virtual machine
    (custom) are left out, as no release of KubeVirt knows them.

    \b
    Examples:
      vmrender catalog export > all.yaml
      vmrender catalog export builtin:common-instancetypes | kubectl apply -f -
      vmrender catalog export main:catalogs/ours
    """
    if catalog is not None:
        print_manifests(written_form(open_catalog(catalog).resources))
        return ExitCode.CLEAN
    repository = Repository.here()
    sources = Pipeline(repository.fs, repository.config).catalog_sources
    entries = entries_of((source.name, source.resources) for source in sources)
    print_manifests(written_form(ResourceSet(tuple(entry.resource for entry in entries))))
    return ExitCode.CLEAN
