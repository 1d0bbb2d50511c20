from __future__ import annotations

import pytest

from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.kubevirt.instancetype.expand import expand
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome, Severity
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, without
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import LATEST, Release
from renderer.model.render_config import ExpandMode
from tests.kubevirt_objects import (
    catalog,
    instancetype,
    kubevirt,
    labelled,
    namespaced,
    preference,
    resources,
    revision,
    vm,
)

CATALOG = catalog(
    instancetype("medium", 2, "4Gi"),
    preference("linux", devices={"preferredDiskBus": "virtio"}, cpu={"preferredCPUTopology": "cores"}),
)
TWO_CORES: JsonObject = {"cores": 2, "sockets": 1, "threads": 1}


def expanded(
    *contents: JsonObject,
    mode: ExpandMode = ExpandMode.APPLIED,
    release: Release = LATEST,
    objects: Catalog = CATALOG,
) -> Outcome[ResourceSet]:
    return expand(resources(*contents), objects, release, mode)


def content(outcome: Outcome[ResourceSet], at: int = 0) -> JsonObject:
    return outcome.value.resources[at].content


def domain(outcome: Outcome[ResourceSet], at: int = 0) -> JsonObject:
    return object_at(content(outcome, at), "spec", "template", "spec", "domain")


def codes(outcome: Outcome[ResourceSet]) -> list[Code]:
    return [diagnostic.code for diagnostic in outcome.diagnostics]


def pool(content: JsonObject) -> JsonObject:
    return {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "pool", "namespace": "prod"},
        "spec": {"replicas": 2, "virtualMachineTemplate": without(content, "apiVersion")},
    }


def test_applied_removes_the_matchers_and_changes_nothing_else() -> None:
    written = vm("db", {"devices": {}, "ioThreadsPolicy": ""}, instancetype="medium", preference="linux")

    outcome = expanded(written)

    assert outcome.diagnostics == ()
    assert domain(outcome) == {
        "devices": {},
        "ioThreadsPolicy": "",
        "cpu": TWO_CORES,
        "memory": {"guest": "4Gi"},
    }
    assert content(outcome)["metadata"] == written["metadata"]
    assert object_at(content(outcome), "spec").keys() == {"runStrategy", "template"}


def test_off_keeps_the_vm_and_still_checks_it() -> None:
    fine = vm("db", instancetype="medium")
    conflicting = vm("web", {"cpu": {"cores": 1}}, instancetype="medium")

    outcome = expanded(fine, conflicting, mode=ExpandMode.OFF)

    assert [content(outcome, at) for at in (0, 1)] == [fine, conflicting]
    assert codes(outcome) == [Code.CONFLICT]


def test_defaults_matches_expand_spec_with_the_repositorys_cluster() -> None:
    written = vm("db", instancetype="medium", preference="linux")

    outcome = expanded(written, kubevirt("arm64", evictionStrategy="LiveMigrate"), mode=ExpandMode.DEFAULTS)

    spec = object_at(content(outcome), "spec", "template", "spec")
    assert (spec["architecture"], spec["evictionStrategy"]) == ("arm64", "LiveMigrate")
    assert domain(outcome)["machine"] == {"type": "virt"}


@pytest.mark.parametrize(("minor", "disks"), [(2, None), (3, "sata"), (4, None), (9, None)])
def test_defaults_depend_on_the_release(minor: int, disks: str | None) -> None:
    written = vm("db", {"devices": {"disks": [{"name": "a", "disk": {}}]}}, instancetype="medium")

    outcome = expanded(written, mode=ExpandMode.DEFAULTS, release=Release.parse(f"1.{minor}"))

    (disk,) = array_at(domain(outcome), "devices", "disks")
    assert object_at(disk, "disk").get("bus") == disks
    assert ("machine" in domain(outcome)) == (minor > 2)


def test_a_vm_without_matchers_is_the_same_object_in_every_mode() -> None:
    for mode in ExpandMode:
        given = resources(vm("db", {"cpu": {"cores": 2}}))
        assert expand(given, CATALOG, LATEST, mode).value.resources[0] is given.resources[0]


def test_other_resources_are_the_same_objects() -> None:
    given = resources(labelled("PersistentVolumeClaim", "claim"), vm("db", instancetype="medium"))

    assert expand(given, CATALOG, LATEST, ExpandMode.APPLIED).value.resources[0] is given.resources[0]


def test_origin_and_layers_are_kept() -> None:
    origin, layer = Site("base/vm.yaml", 1), Site("overlay/patch.yaml")
    given = Resource(vm("db", instancetype="medium"), origin, (layer,))

    (result,) = expand(ResourceSet((given,)), CATALOG, LATEST, ExpandMode.APPLIED).value

    assert (result.origin, result.layers) == (origin, (layer,))


def test_input_is_not_changed() -> None:
    written = vm("db", {"devices": {"disks": [{"name": "a"}]}}, instancetype="medium", preference="linux")
    before = repr(written)

    for mode in ExpandMode:
        expanded(written, mode=mode)

    assert repr(written) == before


