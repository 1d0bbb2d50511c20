"""Annotations and labels that ``buildMetadata`` adds (kustomize ``api/resource/origin.go``)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from renderer.kustomize.values import is_bare_text
from renderer.model.kube.json import object_at, with_value, without
from renderer.model.kube.resource import Resource
from renderer.model.provenance import ConfiguredBy

ORIGIN_ANNOTATIONS = "originAnnotations"
TRANSFORMER_ANNOTATIONS = "transformerAnnotations"
MANAGED_BY_LABEL = "managedByLabel"

_ORIGIN = "config.kubernetes.io/origin"
_TRANSFORMATIONS = "alpha.config.kubernetes.io/transformations"
_MANAGED_BY = "app.kubernetes.io/managed-by"
#: The keys that are added.
BUILD_METADATA_KEYS = frozenset({_ORIGIN, _TRANSFORMATIONS, _MANAGED_BY})
#: The kustomize release whose rules apply here; it is part of the output.
_MANAGER = "kustomize-v5.8.1"


def with_generator(resource: Resource, generator: ConfiguredBy) -> Resource:
    """Return the resource with its generator recorded, for ``originAnnotations``."""
    return resource._replace(generated_by=generator)


def with_transformer(resource: Resource, transformer: ConfiguredBy) -> Resource:
    """Return the resource with one more transformer recorded, for ``transformerAnnotations``."""
    return resource._replace(transformed_by=(*resource.transformed_by, transformer))


def with_build_metadata(resource: Resource, options: tuple[str, ...], folder: str) -> Resource:
    """Return the resource with the metadata that ``options`` request, and without metadata of earlier builds.

    Paths are relative to ``folder``, the folder that is built.
    """
    content = resource.content
    if MANAGED_BY_LABEL in options:
        content = with_value(content, ("metadata", "labels", _MANAGED_BY), _MANAGER)
    texts = {
        _ORIGIN: _origin(resource, folder) if ORIGIN_ANNOTATIONS in options else "",
        _TRANSFORMATIONS: _transformations(resource, folder) if TRANSFORMER_ANNOTATIONS in options else "",
    }
    for annotation, text in texts.items():
        if text:
            content = with_value(content, ("metadata", "annotations", annotation), text)
        elif annotation in object_at(content, "metadata", "annotations"):
            content = without(content, "metadata", "annotations", annotation)
    return resource if content is resource.content else resource.with_content(content)


def _origin(resource: Resource, folder: str) -> str:
    if resource.generated_by:
        return "".join(f"{line}\n" for line in _configuration_lines(resource.generated_by, folder))
    return f"path: {_scalar(_relative(resource.origin.path, folder))}\n"


def _transformations(resource: Resource, folder: str) -> str:
    return "".join(
        f"{'- ' if index == 0 else '  '}{line}\n"
        for transformer in resource.transformed_by
        for index, line in enumerate(_configuration_lines(transformer, folder))
    )


def _configuration_lines(plugin: ConfiguredBy, folder: str) -> Iterator[str]:
    yield f"configuredIn: {_scalar(_relative(plugin.path, folder))}"
    yield "configuredBy:"
    yield f"  apiVersion: {_scalar(plugin.api_version)}"
    yield f"  kind: {_scalar(plugin.kind)}"
    if plugin.name:
        yield f"  name: {_scalar(plugin.name)}"
    if plugin.namespace:
        yield f"  namespace: {_scalar(plugin.namespace)}"


def _relative(path: str, folder: str) -> str:
    return posixpath.relpath(f"/{path}", f"/{folder}")


def _scalar(text: str) -> str:
    return text if is_bare_text(text) else f'"{text}"'
