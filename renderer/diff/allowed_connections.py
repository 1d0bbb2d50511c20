"""The peers and ports in the rules of NetworkPolicies, of which one may allow all that another one allows.

Kubernetes ``staging/src/k8s.io/api/networking/v1/types.go`` ``NetworkPolicyPeer`` and ``NetworkPolicyPort``.
"""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import TypeAlias

from renderer.model.kube.json import Json, array_at, object_at, text_at
from renderer.model.kube.label_selector import Requirement, SelectorError, read_selector
from renderer.model.record import Record

Network: TypeAlias = IPv4Network | IPv6Network
_TCP = "TCP"


class Peer(Record):
    """Addresses outside of the cluster, or pods; ``written`` is the peer as it is in the manifest.

    Without ``pods``, all pods count; without ``namespaces``, only those in the namespace of the policy.
    """

    written: Json
    block: Network | None = None
    exceptions: tuple[Json, ...] = ()
    pods: frozenset[Requirement] | None = None
    namespaces: frozenset[Requirement] | None = None

    @classmethod
    def of(cls, written: Json) -> Peer:
        """Return the peer; one that cannot be read has the fields of none, and is only equal to itself."""
        peer = object_at(written)
        try:
            if "ipBlock" in peer:
                exceptions = array_at(peer, "ipBlock", "except")
                block = ip_network(text_at(peer, "ipBlock", "cidr"), strict=False)
                return cls(written, block, tuple(exceptions))
            pods, namespaces = (
                frozenset(read_selector(peer[key])) if peer.get(key) is not None else None
                for key in ("podSelector", "namespaceSelector")
            )
        except (SelectorError, ValueError):  # reported by the schema
            return cls(written)
        return cls(written, pods=pods, namespaces=namespaces)

    def contains(self, other: Peer) -> bool:
        """Return True if each address or pod of the other peer is one of this one."""
        if self.written == other.written:
            return True
        if self.block is not None and other.block is not None:
            has_all_exceptions = all(each in other.exceptions for each in self.exceptions)
            return has_all_exceptions and is_subnet(other.block, self.block)
        if not (self._selects and other._selects):
            return False
        if self.pods and not self.pods <= (other.pods or frozenset()):
            return False
        if self.namespaces is None or other.namespaces is None:
            return self.namespaces in (other.namespaces, frozenset())
        return self.namespaces <= other.namespaces

    @property
    def _selects(self) -> bool:
        return self.pods is not None or self.namespaces is not None


class Port(Record):
    """A port by its number or name, or those up to ``last``; None for all ports of the protocol."""

    protocol: str
    port: Json
    last: Json

    @classmethod
    def of(cls, written: Json) -> Port:
        port = object_at(written)
        first = port.get("port")
        return cls(text_at(port, "protocol") or _TCP, first, port.get("endPort", first))

    def contains(self, other: Port) -> bool:
        """Return True if each port of the other one is one of this one."""
        if self.protocol != other.protocol:
            return False
        if self.port is None or self == other:
            return True
        numbers = self.port, other.port, other.last, self.last
        first, lowest, highest, last = (each if isinstance(each, int) else None for each in numbers)
        if first is None or lowest is None or highest is None or last is None:
            return False  # a name
        return first <= lowest and highest <= last


def is_subnet(inner: Network, outer: Network) -> bool:
    """Return True if each address of one block is in the other one."""
    if isinstance(inner, IPv4Network):
        return isinstance(outer, IPv4Network) and inner.subnet_of(outer)
    return isinstance(outer, IPv6Network) and inner.subnet_of(outer)
