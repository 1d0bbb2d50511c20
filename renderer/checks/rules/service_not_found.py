"""A route or Ingress names a Service or port that this overlay was meant to provide, but does not.

The route is accepted, and every request through it fails: gateways answer with status 500, most Ingress
controllers with 503.

Wrong, where the Service `web` of the overlay has the port 80:

```yaml
kind: HTTPRoute
spec:
  rules:
  - backendRefs: [{name: web, port: 8080}]
```

Right:

```yaml
kind: HTTPRoute
spec:
  rules:
  - backendRefs: [{name: web, port: 80}]  # port of the Service, not targetPort
```

The backends of an Ingress and of the routes of the Gateway API are looked up. The Service may exist in the
cluster without being in Git, or an operator or a chart may make it, so the rule reports a name only if the
overlay shows that one of its own Services was meant. It says nothing if another operator's object in the
overlay has the name, or the beginning of it. A Service of another namespace needs a ReferenceGrant there: if
the overlay has grants in that namespace, one of them must be for the route. Set `service-not-found: {strict:
true}` in `rules` of `vmrender.yaml` to report every Service and grant that the overlay does not contain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from renderer.checks.rules.context import Context
from renderer.checks.rules.not_found import dangling, strictly_dangling
from renderer.checks.rules.operator_references import (
    GATEWAY_GROUP,
    OPERATOR_KINDS,
    SERVICE,
    Named,
    operator_references,
)
from renderer.checks.rules.rule import Finding, Rule, related_to
from renderer.checks.schemas.kubevirt_kinds import OPERATOR_GROUPS
from renderer.model.codes import Code
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.placeholders import has_placeholder
from renderer.model.plural import listed
from renderer.model.record import Record
from renderer.model.rule_settings import Level
from renderer.model.run.work import spend
from renderer.model.suggest import suggest

_GRANT = "ReferenceGrant"
_STEPS_PER_PART = 3
_FROM = FieldPath.of("spec", "from")
_KUBERNETES = ("k8s.io", "kubevirt.io")


def _check(context: Context, *, is_strict: bool) -> Iterator[Finding]:
    find = strictly_dangling if is_strict else dangling
    makers: frozenset[str] | None = None
    last, written = None, dict[FieldPath, str]()
    for found in find(context, (SERVICE,)):
        if not is_strict:
            if makers is None:
                makers = _makers(context)
            if last is not found.resource:
                last = found.resource
                written = {named.field: named.name for named in operator_references(last)}
            if _may_be_made(written[found.field], makers):
                continue
        yield found
    grants = _Grants(context)
    for resource in context.of_kind(*OPERATOR_KINDS):
        for named in operator_references(resource):
            if named.kind == SERVICE:
                yield from _wrong_ports(context, resource, named)
                yield from _missing_grants(grants, resource, named, is_strict=is_strict)


def _makers(context: Context) -> frozenset[str]:
    """Return the names of the objects for which operators may make Services."""
    return frozenset(
        each.name
        for each in context.resources
        if "." in each.gvk.group
        and not each.gvk.group.endswith(_KUBERNETES)
        and each.gvk.group not in OPERATOR_GROUPS
    )


def _may_be_made(name: str, makers: frozenset[str]) -> bool:
    """Return True if an operator's object may make a Service: it has its name, or the beginning of it."""
    parts = name.split("-")
    return any("-".join(parts[:end]) in makers for end in range(1, len(parts) + 1))


class _Ports(Record):
    """The ports of a Service: numbers and names, each port by its targetPort, and the words for them.

    ``is_open``: any port may count, as there are none, or one is filled in later.
    """

    numbers: frozenset[int | str]
    names: Mapping[str, None]
    by_target: Mapping[int | str, Json]
    listed_numbers: str
    listed_names: str
    is_open: bool


@once_for_same
def _read_ports(written: Sequence[Json]) -> _Ports:
    ports = [object_at(port) for port in written]
    numbers, names = ([port.get(key) for port in ports] for key in ("port", "name"))
    targets = ((port.get("targetPort"), port.get("port")) for port in reversed(ports))
    return _Ports(
        frozenset(each for each in numbers if isinstance(each, int | str)),
        {each: None for each in names if isinstance(each, str)},
        {target: port for target, port in targets if isinstance(target, int | str)},
        _listed(numbers),
        _listed(names),
        not ports or any(has_placeholder(str(each)) for each in numbers),
    )


