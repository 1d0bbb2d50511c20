"""What a KubeVirt release says of its kinds, found among documents of several forms.

CustomResourceDefinitions, one by one, in a bundle or in the operator's manifest; an OpenAPI document; or the
``openAPIV3Schema`` of a kind alone, in a file that is named after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from renderer.model.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.release import Release
from renderer.validation.crd_schema import CRD, kind_of
from renderer.validation.kubevirt_kinds import KINDS
from renderer.validation.openapi_schema import is_openapi, kind_schemas


def release_schemas(documents: Iterable[tuple[str, Json]], release: Release) -> Mapping[str, JsonObject]:
    """The ``openAPIV3Schema`` of each kind that is found, by name; ``documents`` come with their file's name.

    What a CustomResourceDefinition says goes before what an OpenAPI document says. Raises
    ``UnlikeKubevirtError``.
    """
    defined: dict[str, JsonObject] = {}
    described: dict[str, JsonObject] = {}
    for name, document in documents:
        for each in _unwrapped(document):
            if is_openapi(each):
                described |= kind_schemas(object_at(each), release)
            else:
                defined |= _definition(name, object_at(each))
    return {**described, **defined}


def _unwrapped(document: Json) -> Iterable[Json]:
    return array_at(document, "items") if text_at(document, "kind") == "List" else (document,)


def _definition(name: str, document: JsonObject) -> dict[str, JsonObject]:
    for kind in KINDS:
        if text_at(document, "kind") == CRD and kind_of(document) == (kind.group, kind.name):
            schema = _stored(object_at(document, "spec"))
            return {kind.name: schema} if schema else {}
        if (
            name == kind.file_name
            and "kind" not in document
            and "metadata" in object_at(document, "properties")
        ):
            return {kind.name: document}
    return {}


def _stored(spec: JsonObject) -> JsonObject:
    """The schema of the version that is stored; KubeVirt's versions of a kind all have the same."""
    versions = sorted(array_at(spec, "versions"), key=lambda version: not object_at(version).get("storage"))
    found = (object_at(version, "schema", "openAPIV3Schema") for version in versions)
    return next(filter(None, found), object_at(spec, "validation", "openAPIV3Schema"))
