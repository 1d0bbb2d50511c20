from __future__ import annotations

import pytest

from renderer.kubevirt.facts.kinds import INSTANCETYPE
from renderer.kubevirt.instancetype.cause import CauseError, ExpansionCause
from renderer.kubevirt.instancetype.find import Finder, MatchedObject
from renderer.kubevirt.instancetype.matcher import Matcher
from renderer.model.codes import Code
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at
from tests.kubevirt_objects import behaviour, instancetype, namespaced, preference, revision, scope

STATUS: JsonObject = {"instancetypeRef": {"controllerRevisionRef": {"name": "rev"}}}
NAME_LABEL = "instancetype.kubevirt.io/object-name"


def found(
    matcher: Matcher, *objects: JsonObject, status: JsonObject | None = None, release: str | None = None
) -> MatchedObject:
    result = Finder(behaviour(release)).find(matcher, INSTANCETYPE, status or {}, scope(*objects))
    assert result is not None
    return result


def cause(matcher: Matcher, *objects: JsonObject, release: str | None = None) -> ExpansionCause:
    with pytest.raises(CauseError) as error:
        found(matcher, *objects, release=release)
    (only,) = error.value.causes
    return only


def vcpus(result: MatchedObject) -> object:
    return object_at(result.spec, "cpu").get("guest")


def test_kind_selects_one_of_two_namesakes() -> None:
    both = (instancetype("a", vcpus=1), namespaced(instancetype("a", vcpus=2)))

    assert vcpus(found(Matcher("a"), *both)) == 1
    assert vcpus(found(Matcher("a", "virtualmachineinstancetypes"), *both)) == 2


def test_revision_is_preferred_to_the_object() -> None:
    stored = revision("rev", instancetype("other", vcpus=9))
    matcher = Matcher("a", "no kind at all", "rev")

    assert vcpus(found(matcher, instancetype("a", vcpus=1), stored)) == 9


def test_revision_in_the_status_is_used_if_it_has_the_matchers_name() -> None:
    own = revision("rev", instancetype("a", vcpus=9), {NAME_LABEL: "a"})
    objects = (instancetype("a", vcpus=1), instancetype("b", vcpus=2), own)

    assert vcpus(found(Matcher("a"), *objects, status=STATUS)) == 9
    assert vcpus(found(Matcher("b"), *objects, status=STATUS)) == 2
    assert vcpus(found(Matcher("a"), *objects, status=STATUS, release="1.4")) == 1


def test_missing_name_gets_a_suggestion_and_the_searched_places() -> None:
    missing = cause(Matcher("u1.smal"), instancetype("u1.small"), instancetype("cx1.large"))

    assert (missing.code, str(missing.at)) == (Code.INSTANCETYPE_NOT_FOUND, "spec.instancetype.name")
    assert missing.hint == "did you mean u1.small? searched catalog"


def test_missing_object_is_noted_as_admitted_since_1_6() -> None:
    assert (
        "would admit the VM, and not start it until there is one"
        in cause(Matcher("a"), release="1.6").message
    )
    assert cause(Matcher("a"), release="1.5").message == "there is no VirtualMachineClusterInstancetype a"


def test_name_of_the_other_kind_has_a_hint() -> None:
    assert cause(Matcher("a"), namespaced(instancetype("a"))).hint == (
        "VirtualMachineInstancetype a exists, but without a kind the matcher names a"
        " VirtualMachineClusterInstancetype; set spec.instancetype.kind: VirtualMachineInstancetype"
    )
    assert cause(Matcher("a", "VirtualMachineInstancetype"), instancetype("a")).hint == (
        "set spec.instancetype.kind: VirtualMachineClusterInstancetype"
    )


def test_name_in_another_namespace_has_a_hint() -> None:
    matcher = Matcher("a", "VirtualMachineInstancetype")

    hint = cause(matcher, namespaced(instancetype("a"), "test")).hint

    assert hint == "VirtualMachineInstancetype a is in namespace test, the VM is in prod"


def test_unknown_kind_has_a_suggestion() -> None:
    unknown = cause(Matcher("a", "VirtualMachineInstanceType s"), instancetype("a"))

    assert (unknown.code, unknown.hint) == (Code.UNKNOWN_KIND, "use VirtualMachineClusterInstancetype")
    assert cause(Matcher("a", "Flavor")).hint == (
        "use VirtualMachineInstancetype or VirtualMachineClusterInstancetype"
    )


def test_matcher_is_refused_as_a_whole_up_to_1_5() -> None:
    assert cause(Matcher("a")).field == "spec.instancetype"
    assert cause(Matcher("a", "Flavor")).field == "spec.instancetype"


def test_missing_or_wrong_revision_is_reported() -> None:
    missing = cause(Matcher("a", revision_name="rve"), revision("rev", instancetype()))
    wrong = cause(Matcher("a", revision_name="rev"), revision("rev", preference("p")))

    assert missing.hint is not None
    assert missing.hint.startswith("did you mean rev? ")
    assert wrong.message == "ControllerRevision rev holds a preference, not an instance type"


def test_revision_named_by_the_status_is_reported_as_such() -> None:
    wrong = revision("rev", preference("p"), {NAME_LABEL: "a"})

    for objects in ((instancetype("a"),), (instancetype("a"), wrong)):
        with pytest.raises(CauseError) as error:
            found(Matcher("a"), *objects, status=STATUS)

        (cause,) = error.value.causes
        assert str(cause.at) == "status.instancetypeRef.controllerRevisionRef.name"
        assert f"drop {cause.at}" in (cause.hint or "")


def test_undecodable_object_is_located() -> None:
    broken = cause(Matcher("a"), instancetype("a", cpu={"guest": "2"}))

    assert "spec.cpu.guest must be a whole number" in broken.message
    assert [str(site.field) for related in broken.related for site in related.sites] == ["spec.cpu.guest"]


@pytest.mark.parametrize(("version", "last"), [("v1alpha1", "1.5"), ("v1alpha2", "1.5")])
def test_older_versions_are_read_while_they_are_served(version: str, last: str) -> None:
    old = instancetype("a", vcpus=3) | {"apiVersion": f"instancetype.kubevirt.io/{version}"}

    assert vcpus(found(Matcher("a"), old, release=last)) == 3
    unserved = cause(Matcher("a"), old, release="1.6")
    assert (unserved.code, unserved.hint) == (
        Code.API_VERSION,
        "make it instancetype.kubevirt.io/v1beta1; its fields stay the same",
    )


def test_related_fields_are_relative_to_the_spec() -> None:
    field = FieldPath.of("spec", "cpu", "guest")
    of_object = found(Matcher("a"), instancetype("a", vcpus=2)).related(field)
    of_revision = found(Matcher("a", revision_name="r"), revision("r", instancetype("a"))).related(field)

    assert of_object.message == "spec.cpu.guest: 2"
    assert [str(site.field) for site in of_object.sites] == ["spec.cpu.guest"]
    assert [str(site.field) for site in of_revision.sites] == ["data.spec.cpu.guest"]


def test_description_names_the_object() -> None:
    assert str(found(Matcher("a"), instancetype("a"))) == "instance type a"
    assert str(found(Matcher("a", revision_name="r"), revision("r", instancetype("a")))) == (
        "instance type a of ControllerRevision r"
    )
