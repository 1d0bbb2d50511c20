from __future__ import annotations

import pytest

from renderer.kustomize.identity import with_previous_id
from renderer.model.kube.json import JsonObject, with_value
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.provenance.patterns import ResourcePattern


def resource(kind: str, name: str, namespace: str = "", api_version: str = "kubevirt.io/v1") -> Resource:
    metadata: JsonObject = {"name": name, "namespace": namespace}
    return Resource({"apiVersion": api_version, "kind": kind, "metadata": metadata}, Site("file.yaml"))


def renamed(before: Resource, name: str) -> Resource:
    return with_previous_id(before).with_content(with_value(before.content, ("metadata", "name"), name))


VM = resource("VirtualMachine", "db", "shop")
OTHER = resource("VirtualMachine", "db", "office")
SERVICE = resource("Service", "db", "shop", "v1")
POLICY = resource("NetworkPolicy", "web", "shop", "networking.k8s.io/v1")
PREFIXED = renamed(resource("VirtualMachine", "app", "shop"), "prod-app")
EVERYTHING = (VM, OTHER, SERVICE, POLICY, PREFIXED)


@pytest.mark.parametrize(
    ("text", "namespace", "found"),
    [
        ("db", "", (VM, OTHER, SERVICE)),
        ("db", "shop", (VM, SERVICE)),
        ("vm/db", "shop", (VM,)),
        ("vms/db", "shop", (VM,)),
        ("VirtualMachine/db", "office", (OTHER,)),
        ("virtualmachines.kubevirt.io/db", "shop", (VM,)),
        ("virtualmachines.example.com/db", "shop", ()),
        ("office/vm/db", "", (OTHER,)),
        ("svc/db", "", (SERVICE,)),
        ("netpol/web", "", (POLICY,)),
        ("networkpolicies/web", "", (POLICY,)),
        ("vm/prod-app", "", (PREFIXED,)),
        ("vm/app", "", (PREFIXED,)),
        ("vmi/db", "", ()),
        ("vm/web", "", ()),
    ],
)
def test_patterns_select_resources(text: str, namespace: str, found: tuple[Resource, ...]) -> None:
    assert ResourcePattern.parse(text, namespace).select(EVERYTHING) == found


def test_current_names_take_precedence_over_previous_ones() -> None:
    now = resource("VirtualMachine", "app", "shop")
    assert ResourcePattern.parse("app").select((PREFIXED, now)) == (now,)


@pytest.mark.parametrize("text", ["", "/", "vm/", "/db", "a/b/c/d", "a//c"])
def test_invalid_patterns_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not NAME, KIND/NAME, NAMESPACE/NAME or NAMESPACE/KIND/NAME"):
        ResourcePattern.parse(text)
