"""The ways by which clients reach a Service: its ports and addresses, and the routes that lead to it.

Kubernetes ``staging/src/k8s.io/api/core/v1/types.go`` ``ServiceSpec``, Gateway API
``apis/v1/httproute_types.go`` ``HTTPRouteSpec``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from ipaddress import ip_network
from typing import TypeAlias

from renderer.diff.allowed_connections import Network, is_subnet
from renderer.model.kube.json import Json, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend

#: The fields of a Service by which it is reached, and reaches machines.
REACHING = (
    ("spec", "selector"),
    ("spec", "ports"),
    ("spec", "type"),
    ("spec", "externalIPs"),
    ("spec", "loadBalancerIP"),
    ("spec", "loadBalancerSourceRanges"),
)
#: The kinds that lead connections to Services, and the fields that name these.
BACKENDS = {
    "Ingress": frozenset({"service"}),
    "Route": frozenset({"to", "alternateBackends"}),
    **{f"{protocol}Route": frozenset({"backendRefs"}) for protocol in ("HTTP", "GRPC", "TCP", "TLS", "UDP")},
}
GATEWAY, _GATEWAY_GROUP = "Gateway", "gateway.networking.k8s.io"
_SERVICE, _BALANCER = "Service", "LoadBalancer"
_FROM_OUTSIDE = ("NodePort", _BALANCER)
#: The fields of a rule that say which connections it is for.
_MATCHING = ("host", "hostnames", "matches", "path", "pathType")

#: The namespace and name of a Service or Gateway.
Name: TypeAlias = tuple[str, str]


def lost_ways(before: Resource, after: Resource) -> list[str]:
    """Return the ports and addresses by which clients no longer reach a Service, as texts of a message."""
    left = {*_ways(after)}
    return [*(each for each in _ways(before) if each not in left), *_lost_of_balancer(before, after)]


def _ways(service: Resource) -> Iterator[str]:
    """Yield the ports and addresses by which clients reach a Service, as texts of a message.

    A port with another target port is another way. A headless Service has none: clients get the addresses of
    its pods, and reach all their ports.
    """
    spec = object_at(service.content, "spec")
    if spec.get("clusterIP") == "None":
        return
    kind = text_at(spec, "type")
    for port in map(object_at, array_at(spec, "ports")):
        label = f"port {port.get('port')}/{text_at(port, 'protocol') or 'TCP'}"
        target = port.get("targetPort") or port.get("port")
        yield label if target == port.get("port") else f"{label} to {target}"
        if kind in _FROM_OUTSIDE and port.get("nodePort"):
            yield f"node port {port.get('nodePort')}"
    if kind in _FROM_OUTSIDE:
        yield "the node ports"
    if kind == _BALANCER:
        yield "the external address"
    yield from (f"the external address {each}" for each in array_at(spec, "externalIPs"))


def _lost_of_balancer(before: Resource, after: Resource) -> Iterator[str]:
    """Yield the address that a load balancer loses, and the networks that it no longer accepts."""
    old, new = (object_at(each.content, "spec") for each in (before, after))
    if text_at(old, "type") != _BALANCER or text_at(new, "type") != _BALANCER:
        return
    address = text_at(old, "loadBalancerIP")
    if address and address != text_at(new, "loadBalancerIP"):
        yield f"the external address {address}"
    former, latter = ([*_networks(array_at(each, "loadBalancerSourceRanges"))] for each in (old, new))
    if not latter or any(not each.prefixlen for each in latter):
        return
    spend(len(former) * len(latter), "comparing the source ranges of Services")
    if not former:
        yield f"the external address from outside of {', '.join(map(str, latter))}"
    for each in former:
        if not any(is_subnet(each, other) for other in latter):
            yield f"the external address from {each}"


def _networks(written: Sequence[Json]) -> Iterator[Network]:
    for each in written:
        try:
            yield ip_network(str(each).strip(), strict=False)
        except ValueError:  # the API server refuses it
            continue


def is_gateway(kind: str, group: str) -> bool:
    """Return True for a Gateway of the Gateway API."""
    return (kind, group) == (GATEWAY, _GATEWAY_GROUP)


def backends(route: Resource) -> frozenset[Name]:
    """Return the Services to which a route leads connections."""
    return frozenset(name for _, name in _leading(route))


def lost_backends(before: Resource, after: Resource) -> frozenset[Name]:
    """Return the Services to which a route leads fewer connections than before.

    It no longer names them, names other Services instead for the same host and path, or leaves a Gateway.
    """
    if gateways(before) - gateways(after):
        return backends(before)
    latter: dict[str, set[Name]] = {}
    for match, name in _leading(after):
        latter.setdefault(match, set()).add(name)
    named = frozenset[Name]().union(*latter.values())
    return frozenset(name for match, name in _leading(before) if name not in latter.get(match, named))


def gateways(route: Resource) -> AbstractSet[Name]:
    """Return the Gateways to which a route is attached."""
    parents = map(object_at, array_at(route.content, "spec", "parentRefs"))
    return {
        (text_at(each, "namespace") or route.namespace, text_at(each, "name"))
        for each in parents
        if text_at(each, "kind") in ("", GATEWAY)
    }


def _leading(route: Resource) -> Iterator[tuple[str, Name]]:
    """Yield the Services that a route names, each after the match of the connections that it gets."""
    return _leading_in(route.content.get("spec"), BACKENDS[route.kind], "", route.namespace)


def _leading_in(value: Json, keys: frozenset[str], match: str, namespace: str) -> Iterator[tuple[str, Name]]:
    if isinstance(value, list):
        for each in value:
            yield from _leading_in(each, keys, match, namespace)
    elif isinstance(value, dict):
        own = {key: value[key] for key in _MATCHING if key in value}
        match = f"{match} {json.dumps(own, sort_keys=True)}" if own else match
        for key, child in value.items():
            if key in keys:
                for each in map(object_at, child if isinstance(child, list) else [child]):
                    if text_at(each, "kind") in ("", _SERVICE) and each.get("weight") != 0:
                        yield match, (text_at(each, "namespace") or namespace, text_at(each, "name"))
            yield from _leading_in(child, keys, match, namespace)
