from __future__ import annotations

import pytest

from renderer.instancetype_names.new_names import NamedSource
from renderer.instancetype_names.references import InstancetypeReference, with_names
from renderer.instancetype_names.rename import Renamer
from renderer.model.codes import Code
from renderer.model.kube.json import Json, JsonObject, object_at
from tests.kubevirt_objects import (
    NAMESPACE,
    instancetype,
    labelled,
    namespaced,
    preference,
    resources,
    revision,
    vm,
)
from tests.unit.instancetype_names.naming import (
    HASH,
    PLAIN,
    hashed,
    matcher,
    outcome,
    renamed,
    resource,
    undone,
)

MEDIUM, LINUX = instancetype(), preference()
MEDIUM_NAME, LINUX_NAME = hashed(MEDIUM), hashed(LINUX)
NAME_LABEL = "instancetype.kubevirt.io/default-instancetype"
KIND_LABEL = f"{NAME_LABEL}-kind"
PREFERENCE_LABEL = "instancetype.kubevirt.io/default-preference"


def labels(content: JsonObject) -> JsonObject:
    return object_at(content, "metadata", "labels")


def test_objects_and_matchers_get_the_new_names_together() -> None:
    medium, linux, db = renamed(MEDIUM, LINUX, vm(instancetype="medium", preference="linux"))
    assert object_at(medium, "metadata") == {"name": MEDIUM_NAME}
    assert object_at(linux, "metadata") == {"name": LINUX_NAME}
    assert db == vm(instancetype=MEDIUM_NAME, preference=LINUX_NAME)


def test_object_remembers_its_previous_name() -> None:
    (medium,) = outcome(MEDIUM).value
    assert medium.original_id.name == "medium"
    assert medium.name == MEDIUM_NAME


@pytest.mark.parametrize(
    "kind",
    [
        "VirtualMachineClusterInstancetype",
        "virtualmachineclusterinstancetype",
        "virtualmachineclusterinstancetypes",
    ],
)
def test_kind_may_be_spelled_in_any_way(kind: str) -> None:
    _, db = renamed(MEDIUM, vm(instancetype={"name": "medium", "kind": kind}))
    assert object_at(db, "spec", "instancetype") == {"name": MEDIUM_NAME, "kind": kind}


def test_kind_distinguishes_objects_of_one_name() -> None:
    own = namespaced(instancetype(vcpus=8))
    *_, db, web = renamed(
        MEDIUM,
        own,
        vm(instancetype={"name": "medium", "kind": "VirtualMachineInstancetype"}),
        vm("web", instancetype="medium"),
    )
    assert (matcher(db), matcher(web)) == (hashed(own), MEDIUM_NAME)


def test_namespace_distinguishes_objects_of_one_name() -> None:
    prod, dev = namespaced(instancetype(vcpus=8)), namespaced(instancetype(vcpus=1), "dev")
    *_, db = renamed(dev, prod, vm(instancetype={"name": "medium", "kind": "virtualmachineinstancetype"}))
    assert matcher(db) == hashed(prod)


@pytest.mark.parametrize(
    "matcher",
    [
        {"name": "u1.medium"},
        {"name": "medium", "kind": "VirtualMachineInstancetype"},
        {"name": "medium", "kind": "Flavor"},
        {"name": "medium", "revisionName": "db-medium-1"},
        {"inferFromVolume": "root"},
        {"name": ["medium"]},
        ["medium"],
        {},
    ],
)
def test_unrelated_references_are_unchanged(matcher: Json) -> None:
    db = vm(instancetype=matcher)
    assert renamed(MEDIUM, db)[1] is db


def test_pinned_matcher_and_its_revision_are_unchanged() -> None:
    db = vm(instancetype={"name": "medium", "revisionName": "medium-1"})
    stored = revision("medium-1", MEDIUM, {"instancetype.kubevirt.io/object-name": "medium"})
    assert renamed(MEDIUM, stored, db)[1:] == [stored, db]


