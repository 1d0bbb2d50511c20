"""Import what runs in a cluster: sources in Git for what ``kubectl get -o yaml`` prints."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, NamedTuple

from renderer.app.import_fits import (
    SIZES_FOLDER,
    FittedObjects,
    GroupedObjects,
    fit_objects,
    group_objects,
)
from renderer.app.import_project import project_file
from renderer.app.import_revisions import Settled, settle_revisions
from renderer.app.project import Project
from renderer.app.usage_error import UsageError
from renderer.dump.credentials import withhold
from renderer.dump.files import find_files
from renderer.dump.gather import Gathered, UserObject, gather
from renderer.dump.read import read_dump
from renderer.dump.sources import (
    CLUSTER_FOLDER,
    CONFIGURATION_FOLDER,
    KUSTOMIZATION,
    SourceObject,
    configuration,
    counted_by_kind,
    kustomizations,
)
from renderer.emit.edit_user_files import change_files, check_writable
from renderer.emit.layout import file_paths
from renderer.emit.output_folder import OutputFolder
from renderer.fit.series import SizeProposal
from renderer.fit.values import FitReport
from renderer.instancetype.behaviour import behaviour_of
from renderer.instancetype.catalog import Catalog, CatalogSource
from renderer.kubevirt.kinds import INSTANCETYPE_GROUP
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity, has_errors
from renderer.model.json import JsonObject, array_at, text_at
from renderer.model.location import Location, Site
from renderer.model.pin import Pinnable
from renderer.model.release import LATEST, OLDEST, Release
from renderer.model.render_config import PER_RESOURCE, RenderConfig
from renderer.model.resource import Resource, ResourceSet
from renderer.pins.changes import PINS, FileContent, changes
from renderer.pins.folder import PinFile, PinsFolder
from renderer.pins.plan import patch_of
from renderer.pipeline import Pipeline
from renderer.source.project import PROJECT_FILE
from renderer.yamlio.decode import decode_yaml11

_DUMP = "the dump"


class Secrets(StrEnum):
    """The treatment of Secrets, and of start data with credentials."""

    PLACEHOLDER = "placeholder"
    PLAIN = "plain"


class ClusterImport(NamedTuple):
    """A dump in ``files`` and folders, ``-`` being what is ``piped`` in, and the folder to write to.

    Without ``kubevirt`` the release is the one that the dump tells. ``force`` replaces files. ``fit`` looks
    for instance types of machines that name none, ``group_by`` is a label whose values make bases.
    """

    files: tuple[str, ...]
    piped: BinaryIO
    output: Path
    kubevirt: Release | None = None
    secrets: Secrets = Secrets.PLACEHOLDER
    force: bool = False
    dry_run: bool = False
    fit: bool = False
    group_by: str = ""


class ImportedCluster(NamedTuple):
    """The result: ``objects`` by kind, files that were ``written`` and others that are as they would be.

    ``left_out`` counts objects by kind and reason, ``fields`` the fields of the cluster that were left out;
    ``to_seal`` are the placeholders. ``fits`` has a report for each machine that was to be fitted, ``sizes``
    the sizes that they share, ``groups`` is the number of bases. With errors among ``findings`` nothing was
    written.
    """

    findings: tuple[Diagnostic, ...]
    objects: Mapping[str, int] = {}
    left_out: Mapping[tuple[str, str], int] = {}
    fields: int = 0
    to_seal: tuple[str, ...] = ()
    pins: int = 0
    release: Release = LATEST
    written: tuple[str, ...] = ()
    unchanged: int = 0
    fits: tuple[FitReport, ...] = ()
    sizes: tuple[SizeProposal, ...] = ()
    groups: int = 0


class _Planned(NamedTuple):
    """The files of an import, text by path below the output folder."""

    files: Mapping[str, str]
    objects: tuple[SourceObject, ...]
    pins: int
    findings: tuple[Diagnostic, ...]
    fitted: FittedObjects
    groups: int


def import_cluster(project: Project, request: ClusterImport) -> ImportedCluster:
    """Write the sources of a cluster into a folder of the project.

    Nothing is written when there is an error, and files that are there stay unless ``force`` is set.

    Raises ``UsageError`` for a folder outside the project, and ``DiagnosticError``.
    """
    output = _output(project, request.output)
    try:
        gathered = gather(read_dump(find_files(request.files, request.piped)))
    except DiagnosticError as error:
        return ImportedCluster(error.diagnostics)
    if not gathered.objects and not has_errors(gathered.findings):
        return ImportedCluster((*gathered.findings, _nothing(request)))
    release, release_findings = _release(gathered.kubevirt, request.kubevirt, project.config)
    findings = (*gathered.findings, *release_findings)
    if has_errors(findings):
        return ImportedCluster(findings)
    planned = _plan(project, output, gathered, release, request)
    writes = {posixpath.join(output, path): text.encode() for path, text in planned.files.items()}
    catalogs = tuple(posixpath.join(output, folder) for folder in _catalog_folders(planned))
    folders = sorted({posixpath.join(output, each.folder) for each in planned.objects})
    fitted = [posixpath.join(output, folder) for folder in planned.fitted.folders]
    writes |= project_file(project, output, folders, catalogs, release, fitted=fitted)
    findings = (*findings, *planned.findings)
    changed, in_the_way = _compared_with_disk(project, writes, force=request.force)
    if in_the_way:
        return ImportedCluster((*findings, *in_the_way))
    if not request.dry_run and not has_errors(findings):
        change_files(project.root, changed, ())
    return ImportedCluster(
        findings,
        counted_by_kind(planned.objects),
        gathered.left_out,
        gathered.fields,
        tuple(posixpath.join(output, each.path) for each in planned.objects if each.is_placeholder),
        planned.pins,
        release,
        tuple(changed),
        len(writes) - len(changed),
        planned.fitted.reports,
        planned.fitted.proposals,
        planned.groups,
    )


def _output(project: Project, written: Path) -> str:
    """Return the folder below the root of the project. Raises ``UsageError`` and ``DiagnosticError``."""
    path = Path(os.path.normpath(Path.cwd() / written))
    if not path.is_relative_to(project.root):
        raise UsageError(f"{written} lies outside the repository {project.root}", "--output")
    return OutputFolder.locate(project.root, path.relative_to(project.root).as_posix()).path


def _release(
    kubevirt: JsonObject, asked: Release | None, config: RenderConfig
) -> tuple[Release, tuple[Diagnostic, ...]]:
    """Return the target release: as asked, the cluster's, or the project's."""
    observed = text_at(kubevirt, "status", "observedKubeVirtVersion").partition("-")[0]
    if asked or not kubevirt:
        return asked or config.kubevirt, ()
    try:
        release = Release.parse(observed)
    except ValueError:
        return config.kubevirt, ()
    if OLDEST <= release <= LATEST:
        return release, ()
    nearest = min(max(release, OLDEST), LATEST)
    warning = Diagnostic(
        code=Code.NOT_CHECKED,
        severity=Severity.WARNING,
        message=f"the cluster runs KubeVirt {release}; its objects are judged by {nearest}",
        hint=f"vmrender renders for KubeVirt {OLDEST} to {LATEST}",
    )
    return nearest, (warning,)


def _plan(
    project: Project, output: str, gathered: Gathered, release: Release, request: ClusterImport
) -> _Planned:
    catalog = _catalog(project, gathered)
    settled = _settled(gathered, catalog, release)
    fitted = FittedObjects(tuple(each.content for each in settled))
    if request.fit:
        fitted = fit_objects(fitted.contents, catalog, release)
    objects, findings = _sources(gathered.objects, fitted.contents, request.secrets)
    groups = group_objects(objects, request.group_by) if request.group_by else GroupedObjects(objects)
    kept = [each for each in objects if each.is_placeholder and project.fs.is_file(f"{output}/{each.path}")]
    files = {
        each.path: each.text() for each in objects if each not in kept and each.path not in groups.replaced
    }
    files |= {**groups.files, **fitted.files}
    files |= kustomizations(
        groups.listed, sealed=[each.path for each in kept if _is_listed(project, output, each)]
    )
    pins = [each.pin for each in settled if each.pin is not None]
    files |= _pin_files(pins, files)
    if gathered.kubevirt:
        files |= configuration(_configuration(gathered.kubevirt))
    findings += [finding for each in settled for finding in each.findings]
    return _Planned(files, objects, len(pins), tuple(findings), fitted, groups.groups)


def _catalog(project: Project, gathered: Gathered) -> Catalog:
    """Return instance types, revisions and configuration of the dump, then the project's catalogs."""
    kubevirt = (Resource(gathered.kubevirt, Site("")),) if gathered.kubevirt else ()
    own = ResourceSet(
        (
            *kubevirt,
            *gathered.revisions,
            *(each.resource for each in gathered.objects if _is_instancetype(each.content)),
        )
    )
    pipeline = Pipeline(project.fs, project.config)
    return Catalog.of(CatalogSource(_DUMP, own), *pipeline.catalog_sources)


