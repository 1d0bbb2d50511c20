"""The ways by which clients reach a Service: its ports and addresses.

Kubernetes ``staging/src/k8s.io/api/core/v1/types.go`` ``ServiceSpec``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ipaddress import ip_network

from renderer.diff.allowed_connections import Network, cover
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
    ("spec", "internalTrafficPolicy"),
    ("spec", "externalTrafficPolicy"),
    ("metadata", "annotations"),
)
#: Annotations with the addresses of a load balancer, in place of ``loadBalancerIP``, which is deprecated.
_ADDRESSES = (
    *("metallb.io/loadBalancerIPs", "metallb.universe.tf/loadBalancerIPs", "kube-vip.io/loadbalancerIPs"),
    *("lbipam.cilium.io/ips", "io.cilium/lb-ipam-ips"),
)
_BALANCER, _LOCAL = "LoadBalancer", "Local"
_THROUGH_OTHER_NODES = {
    "internalTrafficPolicy": "the cluster address from other nodes",
    "externalTrafficPolicy": "the node ports of other nodes",
}
_FROM_OUTSIDE = ("NodePort", _BALANCER)


def lost_ways(before: Resource, after: Resource) -> list[str]:
    """Return the ports and addresses by which clients no longer reach a Service, as texts of a message."""
    left = {*_ways(after)}
    lost = [each for each in _ways(before) if each not in left]
    return [*lost, *_lost_of_policies(before, after), *_lost_of_balancer(before, after)]


def _lost_of_policies(before: Resource, after: Resource) -> Iterator[str]:
    """Yield the ways through nodes without a pod of the Service; a load balancer avoids these nodes."""
    old, new = (object_at(each.content, "spec") for each in (before, after))
    for key, way in _THROUGH_OTHER_NODES.items():
        is_used = key == "internalTrafficPolicy" or text_at(new, "type") == "NodePort"
        if is_used and text_at(old, key) != _LOCAL and text_at(new, key) == _LOCAL:
            yield way


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
    addresses = [_addresses(each) for each in (before, after)]
    for address in sorted(addresses[0] - addresses[1]):
        yield f"the external address {address}"
    former, latter = ([*_networks(array_at(each, "loadBalancerSourceRanges"))] for each in (old, new))
    if not latter or any(not each.prefixlen for each in latter):
        return
    spend(len(former) * len(latter), "comparing the source ranges of Services")
    if not former:
        yield f"the external address from outside of {', '.join(map(str, latter))}"
    for each in former:
        if not cover(latter, each):
            yield f"the external address from {each}"


def _addresses(service: Resource) -> frozenset[str]:
    """Return the addresses that a Service asks its load balancer for."""
    annotations = object_at(service.content, "metadata", "annotations")
    written = (
        text_at(service.content, "spec", "loadBalancerIP"),
        *(text_at(annotations, each) for each in _ADDRESSES),
    )
    return frozenset(each.strip() for text in written for each in text.split(",")) - {""}


def _networks(written: Sequence[Json]) -> Iterator[Network]:
    for each in written:
        try:
            yield ip_network(str(each).strip(), strict=False)
        except ValueError:  # the API server refuses it
            continue
