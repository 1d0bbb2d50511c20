"""Choose the schema of strategic merges for a build, and the kustomization from which it applies.

It is the schema of Kubernetes' own kinds, or the first OpenAPI document that the build reads (kustomize
``openapi.go`` SetSchema).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from renderer.files.bundled import data_folder
from renderer.kustomize.merge_keys.merge_schema import MergeSchema
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.resource import Resource
from renderer.model.source_tree import OpenApi

#: The Kubernetes release whose schema is built in.
_BUILTIN_VERSION = "v1.21.2"


@cache
def kubernetes_merge_schema() -> MergeSchema:
    """Return the schema of Kubernetes' own kinds."""
    import json  # noqa: PLC0415 - most builds merge none of these

    document = json.loads((data_folder("schemas") / "kubernetes" / "merge-keys.json").read_bytes())
    return MergeSchema(document["kinds"], document["types"])


class SchemaInEffect:
    """The schema of a build, from the kustomization that sets it; ``open_api`` is None until then."""

    def __init__(self, open_api: OpenApi | None = None, *, has_builtin: bool = False) -> None:
        """Raises: kustomization-field for errors in ``open_api``."""
        self.open_api = open_api
        self.merge_schema: Callable[[], MergeSchema] = kubernetes_merge_schema
        if open_api and open_api.schema:
            from renderer.kustomize.merge_keys.openapi import OpenApiMergeSchema  # noqa: PLC0415 - few bring one

            builtin = kubernetes_merge_schema() if has_builtin else None
            merge_schema = OpenApiMergeSchema(open_api.schema, builtin)
            self.merge_schema = lambda: merge_schema
        elif open_api:
            if open_api.version not in ("", _BUILTIN_VERSION):
                raise Diagnostic.at(
                    open_api.site.below("version"),
                    Code.KUSTOMIZATION_FIELD,
                    f"the OpenAPI document of Kubernetes {open_api.version} is not built in",
                    f"use {_BUILTIN_VERSION}, or give the path of a document",
                ).error()
            self.open_api = open_api if open_api.version else None

    def with_open_api(self, open_api: OpenApi, before: Iterable[Resource]) -> SchemaInEffect:
        """Return the schema after a kustomization with ``openapi``; ``before`` are the resources read so far.

        kustomize combines its builtin schema with the author's only if it had to look up a kind before.
        Raises: kustomization-field.
        """
        builtin = kubernetes_merge_schema()
        knows_all = all(builtin.of_kind(resource.api_version, resource.kind) for resource in before)
        return SchemaInEffect(open_api, has_builtin=not knows_all)
