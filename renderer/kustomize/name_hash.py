"""The name suffix of generated objects, from their content (kustomize ``api/hasher/hasher.go``)."""

from __future__ import annotations

from renderer.kustomize.identity import with_previous_id
from renderer.kustomize.res_map import ResMap
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.digest import sha256
from renderer.model.kube.json import Json, JsonObject, object_at, with_value
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend

_HASH_LENGTH = 10
#: The name should be part of the hash, but kustomize looks in the wrong place and finds nothing.
_NAME = ""
_UNAMBIGUOUS = str.maketrans("013ae", "ghkmt")
_ESCAPED_BY_GO = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def add_name_hashes(resources: ResMap) -> None:
    """Append the hash of their content to the names of the resources that need it."""
    for key, resource in resources.items():
        if resource.needs_hash:
            name = f"{resource.name}-{name_hash(resource)}"
            renamed = with_previous_id(resource)
            resources.replace(
                key, renamed._replace(content=with_value(renamed.content, ("metadata", "name"), name))
            )


def name_hash(resource: Resource) -> str:
    """Return the hash of a ConfigMap or Secret; its metadata is not part of it.

    Raises: resource-invalid for other kinds, into which only a patch can turn a generated object.
    """
    content = resource.content
    hashed: dict[str, Json] = {"kind": resource.kind, "name": _NAME, "data": _field(content, "data")}
    if resource.kind == "ConfigMap":
        optional = "binaryData"
    elif resource.kind == "Secret":
        optional = "stringData"
        hashed["type"] = _field(content, "type")
    else:
        raise Diagnostic.about(
            resource,
            None,
            Code.RESOURCE_INVALID,
            f"{resource.current_id} was generated, but only ConfigMaps and Secrets have hashes",
            "set disableNameSuffixHash: true in the options of its generator",
        ).error()
    if isinstance(content.get(optional), dict):
        hashed[optional] = content[optional]
    spend(2 * len(object_at(content, "data")), "hashing generated data")
    return sha256(go_json(hashed).encode())[:_HASH_LENGTH].translate(_UNAMBIGUOUS)


def go_json(value: Json) -> str:
    """Return ``value`` as Go's ``json.Marshal`` writes it: compact, keys sorted, safe inside HTML."""
    import json  # noqa: PLC0415 - only hashes need it

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return as_go_escapes(text)


def as_go_escapes(text: str) -> str:
    """Return JSON text with the characters escaped that Go escapes for HTML."""
    return text.translate(_ESCAPED_BY_GO)


def _field(content: JsonObject, key: str) -> Json:
    """Return the value of a field; Go's zero value of a text if it is missing."""
    value = content.get(key)
    return "" if value is None else value
