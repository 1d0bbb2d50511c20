"""Objects by the names that people type, and the preferences that an instance type satisfies."""

from __future__ import annotations

import pytest

from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.lookup import look_up
from renderer.kubevirt.instancetype.requirements import satisfies
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import LATEST, Release

CLUSTER, NAMESPACED = "VirtualMachineClusterInstancetype", "VirtualMachineInstancetype"
CLUSTER_PREFERENCE, PREFERENCE = "VirtualMachineClusterPreference", "VirtualMachinePreference"


def entry(kind: str, name: str, namespace: str = "", origin: str = "") -> Resource:
    metadata: dict[str, Json] = {"name": name, "namespace": namespace or None}
    content: dict[str, Json] = {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": kind,
        "metadata": metadata,
    }
    return Resource(content, Site(origin))


OURS = CatalogSource("ours", ResourceSet((entry(CLUSTER, "u1.medium", origin="ours"),)))
THEIRS = CatalogSource(
    "theirs",
    ResourceSet(
        (
            entry(CLUSTER, "u1.medium", origin="theirs"),
            entry(NAMESPACED, "u1.medium"),
            entry(CLUSTER_PREFERENCE, "fedora"),
            entry(CLUSTER, "both"),
            entry(CLUSTER_PREFERENCE, "both"),
            entry(NAMESPACED, "mine", "a"),
            entry(NAMESPACED, "mine", "b"),
            entry(PREFERENCE, "theirs", "a"),
        )
    ),
)
CATALOG = Catalog.of(OURS, THEIRS)


def refused(wanted: str) -> Diagnostic:
    with pytest.raises(DiagnosticError) as caught:
        look_up(CATALOG, wanted)
    [finding] = caught.value.diagnostics
    return finding


@pytest.mark.parametrize(
    ("wanted", "kind"),
    [
        ("u1.medium", CLUSTER),
        ("fedora", CLUSTER_PREFERENCE),
        ("virtualmachineclusterinstancetype/u1.medium", CLUSTER),
        ("VirtualMachineInstancetype/u1.medium", NAMESPACED),
        ("virtualmachineinstancetypes/u1.medium", NAMESPACED),
        ("vmf/u1.medium", NAMESPACED),
        ("VMCF/u1.medium", CLUSTER),
        ("instancetype/both", CLUSTER),
        ("Preference/both", CLUSTER_PREFERENCE),
        ("vmpref/theirs", PREFERENCE),
        ("theirs", PREFERENCE),
        ("preference/theirs", PREFERENCE),
        ("b/vmf/mine", NAMESPACED),
        ("b/instancetype/mine", NAMESPACED),
        ("vmf/b/mine", NAMESPACED),
    ],
)
def test_names_are_looked_up(wanted: str, kind: str) -> None:
    found = look_up(CATALOG, wanted)
    assert (found.kind, found.name) == (kind, wanted.rpartition("/")[2])


def test_first_catalog_wins() -> None:
    assert look_up(CATALOG, "u1.medium").origin.path == "ours"


def test_ambiguous_name_is_reported() -> None:
    finding = refused("both")
    assert finding.code is Code.NAME_AMBIGUOUS
    assert finding.hint == (
        "write virtualmachineclusterinstancetype/both or virtualmachineclusterpreference/both"
    )
    several = "write a/virtualmachineinstancetype/mine or b/virtualmachineinstancetype/mine"
    assert [refused(name).hint for name in ("mine", "vmf/mine", "instancetype/mine")] == [several] * 3


def test_name_of_another_kind_has_a_hint() -> None:
    assert refused("vmcp/theirs").hint == "write virtualmachinepreference/theirs"
    assert refused("vmp/fedora").hint == "write virtualmachineclusterpreference/fedora"
    assert refused("c/vmf/mine").code is Code.INSTANCETYPE_NOT_FOUND


def test_unknown_name_is_reported() -> None:
    assert refused("u1.medum").hint == "did you mean u1.medium? searched ours, theirs"
    assert refused("vmp/nothing").code is Code.PREFERENCE_NOT_FOUND
    assert refused("").message == "there is no instance type or preference without a name"


def test_unknown_kind_is_reported() -> None:
    assert refused("virtualmachinepreferense/x").hint == "use VirtualMachinePreference"
    assert refused("pod/x").code is Code.UNKNOWN_KIND
    assert refused("/x").message == "nothing is not a kind of instance type or preference"


def resource(kind: str, spec: JsonObject, version: str = "v1beta1") -> Resource:
    content: dict[str, Json] = {
        "apiVersion": f"instancetype.kubevirt.io/{version}",
        "kind": kind,
        "metadata": {"name": "a"},
        "spec": spec,
    }
    return Resource(content, Site("a.yaml"))


def instancetype(vcpus: int, memory: str) -> Resource:
    spec: JsonObject = {"cpu": {"guest": vcpus}, "memory": {"guest": memory}}
    return resource("VirtualMachineClusterInstancetype", spec)


def preference(requirements: JsonObject | None, **spec: Json) -> Resource:
    given: JsonObject = {} if requirements is None else {"requirements": requirements}
    return resource("VirtualMachineClusterPreference", {**spec, **given})


@pytest.mark.parametrize(
    ("requirements", "fits"),
    [
        (None, True),
        ({}, True),
        ({"cpu": {"guest": 2}}, True),
        ({"cpu": {"guest": 3}}, False),
        ({"memory": {"guest": "4096Mi"}}, True),
        ({"memory": {"guest": "4097Mi"}}, False),
        ({"cpu": {"guest": 2}, "memory": {"guest": "5Gi"}}, False),
        ({"architecture": "s390x"}, True),
        ({"architecture": "s390x", "cpu": {"guest": 3}}, False),
    ],
)
def test_larger_sizes_must_have_enough_cpu_and_memory(requirements: JsonObject | None, fits: bool) -> None:  # noqa: FBT001 - an expectation
    assert satisfies(instancetype(2, "4Gi"), preference(requirements), LATEST) is fits


def test_the_topology_does_not_matter_to_an_instance_type() -> None:
    spread = preference({"cpu": {"guest": 2}}, cpu={"preferredCPUTopology": "threads"})

    assert satisfies(instancetype(2, "4Gi"), spread, LATEST)


def test_undecodable_sizes_are_not_suggested() -> None:
    old = resource("VirtualMachineClusterInstancetype", {"cpu": {"guest": 2}}, "v1alpha1")

    assert satisfies(old, preference(None), Release.parse("1.5"))
    with pytest.raises(CauseError):
        satisfies(old, preference(None), Release.parse("1.6"))
