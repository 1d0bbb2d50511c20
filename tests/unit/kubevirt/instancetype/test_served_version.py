from __future__ import annotations

from renderer.kubevirt.instancetype.served_version import without_unneeded_revisions
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet


def revision(name: str, namespace: str = "") -> Resource:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return Resource({"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": metadata}, Site("r"))


def vm(name: str, matcher: JsonObject | None, namespace: str = "prod") -> Resource:
    content: JsonObject = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {} if matcher is None else {"instancetype": matcher},
    }
    return Resource(content, Site("v"))


def left(composed: tuple[Resource, ...], expanded: tuple[Resource, ...]) -> list[tuple[str, str]]:
    kept = without_unneeded_revisions(ResourceSet(expanded), ResourceSet(composed))
    return [(resource.namespace, resource.name) for resource in kept if resource.kind == "ControllerRevision"]


def test_revision_is_removed_with_the_last_matcher_that_names_it() -> None:
    named, unnamed = revision("a", "prod"), revision("b", "prod")
    before = (named, unnamed, vm("x", {"revisionName": "a"}))
    assert left(before, (named, unnamed, vm("x", None))) == [("prod", "b")]
    assert left(before, before) == [("prod", "a"), ("prod", "b")]


def test_revision_of_another_namespace_is_kept() -> None:
    revisions = (revision("a", "prod"), revision("a", "test"), revision("a"))
    before = (*revisions, vm("x", {"revisionName": "a"}))
    assert left(before, (*revisions, vm("x", None))) == [("test", "a")]


def test_revision_named_by_another_vm_is_kept() -> None:
    shared = revision("a", "prod")
    failed = vm("y", {"revisionName": "a"})
    assert left((shared, vm("x", {"revisionName": "a"}), failed), (shared, vm("x", None), failed)) == [
        ("prod", "a")
    ]


def test_other_kinds_of_that_name_are_kept() -> None:
    other = Resource({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}, Site("c"))
    composed = ResourceSet((other, vm("x", {"revisionName": "a"})))
    expanded = ResourceSet((other, vm("x", None)))
    assert without_unneeded_revisions(expanded, composed) == expanded
