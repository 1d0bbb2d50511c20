"""``vmrender customize SOURCE --name NAME``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click

from renderer.cli.console import print_manifests, report
from renderer.cli.exit_code import ExitCode
from renderer.cli.options import kubevirt_option
from renderer.cli.repository import Repository
from renderer.cli.source_folder import SourceFolder
from renderer.cli.switch_options import SwitchCommand, changes_of, switch_options
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity, has_errors
from renderer.model.location import Site
from renderer.model.release import Release
from renderer.model.resource import Resource, ResourceSet
from renderer.pipeline import Pipeline
from renderer.sizes.customize import Copy, SpecChanges, customized, problems, target_of
from renderer.sizes.switch_values import SwitchError


@click.command("customize", cls=SwitchCommand)
@click.argument("source")
@click.option("--name", required=True, help="Name of the copy.")
@click.option(
    "--cluster/--namespaced",
    "is_cluster_wide",
    default=False,
    help="Make a cluster-wide object, or one that belongs to a namespace.  [default: namespaced]",
)
@click.option("-n", "--namespace", help="Namespace of the copy; left out otherwise.")
@click.option(
    "--keep-labels",
    is_flag=True,
    help="Keep labels and annotations of instancetype.kubevirt.io, made to fit the copy.",
)
@click.option(
    "--write",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write the copy to DIR/NAME.yaml and list it in the kustomization there, instead of printing it.",
)
@click.option("--force", is_flag=True, help="With --write: replace DIR/NAME.yaml.")
@kubevirt_option
@switch_options
def command(
    source: str,
    folder: Path | None,
    kubevirt: Release | None,
    force: bool,  # noqa: FBT001 - click passes flags so
    **asked: object,
) -> ExitCode:
    """Make a customised copy of an instance type or preference.

    SOURCE is looked up in the project's catalogs as a virtual machine's matcher is: a name, which means
    what is cluster-wide, or KIND/NAME. What is not asked to change is copied.

    \b
    Examples:
      vmrender customize u1.medium --name u1.mysize --vcpus 4 --memory 4Gi
      vmrender customize m1.large --name db.large --no-hugepages --max-guest-memory 64Gi --write catalogs/ours
      vmrender customize preference/fedora --name fedora.sata --disk-bus sata --cluster
    """
    if force and folder is None:
        raise click.UsageError("--force is for --write DIR")
    repository = Repository.here()
    pipeline = Pipeline(repository.fs, repository.config)
    changes = changes_of(asked)
    try:
        destination = None if folder is None else SourceFolder.locate(repository, folder)
        copied = _copied(pipeline.named(source), asked, changes)
        findings = _findings(pipeline, copied, changes, kubevirt or repository.config.kubevirt)
        if not has_errors(findings) and destination is not None:
            destination.add(copied.content, force=force)
    except DiagnosticError as error:
        return report(repository.fs, error.diagnostics)
    if not has_errors(findings) and destination is None:
        print_manifests(ResourceSet((copied,)))
    return report(repository.fs, findings)


def _copied(source: Resource, asked: Mapping[str, object], changes: SpecChanges) -> Resource:
    """Raises ``click.UsageError``."""
    namespace = asked["namespace"]
    copy = Copy(
        name=str(asked["name"]),
        is_cluster_wide=bool(asked["is_cluster_wide"]),
        namespace=None if namespace is None else str(namespace),
        keep_labels=bool(asked["keep_labels"]),
        changes=changes,
    )
    try:
        return Resource(customized(source, copy), Site(copy.name))
    except SwitchError as error:
        raise click.UsageError(str(error)) from error


def _findings(
    pipeline: Pipeline, copied: Resource, changes: SpecChanges, release: Release
) -> tuple[Diagnostic, ...]:
    """What is wrong with the copy, which is in no file yet: what KubeVirt would say of it, or of its VMs."""
    found = (*problems(copied.content, target_of(copied)), *pipeline.check(ResourceSet((copied,)), release))
    return tuple(
        replace(finding, sites=(), severity=_severity(finding, changes), resource=copied.current_id)
        for finding in found
    )


def _severity(finding: Diagnostic, changes: SpecChanges) -> Severity:
    """A value that means nothing to KubeVirt is an error where it is asked for, not where it is copied."""
    is_asked_for = finding.code is Code.SCHEMA and str(finding.field) in changes.fields
    return Severity.ERROR if is_asked_for else finding.severity
