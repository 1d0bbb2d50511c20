"""Find the objects of a cluster that Git has already: an import leaves them as they are."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from shlex import quote

from renderer.adopt.dump.sources import SourceObject
from renderer.app.project import Project
from renderer.checks.rules.inventory import Inventory
from renderer.files.file_system import EditedFiles, FileSystem, is_inside
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.render_config import ExpandMode
from renderer.model.run.work import in_turn
from renderer.pipeline import Pipeline
from renderer.pipeline.missing_references import MOUNTED
from renderer.yamlio.decode import decode_documents


class ExistingSources(Record):
    """The sources in Git; paths are relative to the output folder of an import.

    ``files`` has the file that each object comes from, by its identity, and ``inventory`` the Secrets and
    ConfigMaps that other objects create. ``elsewhere`` has the overlay of each object that comes from
    elsewhere than the output folder. ``folders`` are the folders with a kustomization, ``broken`` those that
    cannot be composed, and ``modes`` has the expand mode of each that is an overlay of the project.
    """

    files: Mapping[ObjectKey, str]
    inventory: Inventory
    elsewhere: Mapping[ObjectKey, str]
    folders: frozenset[str]
    broken: frozenset[str]
    modes: Mapping[str, ExpandMode]
    findings: tuple[Diagnostic, ...]

    def file_of(self, content: JsonObject) -> str | None:
        """Return the file that an object comes from; None if Git does not have the object.

        It is empty if another object creates it, such as a SealedSecret.
        """
        key = object_key(content)
        _, kind, namespace, name = key
        is_created = kind in MOUNTED and self.inventory.has(kind, name, namespace)
        return self.files.get(key, "" if is_created else None)

    def folder_of(self, content: JsonObject) -> str | None:
        """Return the folder of the file that an object comes from; None if Git does not have the object."""
        file = self.file_of(content)
        return None if file is None else posixpath.dirname(file)


def object_key(content: JsonObject) -> ObjectKey:
    """Return the identity of an object of which only the content is known."""
    return Resource(content, Site("")).object_key


def read_existing(
    project: Project, output: str, cluster: str = "", *, everywhere: bool = False
) -> ExistingSources:
    """Read the objects below the folder ``output``, and in the other overlays of ``cluster``.

    With ``everywhere``, also in all other overlays of the project.

    Folders are composed as kustomize does, so an object is found after it was moved to another file, base or
    generator. If a folder cannot be composed, the objects in the files that it lists count. Raises
    ``DiagnosticError`` if the project's overlays cannot be found.
    """
    fs = project.fs
    graph = KustomizationGraph(fs)
    overlays = project.overlays()
    listed = {overlay.path: overlay for overlay in overlays if overlay.entry is None}
    folders = _composable_folders(fs, graph, output, listed)
    others = [
        overlay
        for overlay in overlays
        if overlay.path not in folders
        and (everywhere or is_inside(overlay.path, output) or (cluster and overlay.cluster == cluster))
    ]
    pipeline = Pipeline(fs, project.config)
    outcomes = {folder: pipeline.compose(folder) for folder in folders}
    outcomes |= {overlay.path: pipeline.compose_overlay(overlay) for overlay in in_turn(others)}
    files: dict[ObjectKey, str] = {}
    elsewhere: dict[ObjectKey, str] = {}
    resources: list[Resource] = []
    for folder, composed in outcomes.items():
        found = list(_listed_objects(fs, graph, folder) if composed.failed else composed.value)
        resources += found
        for each in found:
            key = each.object_key
            group, kind, namespace, name = key
            file = posixpath.relpath(each.origin.path or folder, output)
            # An object without a namespace gets the one that its folder is named after when it is applied.
            for known in (key,) if namespace else (key, (group, kind, posixpath.basename(folder), name)):
                files.setdefault(known, file)
                if not is_inside(folder, output):
                    elsewhere.setdefault(known, folder)
    broken = [folder for folder, composed in outcomes.items() if composed.failed]
    return ExistingSources(
        files=files,
        inventory=Inventory(resources, ()),
        elsewhere=elsewhere,
        folders=frozenset(posixpath.relpath(folder, output) for folder in folders),
        broken=frozenset(posixpath.relpath(folder, output) for folder in broken),
        modes={
            posixpath.relpath(folder, output): listed[folder].expand for folder in folders if folder in listed
        },
        findings=tuple(map(_cannot_be_built, broken)),
    )


def _composable_folders(
    fs: FileSystem, graph: KustomizationGraph, output: str, listed: Iterable[str]
) -> list[str]:
    """Return the folders in ``output``, and the ``listed`` ones below it, that have a kustomization."""
    present = (posixpath.join(output, name) for name in (fs.list(output) if fs.is_folder(output) else ()))
    inside = {path for path in (*present, *listed) if is_inside(path, output) and path != output}
    return sorted(
        path
        for path in inside
        if fs.is_folder(path) and (links := graph.links(path)) is not None and not links.is_component
    )


def _cannot_be_built(folder: str) -> Diagnostic:
    return Diagnostic.in_file(
        folder,
        Code.NOT_CHECKED,
        f"{folder} cannot be built: of its objects, only those in the files that it lists count",
        f"vmrender build {quote(folder)} says why",
        severity=Severity.WARNING,
    )


def check_additions(
    project: Project,
    output: str,
    existing: ExistingSources,
    objects: Iterable[SourceObject],
    files: Mapping[str, bytes],
) -> None:
    """Check that existing folders render the objects that are added to them under their own names.

    Raises ``DiagnosticError``: edit-refused for a folder that renders an object under another name, and the
    errors of a folder that could be built before.
    """
    added: dict[str, list[SourceObject]] = {}
    for each in objects:
        if not each.is_placeholder and each.folder in existing.folders - existing.broken:
            added.setdefault(each.folder, []).append(each)
    edited = EditedFiles({posixpath.join(output, path): text for path, text in files.items()}, project.fs)
    pipeline = Pipeline(edited, project.config)
    for folder, found in added.items():
        place = posixpath.join(output, folder)
        composed = pipeline.compose(place)
        if composed.failed:
            raise DiagnosticError(*composed.diagnostics)
        present = {each.object_key for each in composed.value}
        for each in found:
            name = each.resource.current_id
            if name.object_key not in present:
                raise Diagnostic.in_file(
                    place,
                    Code.EDIT_REFUSED,
                    f"{place} would render {name} under another name or not at all: its kustomization changes"
                    " or removes what it lists",
                    "nothing was written; import into another folder with --output, or write it by hand",
                ).error()


def _listed_objects(fs: FileSystem, graph: KustomizationGraph, folder: str) -> Iterator[Resource]:
    """Yield the objects in the files that a kustomization, or one that it uses, lists."""
    for path in sorted(graph.files(folder)):
        try:
            documents = decode_documents(fs.read(path), path)
        except DiagnosticError:
            continue
        for document in map(object_at, documents):
            if text_at(document, "kind") and text_at(document, "metadata", "name"):
                yield Resource(document, Site(path))
