"""Files in a rendered tree that vmrender did not write, and that change what an engine applies of it.

Flux and Argo CD build a folder with a kustomization, and look at nothing else in it (``fluxcd/pkg/kustomize``
``generator.go``; argo-cd ``reposerver/repository.go`` GetAppSourceType). Flux leaves out what a
``.sourceignore`` matches.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator

from renderer.files.file_system import FileSystem, folder_of, is_inside, join_path
from renderer.gitops.flux.artifact import SourceIgnore, read_patterns
from renderer.kustomize.reader.kustomization_graph import folders_above
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.engines import SOURCE_IGNORE, is_about_its_folder, is_read_by_engines
from renderer.model.kube.json import array_at, object_at
from renderer.model.kustomization import KUSTOMIZATION_FILES, is_kustomization_file
from renderer.model.plural import listed, plural
from renderer.yamlio.decode import decode_yaml11

#: Any other field of a kustomization changes what it lists.
_HARMLESS_FIELDS = frozenset({"apiVersion", "kind", "metadata", "resources", "sortOptions"})
_MOST_NAMES = 3


def foreign_file_findings(
    fs: FileSystem, output: str, foreign: Iterable[str], written: Collection[str]
) -> Iterator[Diagnostic]:
    """Yield a finding for each file in the tree ``output`` by which an engine applies something else.

    Both are paths in the tree: vmrender wrote the files in ``written``, and not those in ``foreign``. If an
    engine does not apply what vmrender wrote, it is an error; if it applies more, a warning.
    """
    foreign = sorted(foreign)
    built: dict[str, int] = {}  # the number of kustomizations by folder; an engine builds such a folder
    for path in (*foreign, *written):
        if is_kustomization_file(path):
            built[folder_of(path)] = built.get(folder_of(path), 0) + 1
    for path in foreign:
        name, folder = posixpath.basename(path), folder_of(path)
        if name == SOURCE_IGNORE:
            yield from _of_source_ignore(fs, output, path, written)
        elif built.keys() & {*folders_above(path)} - {folder}:
            continue  # it is read only if the kustomization above lists it
        elif name in KUSTOMIZATION_FILES:
            yield from _of_kustomization(fs, output, path, written, is_alone=built[folder] == 1)
        elif folder == "." and is_about_its_folder(name):
            message = f"vmrender did not write {path}, by which Argo CD applies something else than the tree"
            yield _finding(output, path, message, "move it out of the rendered tree")
        elif folder not in built:
            message = f"vmrender did not write {path}, but it would be applied with the rest of {output}"
            hint = "make it a resource of the overlay, or move it out of the rendered tree"
            yield _finding(output, path, message, hint, Severity.WARNING)


def _of_source_ignore(
    fs: FileSystem, output: str, path: str, written: Collection[str]
) -> Iterator[Diagnostic]:
    text = fs.read(f"{output}/{path}").decode(errors="replace")
    ignore = SourceIgnore(read_patterns(text, posixpath.dirname(f"{output}/{path}")))
    left_out = sum(ignore.ignores(f"{output}/{each}") for each in written)
    if left_out:
        message = (
            f"vmrender did not write {path}, which keeps {plural(left_out, 'file')} of the tree from Flux"
        )
        yield _finding(output, path, message, "remove it: Flux deletes the objects that it no longer sees")


def _of_kustomization(
    fs: FileSystem, output: str, path: str, written: Collection[str], *, is_alone: bool
) -> Iterator[Diagnostic]:
    """Yield a finding unless the kustomization lists each file of its folder, and does nothing else."""
    folder = folder_of(path)
    try:
        content = object_at(decode_yaml11(fs.read(f"{output}/{path}"), path))
    except DiagnosticError:
        content = {}
    resources = {join_path(folder, each) for each in array_at(content, "resources") if isinstance(each, str)}
    own = {each for each in written if is_inside(each, folder) and is_read_by_engines(each)}
    if not is_alone or content.keys() - _HARMLESS_FIELDS or own - resources:
        message = f"vmrender did not write {path}, and an engine applies what it makes instead of the tree"
        hint = "make what it adds a part of the overlay, and remove it"
        yield _finding(output, path, message, hint)
    elif more := sorted(resources - own):
        message = f"vmrender did not write {path}, by which {listed(more, _MOST_NAMES)} would be applied, too"
        hint = "make it a resource of the overlay, and remove it from the list"
        yield _finding(output, path, message, hint, Severity.WARNING)


def _finding(
    output: str, path: str, message: str, hint: str, severity: Severity = Severity.ERROR
) -> Diagnostic:
    return Diagnostic.in_file(f"{output}/{path}", Code.FOREIGN_FILE, message, hint, severity=severity)
