"""``git`` with ``files``: a set for each object in files that match.

``generators/git.go``, ``git ls-files``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from renderer.gitops.argocd.generators.context import SetContext, check_count, check_here
from renderer.gitops.argocd.generators.git_directories import path_parameters
from renderer.gitops.argocd.parameters import Parameters, SetError, flattened
from renderer.gitops.gotemplate.values import decoded
from renderer.model.diagnostic import DiagnosticError
from renderer.model.glob import pathspec_match
from renderer.model.json import Json, JsonObject, array_at, object_at, text_at
from renderer.source.file_system import FileSystem
from renderer.yamlio.decode import decode_yaml11


def file_sets(block: JsonObject, context: SetContext) -> list[Parameters]:
    """Return the sets in the order of the paths. Raises ``SetError``."""
    check_here(block, context)
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
    """All files of the repository but those of Git itself."""
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
        assert isinstance(values, dict)  # noqa: S101 - the decoded form of a mapping is one
        own: Parameters = values if rendering.go_template else dict(flattened(values))
        sets.append(rendering.with_values(object_at(block, "values"), {**own, **about}))
    return sets


def _objects(path: str, fs: FileSystem) -> list[JsonObject]:
    """The mapping in a file, or those in its list. Raises ``SetError``."""
    try:
        found: Json = decode_yaml11(fs.read(path), path)
    except DiagnosticError as error:
        raise SetError(f"the git generator cannot read {path}: {error}") from None
    if found is None:
        return [{}]
    listed = list(found) if isinstance(found, list) else [found]
    objects = [each for each in listed if isinstance(each, dict)]
    if len(objects) < len(listed):
        raise SetError(f"{path}, which a git generator reads, is no mapping and no list of mappings")
    return list(objects)