def _wrong_ports(context: Context, resource: Resource, named: Named) -> Iterator[Finding]:
    """Yield a finding if the one Service of the overlay with this name lacks the port."""
    services = context.inventory.named_in(SERVICE, named.name, named.namespace)
    written = [
        (named.field.parent.child(*path), value)
        for path in (("port",), ("port", "number"), ("port", "name"))
        if isinstance(value := _at(named.mapping, path), int | str)
    ]
    if len(services) != 1 or not written:
        return
    service = services[0].resource
    ports = _read_ports(array_at(service.content, "spec", "ports"))
    at, value = written[0]
    is_known = value in ports.names if isinstance(value, str) else value in ports.numbers
    if ports.is_open or is_known or has_placeholder(str(value)):
        return
    target = ports.by_target.get(value)
    hint, fix = f"it has {ports.listed_names if isinstance(value, str) else ports.listed_numbers}", None
    if isinstance(target, int):
        hint = f"{value} is the targetPort: write {target}, the port of the Service"
        fix = SetField(at, target)
    elif isinstance(value, str):
        near = suggest(value, ports.names, most=1)
        hint, fix = (f"did you mean {near[0]}?", SetField(at, near[0])) if near else (hint, None)
    message = f"the Service {named.name} has no port {value}"
    yield Finding(resource, at, message, hint, (related_to(service, f"Service {named.name} is here"),), fix)


def _at(mapping: JsonObject, path: tuple[str, ...]) -> Json:
    return object_at(mapping, *path[:-1]).get(path[-1])


def _listed(known: list[Json]) -> str:
    named = [str(each) for each in known if each is not None]
    return f"the ports {listed(named)}" if len(named) > 1 else f"the port {named[0]}" if named else "no names"


class _Grants:
    """The ReferenceGrants of an overlay."""

    def __init__(self, context: Context) -> None:
        self._by_namespace: dict[str, list[Resource]] = {}
        self._permitted: dict[tuple[str, str, str, str], bool] = {}
        for each in context.of_kind(_GRANT):
            self._by_namespace.setdefault(each.namespace, []).append(each)

    def of(self, namespace: str) -> Iterator[Resource]:
        """Yield the grants that may be in a namespace."""
        yield from self._by_namespace.get(namespace, ())
        yield from self._by_namespace.get("", ()) if namespace else ()

    def permit(self, route: Resource, named: Named) -> bool:
        """Return True if a grant lets a route use a Service."""
        key = route.kind, route.namespace, named.namespace, named.name
        if key not in self._permitted:
            self._permitted[key] = any(_permits(each, route, named) for each in self.of(named.namespace))
        return self._permitted[key]


def _missing_grants(
    grants: _Grants, resource: Resource, named: Named, *, is_strict: bool
) -> Iterator[Finding]:
    """Yield a finding if no ReferenceGrant lets the route use the Service of another namespace."""
    is_route = resource.gvk.group == GATEWAY_GROUP
    if not is_route or not resource.namespace or named.namespace == resource.namespace:
        return
    if has_placeholder(f"{named.namespace}/{resource.namespace}"):
        return
    first = next(grants.of(named.namespace), None)
    if grants.permit(resource, named) or not (first or is_strict):
        return
    message = (
        f"no {_GRANT} of {named.namespace} lets {resource.kind}s of {resource.namespace} use the Service"
        f" {named.name}"
    )
    hint = f"add the kind and namespace to from of a {_GRANT} in {named.namespace}"
    related = (related_to(first, f"{_GRANT} {first.name} is here", _FROM),) if first else ()
    yield Finding(resource, named.field.parent.child("namespace"), message, hint, related)


def _permits(grant: Resource, route: Resource, named: Named) -> bool:
    spec = object_at(grant.content, "spec")
    parts = len(array_at(spec, "from")) + len(array_at(spec, "to"))
    spend(_STEPS_PER_PART * (1 + parts), "looking for ReferenceGrants")
    return any(
        text_at(source, "group") == GATEWAY_GROUP
        and text_at(source, "kind") == route.kind
        and (text_at(source, "namespace") == route.namespace or has_placeholder(text_at(source, "namespace")))
        for source in array_at(spec, "from")
    ) and any(
        text_at(target, "group") == ""
        and text_at(target, "kind") == SERVICE
        and text_at(target, "name") in ("", named.name)
        for target in array_at(spec, "to")
    )


RULE = Rule(
    Code.SERVICE_NOT_FOUND,
    Level.WARNING,
    partial(_check, is_strict=False),
    __doc__,
    strict=partial(_check, is_strict=True),
)
