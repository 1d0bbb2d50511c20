"""The peers and ports in the rules of NetworkPolicies, of which one may allow all that another one allows.

Kubernetes ``staging/src/k8s.io/api/networking/v1/types.go`` ``NetworkPolicyPeer`` and ``NetworkPolicyPort``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from typing import TypeAlias

from renderer.model.kube.json import Json, array_at, object_at, text_at
from renderer.model.kube.label_selector import Operator, Requirement, SelectorError, read_selector
from renderer.model.record import Record

Network: TypeAlias = IPv4Network | IPv6Network
_TCP = "TCP"
#: The addresses of both families.
ALL_ADDRESSES: Sequence[Network] = (IPv4Network("0.0.0.0/0"), IPv6Network("::/0"))
_MOST_PARTS = 100


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
        if self.pods and not _imply(other.pods or frozenset(), self.pods):
            return False
        if self.namespaces is None or other.namespaces is None:
            return self.namespaces in (other.namespaces, frozenset())
        return _imply(other.namespaces, self.namespaces)

    @property
    def parts(self) -> Sequence[Peer]:
        """The same pods with one value for each label of several; several rules may allow them."""
        found = [self]
        for field in ("pods", "namespaces"):
            several = [each for each in getattr(self, field) or () if len(each.values) > 1]
            for each in several if self._selects else ():
                if each.operator is Operator.IN and len(found) * len(each.values) <= _MOST_PARTS:
                    found = [part.with_value(field, each, value) for part in found for value in each.values]
        return found

    def with_value(self, field: str, several: Requirement, value: str) -> Peer:
        """Return the pods that have one of several values of a label."""
        one = several._replace(values=frozenset([value]))
        return self._replace(written=None, **{field: getattr(self, field) - {several} | {one}})

    @property
    def addresses(self) -> Sequence[Network]:
        """The addresses that it has; all of them for pods, and nothing if it cannot be read."""
        return ALL_ADDRESSES if self._selects else [self.block] if self.block else []

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


def _imply(some: Iterable[Requirement], others: Iterable[Requirement]) -> bool:
    """Return True if all labels that meet some requirements meet others as well."""
    known = tuple(some)
    return all(any(one.implies(other) for one in known) for other in others)


def cover(blocks: Iterable[Network], wanted: Network) -> bool:
    """Return True if each address of a block is in one of several."""
    if isinstance(wanted, IPv4Network):
        return any(map(wanted.subnet_of, collapse_addresses(x for x in blocks if isinstance(x, IPv4Network))))
    return any(map(wanted.subnet_of, collapse_addresses(x for x in blocks if isinstance(x, IPv6Network))))


def is_subnet(inner: Network, outer: Network) -> bool:
    """Return True if each address of one block is in the other one."""
    if isinstance(inner, IPv4Network):
        return isinstance(outer, IPv4Network) and inner.subnet_of(outer)
    return isinstance(outer, IPv6Network) and inner.subnet_of(outer)
