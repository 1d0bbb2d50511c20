"""Plan the files of an imported cluster: sources, pins, sizes and what is known of the cluster."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from renderer.app.import_fit import FittedMachines, fit_machines
from renderer.app.import_revisions import Settled, settle_revisions
from renderer.app.project import Project
from renderer.dump.credentials import Placeholder, withhold
from renderer.dump.gather import Gathered, UserObject
from renderer.dump.sources import (
    CONFIGURATION_FOLDER,
    FITTED,
    KUSTOMIZATION,
    SIZES_FOLDER,
    SourceObject,
    configuration,
    kustomizations,
)
from renderer.emit.layout import file_paths
from renderer.fit.grouping import grouped
from renderer.instancetype.behaviour import behaviour_of
from renderer.instancetype.catalog import Catalog, CatalogSource
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.kubevirt.kinds import INSTANCETYPE_GROUP, VM
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.json import JsonObject, array_at, text_at
from renderer.model.location import Site
from renderer.model.pin import Pinnable
from renderer.model.release import Release
from renderer.model.render_config import CLUSTER_FOLDER, PER_RESOURCE, CatalogPath, ExpandMode
from renderer.model.resource import Resource, ResourceSet
from renderer.model.text_enum import TextEnum
from renderer.pins.changes import PINS, FileContent, changes
from renderer.pins.folder import PinFile, PinsFolder
from renderer.pins.plan import patch_of
from renderer.pipeline import Pipeline
from renderer.yamlio.decode import decode_yaml11

_DUMP = "the dump"


class Secrets(TextEnum):
    """The treatment of Secrets, and of start data with credentials."""

    PLACEHOLDER = "placeholder"
    PLAIN = "plain"


class SourceChoices(NamedTuple):
    """The choices for sources: ``fits`` looks for instance types, ``group_by`` is a label or empty."""

    secrets: Secrets = Secrets.PLACEHOLDER
    fits: bool = False
    group_by: str = ""


class PlannedSources(NamedTuple):
    """The files of an import, text by path below the output folder.

    ``catalogs`` are the folders that machines of other folders look things up in, ``modes`` the folders
    whose machines are expanded otherwise than is usual for an import. ``kept`` are the placeholders that are
    there already.
    """

    files: Mapping[str, str]
    objects: tuple[SourceObject, ...]
    catalogs: tuple[str, ...]
    modes: Mapping[str, ExpandMode]
    pins: int
    fitted: FittedMachines
    findings: tuple[Diagnostic, ...]
    kept: frozenset[str]


class _Content(NamedTuple):
    content: JsonObject
    is_placeholder: bool = False
    is_fitted: bool = False
    moved_from: tuple[str, ...] = ()


def plan_sources(
    project: Project, output: str, gathered: Gathered, release: Release, choices: SourceChoices
) -> PlannedSources:
    """Plan the files for the objects of a cluster below the folder ``output``. Raises ``DiagnosticError``."""
    catalog = _catalog(project, output, gathered)
    settled = _settled(gathered, catalog, release)
    machines = [each.content for each in settled]
    fitted = fit_machines(machines, catalog, release, gathered.kubevirt) if choices.fits else FittedMachines()
    contents, findings = _contents(gathered.objects, settled, fitted, choices.secrets)
    modes, objects = _placed(contents)
    if choices.group_by:
        objects = _grouped(objects, choices.group_by)
    kept = {each.path for each in objects if each.is_placeholder and _is_there(project, output, each.path)}
    files = {each.path: each.text() for each in objects if each.path not in kept and each.is_file}
    files |= {path: text for each in objects for path, text in each.group_files.items()}
    sealed = [each.path for each in objects if each.path in kept and _is_listed(project, output, each)]
    files |= kustomizations(objects, sealed)
    written = {(text_at(each.content, "kind"), *_names(each.content)) for each in objects}
    pins = [
        each.pin for each in settled if each.pin and (each.pin.target.kind, *_names(each.content)) in written
    ]
    files |= _pin_files(pins, files)
    files |= fitted.files
    if gathered.kubevirt:
        files |= configuration(_configuration(gathered.kubevirt))
    findings += [finding for each in settled for finding in each.findings]
    catalogs = tuple(_catalog_folders(objects, files))
    return PlannedSources(
        files, objects, catalogs, modes, len(pins), fitted, tuple(findings), frozenset(kept)
    )


def _names(content: JsonObject) -> tuple[str, str]:
    return text_at(content, "metadata", "namespace"), text_at(content, "metadata", "name")


def _catalog(project: Project, output: str, gathered: Gathered) -> Catalog:
    """Return the catalogs of the project and the dump, without the sizes that an earlier import proposed."""
    kubevirt = (Resource(gathered.kubevirt, Site("")),) if gathered.kubevirt else ()
    own = (each.resource for each in gathered.objects if _is_instancetype(each.content))
    dumped = ResourceSet((*gathered.revisions, *kubevirt, *own))
    proposed = CatalogPath(posixpath.join(output, SIZES_FOLDER))
    catalogs = tuple(each for each in project.config.catalogs if each != proposed)
    pipeline = Pipeline(project.fs, project.config._replace(catalogs=catalogs))
    return Catalog.of(CatalogSource(_DUMP, dumped), *pipeline.catalog_sources)


def _settled(gathered: Gathered, catalog: Catalog, release: Release) -> tuple[Settled, ...]:
    """Compare what virtual machines were started with to what Git has."""
    behaviour = behaviour_of(release)
    results = []
    for each in gathered.objects:
        settled = settle_revisions(each, catalog, behaviour)
        placed = tuple(found._replace(sites=(), location=each.location) for found in settled.findings)
        results.append(settled._replace(findings=placed))
    return tuple(results)


def _contents(
    found: Sequence[UserObject], settled: Sequence[Settled], fitted: FittedMachines, secrets: Secrets
) -> tuple[list[_Content], list[Diagnostic]]:
    """Return what is to be written, credentials withheld, and findings about what cannot be."""
    contents: list[_Content] = []
    findings: list[Diagnostic] = []
    for position, (each, result) in enumerate(zip(found, settled, strict=True)):
        content = fitted.contents.get(position, result.content)
        is_fitted = position in fitted.contents
        if secrets is Secrets.PLAIN:
            contents.append(_Content(content, is_fitted=is_fitted))
            continue
        withheld = withhold(content)
        if withheld.content is not None:
            contents.append(_Content(withheld.content, is_fitted=is_fitted))
        contents += (_placeholder(each, content) for each in withheld.placeholders)
        if withheld.fields:
            is_left_out = withheld.content is None
            findings.append(_withheld(each, str(withheld.fields[0]), is_left_out=is_left_out))
    return contents, findings


def _placeholder(placeholder: Placeholder, machine: JsonObject) -> _Content:
    owner = f"{text_at(machine, 'kind')} {text_at(machine, 'metadata', 'name')}"
    moved_from = tuple(f"{field} of {owner}" for field in placeholder.moved_from)
    return _Content(placeholder.content, is_placeholder=True, moved_from=moved_from)


def _placed(contents: Sequence[_Content]) -> tuple[Mapping[str, ExpandMode], tuple[SourceObject, ...]]:
    """Return the objects with their files, and the folders whose machines are expanded.

    A machine that was fitted is expanded when it is rendered, into what the cluster has. Where others of its
    namespace keep their matchers, it stands in a folder of its own.
    """
    paths = file_paths([Resource(each.content, Site("")) for each in contents], PER_RESOURCE)
    keeps = {
        posixpath.dirname(path)
        for path, each in zip(paths, contents, strict=True)
        if not each.is_fitted and _has_matchers(each.content)
    }
    objects: list[SourceObject] = []
    modes: dict[str, ExpandMode] = {}
    for path, each in zip(paths, contents, strict=True):
        folder, name = posixpath.split(path)
        if each.is_fitted:
            folder = f"{folder}{FITTED}" if folder in keeps else folder
            modes[folder] = ExpandMode.APPLIED
        file = posixpath.join(folder, name)
        objects.append(SourceObject(file, each.content, each.is_placeholder, each.moved_from))
    return modes, tuple(objects)


def _has_matchers(content: JsonObject) -> bool:
    vm = VirtualMachine.of(Resource(content, Site("")))
    return vm is not None and vm.has_matchers


def _grouped(objects: tuple[SourceObject, ...], label: str) -> tuple[SourceObject, ...]:
    """Return the objects with machines of one value of a label as a base and patches."""
    made = list(objects)
    for folder in sorted({each.folder for each in objects}):
        places = [
            place
            for place, each in enumerate(objects)
            if each.folder == folder and text_at(each.content, "kind") == VM
        ]
        for group in grouped([objects[place].content for place in places], label):
            if group.folder == PINS:
                continue  # the folder of pins, which is a component
            files = {posixpath.join(folder, path): text for path, text in group.files.items()}
            for member in group.members:
                made[places[member]] = objects[places[member]]._replace(group=group.folder, group_files=files)
    return tuple(made)


def _is_there(project: Project, output: str, path: str) -> bool:
    return project.fs.is_file(posixpath.join(output, path))


def _is_listed(project: Project, output: str, placeholder: SourceObject) -> bool:
    """Return whether the kustomization that is there lists a Secret that somebody sealed."""
    kustomization = f"{output}/{placeholder.folder}/{KUSTOMIZATION}"
    if not project.fs.is_file(kustomization):
        return False
    listed = array_at(decode_yaml11(project.fs.read(kustomization), kustomization), "resources")
    return posixpath.basename(placeholder.path) in listed


def _is_instancetype(content: JsonObject) -> bool:
    return text_at(content, "apiVersion").startswith(f"{INSTANCETYPE_GROUP}/")


def _withheld(found: UserObject, field: str, *, is_left_out: bool) -> Diagnostic:
    resource = found.resource
    if is_left_out:
        message = f"{resource.current_id} is left out: {field} seems to hold credentials"
        hint = "remove them from the object, or import it with --secrets plain"
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


def _catalog_folders(objects: Iterable[SourceObject], files: Iterable[str]) -> Iterator[str]:
    if any(each.folder == CLUSTER_FOLDER and _is_instancetype(each.content) for each in objects):
        yield CLUSTER_FOLDER
    for folder in (SIZES_FOLDER, CONFIGURATION_FOLDER):
        if any(path.startswith(f"{folder}/") for path in files):
            yield folder
