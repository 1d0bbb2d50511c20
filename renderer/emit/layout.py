"""How a rendered overlay is cut into files: resources in, text by relative path out. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.emit.file_path import file_paths
from renderer.model.file_pattern import PER_RESOURCE
from renderer.model.resource import Resource
from renderer.model.resource_set import ResourceSet
from renderer.yamlio.encode import encode


def layout(resources: ResourceSet, pattern: str = PER_RESOURCE) -> Mapping[str, str]:
    """The text of every file by its path below the output folder (``/`` between its parts), sorted by path.

    ``pattern`` says which resource goes into which file (``file_path``); those that share one stand there in
    the order of the set. Raises ``DiagnosticError``: duplicate-id for resources that cannot be told apart.
    """
    files: dict[str, list[Resource]] = {}
    for path, resource in zip(file_paths(resources, pattern), resources, strict=True):
        files.setdefault(path, []).append(resource)
    return {path: encode(resource.content for resource in files[path]) for path in sorted(files)}
