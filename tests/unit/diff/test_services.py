"""Services that lose the virtual machines behind them, and claims that grow."""

from __future__ import annotations

from typing import Any

import pytest

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.model.difference import Effect, Impact
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

FAIL = "connections to VirtualMachine web by {} of this Service fail at once"
GROWS_IF = "otherwise the cluster refuses the update"


def object_(kind: str, spec: dict[str, Any], **others: Any) -> dict[str, Any]:  # noqa: ANN401 - any field
    version = "kubevirt.io/v1" if kind == "VirtualMachine" else "v1"
    metadata = {"name": "web", "namespace": "prod"}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec, **others}


def impact(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Impact | None:
    sides = [
        OverlaySide(LATEST, tuple(Resource(each, Site("a.yaml")) for each in objects))
        for objects in (before, after)
    ]
    [change] = compare_overlay("", "", sides[0], sides[1]).changes
    return change.impact


@pytest.mark.parametrize(
    ("selector", "effect"),
    [
        ({"app": "wbe"}, Effect.STOP),
        ({"tier": "front"}, Effect.LIVE),
        ({"app": "web", "tier": "db"}, Effect.STOP),
        ({"vm.kubevirt.io/name": "web"}, None),
    ],
)
def test_service_that_no_longer_selects_a_machine(selector: dict[str, Any], effect: Effect | None) -> None:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"domain": {"devices": {}}}}
    vm = object_("VirtualMachine", {"runStrategy": "Always", "template": template})
    deployment = object_("Deployment", {"template": {"metadata": {"labels": {"tier": "front"}}}})
    services = [object_("Service", {"selector": each}) for each in ({"app": "web"}, selector)]
    found = impact([vm, deployment, services[0]], [vm, deployment, services[1]])
    assert (found and found.effect) is effect
    assert found is None or "VirtualMachine web" in found.reason
    if found and found.effect is Effect.STOP:  # another overlay may have what it selects
        assert "nor anything else of this overlay" in found.reason


def test_service_of_a_machine_that_is_halted_loses_nothing() -> None:
    vm = object_("VirtualMachine", {"running": False, "template": {"spec": {"domain": {"devices": {}}}}})
    services = [
        object_("Service", {"selector": {"vm.kubevirt.io/name": "web"}, "ports": [{"port": each}]})
        for each in (22, 2222)
    ]
    assert impact([vm, services[0]], [vm, services[1]]) is None


@pytest.mark.parametrize(
    ("before", "after", "way"),
    [
        ({}, {"internalTrafficPolicy": "Local"}, "the cluster address from other nodes"),
        ({"type": "NodePort"}, {"externalTrafficPolicy": "Local"}, "the node ports of other nodes"),
        ({"type": "LoadBalancer"}, {"externalTrafficPolicy": "Local"}, ""),
        ({"internalTrafficPolicy": "Local"}, {"internalTrafficPolicy": "Cluster"}, ""),
    ],
)
def test_service_of_nodes_with_its_pods_alone(
    before: dict[str, Any], after: dict[str, Any], way: str
) -> None:
    vm = object_("VirtualMachine", {"runStrategy": "Always", "template": {"spec": {"domain": {}}}})
    common = {"selector": {"vm.kubevirt.io/name": "web"}, "ports": [{"port": 22}]}
    services = [object_("Service", {**common, **before, **each}) for each in ({}, after)]
    found = impact([vm, services[0]], [vm, services[1]])
    assert (found.reason if found else "") == (FAIL.format(way) if way else "")


