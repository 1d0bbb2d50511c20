"""Gateways, classes and grants by which routes no longer get connections to a machine."""

from __future__ import annotations

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.model.difference import Effect
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

API = "gateway.networking.k8s.io/v1"
MACHINE = (
    "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: db, namespace: shop},"
    " spec: {runStrategy: Always, template: {spec: {domain: {}}}}}"
)
SERVICE = (
    "{apiVersion: v1, kind: Service, metadata: {name: db, namespace: shop},"
    " spec: {selector: {vm.kubevirt.io/name: db}, ports: [{port: 80}]}}"
)
GATEWAY = (
    f"{{apiVersion: {API}, kind: Gateway, metadata: {{name: g, namespace: shop}}, spec: {{"
    "gatewayClassName: c, listeners:"
    " [{name: web, port: 80, protocol: HTTP}, {name: tls, port: 443, protocol: HTTPS}]}}"
)
CLASS = f"{{apiVersion: {API}, kind: GatewayClass, metadata: {{name: c}}}}"
ROUTE = (
    f"{{apiVersion: {API}, kind: HTTPRoute, metadata: {{name: db, namespace: shop}}, spec: {{parentRefs:"
    " [{name: g}], rules: [{backendRefs: [{name: db, namespace: shop, port: 80}]}]}}"
)
GRANT = (
    f"{{apiVersion: {API}, kind: ReferenceGrant, metadata: {{name: r, namespace: shop}}, spec: {{from:"
    " [{kind: HTTPRoute, namespace: edge}], to: [{kind: Service}]}}"
)
AFAR = ROUTE.replace("name: db, namespace: shop}, s", "name: db, namespace: edge}, s").replace(
    "[{name: g}]", "[{name: g, namespace: shop}]"
)
INGRESS = (
    "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: db, namespace: shop},"
    " spec: {ingressClassName: nginx, defaultBackend: {service: {name: db, port: {number: 80}}}}}"
)
INGRESS_CLASS = (
    "{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: nginx,"
    " annotations: {ingressclass.kubernetes.io/is-default-class: 'true'}}}"
)
TLS = ", {name: tls, port: 443, protocol: HTTPS}"
ALL = "protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}"
ONE_HOST = GATEWAY.replace(TLS, "").replace("{name: web,", "{name: web, hostname: db.a.b,")
TO_HOST = ROUTE.replace("spec: {", "spec: {hostnames: [db.a.b], ")
CUT = "connections to VirtualMachine db by this {} fail at once"


def reasons(before: list[str], after: list[str]) -> list[str]:
    old, new = (
        OverlaySide(
            LATEST,
            tuple(Resource(yaml.safe_load(each), Site("a.yaml")) for each in (MACHINE, SERVICE, *texts)),
        )
        for texts in (before, after)
    )
    changes = compare_overlay("a", "a", old, new).changes
    return [each.impact.reason for each in changes if each.impact and each.impact.effect is Effect.STOP]


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ([GATEWAY, ROUTE], [GATEWAY.replace(TLS, ""), ROUTE], "Gateway"),
        ([GATEWAY, ROUTE], [GATEWAY.replace("port: 80", "port: 81"), ROUTE], "Gateway"),
        ([GATEWAY, ROUTE], [GATEWAY.replace("Name: c", "Name: d"), ROUTE], "Gateway"),
        ([GATEWAY, ROUTE], [GATEWAY.replace("{name: web,", "{name: web, hostname: a.b,"), ROUTE], "Gateway"),
        ([GATEWAY, ROUTE], [ROUTE], "Gateway"),
        ([GATEWAY.replace("protocol: HTTP}", ALL), AFAR], [GATEWAY, AFAR], "Gateway"),
        ([GATEWAY, CLASS, ROUTE], [GATEWAY, ROUTE], "GatewayClass"),
        (
            [GATEWAY, ROUTE],
            [GATEWAY, ROUTE.replace("{name: g}", "{name: g, sectionName: other}")],
            "HTTPRoute",
        ),
        ([ONE_HOST, TO_HOST], [ONE_HOST.replace("db.a.b", "x.a.b"), TO_HOST], "Gateway"),
        ([GRANT, AFAR], [AFAR], "ReferenceGrant"),
        ([GRANT, AFAR], [GRANT.replace("edge", "other"), AFAR], "ReferenceGrant"),
        ([INGRESS_CLASS, INGRESS], [INGRESS], "IngressClass"),
        (
            [INGRESS_CLASS, INGRESS.replace("ingressClassName: nginx, ", "")],
            [INGRESS_CLASS.replace("'true'", "'no'"), INGRESS.replace("ingressClassName: nginx, ", "")],
            "IngressClass",
        ),
    ],
)
def test_connections_no_longer_come_in(before: list[str], after: list[str], kind: str) -> None:
    assert reasons(before, after) == [CUT.format(kind)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([ROUTE], [GATEWAY, ROUTE]),
        ([GATEWAY, ROUTE], [GATEWAY, CLASS, ROUTE]),
        ([GATEWAY, ROUTE], [GATEWAY.replace("name: tls", "name: https"), ROUTE]),
        ([GATEWAY, ROUTE], [GATEWAY, ROUTE.replace("{name: g}", "{name: g, sectionName: tls}")]),
        ([GATEWAY.replace("{name: web,", "{name: web, hostname: a.b,"), ROUTE], [GATEWAY, ROUTE]),
        ([AFAR], [GRANT, AFAR]),
        ([GRANT, ROUTE], [ROUTE]),
        ([INGRESS], [INGRESS_CLASS, INGRESS]),
        ([CLASS, ROUTE], [ROUTE]),
        ([ONE_HOST.replace("hostname: db.a.b, ", ""), TO_HOST], [ONE_HOST, TO_HOST]),
        ([ONE_HOST.replace("db.a.b", "'*.a.b'"), TO_HOST], [ONE_HOST, TO_HOST]),
    ],
)
def test_connections_still_come_in(before: list[str], after: list[str]) -> None:
    assert not reasons(before, after)