def test_one_bad_vm_does_not_stop_the_others() -> None:
    outcome = expanded(vm("a", instancetype="missing"), vm("b", instancetype="medium"))

    assert codes(outcome) == [Code.INSTANCETYPE_NOT_FOUND]
    assert content(outcome) == vm("a", instancetype="missing")
    assert object_at(domain(outcome, 1), "memory") == {"guest": "4Gi"}


def test_missing_object_is_an_error_even_if_kubevirt_admits_it() -> None:
    (diagnostic,) = expanded(vm("a", preference="missing")).diagnostics

    assert (diagnostic.code, diagnostic.severity) == (Code.PREFERENCE_NOT_FOUND, Severity.ERROR)
    assert "would admit" in diagnostic.message
    assert diagnostic.hint == "searched the overlay, catalog"


def test_both_matchers_are_reported_at_once() -> None:
    outcome = expanded(vm("a", instancetype="missing", preference={"name": "p", "kind": "Flavor"}))

    assert codes(outcome) == [Code.INSTANCETYPE_NOT_FOUND, Code.UNKNOWN_KIND]


def test_a_conflict_names_both_files() -> None:
    (diagnostic,) = expanded(vm("a", {"cpu": {"cores": 4}}, instancetype="medium")).diagnostics

    assert diagnostic.sites[0].path == "file.yaml"
    assert str(diagnostic.field) == "spec.template.spec.domain.cpu.cores"
    assert diagnostic.resource is not None
    assert str(diagnostic.resource) == "VirtualMachine prod/a"
    assert [site.path for related in diagnostic.related for site in related.sites] == ["catalog.yaml"]


def test_the_overlays_own_objects_come_before_the_catalogs() -> None:
    outcome = expanded(vm("a", instancetype="medium"), instancetype("medium", 8, "1Gi"))

    assert object_at(domain(outcome), "memory") == {"guest": "1Gi"}


def test_namespaced_objects_are_searched_in_the_vms_namespace() -> None:
    own = namespaced(instancetype("own"), "test")
    matcher: Json = {"name": "own", "kind": "virtualmachineinstancetype"}

    assert codes(expanded(vm("a", instancetype=matcher), own)) == [Code.INSTANCETYPE_NOT_FOUND]


def test_revision_in_the_repository_is_applied() -> None:
    pinned: Json = {"name": "medium", "revisionName": "rev"}

    outcome = expanded(vm("a", instancetype=pinned), revision("rev", instancetype("medium", 8, "32Gi")))

    assert object_at(domain(outcome), "memory") == {"guest": "32Gi"}


def test_references_in_the_status_are_removed_with_the_matchers() -> None:
    reference: Json = {"name": "medium"}
    status: dict[str, Json] = {"instancetypeRef": reference, "preferenceRef": reference}
    only = {**vm("a", instancetype="medium"), "status": status}
    more = {**vm("b", instancetype="medium"), "status": {**status, "ready": True}}

    outcome = expanded(only, more)

    assert "status" not in content(outcome)
    assert content(outcome, 1)["status"] == {"ready": True}


class TestInference:
    CLAIM = labelled(
        "PersistentVolumeClaim", "claim", labels={"instancetype.kubevirt.io/default-instancetype": "medium"}
    )

    def inferring(self, policy: str | None = None, claim: str = "claim") -> JsonObject:
        volume: JsonObject = {"name": "root", "persistentVolumeClaim": {"claimName": claim}}
        matcher: dict[str, Json] = {"inferFromVolume": "root"}
        if policy:
            matcher["inferFromVolumeFailurePolicy"] = policy
        domain: JsonObject = {"memory": {"guest": "1Gi"}, "devices": {}}
        template: JsonObject = {"spec": {"domain": domain, "volumes": [volume]}}
        return vm("a", instancetype=matcher, template=template)

    def test_memory_of_the_vm_conflicts_unless_the_failure_is_ignored(self) -> None:
        assert codes(expanded(self.inferring(), self.CLAIM)) == [Code.CONFLICT]

        outcome = expanded(self.inferring("Ignore"), self.CLAIM)
        assert outcome.diagnostics == ()
        assert object_at(domain(outcome), "memory") == {"guest": "4Gi"}

    def test_ignored_failure_removes_the_matcher_and_keeps_the_memory(self) -> None:
        unlabelled = labelled("PersistentVolumeClaim", "plain")

        outcome = expanded(self.inferring("Ignore", "plain"), unlabelled, mode=ExpandMode.DEFAULTS)

        assert outcome.diagnostics == ()
        assert domain(outcome) == {"memory": {"guest": "1Gi"}, "devices": {}}
        assert "instancetype" not in object_at(content(outcome), "spec")

    def test_both_matchers_are_reported(self) -> None:
        both = vm("a", instancetype={"inferFromVolume": "x"}, preference={"inferFromVolume": "x"})

        assert codes(expanded(both)) == [Code.INFERENCE_FAILED, Code.INFERENCE_FAILED]