def test_objects_of_a_catalog_are_renamed_as_if_written() -> None:
    upstream = resources(instancetype("u1.medium"), file="upstream.yaml")
    catalogs = ((HASH, resources(MEDIUM, file="ours.yaml")), (PLAIN, upstream))
    db, web = renamed(
        vm(instancetype="medium"), vm("web", instancetype="u1.medium"), catalogs=catalogs, names=PLAIN
    )
    assert (matcher(db), matcher(web)) == (MEDIUM_NAME, "u1.medium")


def test_first_object_of_a_name_wins() -> None:
    mine = instancetype(vcpus=16)
    catalogs = ((HASH, resources(MEDIUM)),)
    assert matcher(renamed(mine, vm(instancetype="medium"), catalogs=catalogs)[1]) == hashed(mine)
    assert matcher(renamed(mine, vm(instancetype="medium"), catalogs=catalogs, names=PLAIN)[1]) == "medium"


def test_object_that_keeps_its_name_is_referenced_by_it() -> None:
    kept: JsonObject = {
        **MEDIUM,
        "metadata": {"name": "medium", "annotations": {"vmrender.io/keep-name": "true"}},
    }
    db = vm(instancetype="medium")
    assert renamed(kept, db) == [kept, db]


@pytest.mark.parametrize(
    "kind", ["DataSource", "DataVolume", "PersistentVolumeClaim", "VolumeSnapshot", "DataImportCron"]
)
def test_inference_labels_are_renamed(kind: str) -> None:
    volume = labelled(kind, "root", labels={NAME_LABEL: "medium", PREFERENCE_LABEL: "u1", "app": "medium"})
    _, found = renamed(MEDIUM, volume)
    assert labels(found) == {NAME_LABEL: MEDIUM_NAME, PREFERENCE_LABEL: "u1", "app": "medium"}


def test_nested_inference_labels_are_renamed() -> None:
    """A VirtualMachine's own volumes, and the images that an operator's configuration lists."""
    template: JsonObject = {"metadata": {"name": "root", "labels": {NAME_LABEL: "medium"}}, "spec": {}}
    config: JsonObject = {
        "apiVersion": "hco.kubevirt.io/v1beta1",
        "kind": "HyperConverged",
        "metadata": {"name": "hco"},
        "spec": {"dataImportCronTemplates": [template]},
    }
    new: JsonObject = {"metadata": {"name": "root", "labels": {NAME_LABEL: MEDIUM_NAME}}, "spec": {}}
    _, db, hco = renamed(MEDIUM, vm(dataVolumeTemplates=[template]), config)
    assert db == vm(dataVolumeTemplates=[new])
    assert object_at(hco, "spec") == {"dataImportCronTemplates": [new]}


def test_embedded_virtual_machines_are_renamed() -> None:
    template = {key: value for key, value in vm(instancetype="medium").items() if key in ("metadata", "spec")}
    pool: JsonObject = {
        "apiVersion": "pool.kubevirt.io/v1alpha1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "web"},
        "spec": {"virtualMachineTemplate": template},
    }
    _, found = renamed(MEDIUM, pool)
    assert matcher(object_at(found, "spec", "virtualMachineTemplate")) == MEDIUM_NAME


def test_embedded_machine_without_namespace_has_its_containers() -> None:
    prod, dev = namespaced(instancetype(vcpus=8)), namespaced(instancetype(vcpus=1), "dev")
    inner = vm(instancetype={"name": "medium", "kind": "VirtualMachineInstancetype"})
    pool: JsonObject = {
        "apiVersion": "pool.kubevirt.io/v1alpha1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "web", "namespace": "dev"},
        "spec": {"virtualMachineTemplate": {"spec": inner["spec"]}},
    }
    found = renamed(prod, dev, pool)[2]
    assert matcher(object_at(found, "spec", "virtualMachineTemplate")) == hashed(dev)