@pytest.mark.parametrize(
    "key", ["metallb.io/loadBalancerIPs", "kube-vip.io/loadbalancerIPs", "lbipam.cilium.io/ips"]
)
def test_service_that_loses_the_address_of_an_annotation(key: str) -> None:
    vm = object_("VirtualMachine", {"runStrategy": "Always", "template": {"spec": {"domain": {}}}})
    spec = {"selector": {"vm.kubevirt.io/name": "web"}, "ports": [{"port": 22}], "type": "LoadBalancer"}

    def service(addresses: str) -> dict[str, Any]:
        found = object_("Service", spec)
        return {**found, "metadata": {**found["metadata"], "annotations": {key: addresses}}}

    found = impact([vm, service("10.0.0.5, fd00::5")], [vm, service("10.0.0.6,fd00::5")])
    assert found is not None
    assert "by the external address 10.0.0.5 of this Service fail at once" in found.reason
    assert impact([vm, service("10.0.0.5")], [vm, service("10.0.0.6, 10.0.0.5")]) is None


@pytest.mark.parametrize(
    ("expandable", "reason"), [(True, "the volume grows"), (None, GROWS_IF), (False, "allowVolumeExpansion")]
)
def test_claim_that_grows(*, expandable: bool | None, reason: str) -> None:
    small, large = (
        object_(
            "PersistentVolumeClaim",
            {"storageClassName": "web", "resources": {"requests": {"storage": size}}},
        )
        for size in ("1Gi", "2Gi")
    )
    kind = object_("StorageClass", {}, allowVolumeExpansion=expandable)
    classes = [] if expandable is None else [kind]
    found = impact([small, *classes], [large, *classes])
    assert found is not None
    assert found.effect is (Effect.REFUSED if expandable is False else Effect.LIVE)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("selector", "name", "is_cut"),
    [({"app": "web"}, "", True), ({"app": "web"}, "site", True), ({"app": "other"}, "", False)],
)
def test_service_that_is_removed_or_renamed(selector: dict[str, Any], name: str, *, is_cut: bool) -> None:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"domain": {"devices": {}}}}
    vm = object_("VirtualMachine", {"runStrategy": "Always", "template": template})
    service = object_("Service", {"selector": selector})
    renamed = {**service, "metadata": {"name": name, "namespace": "prod"}}
    found = impact([vm, service], [vm, renamed] if name else [vm])
    assert (found is not None and found.effect is Effect.STOP) is is_cut


def test_service_that_goes_with_its_machine() -> None:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"domain": {"devices": {}}}}
    vm = object_("VirtualMachine", {"runStrategy": "Always", "template": template})
    service = object_("Service", {"selector": {"app": "web"}})
    sides = [
        OverlaySide(LATEST, tuple(Resource(each, Site("a.yaml")) for each in objects))
        for objects in ([vm, service], [])
    ]
    changes = compare_overlay("", "", sides[0], sides[1]).changes
    assert [each.impact for each in changes if each.id.gvk.kind == "Service"] == [None]


def machine() -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"domain": {"devices": {}}}}
    return object_("VirtualMachine", {"runStrategy": "Always", "template": template})


HTTP, SSH = {"name": "http", "port": 80}, {"name": "ssh", "port": 22}


BALANCER = {"type": "LoadBalancer"}