class TestPools:
    def test_vm_of_a_pool_is_expanded(self) -> None:
        outcome = expanded(pool(vm("db", instancetype="medium", preference="linux")))

        inside = object_at(content(outcome), "spec", "virtualMachineTemplate")
        assert outcome.diagnostics == ()
        assert "instancetype" not in object_at(inside, "spec")
        assert object_at(inside, "spec", "template", "spec", "domain", "cpu") == TWO_CORES
        assert object_at(content(outcome), "spec")["replicas"] == 2

    def test_finding_is_located_in_the_pool(self) -> None:
        (diagnostic,) = expanded(pool(vm("db", instancetype="missing"))).diagnostics

        assert str(diagnostic.field) == "spec.virtualMachineTemplate.spec.instancetype.name"

    def test_namespaced_objects_are_searched_in_the_pools_namespace(self) -> None:
        matcher: Json = {"name": "own", "kind": "VirtualMachineInstancetype"}

        outcome = expanded(pool(vm("db", instancetype=matcher)), namespaced(instancetype("own"), "prod"))

        assert outcome.diagnostics == ()


class TestObjects:
    def test_object_refused_by_kubevirt_is_an_error(self) -> None:
        (diagnostic,) = expanded(
            instancetype("a", memory={"guest": "1Gi", "overcommitPercent": 200})
        ).diagnostics

        assert (diagnostic.severity, str(diagnostic.field)) == (
            Severity.ERROR,
            "spec.memory.overcommitPercent",
        )

    def test_warning_of_kubevirt_is_a_warning(self) -> None:
        (diagnostic,) = expanded(preference("a", cpu={"preferredCPUTopology": "preferAny"})).diagnostics

        assert (diagnostic.severity, diagnostic.code) == (Severity.WARNING, Code.DEPRECATED)

    def test_objects_of_catalogs_are_not_checked(self) -> None:
        objects = catalog(preference("old", cpu={"preferredCPUTopology": "preferAny"}))

        assert expanded(vm("a", preference="old"), objects=objects).diagnostics == ()

    def test_used_object_of_a_catalog_refused_by_kubevirt_is_an_error(self) -> None:
        objects = catalog(instancetype("bad", memory={"guest": "1Gi", "overcommitPercent": 200}))

        assert expanded(vm("a"), objects=objects).diagnostics == ()
        outcome = expanded(vm("a", instancetype="bad"), vm("b", instancetype="bad"), objects=objects)
        assert [diagnostic.sites[0].path for diagnostic in outcome.diagnostics] == ["catalog.yaml"]


HOSTILE: list[JsonObject] = [
    {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine"},
    {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": None, "spec": []},
    {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "spec": {"virtualMachineTemplate": 1},
    },
    {"apiVersion": 1, "kind": ["VirtualMachine"]},
    {"kind": {}},
    vm("a", template="text", instancetype="medium"),
    vm("a", template={"spec": "text"}, instancetype="medium"),
    vm("a", {"devices": [], "cpu": "x", "memory": [1]}, instancetype="medium", preference="linux"),
]


@pytest.mark.parametrize("content", HOSTILE)
@pytest.mark.parametrize("mode", list(ExpandMode))
def test_unexpected_shapes_are_handled(content: JsonObject, mode: ExpandMode) -> None:
    outcome = expanded(content, mode=mode)

    assert all(isinstance(diagnostic, Diagnostic) for diagnostic in outcome.diagnostics)


def test_searched_places_have_the_users_names() -> None:
    outcome = expand(
        resources(vm("db", instancetype="none")), CATALOG, LATEST, ExpandMode.APPLIED, source_name="the files"
    )

    assert [found.hint for found in outcome.diagnostics] == ["searched the files, catalog"]


def test_matchers_of_a_wrong_type_are_reported() -> None:
    (diagnostic,) = expanded(vm("a", instancetype=["medium"])).diagnostics

    assert (diagnostic.code, str(diagnostic.field)) == (Code.MATCHER_INVALID, "spec.instancetype")


def test_invalid_quantity_in_the_vm_names_the_vm() -> None:
    domain: JsonObject = {"resources": {"limits": {"cpu": "lots"}}}

    (diagnostic,) = expanded(vm("a", domain, preference="linux"), mode=ExpandMode.DEFAULTS).diagnostics

    assert diagnostic.code is Code.QUANTITY_INVALID
    assert diagnostic.sites


def test_broken_cluster_configuration_is_reported_once_and_stops_nothing() -> None:
    outcome = expanded(vm("a", instancetype="medium"), kubevirt(machineType=["q35"]))

    assert codes(outcome) == [Code.RESOURCE_INVALID]
    assert object_at(domain(outcome), "memory") == {"guest": "4Gi"}