def _settled(gathered: Gathered, catalog: Catalog, release: Release) -> tuple[Settled, ...]:
    """Compare what virtual machines were started with to what Git has."""
    behaviour = behaviour_of(release)
    results = []
    for each in gathered.objects:
        settled = settle_revisions(each, catalog, behaviour)
        placed = tuple(found._replace(sites=(), location=each.location) for found in settled.findings)
        results.append(settled._replace(findings=placed))
    return tuple(results)


def _is_listed(project: Project, output: str, placeholder: SourceObject) -> bool:
    """Return whether the kustomization that is there lists a Secret that somebody sealed."""
    kustomization = f"{output}/{placeholder.folder}/{KUSTOMIZATION}"
    if not project.fs.is_file(kustomization):
        return False
    listed = array_at(decode_yaml11(project.fs.read(kustomization), kustomization), "resources")
    return posixpath.basename(placeholder.path) in listed


def _is_instancetype(content: JsonObject) -> bool:
    return text_at(content, "apiVersion").startswith(f"{INSTANCETYPE_GROUP}/")


def _sources(
    found: tuple[UserObject, ...], imported: tuple[JsonObject, ...], secrets: Secrets
) -> tuple[tuple[SourceObject, ...], list[Diagnostic]]:
    """Return the objects with their files, credentials withheld, and what cannot be written."""
    contents: list[tuple[JsonObject, bool]] = []
    findings: list[Diagnostic] = []
    for each, content in zip(found, imported, strict=True):
        if secrets is Secrets.PLAIN:
            contents.append((content, False))
            continue
        withheld = withhold(content)
        if withheld.content is not None:
            contents.append((withheld.content, False))
        contents += ((placeholder, True) for placeholder in withheld.placeholders)
        if withheld.fields:
            is_left_out = withheld.content is None
            findings.append(_withheld(each, str(withheld.fields[0]), is_left_out=is_left_out))
    resources = [Resource(content, Site("")) for content, _ in contents]
    paths = file_paths(resources, PER_RESOURCE)
    return (
        tuple(
            SourceObject(path, content, is_placeholder)
            for path, (content, is_placeholder) in zip(paths, contents, strict=True)
        ),
        findings,
    )


