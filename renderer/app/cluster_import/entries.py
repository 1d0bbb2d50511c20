"""Write the objects by which Argo CD or Flux deploys what was imported, and add to them later."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from renderer.adopt.entry_objects import (
    DeployedTree,
    Engine,
    application_set,
    elements,
    flux_kustomizations,
)
from renderer.app.project import Project
from renderer.authoring.new_project.install_source import parse_address
from renderer.files.file_system import FilesAbove, present_content
from renderer.files.git import GitProcess
from renderer.golang.glob_table import GlobTable
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, text_at
from renderer.model.render_config import PROJECT_FILE, Overlay, OverlayEntry
from renderer.project.project import load_project
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.edit import add_elements
from renderer.yamlio.encode import encode

#: The address in an ApplicationSet if the repository has no remote.
UNKNOWN_REPOSITORY = "https://git.example.org/name/of-this-repository.git"
_ELEMENTS = FieldPath.of("spec", "generators", 0, "list", "elements")
_HEADS = {
    Engine.ARGO_CD: "# Written by vmrender import. Nothing syncs by itself: look, then sync by hand.\n",
    Engine.FLUX: "# Written by vmrender import. Suspended and without pruning: look, then resume.\n",
}


class _Repository(NamedTuple):
    """The address of the repository without credentials, and the folder of the project in it."""

    address: str = UNKNOWN_REPOSITORY
    folder: str = ""


class EntryFiles(NamedTuple):
    """The files by path, and the folders with pins in which nothing applies the pins before the machines."""

    files: Mapping[str, bytes]
    unordered: tuple[str, ...] = ()


def entry_files(
    project: Project,
    engine: Engine,
    output: str,
    project_file: bytes,
    folders: Mapping[str, bool],
) -> EntryFiles:
    """Return the file with the entry objects of an import.

    ``folders`` are the imported folders; True for those with pins. An existing file gets what it lacks.
    Raises ``DiagnosticError``: edit-refused.
    """
    config = load_project(FilesAbove({PROJECT_FILE: project_file}, project.fs))
    repository = _repository(project)
    by_depth: dict[int, list[tuple[list[str], OverlayEntry]]] = {}
    for each in config.overlays:
        names = posixpath.normpath(each.path).split("/")
        by_depth.setdefault(len(names), []).append((names, each))
    tables = {depth: GlobTable(found, "finding the entries of folders") for depth, found in by_depth.items()}
    trees: list[DeployedTree] = []
    in_waves: set[str] = set()
    for folder, has_pins in sorted(folders.items()):
        names = folder.split("/")
        entries = tables[len(names)].matching(names) if len(names) in tables else ()
        if entries:
            overlay: Overlay = config.overlay(entries[-1], folder, posixpath.basename(folder))
            tree = posixpath.join(repository.folder, overlay.output)
            trees.append(DeployedTree(overlay.name, tree, has_pins))
            in_waves |= {overlay.name} if overlay.tree.sync_waves else set()
    name = "vms" if output == "overlays" else output.replace("/", "-")
    path = f"{engine.value}/{name}.yaml"
    present = present_content(project.fs, path)
    if not trees:
        return EntryFiles({})
    if engine is Engine.FLUX:
        return _with_kustomizations(present, path, name, trees)
    unordered = tuple(each.name for each in trees if each.has_pins and each.name not in in_waves)
    if present is None:
        made = application_set(name, repository.address, trees)
        return EntryFiles({path: (_HEADS[engine] + encode([made])).encode()}, unordered)
    return EntryFiles({path: add_elements(present, path, _ELEMENTS, "path", elements(trees))}, unordered)


def _with_kustomizations(
    present: bytes | None, path: str, name: str, trees: Sequence[DeployedTree]
) -> EntryFiles:
    """Return the file with the Kustomizations that it lacks, at its end.

    One that exists stays as it is. If its tree has pins only now, nothing orders them.
    """
    if present is None:
        made = encode([each for found in flux_kustomizations(name, trees) for each in found])
        return EntryFiles({path: (_HEADS[Engine.FLUX] + made).encode()})
    known = {text_at(each, "metadata", "name") for each in decode_documents(present, path)}
    missing: list[JsonObject] = []
    unordered: list[str] = []
    for tree, (*pins, own) in zip(trees, flux_kustomizations(name, trees), strict=True):
        if text_at(own, "metadata", "name") not in known:
            missing += [*pins, own]
        elif any(text_at(each, "metadata", "name") not in known for each in pins):
            unordered.append(tree.name)
    if not missing:
        return EntryFiles({path: present}, tuple(unordered))
    end = b"" if present.endswith(b"\n") else b"\n"
    return EntryFiles({path: present + end + b"---\n" + encode(missing).encode()}, tuple(unordered))


def _repository(project: Project) -> _Repository:
    """Return the repository, its address from ``origin``, without a password."""
    try:
        git = GitProcess(project.root, project.environment)
        origin = git.origin()
    except DiagnosticError:  # git is missing, or the folder is not in a repository
        return _Repository()
    try:
        address = parse_address(origin).url
    except ValueError:
        address = UNKNOWN_REPOSITORY
    folder = project.root.relative_to(git.top).as_posix() if git.top else ""
    return _Repository(address, "" if folder == "." else folder)
