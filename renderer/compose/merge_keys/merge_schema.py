"""The schema of strategic merges: which lists of a kind merge by element, and by which keys.

A build uses the schema of Kubernetes' own kinds, or the first OpenAPI document that it comes upon (kustomize
``openapi.go`` SetSchema).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.resource import Resource
from renderer.model.source_tree import OpenApi

_FIELD = pattern(r"(\w+)(?:(\[)([\w,.]*)\])?(?::(\w+))?")


class FieldSchema(Record):
    """The schema of a field.

    ``merge_keys`` is None unless it is a list whose elements are merged; it is empty for lists of scalars.
    ``keeps_order`` says that a patch leaves them in their order; kustomize puts what it patches first.
    ``type`` is the type of the object, or of the list's elements; empty where nothing is known of them.
    """

    type: str
    merge_keys: tuple[str, ...] | None = None
    keeps_order: bool = False


class MergeSchema:
    """The kinds and types that are known, as compact texts.

    A type is written as its fields with a space between: ``env[name] ports[port,protocol] spec:PodSpec``.
    """

    def __init__(self, kinds: Mapping[str, Mapping[str, str]], types: Mapping[str, str]) -> None:
        self._kinds = {
            (api_version, kind): FieldSchema(type_name)
            for api_version, by_type in kinds.items()
            for type_name, names in by_type.items()
            for kind in names.split()
        }
        self._types = {name: _fields(text) for name, text in types.items()}

    def of_kind(self, api_version: str, kind: str) -> FieldSchema | None:
        return self._kinds.get((api_version, kind))

    def fields(self, schema: FieldSchema | None) -> Mapping[str, FieldSchema]:
        """The known fields of an object with the given schema."""
        return self._types.get(schema.type, {}) if schema else {}

    def element(self, schema: FieldSchema) -> FieldSchema | None:
        """The schema of the elements of a list."""
        return FieldSchema(schema.type) if schema.type else None


def _fields(text: str) -> Mapping[str, FieldSchema]:
    return {
        name: FieldSchema(type_name, tuple(filter(None, keys.split(","))) if bracket else None)
        for name, bracket, keys, type_name in _FIELD.findall(text)
    }


@cache
def kubernetes_merge_schema() -> MergeSchema:
    """The schema of the kinds of Kubernetes itself."""
    from renderer.compose.merge_keys.kubernetes import KINDS, TYPES  # noqa: PLC0415 - most builds merge none of these

    return MergeSchema(KINDS, TYPES)


#: The release of Kubernetes whose schema is built in.
_BUILTIN_VERSION = "v1.21.2"


class SchemaInEffect:
    """The schema of one build, from the kustomization on that brings it; ``open_api`` is None until then."""

    def __init__(self, open_api: OpenApi | None = None, *, has_builtin: bool = False) -> None:
        """Raises: kustomization-field for what ``open_api`` says."""
        self.open_api = open_api
        self.merge_schema: Callable[[], MergeSchema] = kubernetes_merge_schema
        if open_api and open_api.schema:
            from renderer.compose.merge_keys.openapi import OpenApiMergeSchema  # noqa: PLC0415 - few bring one

            builtin = kubernetes_merge_schema() if has_builtin else None
            merge_schema = OpenApiMergeSchema(open_api.schema, builtin)
            self.merge_schema = lambda: merge_schema
        elif open_api:
            _check_version(open_api)
            self.open_api = open_api if open_api.version else None

    def with_open_api(self, open_api: OpenApi, before: Iterable[Resource]) -> SchemaInEffect:
        """Return the schema after a kustomization with ``openapi``; ``before`` are the resources read so far.

        kustomize has its builtin schema beside the author's only if it had to look for a kind before.
        Raises: kustomization-field.
        """
        builtin = kubernetes_merge_schema()
        knows_all = all(builtin.of_kind(resource.api_version, resource.kind) for resource in before)
        return SchemaInEffect(open_api, has_builtin=not knows_all)


def _check_version(open_api: OpenApi) -> None:
    if open_api.version not in ("", _BUILTIN_VERSION):
        raise DiagnosticError(
            Diagnostic(
                code=Code.KUSTOMIZATION_FIELD,
                message=f"the OpenAPI document of Kubernetes {open_api.version} is not built in",
                sites=(open_api.site.below("version"),),
                hint=f"{_BUILTIN_VERSION} is; or give the path of a document",
            )
        )
