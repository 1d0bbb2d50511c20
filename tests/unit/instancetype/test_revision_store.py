from __future__ import annotations

import pytest

from renderer.instancetype.cause import CauseError
from renderer.instancetype.matcher import INSTANCETYPE, read_matcher
from renderer.instancetype.revision_store import StoredRevision, store_revision
from renderer.model.json import JsonObject, object_at, text_at
from tests.kubevirt_objects import behaviour, instancetype, preference, revision, scope, vm

MEDIUM = instancetype("medium") | {
    "metadata": {"name": "medium", "uid": "u", "generation": 3, "resourceVersion": "7", "labels": {"a": "b"}}
}


def stored(content: JsonObject, *objects: JsonObject, release: str = "1.9") -> StoredRevision:
    matcher = read_matcher(object_at(content, "spec"), INSTANCETYPE)
    assert matcher is not None
    return store_revision(content, matcher, INSTANCETYPE, scope(*objects), behaviour(release))


def created_name(result: StoredRevision) -> str:
    return text_at(result.created, "metadata", "name")


def test_the_copy_keeps_who_the_object_was_and_no_more() -> None:
    created = stored(vm("db", instancetype="medium"), MEDIUM).created

    assert object_at(created, "data", "metadata") == {
        "name": "medium",
        "uid": "u",
        "generation": 3,
        "resourceVersion": "7",
    }
    assert object_at(created, "metadata", "labels") == {
        "instancetype.kubevirt.io/object-generation": "3",
        "instancetype.kubevirt.io/object-kind": "VirtualMachineClusterInstancetype",
        "instancetype.kubevirt.io/object-name": "medium",
        "instancetype.kubevirt.io/object-uid": "u",
        "instancetype.kubevirt.io/object-version": "v1beta1",
    }


@pytest.mark.parametrize(("release", "name"), [("1.2", "db-medium-u-3"), ("1.3", "db-medium-v1beta1-u-3")])
def test_the_name_has_the_version_from_1_3_on(release: str, name: str) -> None:
    assert created_name(stored(vm("db", instancetype="medium"), MEDIUM, release=release)) == name


def test_the_revision_is_noted_in_the_matcher_up_to_1_4_and_then_in_the_status() -> None:
    name = "db-medium-v1beta1-u-3"
    before = stored(vm("db", instancetype="medium"), MEDIUM, release="1.4")
    after = stored(vm("db", instancetype="medium"), MEDIUM, release="1.5")

    assert (before.matcher.revision_name, before.reference) == (name, None)
    assert after.matcher.revision_name == ""
    assert after.reference == {"name": "medium", "controllerRevisionRef": {"name": name}}


@pytest.mark.parametrize("release", ["1.4", "1.9"])
def test_a_revision_that_the_matcher_names_is_not_stored_again(release: str) -> None:
    pinned = vm("db", instancetype={"name": "medium", "revisionName": "mine"})

    assert stored(pinned, MEDIUM, release=release).created is None


def test_a_reference_stays_until_the_matcher_says_something_else() -> None:
    reference: JsonObject = {"name": "medium", "controllerRevisionRef": {"name": "old"}}
    settled = {**vm("db", instancetype="medium"), "status": {"instancetypeRef": reference}}
    changed = {**vm("db", instancetype="large"), "status": {"instancetypeRef": reference}}

    assert stored(settled).reference == reference
    assert stored(settled).created is None
    assert stored(changed, instancetype("large")).reference == {
        "name": "large",
        "controllerRevisionRef": {"name": "db-large-v1beta1--0"},
    }


def test_an_equal_revision_is_taken_and_another_one_of_its_name_refused() -> None:
    same = instancetype("medium", memory="4096Mi", nodeSelector={})
    other = instancetype("medium", vcpus=9)
    medium = instancetype("medium", memory="4Gi")
    name = "db-medium-v1beta1--0"

    assert stored(vm("db", instancetype="medium"), medium, revision(name, same)).created is None
    with pytest.raises(CauseError):
        stored(vm("db", instancetype="medium"), medium, revision(name, other))
    with pytest.raises(CauseError):
        stored(vm("db", instancetype="medium"), medium, revision(name, preference("p")))


def test_an_unset_boolean_is_not_an_equal_one() -> None:
    unset, false = (
        instancetype("medium"),
        instancetype("medium", cpu={"guest": 2, "dedicatedCPUPlacement": False}),
    )

    with pytest.raises(CauseError):
        stored(vm("db", instancetype="medium"), unset, revision("db-medium-v1beta1--0", false))


def test_nothing_is_stored_for_a_vm_that_conflicts() -> None:
    with pytest.raises(CauseError):
        stored(vm("db", {"cpu": {"cores": 2}}, instancetype="medium"), MEDIUM)