def sources(*ranges: str) -> dict[str, Any]:
    return {**BALANCER, "loadBalancerSourceRanges": [*ranges]}


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ({"ports": [HTTP, SSH]}, {"ports": [SSH]}, "port 80/TCP"),
        ({"ports": [HTTP]}, {"ports": [{**HTTP, "port": 81}]}, "port 80/TCP"),
        ({"ports": [HTTP]}, {"ports": [{**HTTP, "targetPort": 81}]}, "port 80/TCP"),
        ({"ports": [HTTP]}, {"ports": [{**HTTP, "protocol": "UDP"}]}, "port 80/TCP"),
        ({"ports": [HTTP]}, {"ports": [HTTP, SSH]}, ""),
        ({"ports": [HTTP]}, {"ports": [{**HTTP, "name": "web"}]}, ""),
        (
            {"ports": [HTTP], "type": "LoadBalancer"},
            {"ports": [HTTP]},
            "the node ports, the external address",
        ),
        ({"ports": [HTTP], "type": "LoadBalancer"}, {"ports": [HTTP], "type": "NodePort"}, "the external"),
        ({"ports": [HTTP], "type": "NodePort"}, {"ports": [HTTP], "type": "LoadBalancer"}, ""),
        (
            {"ports": [{**HTTP, "nodePort": 30080}], "type": "NodePort"},
            {"ports": [{**HTTP, "nodePort": 30081}], "type": "NodePort"},
            "node port 30080",
        ),
        ({"ports": [HTTP], "clusterIP": "None"}, {"ports": [SSH], "clusterIP": "None"}, ""),
        ({"externalIPs": ["1.2.3.4"]}, {}, "the external address 1.2.3.4 of this Service"),
        ({**BALANCER, "loadBalancerIP": "1.2.3.4"}, BALANCER, "the external address 1.2.3.4 of this Service"),
        ({**BALANCER, "loadBalancerIP": "1.2.3.4"}, {}, "the node ports, the external address of this"),
        (BALANCER, {**BALANCER, "loadBalancerIP": "1.2.3.4"}, ""),
        (BALANCER, sources("10.0.0.0/8"), "the external address from outside of 10.0.0.0/8 of this Service"),
        (sources("10.0.0.0/8"), sources("10.1.0.0/16"), "the external address from 10.0.0.0/8 of this"),
        (sources("10.1.0.0/16"), sources("fd00::/8", "10.0.0.0/8"), ""),
        (BALANCER, sources("0.0.0.0/0"), ""),
    ],
)
@pytest.mark.parametrize("app", ["web", "other"])
def test_service_that_is_no_longer_reached(
    before: dict[str, Any], after: dict[str, Any], lost: str, app: str
) -> None:
    old, new = (object_("Service", {"selector": {"app": app}, **each}) for each in (before, after))
    found = impact([machine(), old], [machine(), new])
    if lost and app == "web":
        assert found is not None
        assert found.effect is Effect.STOP
        assert found.reason.startswith(f"connections to VirtualMachine web by {lost}")
    else:
        assert found is None


BACKEND = {"service": {"name": "web", "port": {"number": 80}}}


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("Ingress", {"defaultBackend": BACKEND}),
        ("Ingress", {"rules": [{"http": {"paths": [{"path": "/", "backend": BACKEND}]}}]}),
        ("Route", {"to": {"kind": "Service", "name": "web"}}),
        ("Route", {"to": {"name": "other"}, "alternateBackends": [{"kind": "Service", "name": "web"}]}),
        ("HTTPRoute", {"rules": [{"backendRefs": [{"name": "web", "port": 80}]}]}),
        ("TCPRoute", {"rules": [{"backendRefs": [{"name": "web", "port": 80}]}]}),
    ],
)
@pytest.mark.parametrize("app", ["web", "other"])
def test_removed_route_to_a_machine(kind: str, spec: dict[str, Any], app: str) -> None:
    service = object_("Service", {"selector": {"app": app}, "ports": [HTTP]})
    found = impact([machine(), service, object_(kind, spec)], [machine(), service])
    assert (found is not None) is (app == "web")
    assert found is None or found.reason == f"connections to VirtualMachine web by this {kind} fail at once"


OTHER = {"service": {"name": "other", "port": {"number": 80}}}


def paths(**backends: object) -> dict[str, Any]:
    found = [{"path": f"/{path}", "backend": backend} for path, backend in backends.items()]
    return {"rules": [{"host": "a.example", "http": {"paths": found}}]}


def http_route(*names: str, gateway: str = "public", weight: int = 1) -> dict[str, Any]:
    backends = [{"name": name, "weight": weight if name == "web" else 1} for name in names]
    return {"parentRefs": [{"name": gateway}], "rules": [{"backendRefs": backends}]}


