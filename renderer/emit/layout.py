"""How a rendered overlay is cut into files: resources in, text by relative path out. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.emit.bounded_text import bounded_texts
from renderer.emit.file_path import file_paths
from renderer.model.file_pattern import PER_RESOURCE
from renderer.model.limits import limits
from renderer.model.resource import Resource
from renderer.model.resource_set import ResourceSet


def layout(resources: ResourceSet, pattern: str = PER_RESOURCE) -> Mapping[str, str]:
    """The text of every file by its path below the output folder (``/`` between its parts), sorted by path.

    ``pattern`` says which resource goes into which file (``file_path``); those that share one stand there in
    the order of the set. Raises ``DiagnosticError``: duplicate-id for resources that cannot be told apart,
    build-limit for too much text.
    """
    files: dict[str, list[Resource]] = {}
    for path, resource in zip(file_paths(resources, pattern), resources, strict=True):
        files.setdefault(path, []).append(resource)
    left = limits().output_size
    texts: dict[str, str] = {}
    for path in sorted(files):
        texts[path] = "---\n".join(bounded_texts(files[path], left))
        left -= len(texts[path])
    return texts
