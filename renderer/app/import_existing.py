"""What Git already has of a cluster: an import adds to it, and leaves the rest as it is."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from renderer.app.project import Project
from renderer.files.file_system import FileSystem, is_inside
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.render_config import ExpandMode
from renderer.pipeline import Pipeline
from renderer.yamlio.decode import decode_documents


class ExistingSources(Record):
    """The sources below the output folder of an import; paths are relative to that folder.

    ``files`` has the file that each object comes from, by its identity. ``folders`` are the folders with a
    kustomization, and ``modes`` has the expand mode of each that is an overlay of the project. ``findings``
    name the folders that cannot be composed.
    """

    files: Mapping[ObjectKey, str] = MappingProxyType({})
    folders: frozenset[str] = frozenset()
    modes: Mapping[str, ExpandMode] = MappingProxyType({})
    findings: tuple[Diagnostic, ...] = ()

    def file_of(self, content: JsonObject) -> str | None:
        """Return the file that an object comes from; None if Git does not have the object."""
        return self.files.get(Resource(content, Site("")).current_id.object_key)

    def folder_of(self, content: JsonObject) -> str | None:
        """Return the folder of the file that an object comes from; None if Git does not have the object."""
        file = self.file_of(content)
        return None if file is None else posixpath.dirname(file)


def read_existing(project: Project, output: str) -> ExistingSources:
    """Read the sources below the folder ``output``.

    A folder counts as composed by kustomize, so an object is found in whatever file, base or generator it has
    been moved to. Of a folder that cannot be composed, the files that it lists count. Raises
    ``DiagnosticError`` for a project whose overlays cannot be found.
    """
    fs = project.fs
    graph = KustomizationGraph(fs)
    listed = {overlay.path: overlay.expand for overlay in project.overlays() if overlay.entry is None}
    present = (posixpath.join(output, name) for name in (fs.list(output) if fs.is_folder(output) else ()))
    inside = {path for path in (*present, *listed) if is_inside(path, output) and path != output}
    folders = sorted(
        path
        for path in inside
        if fs.is_folder(path) and (links := graph.links(path)) is not None and not links.is_component
    )
    pipeline = Pipeline(fs, project.config)
    files: dict[ObjectKey, str] = {}
    findings: list[Diagnostic] = []
    for folder in folders:
        composed = pipeline.compose(folder)
        resources: Iterable[Resource] = composed.value
        if composed.failed:
            resources = _listed_objects(fs, graph, folder)
            message = f"{folder} cannot be built: of its objects, only those in the files that it lists count"
            hint = f"vmrender build {folder} says why"
            warning = Diagnostic.in_file(folder, Code.NOT_CHECKED, message, hint, severity=Severity.WARNING)
            findings.append(warning)
        for each in resources:
            group, kind, namespace, name = each.current_id.object_key
            file = posixpath.relpath(each.origin.path or folder, output)
            files.setdefault((group, kind, namespace, name), file)
            if not namespace:  # whoever applies the folder gives it one, which names the folder
                files.setdefault((group, kind, posixpath.basename(folder), name), file)
    return ExistingSources(
        files,
        frozenset(posixpath.relpath(folder, output) for folder in folders),
        {posixpath.relpath(folder, output): listed[folder] for folder in folders if folder in listed},
        tuple(findings),
    )


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