@pytest.mark.parametrize(
    ("kind", "before", "after", "is_lost"),
    [
        ("Ingress", {"defaultBackend": BACKEND}, {"defaultBackend": OTHER}, True),
        ("Ingress", paths(a=BACKEND, b=OTHER), paths(a=OTHER, b=BACKEND), True),
        ("Ingress", paths(a=BACKEND), paths(a=BACKEND, b=OTHER), False),
        ("Ingress", paths(a=BACKEND), {**paths(a=BACKEND), "ingressClassName": "nginx"}, False),
        ("Route", {"to": {"name": "web"}}, {"to": {"name": "other"}}, True),
        ("HTTPRoute", http_route("web"), http_route("web", "other"), False),
        ("HTTPRoute", http_route("web", "other"), http_route("web", "other", weight=0), True),
        ("HTTPRoute", http_route("web"), http_route("web", gateway="internal"), True),
        ("HTTPRoute", http_route("web"), http_route("new"), False),
    ],
)
def test_route_that_leads_elsewhere(
    kind: str, before: dict[str, Any], after: dict[str, Any], *, is_lost: bool
) -> None:
    services = [
        {**object_("Service", {"selector": {"app": app}}), "metadata": {"name": name, "namespace": "prod"}}
        for name, app in (("web", "web"), ("other", "other"), ("new", "web"))
    ]
    routes = [object_(kind, each) for each in (before, after)]
    found = impact([machine(), *services, routes[0]], [machine(), *services, routes[1]])
    assert (found is not None) is is_lost
    place = "host a.example, path /a of " if "rules" in before and kind == "Ingress" else ""
    reason = f"connections to VirtualMachine web by {place}this {kind} fail at once"
    assert found is None or found.reason == reason


