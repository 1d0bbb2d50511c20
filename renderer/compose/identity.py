"""When two ids mean the same resource (kustomize ``kyaml/resid/resid.go``, ``api/resource/resource.go``)."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.compose.scope import effective_namespace
from renderer.model.record import Record
from renderer.model.res_id import ResId
from renderer.model.resource import Resource


class Identity(Record):
    """An id with the namespace that counts; equal when kustomize takes the ids for equal."""

    api_version: str
    kind: str
    name: str
    namespace: str


def current_identity(resource: Resource) -> Identity:
    api_version, kind = resource.api_version, resource.kind
    return Identity(
        api_version, kind, resource.name, effective_namespace(api_version, kind, resource.namespace)
    )


def identities(resource: Resource) -> Iterator[Identity]:
    """The current identity, then those that the resource had before."""
    yield current_identity(resource)
    api_version = resource.api_version
    for previous in resource.previous_ids:
        yield Identity(api_version, previous.gvk.kind, previous.name, previous.namespace)


def original_identity(resource: Resource) -> Identity:
    """The identity before any change."""
    if not resource.previous_ids:
        return current_identity(resource)
    first = resource.previous_ids[0]
    return Identity(resource.api_version, first.gvk.kind, first.name, first.namespace)


def remembering_id(resource: Resource) -> Resource:
    """The resource with its current id among the previous ones (``StorePreviousId``)."""
    current = current_identity(resource)
    previous = ResId(resource.gvk, current.name, current.namespace)
    if previous in resource.previous_ids:
        return resource
    return resource._replace(previous_ids=(*resource.previous_ids, previous))