def _withheld(found: UserObject, field: str, *, is_left_out: bool) -> Diagnostic:
    resource = found.resource
    if is_left_out:
        message = f"{resource.current_id} is left out: {field} seems to hold credentials"
        hint = "remove them from the machine, or import it with --secrets plain"
    else:
        message = f"{field} of {resource.current_id} seems to hold credentials: it moves to a Secret to seal"
        hint = "apply the Secret before the machine; --secrets plain writes the text as it is"
    return Diagnostic(
        code=Code.CREDENTIALS_WITHHELD,
        severity=Severity.WARNING,
        message=message,
        location=found.location,
        resource=resource.current_id,
        hint=hint,
    )


def _pin_files(pins: list[Pinnable], files: Mapping[str, str]) -> Mapping[str, str]:
    """Return the files of the folders ``pins``, and the kustomizations that make components of them."""
    by_namespace: dict[str, list[Pinnable]] = {}
    for pin in pins:
        by_namespace.setdefault(pin.resource.namespace, []).append(pin)
    made: dict[str, str] = {}
    for namespace, found in by_namespace.items():
        contents = {
            text_at(revision, "metadata", "name"): revision for pin in found for revision in pin.revisions
        }
        pin_files = [PinFile.of(each) for each in contents.values()]
        pin_files += (PinFile.of(patch_of(pin, {})) for pin in found)
        path = f"{namespace}/{KUSTOMIZATION}"
        kustomization = FileContent(path, files[path].encode())
        planned = changes(PinsFolder(f"{namespace}/{PINS}"), kustomization, pin_files)
        made |= {file.path: file.content.decode() for file in planned.writes}
    return made


def _configuration(kubevirt: JsonObject) -> JsonObject:
    """Return the KubeVirt object with its configuration alone."""
    metadata = {
        "name": text_at(kubevirt, "metadata", "name"),
        "namespace": text_at(kubevirt, "metadata", "namespace"),
    }
    spec = kubevirt.get("spec")
    return {
        "apiVersion": text_at(kubevirt, "apiVersion"),
        "kind": text_at(kubevirt, "kind"),
        "metadata": metadata,
        "spec": spec if isinstance(spec, dict) else {},
    }


def _catalog_folders(planned: _Planned) -> Iterator[str]:
    """Yield the folders that virtual machines of other folders look things up in."""
    if any(each.folder == CLUSTER_FOLDER and _is_instancetype(each.content) for each in planned.objects):
        yield CLUSTER_FOLDER
    if planned.fitted.files:
        yield SIZES_FOLDER
    if any(path.startswith(f"{CONFIGURATION_FOLDER}/") for path in planned.files):
        yield CONFIGURATION_FOLDER


def _compared_with_disk(
    project: Project, writes: Mapping[str, bytes], *, force: bool
) -> tuple[dict[str, bytes], tuple[Diagnostic, ...]]:
    """Return the files that differ from what is there, and a finding about each that is in the way."""
    check_writable(project.root, writes)
    fs = project.fs
    changed: dict[str, bytes] = {}
    in_the_way: list[Diagnostic] = []
    for path, content in writes.items():
        present = fs.read(path) if fs.is_file(path) else None
        if present == content:
            continue
        changed[path] = content
        if present is not None and path != PROJECT_FILE and not force:
            in_the_way.append(_in_the_way(path))
    return changed, tuple(in_the_way)


def _in_the_way(path: str) -> Diagnostic:
    return Diagnostic(
        code=Code.FILE_EXISTS,
        message=f"{path} is there already, and differs from what the cluster has",
        location=Location(path),
        hint="nothing was written; compare with --output of another folder, or replace it with --force",
    )


def _nothing(request: ClusterImport) -> Diagnostic:
    return Diagnostic(
        code=Code.DUMP_INVALID,
        message="the dump holds no object that belongs into Git",
        location=Location(request.files[0]) if request.files else None,
        hint="print virtual machines and what they need: kubectl get vm,datavolume,pvc,service -A -o yaml",
    )