def hosts(*names: str, path: str = "/", **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any field
    paths = [{"path": path, "pathType": "Prefix", "backend": BACKEND}]
    return {"rules": [{"host": each, "http": {"paths": paths}} for each in names], **more}


def matched(*hostnames: str, **match: Any) -> dict[str, Any]:  # noqa: ANN401 - any field
    rules = [{"backendRefs": [{"name": "web"}], **({"matches": [match]} if match else {})}]
    return {"parentRefs": [{"name": "public"}], "hostnames": [*hostnames], "rules": rules}


def openshift_route(**spec: str) -> dict[str, Any]:
    return {"to": {"kind": "Service", "name": "web"}, **spec}


PREFIX_A = {"type": "PathPrefix", "value": "/a"}


@pytest.mark.parametrize(
    ("kind", "before", "after", "lost"),
    [
        ("Ingress", hosts("a.x"), hosts("b.x"), "host a.x"),
        ("Ingress", hosts("a.x", "b.x"), hosts("b.x"), "host a.x"),
        ("Ingress", hosts("a.x"), hosts("a.x", "b.x"), ""),
        ("Ingress", hosts("a.x"), hosts("A.X"), ""),
        ("Ingress", hosts("a.x"), hosts("*.x"), ""),
        ("Ingress", hosts("b.a.x"), hosts("*.x"), "host b.a.x"),
        ("Ingress", hosts("*.x"), hosts("a.x"), "host *.x"),
        ("Ingress", hosts("a.x"), hosts(""), ""),
        ("Ingress", hosts(""), hosts("a.x"), "other hosts or paths"),
        ("Ingress", hosts("a.x"), {"defaultBackend": BACKEND}, ""),
        ("Ingress", hosts("a.x"), hosts("a.x", path="/b"), "host a.x"),
        ("Ingress", hosts("a.x", path="/b"), hosts("a.x", path="/c"), "host a.x, path /b"),
        ("Ingress", hosts("a.x", path="/b/c"), hosts("a.x", path="/b/"), ""),
        ("Ingress", hosts("a.x", path="/bc"), hosts("a.x", path="/b"), "host a.x, path /bc"),
        (
            "Ingress",
            paths(a=BACKEND),
            {**paths(a=OTHER), "defaultBackend": BACKEND},
            "host a.example, path /a",
        ),
        ("Ingress", hosts("a.x", ingressClassName="out"), hosts("a.x", ingressClassName="in"), "host a.x"),
        ("Route", openshift_route(host="a.x"), openshift_route(host="b.x"), "host a.x"),
        ("Route", openshift_route(), openshift_route(host="b.x"), "host generated by the router"),
        ("Route", openshift_route(host="a.x"), openshift_route(host="a.x", path="/b"), "host a.x"),
        ("Route", openshift_route(host="a.x", path="/b"), openshift_route(host="a.x"), ""),
        ("HTTPRoute", matched("a.x", "b.x"), matched("b.x"), "host a.x"),
        ("HTTPRoute", matched("b.a.x"), matched("*.x"), ""),
        ("HTTPRoute", matched("a.x"), matched(), ""),
        ("HTTPRoute", matched(), matched("a.x"), "other hosts or paths"),
        ("HTTPRoute", matched("a.x"), matched("a.x", path=PREFIX_A), "host a.x"),
        ("HTTPRoute", matched("a.x", path=PREFIX_A), matched("a.x"), ""),
        ("HTTPRoute", matched(path=PREFIX_A), matched(path={"type": "Exact", "value": "/a"}), "path /a"),
        ("HTTPRoute", matched(method="GET"), matched(), ""),
        ("HTTPRoute", matched(method="GET"), matched(method="PUT"), "method GET"),
        (
            "HTTPRoute",
            matched(headers=[{"name": "x", "value": "1"}]),
            matched(headers=[{"name": "x", "value": "2"}]),
            "header x",
        ),
        ("GRPCRoute", matched(method={"service": "s"}), matched(method={"service": "t"}), "service s"),
        ("TLSRoute", matched("a.x"), matched("b.x"), "host a.x"),
    ],
)
@pytest.mark.parametrize("app", ["web", "other"])
def test_route_that_leads_from_other_hosts_and_paths(
    kind: str, before: dict[str, Any], after: dict[str, Any], lost: str, app: str
) -> None:
    kept = [machine(), object_("Service", {"selector": {"app": app}})]
    found = impact([*kept, object_(kind, before)], [*kept, object_(kind, after)])
    assert (found is not None) is (bool(lost) and app == "web")
    place = "" if "ingressClassName" in after else f"{lost} of "
    reason = f"connections to VirtualMachine web by {place}this {kind} fail at once"
    assert found is None or found == Impact(Effect.STOP, reason)


@pytest.mark.parametrize(
    ("kind", "spec", "other", "is_lost"),
    [
        ("Ingress", hosts("a.x", "b.x"), hosts("a.x"), False),
        ("Ingress", hosts("a.x", "b.x"), hosts("c.x"), True),
        ("HTTPRoute", matched("a.x"), matched("*.x"), False),
        ("HTTPRoute", matched("a.x"), {**matched("a.x"), "parentRefs": [{"name": "internal"}]}, True),
    ],
)
@pytest.mark.parametrize("is_removed", [True, False])
def test_another_route_leads_the_same_connections_to_the_machine(
    kind: str, spec: dict[str, Any], other: dict[str, Any], *, is_lost: bool, is_removed: bool
) -> None:
    beside = {**object_(kind, other), "metadata": {"name": "beside", "namespace": "prod"}}
    kept = [machine(), object_("Service", {"selector": {"app": "web"}}), beside]
    after = hosts("b.x") if kind == "Ingress" else matched("b.x")
    found = impact([*kept, object_(kind, spec)], kept if is_removed else [*kept, object_(kind, after)])
    assert (found is not None) is (is_lost or (is_removed and kind == "Ingress"))


@pytest.mark.parametrize("gateway", ["web", "other"])
def test_removed_gateway_of_a_route(gateway: str) -> None:
    kept = [machine(), object_("Service", {"selector": {"app": "web"}})]
    kept.append(object_("HTTPRoute", http_route("web", gateway=gateway)))
    gone = {**object_("Gateway", {}), "apiVersion": "gateway.networking.k8s.io/v1"}
    found = impact([*kept, gone], kept)
    assert (found is not None) is (gateway == "web")
    assert found is None or found.reason == "connections to VirtualMachine web by this Gateway fail at once"
