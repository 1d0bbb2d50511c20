"""Plan the files of an imported cluster: sources, pins, sizes, and facts about it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from renderer.adopt.dump.gather import Gathered
from renderer.adopt.dump.sources import (
    CONFIGURATION_FOLDER,
    INSTALLED_FOLDER,
    SIZES_FOLDER,
    SourceObject,
    configuration,
    entries,
    kustomization_text,
    with_placeholders,
)
from renderer.app.cluster_import.existing import check_additions, object_key, read_existing
from renderer.app.cluster_import.fit import FittedMachines, fit_machines
from renderer.app.cluster_import.installed import installed_files, unknown_to_git
from renderer.app.cluster_import.objects import (
    Secrets,
    assign_files,
    with_groups,
    with_labels_of,
    written_contents,
)
from renderer.app.cluster_import.revisions import DetachedVm, detach_from_revisions, pin_changes
from renderer.app.cluster_import.sizes import size_files
from renderer.app.project import Project
from renderer.authoring.pins.folder import PINS, FileContent
from renderer.files.file_system import FileSystem
from renderer.kubevirt.facts.kinds import INSTANCETYPE_GROUP
from renderer.kubevirt.facts.virtual_machine import ALWAYS, RERUN_ON_FAILURE, VirtualMachineView
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource
from renderer.kustomize.reader.find_kustomization import find_kustomization
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, has_errors
from renderer.model.engines import MANIFESTS
from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kustomization import KUSTOMIZATION_FILE, KUSTOMIZATION_FILES
from renderer.model.pin import Pinnable
from renderer.model.release import Release
from renderer.model.render_config import CLUSTER_FOLDER, ExpandMode
from renderer.pipeline import Pipeline
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.edit import add_entries

_DUMP = "the dump"
_RUNNING = (ALWAYS, RERUN_ON_FAILURE)


class SourceChoices(NamedTuple):
    """The choices for sources: with ``fits``, look for instance types; ``group_by`` is a label or empty.

    With ``replace``, the files of objects that Git has are replaced. Git has an object if an overlay below
    the output folder or of the ``cluster`` renders it, with ``everywhere`` if any overlay does.
    """

    secrets: Secrets = Secrets.PLACEHOLDER
    fits: bool = False
    group_by: str = ""
    replace: bool = False
    everywhere: bool = False
    cluster: str = ""


class PlannedSources(NamedTuple):
    """The files of an import, content by path below the output folder.

    ``objects`` are the objects that are written; ``known`` is the number of objects that stay as Git has
    them, and ``elsewhere`` the overlays outside of the output folder that have some of them. ``catalogs`` are
    the folders that machines of other folders refer to. ``modes`` has the expand mode of each new folder.
    ``kept`` are the placeholders that already exist. ``folders`` are all folders with a kustomization, True
    for a folder with pins; ``waves`` are the new folders in which Argo CD can sync pins before machines.
    """

    files: Mapping[str, bytes]
    objects: tuple[SourceObject, ...]
    known: int
    elsewhere: tuple[str, ...]
    catalogs: tuple[str, ...]
    modes: Mapping[str, ExpandMode]
    pins: int
    fitted: FittedMachines
    findings: tuple[Diagnostic, ...]
    kept: frozenset[str]
    folders: Mapping[str, bool]
    waves: frozenset[str]


def plan_sources(
    project: Project, output: str, gathered: Gathered, release: Release, choices: SourceChoices
) -> PlannedSources:
    """Plan the files for a cluster's objects below the folder ``output``. Raises ``DiagnosticError``.

    Objects that Git has stay as they are, and so does everything else that people wrote: kustomizations and
    pins only get new lines. With ``replace``, an object in the file that an import gives it is replaced.
    """
    fs = project.fs
    existing = read_existing(project, output, choices.cluster, everywhere=choices.everywhere)
    found = [each for each in gathered.objects if choices.replace or existing.file_of(each.content) is None]
    catalog = _lookup_catalog(project, gathered)
    installed = catalog.after(CatalogSource(_DUMP, ResourceSet(gathered.instancetypes)))
    detached = detach_from_revisions(found, (installed, catalog), release)
    unfitted = {
        position: each.content
        for position, each in enumerate(detached)
        if existing.modes.get(existing.folder_of(each.content) or "", ExpandMode.APPLIED)
        is ExpandMode.APPLIED
    }
    fitted = fit_machines(unfitted, catalog, release, gathered.kubevirt) if choices.fits else FittedMachines()
    contents, findings = written_contents(found, detached, fitted, choices.secrets, gathered.credentials)
    modes, objects = assign_files(contents, existing)
    objects = tuple(each for each in objects if existing.file_of(each.content) in (None, each.path))
    if choices.group_by:
        present = partial(posixpath.join, output)
        objects = with_groups(
            objects,
            choices.group_by,
            lambda path: fs.is_file(present(path)) or fs.is_folder(present(path)),
        )
    kept = {
        each.path for each in objects if each.is_placeholder and fs.is_file(posixpath.join(output, each.path))
    }
    findings += existing.findings
    files: dict[str, bytes] = {}
    for each in objects:
        files |= {path: text.encode() for path, text in each.group_files.items()}
        if each.is_file and each.path not in kept:
            try:
                content = _object_file(fs, posixpath.join(output, each.path), each, replace=choices.replace)
            except DiagnosticError as error:
                findings += error.diagnostics
            else:
                files |= {} if content is None else {each.path: content}
    files |= _kustomizations(fs, output, [each for each in objects if each.path not in kept])
    pins, pin_files = _pins(fs, output, detached, objects, files)
    files |= pin_files
    files |= size_files(fs, output, fitted.proposals)
    for path, text in configuration(gathered.kubevirt).items():
        is_present = fs.is_file(posixpath.join(output, path))
        if not is_present or (choices.replace and posixpath.basename(path) != KUSTOMIZATION_FILE):
            files[path] = text.encode()
    installed_now, outdated = installed_files(
        fs, output, unknown_to_git(gathered.instancetypes, catalog), objects, replace=choices.replace
    )
    files |= installed_now
    findings += outdated
    new = {each.folder for each in objects} - existing.folders
    folders = sorted(folder for folder in {*existing.folders, *new} if "/" not in folder)
    waves = frozenset(folder for folder in pins.keys() & new if _always_run(folder, objects))
    known = sum(existing.file_of(each.content) is not None for each in gathered.objects)
    known -= sum(existing.file_of(each.content) is not None for each in objects)
    elsewhere = {existing.elsewhere.get(object_key(each.content), "") for each in gathered.objects} - {""}
    if not has_errors(findings):
        check_additions(project, output, existing, objects, files)
    return PlannedSources(
        files=files,
        objects=objects,
        known=known,
        elsewhere=tuple(sorted(elsewhere)),
        catalogs=tuple(_catalog_folders(objects, files)),
        modes={
            each.folder: modes.get(each.folder, ExpandMode.OFF)
            for each in objects
            if each.folder not in existing.folders
        },
        pins=sum(pins.values()),
        fitted=fitted,
        findings=(*findings, *(finding for each in detached for finding in each.findings)),
        kept=frozenset(kept),
        folders={folder: _has_pins(fs, output, folder, files) for folder in folders},
        waves=waves,
    )


def _has_pins(fs: FileSystem, output: str, folder: str, files: Mapping[str, bytes]) -> bool:
    component = posixpath.join(folder, PINS, KUSTOMIZATION_FILE)
    return component in files or fs.is_file(posixpath.join(output, component))


def _always_run(folder: str, objects: Iterable[SourceObject]) -> bool:
    """Return True if all machines of a folder run.

    With one that does not, Argo CD never finishes a sync in waves (``checks.rules.halted_in_sync_waves``).
    """
    found = (each for each in objects if each.folder == folder)
    machines = (VirtualMachineView.of(each.resource) for each in found)
    return all(each.run_strategy in _RUNNING for each in machines if each is not None)


def _lookup_catalog(project: Project, gathered: Gathered) -> Catalog:
    """Return the catalogs of the project and the dump."""
    kubevirt = (Resource(gathered.kubevirt, Site("")),) if gathered.kubevirt else ()
    own = (each.resource for each in gathered.objects if _is_instancetype(each.content))
    dumped = ResourceSet((*gathered.revisions, *kubevirt, *own))
    return Catalog.of(CatalogSource(_DUMP, dumped), *Pipeline(project.fs, project.config).catalog_sources)


def _object_file(fs: FileSystem, place: str, wanted: SourceObject, *, replace: bool) -> bytes | None:
    """Return the content of an object's file; None if the file at ``place`` has the object already.

    Labels and annotations that only the file has stay. Raises ``DiagnosticError``: file-exists for a file
    that differs, unless ``replace`` is set and it has no other object.
    """
    if not fs.is_file(place):
        return wanted.text().encode()
    try:
        present = [each for each in decode_documents(fs.read(place), place) if each is not None]
    except DiagnosticError:
        present = []
    named = [Resource(each, Site(place)) for each in map(object_at, present) if text_at(each, "kind")]
    others = [each for each in named if each.object_key != object_key(wanted.content)]
    if others:
        message = f"{place} already exists, and holds {others[0].current_id}"
        raise Diagnostic.in_file(
            place, Code.FILE_EXISTS, message, "nothing was written; move it to a file of its own"
        ).error()
    if len(named) == 1:
        if is_encrypted(named[0]):
            return None
        wanted = wanted._replace(content=with_labels_of(wanted.content, named[0].content))
        if wanted.content == named[0].content:
            return None
    if not replace:
        message = f"{place} already exists, and differs from the cluster"
        hint = "nothing was written; compare with another folder as --output, or replace it with --force"
        raise Diagnostic.in_file(place, Code.FILE_EXISTS, message, hint).error()
    return wanted.text().encode()


def _kustomizations(fs: FileSystem, output: str, objects: Iterable[SourceObject]) -> Mapping[str, bytes]:
    """Return the kustomization of each folder; an existing one gets the lines that it lacks.

    Raises ``DiagnosticError``: edit-refused, kustomization-ambiguous.
    """
    folders: dict[str, list[SourceObject]] = {}
    for each in objects:
        folders.setdefault(each.folder, []).append(each)
    graph = KustomizationGraph(fs)
    written: dict[str, bytes] = {}
    for folder, found in folders.items():
        place = posixpath.join(output, folder)
        links = graph.links(place)
        if links is None:
            _check_only_ours(fs, place, found)
            written[posixpath.join(folder, KUSTOMIZATION_FILE)] = kustomization_text(found).encode()
            continue
        file = find_kustomization(fs, place)
        listed = links.files | links.folders
        missing = [each for each in entries(found) if posixpath.join(place, each) not in listed]
        content = add_entries(fs.read(file), file, "resources", missing)
        written[posixpath.relpath(file, output)] = with_placeholders(content.decode(), found).encode()
    return written


def _check_only_ours(fs: FileSystem, folder: str, objects: Iterable[SourceObject]) -> None:
    """Raise ``DiagnosticError``: kustomization-missing for a folder of manifests without a kustomization.

    Whatever applies it reads every file, and would only read the listed ones once there is a kustomization.
    """
    ours = {posixpath.basename(each.path) for each in objects}
    names = fs.list(folder) if fs.is_folder(folder) else ()
    others = [name for name in names if name not in ours and name.endswith(MANIFESTS)]
    if others:
        raise Diagnostic.in_file(
            folder,
            Code.KUSTOMIZATION_MISSING,
            f"{folder} has manifests such as {others[0]}, and no kustomization that lists them",
            "nothing was written; write one, or import into another folder with --output",
        ).error()


def _pins(
    fs: FileSystem,
    output: str,
    detached: Iterable[DetachedVm],
    objects: Iterable[SourceObject],
    files: Mapping[str, bytes],
) -> tuple[Mapping[str, int], Mapping[str, bytes]]:
    """Return the number of pins of written machines by folder, and the files. Raises ``DiagnosticError``."""
    pins = {object_key(each.content): each.pin for each in detached if each.pin}
    by_folder: dict[str, list[Pinnable]] = {}
    for each in objects:
        pin = pins.get(object_key(each.content))
        if pin is not None:
            by_folder.setdefault(each.folder, []).append(pin)
    written: dict[str, bytes] = {}
    for folder, found in by_folder.items():
        place = posixpath.join(output, folder)
        [file] = {posixpath.join(folder, name) for name in KUSTOMIZATION_FILES} & files.keys()
        kustomization = FileContent(posixpath.join(output, file), files[file])
        planned = pin_changes(fs, posixpath.join(place, PINS), kustomization, found)
        written |= {posixpath.relpath(each.path, output): each.content for each in planned}
    return {folder: len(found) for folder, found in by_folder.items()}, written


def _is_instancetype(content: JsonObject) -> bool:
    return text_at(content, "apiVersion").startswith(f"{INSTANCETYPE_GROUP}/")


def _catalog_folders(objects: Iterable[SourceObject], files: Iterable[str]) -> Iterator[str]:
    """Yield the folders of the import that have instance types, preferences or the KubeVirt object."""
    if any(each.folder == CLUSTER_FOLDER and _is_instancetype(each.content) for each in objects):
        yield CLUSTER_FOLDER
    for folder in (SIZES_FOLDER, INSTALLED_FOLDER, CONFIGURATION_FOLDER):
        if any(path.startswith(f"{folder}/") for path in files):
            yield folder
