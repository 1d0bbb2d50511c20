from __future__ import annotations

from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource, Scope
from renderer.model.kube.resource import Resource
from tests.kubevirt_objects import catalog, instancetype, labelled, namespaced, resources, vm

KIND, CLUSTER_KIND = "VirtualMachineInstancetype", "VirtualMachineClusterInstancetype"


def vcpus(found: Resource | None) -> object:
    assert found is not None
    spec = found.content["spec"]
    assert isinstance(spec, dict)
    return spec["cpu"]["guest"]


def test_the_first_source_wins() -> None:
    first = CatalogSource("first", resources(instancetype("a", vcpus=1)))
    second = CatalogSource("second", resources(instancetype("a", vcpus=9), instancetype("b", vcpus=2)))
    both = Catalog.of(first, second)

    assert vcpus(Scope(both, "").find(CLUSTER_KIND, "a")) == 1
    assert vcpus(Scope(both, "").find(CLUSTER_KIND, "b")) == 2
    assert both.sources == ("first", "second")


def test_source_put_first_wins_and_hides_nothing_else() -> None:
    before = catalog(instancetype("a", vcpus=9), instancetype("b", vcpus=2))
    after = before.after(CatalogSource("own", resources(instancetype("a", vcpus=1))))

    assert vcpus(Scope(after, "").find(CLUSTER_KIND, "a")) == 1
    assert vcpus(Scope(after, "").find(CLUSTER_KIND, "b")) == 2
    assert vcpus(Scope(before, "").find(CLUSTER_KIND, "a")) == 9
    assert after.sources == ("own", "catalog")


def test_the_same_name_may_be_in_several_namespaces_of_several_sources() -> None:
    here = CatalogSource("own", resources(namespaced(instancetype("a", vcpus=1), "here")))
    both = catalog(namespaced(instancetype("a", vcpus=2), "there")).after(here)

    assert vcpus(Scope(both, "here").find(KIND, "a")) == 1
    assert vcpus(Scope(both, "there").find(KIND, "a")) == 2


def test_object_without_namespace_is_in_the_vms_namespace() -> None:
    objects = catalog(
        namespaced(instancetype("a", vcpus=1), ""), namespaced(instancetype("a", vcpus=2), "prod")
    )

    assert vcpus(Scope(objects, "test").find(KIND, "a")) == 1
    assert vcpus(Scope(objects, "prod").find(KIND, "a")) == 2
    assert Scope(objects, "test").find(KIND, "a", "elsewhere") is None


def test_object_without_namespace_does_not_match_a_vm_with_one() -> None:
    assert Scope(catalog(namespaced(instancetype("a"), "")), "prod").find(KIND, "a", "") is None


def test_without_namespace_is_in_the_namespace_default() -> None:
    nowhere, default = namespaced(instancetype("a"), ""), namespaced(instancetype("a"), "default")

    for objects in (catalog(nowhere), catalog(default)):
        assert Scope(objects, "").find(KIND, "a") is not None
        assert Scope(objects, "").find(KIND, "a", "default") is not None
        assert Scope(objects, "").find(KIND, "a", "prod") is None
    assert Scope(catalog(default), "prod").find(KIND, "a") is None


def test_cluster_wide_object_with_a_namespace_is_found() -> None:
    stray = instancetype("a") | {"metadata": {"name": "a", "namespace": "oops"}}

    assert Scope(catalog(stray), "prod").find(CLUSTER_KIND, "a") is not None


def test_kind_of_another_group_is_ignored() -> None:
    other = instancetype("a") | {"apiVersion": "example.com/v1beta1"}

    assert Scope(catalog(other), "").find(CLUSTER_KIND, "a") is None


def test_listed_names_can_be_found() -> None:
    objects = catalog(
        namespaced(instancetype("mine"), "prod"),
        namespaced(instancetype("anyones"), ""),
        namespaced(instancetype("theirs"), "test"),
    )

    assert Scope(objects, "prod").names(KIND) == ("anyones", "mine")


def test_other_kinds_are_ignored() -> None:
    objects = catalog(vm("a"), labelled("PersistentVolumeClaim", "claim"))

    assert Scope(objects, "prod").find("VirtualMachine", "a") is None
    assert Scope(objects, "prod").find("PersistentVolumeClaim", "claim") is not None
