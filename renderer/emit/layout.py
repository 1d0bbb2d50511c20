"""How a rendered overlay is cut into files: resources in, text by relative path out. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.emit.file_path import file_paths
from renderer.model.render_config import Layout
from renderer.model.resource_set import ResourceSet
from renderer.yamlio.encode import encode

BUNDLE = "manifests.yaml"


def layout(resources: ResourceSet, layout: Layout) -> Mapping[str, str]:
    """The text of every file by its path below the output folder (``/`` between its parts), sorted by path.

    ``per-resource`` gives each resource its own file (``file_path``), ``bundle`` gives all of them one,
    ``manifests.yaml``, in the order of the set; a set without resources gives no file.
    Raises ``DiagnosticError``: duplicate-id for two resources that cannot be told apart.
    """
    if layout is Layout.BUNDLE:
        return {BUNDLE: encode(resource.content for resource in resources)} if len(resources) else {}
    paths = file_paths(resources)
    texts = {path: encode([resource.content]) for path, resource in zip(paths, resources, strict=True)}
    return dict(sorted(texts.items()))
