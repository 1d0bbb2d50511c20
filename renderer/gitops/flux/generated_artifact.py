"""The artifacts that an ArtifactGenerator copies from other sources, for Kustomizations.

fluxcd/source-watcher ``internal/builder/builder.go``: applyCopyOperation, calculateGlobDestination.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from renderer.files.file_system import normal_path
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource

GENERATOR_GROUP = "source.extensions.fluxcd.io"
EXTERNAL_ARTIFACT = "ExternalArtifact"
#: What the destination of each copy of a generator begins with.
DESTINATION = "@artifact/"
_GLOB = frozenset("*?[]{}")
#: Files that no build reads; a copy that leaves them out is as good as a whole one.
_NO_MANIFESTS = (".md", ".txt", ".png", ".svg")


class CopiedFolder(NamedTuple):
    """The origin of a folder of an artifact: the source, as kind, namespace and name, and its path there."""

    source: tuple[str, str, str]
    folder: str


class _Copy(NamedTuple):
    """``folder`` of the source ``alias`` is copied to ``target``.

    ``is_whole`` is False if only some files are copied, or if they are changed.
    """

    alias: str
    folder: str
    target: str
    is_whole: bool


def copied_folder(
    generators: Iterable[Resource],
    namespace: str,
    name: str,
    path: str,
    is_folder: Callable[[str], bool],
) -> CopiedFolder | None:
    """Return what the folder ``path`` of an artifact is copied from; None if it is not a copy of one folder.

    ``is_folder`` tests whether a path exists as a folder in the repository.
    """
    for generator in generators:
        for artifact in array_at(generator.content, "spec", "artifacts"):
            if generator.namespace == namespace and text_at(artifact, "name") == name:
                return _copied_folder(generator, object_at(artifact), path, is_folder)
    return None


def _copied_folder(
    generator: Resource, artifact: JsonObject, path: str, is_folder: Callable[[str], bool]
) -> CopiedFolder | None:
    wanted = normal_path(path)
    found: set[tuple[str, str]] = set()
    for copy in _copies(artifact, is_folder):
        inside = _relative(wanted, copy.target)
        below = _relative(copy.target, wanted)
        if inside is None and below is None:
            continue
        if not copy.is_whole:
            return None
        if inside is not None:
            found.add((copy.alias, posixpath.normpath(posixpath.join(copy.folder, inside))))
        else:  # the copy makes a folder below; it must be the same one in the source
            above = _without_end(copy.folder, below or ".")
            if above is None:
                return None
            found.add((copy.alias, above))
    if len(found) != 1:
        return None
    [(alias, folder)] = found
    for source in array_at(generator.content, "spec", "sources"):
        if text_at(source, "alias") == alias:
            key = text_at(source, "kind"), text_at(source, "namespace") or generator.namespace
            return CopiedFolder((*key, text_at(source, "name")), folder)
    return None


def _copies(artifact: JsonObject, is_folder: Callable[[str], bool]) -> Iterator[_Copy]:
    for written in array_at(artifact, "copy"):
        copy = object_at(written)
        alias, _, pattern = text_at(copy, "from").removeprefix("@").partition("/")
        target = normal_path(text_at(copy, "to").removeprefix(DESTINATION))
        left_out = [each for each in array_at(copy, "exclude") if isinstance(each, str)]
        is_whole = text_at(copy, "strategy") in ("", "Overwrite") and all(
            each.endswith(_NO_MANIFESTS) for each in left_out
        )
        folder = "." if pattern == "**" else pattern.removesuffix("/**")
        if _GLOB & set(folder):
            yield _Copy(alias, ".", target, is_whole=False)
        elif pattern == "**" or pattern.endswith("/**"):
            yield _Copy(alias, normal_path(folder), target, is_whole)
        elif is_folder(normal_path(pattern)):  # the folder itself, as by ``cp -r``
            name = posixpath.basename(normal_path(pattern))
            yield _Copy(alias, normal_path(pattern), normal_path(posixpath.join(target, name)), is_whole)
        else:
            yield _Copy(alias, normal_path(pattern), target, is_whole=False)


def _relative(path: str, folder: str) -> str | None:
    """Return the path from ``folder`` to ``path``; None if it is not inside."""
    if path == folder:
        return "."
    if folder == ".":
        return path
    return path[len(folder) + 1 :] if path.startswith(f"{folder}/") else None


def _without_end(path: str, end: str) -> str | None:
    """Return the folder in which ``end`` is ``path``; None if the path does not end so."""
    if path == end:
        return "."
    return path.removesuffix(f"/{end}") if path.endswith(f"/{end}") else None
