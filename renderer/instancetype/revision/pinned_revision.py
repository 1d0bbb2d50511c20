"""A ControllerRevision to keep in Git: as KubeVirt's, but named after its content, and without an owner."""

from __future__ import annotations

import re

from renderer.instancetype.find import Found
from renderer.instancetype.revision.controller_revision import API_VERSION, LABEL, VERSION
from renderer.model.json import Json, JsonObject, content_digest

_NO_NAME_CHARACTERS = re.compile(r"[^a-z0-9.-]+")
_NAME_PART = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_LABEL_VALUE = re.compile(r"(?=.{0,63}\Z)(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
#: With version and digest still within the 253 characters of a name in Kubernetes.
_LONGEST_PREFIX = 200


def pinned_revision(found: Found, namespace: str) -> JsonObject:
    """The revision that keeps what was found, for all VirtualMachines in ``namespace``.

    Equal content has an equal name. Quantities stay as they are written, where KubeVirt makes 1Gi of 1024Mi.
    """
    data = _copy(found, namespace)
    metadata: dict[str, Json] = {"name": f"{_prefix(found)}-{VERSION}-{content_digest(data)}"}
    if namespace:
        metadata["namespace"] = namespace
    metadata["labels"] = _labels(found)
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": metadata,
        "data": data,
        "revision": 0,
    }


def _copy(found: Found, namespace: str) -> JsonObject:
    """The object without what only a cluster knows of it; a namespaced one is in the VirtualMachine's."""
    kind = found.resource.gvk.kind
    metadata: dict[str, Json] = {"name": found.resource.name}
    if namespace and kind == found.matcher_type.kind:
        metadata["namespace"] = namespace
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": found.spec}


def _labels(found: Found) -> JsonObject:
    """KubeVirt takes a revision without the version for one to convert. It also notes uid and generation."""
    labels = {"kind": found.resource.gvk.kind, "name": found.resource.name, "version": VERSION}
    return {f"{LABEL}{key}": value for key, value in labels.items() if _LABEL_VALUE.fullmatch(value)}


def _prefix(found: Found) -> str:
    name = _NO_NAME_CHARACTERS.sub("-", found.resource.name.lower())[:_LONGEST_PREFIX]
    return ".".join(_NAME_PART.findall(name)) or found.matcher_type.key
