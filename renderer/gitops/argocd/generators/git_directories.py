"""``git`` with ``directories``: a set for each folder that matches.

``generators/git.go``, GetGitDirectories.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.gitops.argocd.generators.context import SetContext, check_here
from renderer.gitops.argocd.names import sanitized_name
from renderer.gitops.argocd.parameters import Parameters
from renderer.model.glob import file_path_match
from renderer.model.json import JsonObject, array_at, object_at, text_at
from renderer.source.file_system import FileSystem


def directory_sets(block: JsonObject, context: SetContext) -> list[Parameters]:
    """Return the sets in the order of a walk. Raises ``SetError``."""
    check_here(block, context)
    wanted = [object_at(each) for each in array_at(block, "directories")]
    found = (path for path in folders(context.fs) if _is_wanted(path, wanted))
    values = object_at(block, "values")
    prefix = text_at(block, "pathParamPrefix")
    rendering = context.rendering
    return [
        rendering.with_values(values, path_parameters(path, prefix, go_template=rendering.go_template))
        for path in found
    ]


def folders(fs: FileSystem, folder: str = ".") -> Iterator[str]:
    """All folders below ``folder`` that are not hidden, each before those in it."""
    for name in fs.list(folder):
        path = name if folder == "." else f"{folder}/{name}"
        if not name.startswith(".") and fs.is_folder(path) and fs.resolve(path) == path:
            yield path
            yield from folders(fs, path)


def path_parameters(folder: str, prefix: str, *, go_template: bool, file: str = "") -> Parameters:
    """Return what templates learn of a folder, and of the ``file`` in it that was found."""
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


def _is_wanted(path: str, wanted: list[JsonObject]) -> bool:
    """Return whether an entry includes the folder, and none excludes it."""
    matching = [each for each in wanted if file_path_match(text_at(each, "path"), path)]
    return bool(matching) and not any(each.get("exclude") is True for each in matching)
