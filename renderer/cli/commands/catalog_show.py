"""``vmrender catalog show NAME``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from renderer.catalogs.description import Fit, describe
from renderer.catalogs.entry import CatalogEntry, EntryType, entries_of
from renderer.catalogs.listing import Offer, offers
from renderer.cli.exit_code import ExitCode
from renderer.cli.options import kubevirt_option
from renderer.cli.plain_output import echo_lines
from renderer.cli.repository import Repository
from renderer.instancetype.cause import CauseError
from renderer.instancetype.requirements import satisfies
from renderer.model.release import Release
from renderer.model.resource import ResourceSet
from renderer.pipeline import Pipeline
from renderer.source.file_system import FileSystem
from renderer.source.locate import Locator
from renderer.yamlio.encode import encode


@click.command("show")
@click.argument("name")
@kubevirt_option
def command(name: str, kubevirt: Release | None) -> ExitCode:
    """Say all about one instance type or preference of the project's catalogs.

    What it is for, its labels and spec, the line where it is written, what of it is deprecated in the target
    release, and which preferences the instance type satisfies, or which instance types have what the
    preference requires. NAME means what is cluster-wide; write KIND/NAME for another.

    \b
    Examples:
      vmrender catalog show u1.medium
      vmrender catalog show preference/fedora
      vmrender catalog show virtualmachineinstancetype/db.large --kubevirt 1.8
    """
    repository = Repository.here()
    pipeline = Pipeline(repository.fs, repository.config)
    release = kubevirt or repository.config.kubevirt
    wanted = pipeline.named(name)
    entries = list(entries_of((source.name, source.resources) for source in pipeline.catalog_sources))
    offer = next(offer for offer in offers(entries) if any(entry.resource is wanted for entry in offer))
    findings = pipeline.check(ResourceSet((offer[0].resource,)), release)
    text = describe(
        offer,
        _place(repository.fs, offer[0]),
        _fit(offer[0], offers(entries), release),
        [finding.message + (f"; {finding.hint}" if finding.hint else "") for finding in findings],
        encode([offer[0].spec]),
    )
    echo_lines(text)
    return ExitCode.CLEAN


def _place(fs: FileSystem, entry: CatalogEntry) -> str:
    return str(Locator(fs).location_of((entry.resource.origin,)) or entry.resource.origin.path)


def _fit(entry: CatalogEntry, everything: Sequence[Offer], release: Release) -> Fit:
    """The entries of the other type; of those that are written twice the cluster-wide one."""
    fitting: list[CatalogEntry] = []
    others: list[CatalogEntry] = []
    for other in (offer[0] for offer in everything if offer[0].type is not entry.type):
        is_instancetype = entry.type is EntryType.INSTANCETYPE
        instancetype, preference = (entry, other) if is_instancetype else (other, entry)
        try:
            fits = instancetype.is_custom or satisfies(instancetype.resource, preference.resource, release)
        except CauseError:  # of no version that the release serves, or of no use to it: not to be had
            continue
        (fitting if fits else others).append(other)
    return Fit(fitting, others)
