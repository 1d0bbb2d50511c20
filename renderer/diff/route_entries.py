"""Where connections to routes come in: listeners of Gateways, classes, and grants for Services elsewhere.

Gateway API ``apis/v1/gateway_types.go`` ``Listener`` and ``AllowedRoutes``,
``apis/v1beta1/referencegrant_types.go`` ``ReferenceGrant``; Kubernetes
``staging/src/k8s.io/api/networking/v1/types.go`` ``IngressClass``. An object that is not in Git before a
change is taken for one that stays as it is in the cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from renderer.diff.routes import GATEWAY, GATEWAY_GROUP, INGRESS, Name, backends, ingress_class
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend

GATEWAY_CLASS, INGRESS_CLASS, GRANT = "GatewayClass", "IngressClass", "ReferenceGrant"
_KINDS = frozenset(
    {
        *((GATEWAY_GROUP, kind) for kind in (GATEWAY, GATEWAY_CLASS, GRANT)),
        ("networking.k8s.io", INGRESS_CLASS),
    }
)
_DEFAULT = "ingressclass.kubernetes.io/is-default-class"
_SERVICE = "Service"
#: A kind, a namespace and a name.
Key = tuple[str, str, str]


class _Entry(NamedTuple):
    """A listener of a Gateway, or the controller of a class.

    ``host`` is what the listener and the route have in common; ``is_known`` is False for a Gateway that is
    not in Git.
    """

    name: Name
    class_: Key
    port: int | None = None
    protocol: str = ""
    host: str = ""
    is_known: bool = True

    def includes(self, other: _Entry) -> bool:
        """Return True if connections to another entry come in by this one, too."""
        is_same = self[:4] == other[:4] and self.is_known is other.is_known
        return is_same and _includes_host(self.host, other.host)


def is_entry(kind: str, group: str) -> bool:
    """Return True for an object that decides whether connections come in to routes."""
    return (group, kind) in _KINDS


class Entries:
    """The entries of one side."""

    def __init__(self, objects: Iterable[Resource]) -> None:
        self._objects: dict[Key, Resource] = {}
        self._grants: dict[str, list[Resource]] = {}
        self._default = ""
        for each in objects:
            self._objects[each.kind, each.namespace, each.name] = each
            if each.kind == GRANT:
                self._grants.setdefault(each.namespace, []).append(each)
            elif each.kind == INGRESS_CLASS and text_at(each.annotations, _DEFAULT) == "true":
                self._default = each.name

    def of(self, route: Resource) -> frozenset[_Entry]:
        """Return the entries of a route; empty if none is known, or if no listener accepts it."""
        if route.kind == INGRESS:
            name = ingress_class(route) or self._default
            return frozenset([_Entry(("", ""), (INGRESS_CLASS, "", name))] if name else ())
        parents = map(object_at, array_at(route.content, "spec", "parentRefs"))
        return frozenset(
            entry
            for each in parents
            if text_at(each, "kind") in ("", GATEWAY)
            for entry in self._of_parent(each, route)
        )

    def _of_parent(self, parent: JsonObject, route: Resource) -> Iterator[_Entry]:
        name = text_at(parent, "namespace") or route.namespace, text_at(parent, "name")
        gateway = self._objects.get((GATEWAY, *name))
        if gateway is None:
            yield _Entry(name, (GATEWAY_CLASS, "", ""), is_known=False)
            return
        spec = object_at(gateway.content, "spec")
        class_ = GATEWAY_CLASS, "", text_at(spec, "gatewayClassName")
        listeners = [*map(object_at, array_at(spec, "listeners"))]
        yield from () if listeners else (_Entry(name, class_),)
        for listener in listeners:
            is_meant = text_at(parent, "sectionName") in ("", text_at(listener, "name"))
            port = listener.get("port")
            if is_meant and parent.get("port") in (None, port) and _accepts(listener, name[0], route):
                number, protocol = port if isinstance(port, int) else None, text_at(listener, "protocol")
                for host in _common_hosts(text_at(listener, "hostname").lower(), route):
                    yield _Entry(name, class_, number, protocol, host)

    def grants(self, route: Resource, service: Name) -> list[Resource]:
        """Return the grants by which a route may lead to a Service of another namespace."""
        found = self._grants.get(service[0], []) if service[0] != route.namespace else []
        spend(len(found), "looking for the grants of routes")
        return [each for each in found if _permits(each, route, service[1])]

    def has(self, key: Key) -> bool:
        return key in self._objects


def closed_services(
    routes: Iterable[Resource], before: Entries, after: Entries
) -> Mapping[Key, frozenset[Name]]:
    """Return the Services that routes no longer lead to, by the objects that decide it.

    The routes are those after the change.
    """
    found: dict[Key, set[Name]] = {}
    for route in routes:
        old, new = before.of(route), after.of(route)
        spend(1 + len(old) * len(new), "comparing the entries of routes")
        for entry in old:
            is_gone = before.has(entry.class_) and not after.has(entry.class_)
            if entry.is_known and (is_gone or not any(each.includes(entry) for each in new)):
                key = entry.class_ if is_gone or route.kind == INGRESS else (GATEWAY, *entry.name)
                found.setdefault(key, set()).update(backends(route))
        for service in backends(route):
            grants = before.grants(route, service)
            for each in grants if not after.grants(route, service) else ():
                found.setdefault((GRANT, each.namespace, each.name), set()).add(service)
    return {key: frozenset(services) for key, services in found.items()}


def _accepts(listener: JsonObject, namespace: str, route: Resource) -> bool:
    """Return True if a listener may accept a route; which namespaces a selector means is not looked up."""
    allowed = object_at(listener, "allowedRoutes")
    kinds = [text_at(each, "kind") for each in map(object_at, array_at(allowed, "kinds"))]
    origin = text_at(allowed, "namespaces", "from") or "Same"
    is_near = origin in ("All", "Selector") or (origin == "Same" and namespace == route.namespace)
    return is_near and (not kinds or route.kind in kinds)


def _common_hosts(listener: str, route: Resource) -> Iterator[str]:
    """Yield the hosts, or wildcards of these, that a listener and a route have in common."""
    for each in array_at(route.content, "spec", "hostnames") or ("",):
        host = str(each).lower()
        if _includes_host(listener, host):
            yield host
        elif _includes_host(host, listener):
            yield listener


def _includes_host(host: str, other: str) -> bool:
    return host in ("", other) or (host.startswith("*.") and other.endswith(host[1:]))


def _permits(grant: Resource, route: Resource, service: str) -> bool:
    sources = map(object_at, array_at(grant.content, "spec", "from"))
    targets = map(object_at, array_at(grant.content, "spec", "to"))
    is_from = any(
        (text_at(each, "kind"), text_at(each, "namespace")) == (route.kind, route.namespace)
        for each in sources
    )
    return is_from and any(
        text_at(each, "kind") == _SERVICE and text_at(each, "name") in ("", service) for each in targets
    )
