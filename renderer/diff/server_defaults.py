"""The fields that a cluster fills in with a known value; ``kubevirt.facts.allocated_fields`` has the others.

Kubernetes ``pkg/apis/core/v1/defaults.go`` and ``pkg/registry/core/secret/strategy.go``.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping

from renderer.kubevirt.facts.allocated_fields import is_chosen_by_cluster
from renderer.kubevirt.facts.kinds import is_kubevirt_group
from renderer.kubevirt.facts.lists import is_equal
from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.model.difference import FieldChange, NoValue, Value
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at, with_value
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.res_id import Gvk

_LOAD_BALANCER = "LoadBalancer"


def is_default_on_one_side(gvk: Gvk, change: FieldChange, stored: tuple[JsonObject, JsonObject]) -> bool:
    """Return True if only one side writes a field, and the cluster fills in the same value on the other.

    ``stored`` are both states of the object as the cluster stores them.
    """
    if NoValue.ABSENT not in (change.before, change.after):
        return False
    written = change.after if change.before is NoValue.ABSENT else change.before
    before, after = (value_at(each, change.field.segments) for each in stored)
    return _is_filled_in(gvk, change.field, written) and is_equal(before, after)


def _is_filled_in(gvk: Gvk, field: FieldPath, written: Value) -> bool:
    """Return True if the cluster fills in a field, or everything inside it."""
    if isinstance(written, dict) and written:
        return all(_is_filled_in(gvk, field.child(key), each) for key, each in written.items())
    return is_chosen_by_cluster(gvk, field)


def is_known_kind(gvk: Gvk) -> bool:
    """Return True if we know all fields that a cluster fills into objects of this kind."""
    return is_kubevirt_group(gvk.group) or (not gvk.group and gvk.kind in _KNOWN_KINDS)


def keeps_empty_values(gvk: Gvk) -> bool:
    """Return True if an empty mapping differs in meaning from a missing one: ``masquerade: {}``."""
    return gvk.kind in PATHS and is_kubevirt_group(gvk.group)


def with_server_defaults(content: JsonObject) -> JsonObject:
    """Return an object with the fields that the API server sets to one value in all objects of its kind."""
    default = _DEFAULTS_OF_KIND.get(text_at(content, "kind"))
    is_core = "/" not in text_at(content, "apiVersion")
    return default(content) if default is not None and is_core else content


def with_stored_data(content: JsonObject) -> JsonObject:
    """Return a Secret as the API server stores it, with ``stringData`` in ``data``; others unchanged."""
    if text_at(content, "kind") != "Secret" or "stringData" not in content:
        return content
    texts = object_at(content, "stringData")
    data = {key: b64encode(text.encode()).decode() for key, text in texts.items() if isinstance(text, str)}
    others = {key: value for key, value in content.items() if key != "stringData"}
    return {**others, "data": {**object_at(content, "data"), **data}}


def _with_defaults(content: JsonObject, section: str, defaults: Mapping[str, Json]) -> JsonObject:
    written = object_at(content, section)
    return {**content, section: {**defaults, **written}}


def _namespace_defaults(content: JsonObject) -> JsonObject:
    labels = {"kubernetes.io/metadata.name": text_at(content, "metadata", "name")}
    labelled = {**labels, **object_at(content, "metadata", "labels")}
    return with_value(content, ("metadata", "labels"), labelled)


def _claim_defaults(content: JsonObject) -> JsonObject:
    return _with_defaults(content, "spec", {"volumeMode": "Filesystem"})


def _secret_defaults(content: JsonObject) -> JsonObject:
    return {"type": "Opaque", **content}


def _service_defaults(content: JsonObject) -> JsonObject:
    spec = object_at(content, "spec")
    kind = text_at(spec, "type") or "ClusterIP"
    defaults: dict[str, Json] = {"type": kind, "sessionAffinity": "None"}
    if kind != "ExternalName":
        defaults["internalTrafficPolicy"] = "Cluster"
    if kind in ("NodePort", _LOAD_BALANCER):
        defaults["externalTrafficPolicy"] = "Cluster"
    if kind == _LOAD_BALANCER:
        defaults["allocateLoadBalancerNodePorts"] = True
    ports = [object_at(port) for port in array_at(spec, "ports")]
    if ports:
        filled: list[Json] = [{"protocol": "TCP", "targetPort": port.get("port"), **port} for port in ports]
        content = with_value(content, ("spec", "ports"), filled)
    return _with_defaults(content, "spec", defaults)


_DEFAULTS_OF_KIND: Mapping[str, Callable[[JsonObject], JsonObject]] = {
    "Namespace": _namespace_defaults,
    "PersistentVolumeClaim": _claim_defaults,
    "Secret": _secret_defaults,
    "Service": _service_defaults,
}
_KNOWN_KINDS = frozenset({*_DEFAULTS_OF_KIND, "ConfigMap", "ServiceAccount"})
