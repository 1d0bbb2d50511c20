"""Rules between the fields of operators' kinds, which their CustomResourceDefinitions have in CEL.

Only rules that each release of ``.ci/schemas_operators.py`` has, and that a single object decides. They are
few, so they are written out: the API server evaluates them if an object breaks nothing else of its schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.placeholders import has_placeholder

#: A place, what is wrong there, and what to do.
_Broken: TypeAlias = Iterator[tuple[FieldPath, str, str]]
_SPEC = FieldPath.of("spec")
_LAYERS = ("layer2", "layer3", "localnet")
_SERVICE = "Service"
_GATEWAYS = "gateway.networking.k8s.io"
_ROUTES = ("GRPCRoute", "HTTPRoute", "TCPRoute", "TLSRoute", "UDPRoute")
#: The field of a filter by the type of the filter.
_FIELDS_OF_FILTERS = {
    "ExtensionRef": "extensionRef",
    "RequestHeaderModifier": "requestHeaderModifier",
    "RequestMirror": "requestMirror",
    "RequestRedirect": "requestRedirect",
    "ResponseHeaderModifier": "responseHeaderModifier",
    "URLRewrite": "urlRewrite",
}
_WITHOUT_TLS, _WITHOUT_HOST_NAME = ("HTTP", "TCP", "UDP"), ("TCP", "UDP")


def broken_rules(resource: Resource) -> tuple[Diagnostic, ...]:
    """Return an error for each rule that an object breaks; its fields have the types of its schema."""
    check = _RULES.get((resource.gvk.group, resource.kind))
    return tuple(
        Diagnostic.about(resource, at, Code.SCHEMA, message, hint)
        for at, message, hint in (check(object_at(resource.content, "spec")) if check else ())
    )


def _check_network(network: JsonObject, at: FieldPath = _SPEC) -> _Broken:
    topology = text_at(network, "topology")
    wanted = topology.lower()
    if has_placeholder(topology):
        return
    for layer in _LAYERS:
        if layer == wanted and layer not in network:
            yield at, f"{at.child(layer)} is missing: the topology is {topology}", f"add {layer}"
        elif layer != wanted and layer in network:
            message = f"{at.child(layer)} cannot be combined with the topology {topology}"
            yield at.child(layer), message, f"name it {wanted}, or change the topology"
    if wanted in ("layer2", "localnet") and wanted in network:
        yield from _check_addresses(object_at(network, wanted), at.child(wanted))


def _check_addresses(layer: JsonObject, at: FieldPath) -> _Broken:
    """Check that OVN-Kubernetes assigns addresses if, and only if, there are subnets to choose them from."""
    mode = text_at(layer, "ipam", "mode") or "Enabled"
    role = text_at(layer, "role")
    if has_placeholder(f"{mode}{role}"):
        return
    if mode == "Enabled" and "subnets" not in layer:
        hint = "add subnets, or ipam: {mode: Disabled} for a secondary network without addresses"
        yield at, f"{at.child('subnets')} is missing", hint
    if mode == "Disabled" and "subnets" in layer:
        message = f"{at.child('subnets')} cannot be combined with ipam.mode: Disabled"
        yield at.child("subnets"), message, "drop one of the two"
    if mode == "Disabled" and role == "Primary":
        message = "a primary network cannot have ipam.mode: Disabled"
        yield at.child("ipam", "mode"), message, "drop ipam, and add subnets"


def _check_cluster_network(spec: JsonObject) -> _Broken:
    yield from _check_network(object_at(spec, "network"), _SPEC.child("network"))


def _check_route(spec: JsonObject) -> _Broken:
    for index, rule in enumerate(array_at(spec, "rules")):
        at = _SPEC.child("rules", index)
        for number, backend in enumerate(array_at(rule, "backendRefs")):
            yield from _check_backend(object_at(backend), at.child("backendRefs", number))
        for number, match in enumerate(array_at(rule, "matches")):
            yield from _check_path(object_at(match).get("path"), at.child("matches", number, "path"))
        for number, each in enumerate(array_at(rule, "filters")):
            yield from _check_filter(object_at(each), at.child("filters", number))


def _check_backend(backend: JsonObject, at: FieldPath) -> _Broken:
    is_service = backend.get("group", "") == "" and backend.get("kind", _SERVICE) == _SERVICE
    if is_service and "port" not in backend:
        yield at, f"{at.child('port')} is missing", "write the port of the Service"


def _check_path(path: Json, at: FieldPath) -> _Broken:
    written = text_at(path, "value")
    is_absolute = written.startswith("/") or not written or has_placeholder(written)
    # The path of a GRPCRoute is a service and method, in another field.
    if text_at(path, "type") in ("", "Exact", "PathPrefix") and not is_absolute:
        yield at.child("value"), f"{at.child('value')} must start with /", "begin it with /"


def _check_filter(each: JsonObject, at: FieldPath) -> _Broken:
    written = text_at(each, "type")
    field = _FIELDS_OF_FILTERS.get(written)
    if field and field not in each:
        yield at, f"{at.child(field)} is missing: the type of the filter is {written}", f"add {field}"
    mirror = object_at(each, "requestMirror")
    if "backendRef" in mirror:
        place = at.child("requestMirror", "backendRef")
        yield from _check_backend(object_at(mirror, "backendRef"), place)


def _check_gateway(spec: JsonObject) -> _Broken:
    names: set[str] = set()
    for index, listener in enumerate(array_at(spec, "listeners")):
        at = _SPEC.child("listeners", index)
        protocol, name = text_at(listener, "protocol"), text_at(listener, "name")
        for field, protocols in (("tls", _WITHOUT_TLS), ("hostname", _WITHOUT_HOST_NAME)):
            if protocol in protocols and object_at(listener).get(field):
                message = f"{at.child(field)} cannot be combined with the protocol {protocol}"
                yield at.child(field), message, f"drop {field}, or change the protocol"
        if name in names and not has_placeholder(name):
            yield at.child("name"), f"an earlier listener has the name {name}, too", "rename one of them"
        names.add(name)


_RULES: Mapping[tuple[str, str], Callable[[JsonObject], _Broken]] = {
    ("k8s.ovn.org", "UserDefinedNetwork"): _check_network,
    ("k8s.ovn.org", "ClusterUserDefinedNetwork"): _check_cluster_network,
    **dict.fromkeys(((_GATEWAYS, kind) for kind in _ROUTES), _check_route),
    (_GATEWAYS, "Gateway"): _check_gateway,
}