def test_lookalike_of_a_matcher_is_unchanged() -> None:
    other: JsonObject = {
        "apiVersion": "acme.io/v1",
        "kind": "Lease",
        "metadata": {"name": "medium"},
        "spec": {"instancetype": {"name": "medium"}, "template": {"spec": {}}},
    }
    assert renamed(MEDIUM, other)[1] is other


def test_label_may_refer_to_another_namespace() -> None:
    """VirtualMachines of that namespace infer from images in this one."""
    dev = namespaced(instancetype(vcpus=1), "dev")
    image = labelled(
        "DataSource", "fedora", labels={NAME_LABEL: "medium", KIND_LABEL: "VirtualMachineInstancetype"}
    )
    assert labels(renamed(dev, image)[1])[NAME_LABEL] == hashed(dev)


def test_ambiguous_label_is_an_error() -> None:
    dev, test = namespaced(instancetype(vcpus=1), "dev"), namespaced(instancetype(vcpus=2), "test")
    image = labelled(
        "DataSource", "fedora", labels={NAME_LABEL: "medium", KIND_LABEL: "VirtualMachineInstancetype"}
    )
    (found,) = outcome(dev, test, image).diagnostics
    assert found.code is Code.NAME_AMBIGUOUS
    assert str(found.field) == f'metadata.labels["{NAME_LABEL}"]'
    assert [related.message for related in found.related] == [
        "VirtualMachineInstancetype dev/medium",
        "VirtualMachineInstancetype test/medium",
    ]
    same = namespaced(instancetype(vcpus=1), "test")
    assert labels(renamed(dev, same, image)[2])[NAME_LABEL] == hashed(dev)


def test_colliding_new_names_are_an_error() -> None:
    existing: JsonObject = {
        **instancetype(MEDIUM_NAME),
        "metadata": {"name": MEDIUM_NAME, "annotations": {"vmrender.io/keep-name": "true"}},
    }
    (found,) = outcome(MEDIUM, existing).diagnostics
    assert found.code is Code.DUPLICATE_ID
    assert found.message == (
        f"medium and {MEDIUM_NAME} both become VirtualMachineClusterInstancetype {MEDIUM_NAME}"
    )


def test_finding_about_one_object_does_not_stop_renaming_others() -> None:
    result = outcome(instancetype("a" * 60), MEDIUM)
    assert [found.code for found in result.diagnostics] == [Code.NAME_SUFFIX]
    assert [each.name for each in result.value] == ["a" * 60, MEDIUM_NAME]


def test_hand_written_new_name_is_accepted() -> None:
    by_hand = vm(instancetype=MEDIUM_NAME)
    assert undone(MEDIUM, by_hand) == [MEDIUM, vm(instancetype="medium")]
    assert undone(by_hand, catalogs=((HASH, resources(MEDIUM)),)) == [vm(instancetype="medium")]


@pytest.mark.parametrize(
    "name", ["medium-0123456789", "medium-", "medium", "other-thing", MEDIUM_NAME + "-1"]
)
def test_other_hand_written_names_are_unchanged(name: str) -> None:
    assert undone(MEDIUM, vm(instancetype=name)) == [MEDIUM, vm(instancetype=name)]


def test_unreferenced_catalog_is_not_loaded() -> None:
    def fail() -> list[NamedSource]:
        raise AssertionError

    assert not Renamer(HASH, fail).with_new_names(resources(MEDIUM, vm())).failed
    with pytest.raises(AssertionError):
        Renamer(HASH, fail).with_new_names(resources(vm(instancetype="medium")))


def test_reference_has_the_field_where_it_is_written() -> None:
    work: JsonObject = {"kind": "ManifestWork", "spec": {"manifests": [vm(instancetype="medium")]}}
    seen: list[InstancetypeReference] = []

    def note(reference: InstancetypeReference) -> str:
        seen.append(reference)
        return reference.name

    with_names(resource(work), note)
    (reference,) = seen
    assert (reference.name, reference.namespace) == ("medium", NAMESPACE)
    assert str(reference.field) == "spec.manifests[0].spec.instancetype.name"
    assert not reference.is_label
