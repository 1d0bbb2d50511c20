"""CustomResourceDefinitions that change, and what the API server then refuses and drops of their objects.

It knows the versions that are ``served`` (apiextensions-apiserver
``pkg/apiserver/customresource_handler.go`` ``hasServedCRDVersion``). It drops the fields that the schema of a
version does not have, of what it is given and of what it reads from its storage (``schemaCoercingDecoder``
and ``schemaCoercingConverter`` there, ``pkg/apiserver/schema/pruning/algorithm.go`` ``prune``).
"""

from __future__ import annotations

from functools import cached_property
from typing import Self

from renderer.checks.schemas.crd_schema import kind_of, served_versions
from renderer.checks.schemas.kubernetes_formats import PRESERVED
from renderer.model.difference import ChangeType, ResourceChange
from renderer.model.kube.json import Json, JsonObject, array_at, count_values, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend

DEFINITION = "CustomResourceDefinition"
SOURCE = "apiextensions-apiserver pkg/apiserver/customresource_handler.go"
_META = ("apiVersion", "kind", "metadata")


class DefinitionChange:
    """A CustomResourceDefinition before and after a change; ``group`` and ``kind`` are of its objects."""

    def __init__(self, before: Resource, after: Resource) -> None:
        self.name = after.name
        self.group, self.kind = kind_of(after.content)
        self._before, self._after = _Definition(before), _Definition(after)

    @classmethod
    def of(cls, change: ResourceChange, before: Resource | None, after: Resource | None) -> Self | None:
        """Return the change of a definition that matters to its objects; None for another change."""
        if change.id.gvk.kind != DEFINITION or change.type is not ChangeType.CHANGED or change.is_refused:
            return None
        return cls(before, after) if before and after else None

    def no_longer_serves(self, resource: Resource) -> bool:
        """Return True if the API server no longer knows the version of an object."""
        version = resource.gvk.version
        return version in self._before.schemas and version not in self._after.schemas

    def pruned(self, before: Resource, after: Resource) -> tuple[Resource, Resource] | None:
        """Return an object on both sides as the API server has it; None if it drops no more than before."""
        kept, left = self._before.pruned(after), self._after.pruned(after)
        return None if kept == left else (self._before.pruned(before), self._after.pruned(after))


class _Definition:
    """A CustomResourceDefinition on one side."""

    def __init__(self, definition: Resource) -> None:
        self._spec = object_at(definition.content, "spec")

    @cached_property
    def schemas(self) -> dict[str, JsonObject]:
        """The structural schemas of the served versions."""
        return dict(served_versions(self._spec))

    @cached_property
    def _versions(self) -> dict[str, JsonObject]:
        return {text_at(each, "name"): object_at(each) for each in array_at(self._spec, "versions")}

    def pruned(self, resource: Resource) -> Resource:
        """Return an object without the fields that the API server drops."""
        if self._spec.get("preserveUnknownFields") is True:
            return resource
        names = [resource.gvk.version]
        if text_at(self._spec, "conversion", "strategy") in ("", "None"):
            names += (name for name, each in self._versions.items() if each.get("storage") is True)
        content = resource.content
        for name in dict.fromkeys(names):
            schema = self.schemas.get(name) or object_at(
                self._versions.get(name), "schema", "openAPIV3Schema"
            )
            if schema:
                spend(count_values(content), "dropping fields that definitions do not have")
                content = object_at(_pruned(content, schema, is_root=True))
        return resource if content == resource.content else resource.with_content(content)


def _pruned(value: Json, schema: JsonObject, *, is_root: bool = False) -> Json:
    is_kept = schema.get(PRESERVED) is True
    if isinstance(value, list):
        items = object_at(schema, "items")
        return value if is_kept and not items else [_pruned(each, items) for each in value]
    if not isinstance(value, dict):
        return value
    is_object = is_root or schema.get("x-kubernetes-embedded-resource") is True
    properties, others = object_at(schema, "properties"), schema.get("additionalProperties")
    found: dict[str, Json] = {}
    for key, child in value.items():
        if is_object and key in _META:
            found[key] = child
        elif key in properties:
            found[key] = _pruned(child, object_at(properties[key]))
        elif isinstance(others, dict):
            found[key] = _pruned(child, others)
        elif is_kept or others is True:
            found[key] = child
    return found
