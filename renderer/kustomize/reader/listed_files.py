"""Load the files that the configuration of a generator lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from renderer.files.file_system import FileSystem
from renderer.kustomize.reader.entry_loader import EntryLoader
from renderer.kustomize.reader.find_kustomization import LoadRestrictor
from renderer.kustomize.reader.source_files import SourceFiles
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource
from renderer.model.run.taint import taint_texts
from renderer.model.source_tree import KustomizationRoot, ListedFile, ListedFiles
from renderer.model.vmrender_api import TEMPLATE, VMRENDER_GROUP, VMRENDER_VERSION

#: The paths that a configuration lists, each with the field that contains it.
_Paths: TypeAlias = Callable[[Resource], Iterator[tuple[str, Site]]]


def listed_files(configuration: Resource, entries: EntryLoader) -> ListedFiles:
    """Return the files that a configuration lists, by their paths as written.

    Paths are relative to the kustomization, like all paths in it. Raises: file-not-found, file-outside-root,
    file-unreadable, unsupported-field.
    """
    paths = _PATHS.get(configuration.gvk)
    files: dict[str, ListedFile] = {}
    findings: list[Diagnostic] = []
    for path, site in paths(configuration) if paths else ():
        try:
            files[path] = entries.file(path, site)
        except DiagnosticError as error:
            findings += error.diagnostics
    if findings:
        # What the files would make of the values is unknown; it may be a Secret.
        taint_texts([object_at(configuration.content, "spec").get(key) for key in ("values", "matrix")])
        raise DiagnosticError(*findings)
    return files


def _template_paths(configuration: Resource) -> Iterator[tuple[str, Site]]:
    """Yield the files of a Template; values that are not paths are left to its reader, which reports them."""
    template = text_at(configuration.content, "spec", "template")
    if template:
        yield template, configuration.origin.below("spec", "template")
    for index, entry in enumerate(array_at(configuration.content, "spec", "valuesFrom")):
        path = text_at(entry, "file")
        if path:
            yield path, configuration.origin.below("spec", "valuesFrom", index, "file")


_PATHS: Mapping[Gvk, _Paths] = {Gvk(VMRENDER_GROUP, VMRENDER_VERSION, TEMPLATE): _template_paths}


def function_files(fs: FileSystem, folder: str, config: Resource) -> ListedFiles:
    """Return the files that the configuration of a KRM function lists, by their paths as written.

    Paths are relative to ``folder`` and stay inside it. Raises ``DiagnosticError``: file-not-found,
    file-outside-root, file-unreadable, unsupported-field.
    """
    files = SourceFiles(fs, LoadRestrictor.ROOT_ONLY)
    return listed_files(config, EntryLoader(files, folder, config.origin, _refuse_folder))


def _refuse_folder(folder: str, site: Site) -> KustomizationRoot:
    raise NotImplementedError(f"no generator lists folders, but {site} lists {folder}")
