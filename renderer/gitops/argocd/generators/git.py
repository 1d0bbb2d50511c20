"""The generator ``git``: a set for each matching folder, or for each object in matching files.

Argo CD ``applicationset/generators/git.go``; files match as in ``git ls-files``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from renderer.files.file_system import folder_of
from renderer.gitops.argocd.generators.context import SetContext, check_count, check_this_repository
from renderer.gitops.argocd.generators.repository_tree import count_match
from renderer.gitops.argocd.parameters import Parameters, decoded, flattened
from renderer.golang.glob import path_glob
from renderer.golang.template.text_functions import sanitized_name
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource


def directory_sets(block: JsonObject, context: SetContext) -> list[Parameters]:
    """Return the sets in the order of a walk. Raises ``SetError``."""
    check_this_repository(block, context)
    included, excluded = set[str](), set[str]()
    for entry in map(object_at, array_at(block, "directories")):
        (excluded if entry.get("exclude") is True else included).update(
            context.tree.folders(text_at(entry, "path"))
        )
    found = context.tree.in_order_of_a_walk(included - excluded)
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
                yield [{**each, "path": _with_stars(text_at(each, "path"))} for each in listed]
            else:
                yield from _blocks(array_at(block, "generators"))


def _with_stars(pattern: str) -> str:
    """Return the pattern with a star in place of each parameter."""
    parts: list[str] = []
    at = 0
    while (start := pattern.find("{{", at)) >= 0 and (end := pattern.find("}}", start)) >= 0:
        parts += (pattern[at:start], "*")
        at = end + 2
    return "".join((*parts, pattern[at:]))


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
    matching = [each for each in entries if _matches(text_at(each, "path"), path)]
    return bool(matching) and not any(each.get("exclude") is True for each in matching)


def _matches(pattern: str, path: str) -> bool:
    glob = path_glob(pattern)
    count_match(glob, path)
    return glob is not None and glob.matches(path)


def file_sets(block: JsonObject, context: SetContext) -> list[Parameters]:
    """Return the sets in the order of the paths. Raises ``SetError``."""
    check_this_repository(block, context)
    included, excluded = set[str](), set[str]()
    for entry in map(object_at, array_at(block, "files")):
        (excluded if entry.get("exclude") is True else included).update(context.tree.files(_pattern(entry)))
    found = sorted(included - excluded)
    sets: list[Parameters] = []
    for path in found:
        sets += _file_parameters(path, block, context)
        check_count(len(sets))
    return sets


def _pattern(entry: JsonObject) -> str:
    return posixpath.normpath(text_at(entry, "path") or ".") + (
        "/" if text_at(entry, "path").endswith("/") else ""
    )


def _file_parameters(path: str, block: JsonObject, context: SetContext) -> list[Parameters]:
    folder, name = folder_of(path), posixpath.basename(path)
    rendering = context.rendering
    about = path_parameters(
        folder, text_at(block, "pathParamPrefix"), go_template=rendering.go_template, file=name
    )
    sets: list[Parameters] = []
    for found in context.tree.objects(path):
        values = decoded(found)
        assert isinstance(values, dict)  # noqa: S101 - a mapping stays one
        own: Parameters = values if rendering.go_template else dict(flattened(values))
        sets.append(rendering.with_values(object_at(block, "values"), {**own, **about}))
    return sets
