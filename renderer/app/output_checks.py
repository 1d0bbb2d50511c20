"""Check that the trees of overlays can be written to the outputs of the project.

``render`` refuses the others. ``validate`` asks the same, so that it does not accept what ``render`` refuses.
"""

from __future__ import annotations

import posixpath
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from renderer.app.project import Project
from renderer.emit.bounded_text import unwritable_texts
from renderer.emit.layout import file_paths
from renderer.emit.output_folder import OutputFolder, check_outputs
from renderer.files.work_tree import WorkTree
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.diagnostic import Diagnostic, DiagnosticError, has_errors
from renderer.model.entry_point import EntryKind
from renderer.model.kube.location import BUILTIN_SCHEME
from renderer.model.kube.resource import ResourceSet
from renderer.model.render_config import Overlay
from renderer.project.overlays import output_sites


def output_errors(
    project: Project,
    overlays: Collection[Overlay],
    every: Collection[Overlay],
    graph: KustomizationGraph,
    folders: Iterable[str],
) -> Mapping[str, tuple[Diagnostic, ...]]:
    """Return the errors about outputs that overlap each other or an input, or differ from the commit.

    They are about the outputs of ``overlays``, which are some of ``every`` overlay of the project.
    ``folders`` are folders that were read as kustomizations.
    """
    outputs = {overlay.output: output_sites(overlay) for overlay in (*every, *overlays)}
    overlapping = check_outputs(outputs, _inputs(project, every, graph, folders))
    work_tree = WorkTree(project.root, project.environment)
    asked = dict.fromkeys(overlay.output for overlay in overlays)
    found = {each: (*overlapping.get(each, ()), *work_tree.differing(each)) for each in asked}
    return {output: errors for output, errors in found.items() if errors}


def place_errors(project: Project, overlay: Overlay) -> Iterator[Diagnostic]:
    """Yield the errors about an output outside the repository, behind a link or in a hidden folder."""
    try:
        OutputFolder.locate(project.root, overlay.output)
    except DiagnosticError as error:
        for found in error.diagnostics:
            yield found._replace(sites=output_sites(overlay))


def file_errors(overlay: Overlay, resources: ResourceSet) -> tuple[Diagnostic, ...]:
    """Return the errors about resources that cannot be files: without a path of their own, or a text."""
    try:
        file_paths(resources, overlay.files)
    except DiagnosticError as error:
        return error.diagnostics
    return tuple(unwritable_texts(resources))


def _inputs(
    project: Project, overlays: Iterable[Overlay], graph: KustomizationGraph, folders: Iterable[str]
) -> set[str]:
    """Return the files and folders that overlays are built from.

    A folder around an output is left out if its kustomization lists nothing: a build of it has no outputs.
    """
    every = tuple(overlays)
    outputs = sorted(f"{posixpath.normpath(overlay.output)}/" for overlay in every)
    used = graph.reached((each.path for each in every if each.entry is None), folders)
    inputs = {folder for folder in used if not _is_around(folder, outputs) or not graph.lists_nothing(folder)}
    inputs |= {
        path
        for path in (*project.config.catalog_folders(), *project.config.schemas)
        if not path.startswith(BUILTIN_SCHEME)
    }
    for overlay in every:
        point = overlay.entry
        if point is None or point.options.kind is EntryKind.KUSTOMIZATION:
            continue
        if has_errors(point.notes):  # not built, perhaps since it reads a tree
            continue
        inputs |= {overlay.listed_as, *point.folders}
    return inputs


def _is_around(folder: str, outputs: Sequence[str]) -> bool:
    """Return True if the folder has one of ``outputs`` in it, which end in a slash and are sorted."""
    if folder == ".":
        return True
    following = bisect_right(outputs, f"{folder}/")
    return following < len(outputs) and outputs[following].startswith(f"{folder}/")
