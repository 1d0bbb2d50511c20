"""The generator ``git``: a set for each matching folder, or for each object in matching files.

Argo CD ``applicationset/generators/git.go``; files match as in ``git ls-files``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from renderer.files.file_system import FileSystem
from renderer.gitops.argocd.generators.context import SetContext, check_count, check_this_repository
from renderer.gitops.argocd.parameters import Parameters, SetError, decoded, flattened
from renderer.golang.glob import file_path_match, pathspec_match
from renderer.golang.template.text_functions import sanitized_name
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.yamlio.decode import decode_yaml11

_PARAMETER = re.compile(r"\{\{.*?\}\}")


def directory_sets(block: JsonObject, context: SetContext) -> list[Parameters]:
    """Return the sets in the order of a walk. Raises ``SetError``."""
    check_this_repository(block, context)
    entries = [object_at(each) for each in array_at(block, "directories")]
    found = (path for path in folders(context.fs) if _is_included(path, entries))
    values = object_at(block, "values")
    prefix = text_at(block, "pathParamPrefix")
    rendering = context.rendering
    return [
        rendering.with_values(values, path_parameters(path, prefix, go_template=rendering.go_template))
        for path in found
    ]


def matched_by(entry: Resource, paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths that ``directories`` of a git generator in the ApplicationSet ``entry`` match.

    Parameters in a pattern match any name.
    """
    blocks = list(_blocks(array_at(entry.content, "spec", "generators")))
    return tuple(path for path in paths if any(_is_included(path, block) for block in blocks))


def _blocks(generators: Iterable[Json]) -> Iterator[list[JsonObject]]:
    """Yield ``directories`` of each git generator, also of nested ones."""
    for generator in generators:
        for kind, block in object_at(generator).items():
            if kind == "git":
                listed = (object_at(each) for each in array_at(block, "directories"))
                yield [{**each, "path": _PARAMETER.sub("*", text_at(each, "path"))} for each in listed]
            else:
                yield from _blocks(array_at(block, "generators"))


def folders(fs: FileSystem, folder: str = ".") -> Iterator[str]:
    """Yield all folders below ``folder`` that are not hidden, each before its subfolders."""
    for name in fs.list(folder):
        path = name if folder == "." else f"{folder}/{name}"
        if not name.startswith(".") and fs.is_folder(path) and fs.resolve(path) == path:
            yield path
            yield from folders(fs, path)


def path_parameters(folder: str, prefix: str, *, go_template: bool, file: str = "") -> Parameters:
    """Return the template parameters for a folder, and for the ``file`` that was found in it."""
    base = folder.rsplit("/", 1)[-1]
    known: dict[str, object] = {"basename": base, "basenameNormalized": sanitized_name(base)}
    if file:
        known |= {"filename": file, "filenameNormalized": sanitized_name(file)}
    parts = folder.split("/")
    if go_template:
        path: object = {"path": folder, "segments": list(parts), **known}
        return {prefix: {"path": path}} if prefix else {"path": path}
    name = f"{prefix}.path" if prefix else "path"
    return {
        name: folder,
        **{f"{name}.{key}": value for key, value in known.items()},
        **{f"{name}[{index}]": part for index, part in enumerate(parts)},
    }


def _is_included(path: str, entries: list[JsonObject]) -> bool:
    """Return True if an entry includes the folder and none excludes it."""
    matching = [each for each in entries if file_path_match(text_at(each, "path"), path)]
    return bool(matching) and not any(each.get("exclude") is True for each in matching)


def file_sets(block: JsonObject, context: SetContext) -> list[Parameters]:
    """Return the sets in the order of the paths. Raises ``SetError``."""
    check_this_repository(block, context)
    entries = [object_at(each) for each in array_at(block, "files")]
    excluded = [_pattern(each) for each in entries if each.get("exclude") is True]
    included = [_pattern(each) for each in entries if each.get("exclude") is not True]
    found = sorted(
        path
        for path in files(context.fs)
        if any(pathspec_match(pattern, path) for pattern in included)
        and not any(pathspec_match(pattern, path) for pattern in excluded)
    )
    sets: list[Parameters] = []
    for path in found:
        sets += _file_parameters(path, block, context)
        check_count(len(sets))
    return sets


def files(fs: FileSystem, folder: str = ".") -> Iterator[str]:
    """Yield all files of the repository except Git's own."""
    for name in fs.list(folder):
        path = name if folder == "." else f"{folder}/{name}"
        if name == ".git":
            continue
        if fs.is_folder(path) and fs.resolve(path) == path:
            yield from files(fs, path)
        elif fs.is_file(path):
            yield path


def _pattern(entry: JsonObject) -> str:
    return posixpath.normpath(text_at(entry, "path") or ".") + (
        "/" if text_at(entry, "path").endswith("/") else ""
    )


def _file_parameters(path: str, block: JsonObject, context: SetContext) -> list[Parameters]:
    folder, name = posixpath.dirname(path) or ".", posixpath.basename(path)
    rendering = context.rendering
    about = path_parameters(
        folder, text_at(block, "pathParamPrefix"), go_template=rendering.go_template, file=name
    )
    sets: list[Parameters] = []
    for found in _objects(path, context.fs):
        values = decoded(found)
        assert isinstance(values, dict)  # noqa: S101 - a mapping stays one
        own: Parameters = values if rendering.go_template else dict(flattened(values))
        sets.append(rendering.with_values(object_at(block, "values"), {**own, **about}))
    return sets


def _objects(path: str, fs: FileSystem) -> list[JsonObject]:
    """Return the mapping in a file, or the mappings in its list. Raises ``SetError``."""
    try:
        found: Json = decode_yaml11(fs.read(path), path)
    except DiagnosticError as error:
        raise SetError(f"the git generator cannot read {path}: {error}") from None
    if found is None:
        return [{}]
    listed = list(found) if isinstance(found, list) else [found]
    objects = [each for each in listed if isinstance(each, dict)]
    if len(objects) < len(listed):
        raise SetError(f"{path}, which a git generator reads, is neither a mapping nor a list of mappings")
    return list(objects)
