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

from collections.abc import Iterator
from functools import partial

from renderer.checks.rules.context import Context
from renderer.checks.rules.inventory import may_be_in
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
from renderer.kubevirt.facts.placeholders import has_placeholder
from renderer.model.codes import Code
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.rule_settings import Level
from renderer.model.suggest import suggest

_GRANT = "ReferenceGrant"
_FROM = FieldPath.of("spec", "from")
_KUBERNETES = ("k8s.io", "kubevirt.io")


def _check(context: Context, *, is_strict: bool) -> Iterator[Finding]:
    find = strictly_dangling if is_strict else dangling
    for found in find(context, (SERVICE,)):
        if is_strict or not _may_be_made(context, found):
            yield found
    for resource in context.of_kind(*OPERATOR_KINDS):
        for named in operator_references(resource):
            if named.kind == SERVICE:
                yield from _wrong_ports(context, resource, named)
                yield from _missing_grants(context, resource, named, is_strict=is_strict)


def _may_be_made(context: Context, found: Finding) -> bool:
    """Return True if an operator's object may make the Service: it has the name, or the beginning of it."""
    written = next(named.name for named in operator_references(found.resource) if named.field == found.field)
    return any(
        written == each.name or written.startswith(f"{each.name}-")
        for each in context.resources
        if "." in each.gvk.group
        and not each.gvk.group.endswith(_KUBERNETES)
        and each.gvk.group not in OPERATOR_GROUPS
    )


def _wrong_ports(context: Context, resource: Resource, named: Named) -> Iterator[Finding]:
    """Yield a finding if the one Service of the overlay with this name lacks the port."""
    services = [
        item.resource
        for item in context.inventory.named(SERVICE, named.name)
        if may_be_in(item, named.namespace)
    ]
    written = [
        (named.field.parent.child(*path), value)
        for path in (("port",), ("port", "number"), ("port", "name"))
        if isinstance(value := _at(named.mapping, path), int | str)
    ]
    if len(services) != 1 or not written:
        return
    ports = [object_at(port) for port in array_at(services[0].content, "spec", "ports")]
    at, value = written[0]
    known = [port.get("name" if isinstance(value, str) else "port") for port in ports]
    if not ports or value in known or has_placeholder(str(value)):
        return
    if any(has_placeholder(str(port.get("port"))) for port in ports):
        return
    target = next((port.get("port") for port in ports if port.get("targetPort") == value), None)
    hint, fix = f"it has {_listed(known)}", None
    if isinstance(target, int):
        hint = f"{value} is the targetPort: write {target}, the port of the Service"
        fix = SetField(at, target)
    elif isinstance(value, str):
        near = suggest(value, [each for each in known if isinstance(each, str)], most=1)
        hint, fix = (f"did you mean {near[0]}?", SetField(at, near[0])) if near else (hint, None)
    message = f"the Service {named.name} has no port {value}"
    yield Finding(
        resource, at, message, hint, (related_to(services[0], f"Service {named.name} is here"),), fix
    )


def _at(mapping: JsonObject, path: tuple[str, ...]) -> Json:
    return object_at(mapping, *path[:-1]).get(path[-1])


def _listed(known: list[Json]) -> str:
    named = [str(each) for each in known if each is not None]
    return (
        f"the ports {', '.join(named)}" if len(named) > 1 else f"the port {named[0]}" if named else "no names"
    )


def _missing_grants(
    context: Context, resource: Resource, named: Named, *, is_strict: bool
) -> Iterator[Finding]:
    """Yield a finding if no ReferenceGrant lets the route use the Service of another namespace."""
    is_route = resource.gvk.group == GATEWAY_GROUP
    if not is_route or not resource.namespace or named.namespace == resource.namespace:
        return
    if has_placeholder(f"{named.namespace}/{resource.namespace}"):
        return
    grants = [each for each in context.of_kind(_GRANT) if each.namespace in ("", named.namespace)]
    if any(_permits(grant, resource, named) for grant in grants) or not (grants or is_strict):
        return
    message = (
        f"no {_GRANT} of {named.namespace} lets {resource.kind}s of {resource.namespace} use the Service"
        f" {named.name}"
    )
    hint = f"add the kind and namespace to from of a {_GRANT} in {named.namespace}"
    related = tuple(related_to(grant, f"{_GRANT} {grant.name} is here", _FROM) for grant in grants[:1])
    yield Finding(resource, named.field.parent.child("namespace"), message, hint, related)


def _permits(grant: Resource, route: Resource, named: Named) -> bool:
    spec = object_at(grant.content, "spec")
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
