"""Make a customised copy of an instance type or preference."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from renderer.app.catalogs import of_one_cluster
from renderer.app.project import Project
from renderer.app.source_folder import SourceFolder
from renderer.app.target_remarks import remarks_on_project
from renderer.app.usage_error import UsageError
from renderer.authoring.sizes.customize import Copy, SpecChanges, customized_content, problems, target_of
from renderer.authoring.sizes.switch_values import SwitchError
from renderer.findings.located import Located
from renderer.findings.run_findings import locate
from renderer.model.cluster_settings import BuiltinCatalog
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity, has_errors
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.model.render_config import RenderConfig
from renderer.pipeline import Pipeline


class Customized(NamedTuple):
    """The copy, the findings about it, and a line for each file that was written."""

    copy: Resource
    findings: tuple[Located, ...]
    written: tuple[str, ...] = ()


def customize(  # noqa: PLR0913 - each is one option of a copy
    project: Project,
    source: str,
    copy: Copy,
    kubevirt: Release | None = None,
    *,
    folder: Path | None = None,
    force: bool = False,
) -> Customized:
    """Copy ``source`` of the project's catalogs with changes; with ``folder``, write the copy there.

    Nothing is written if the copy has an error. ``force`` replaces an existing file.

    Raises ``UsageError`` for changes that do not apply to ``source``, and ``DiagnosticError``.
    """
    if force and folder is None:
        raise UsageError("--force is for --write DIR")
    project = of_one_cluster(project, "--of-cluster")
    destination = None if folder is None else SourceFolder.locate(project, folder)
    pipeline = Pipeline(project.fs, _readable_config(project.config, destination))
    try:
        copied = Resource(customized_content(pipeline.look_up(source), copy), Site(copy.name))
    except SwitchError as error:
        raise UsageError(str(error)) from error
    found = _check_copy(pipeline, copied, copy.changes, kubevirt or project.config.kubevirt)
    findings = locate(project.fs, (*found, *remarks_on_project(project.config, kubevirt)))
    if destination is None or has_errors(findings):
        return Customized(copied, findings)
    return Customized(copied, findings, destination.add(copied.content, force=force))


def _readable_config(config: RenderConfig, destination: SourceFolder | None) -> RenderConfig:
    """Return the settings without the catalog that the copy starts: it cannot be read before."""
    if destination is None or destination.exists:
        return config
    catalogs = tuple(
        each
        for each in config.catalogs
        if isinstance(each, BuiltinCatalog) or each.folder != destination.path
    )
    return config._replace(catalogs=catalogs)


def _check_copy(
    pipeline: Pipeline, copied: Resource, changes: SpecChanges, release: Release
) -> Iterator[Diagnostic]:
    """Yield the findings about the copy, which is not in a file yet, and about VMs that would use it.

    An unknown value is an error if the user asked for it.
    """
    checked = pipeline.check(ResourceSet((copied,)), release)
    for finding in (*problems(copied.content, target_of(copied)), *checked):
        is_requested = finding.code is Code.SCHEMA and str(finding.field) in changes.fields
        severity = Severity.ERROR if is_requested else finding.severity
        yield finding._replace(sites=(), severity=severity, resource=copied.current_id)
