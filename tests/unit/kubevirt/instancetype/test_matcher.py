from __future__ import annotations

import pytest

from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.matcher import (
    Matcher,
    check_matcher,
    check_matcher_update,
    keeps_stored_revision,
    read_matcher,
)
from renderer.model.kube.json import Json, JsonObject


def fields(matcher: Matcher) -> list[str]:
    return [cause.field for cause in check_matcher(matcher, INSTANCETYPE)]


@pytest.mark.parametrize(
    "kind",
    [
        "VirtualMachineInstancetype",
        "virtualmachineinstancetype",
        "virtualmachineinstancetypes",
        "VIRTUALMACHINEINSTANCETYPES",
    ],
)
def test_kind_is_matched_in_any_case_and_number(kind: str) -> None:
    assert INSTANCETYPE.matched_kind(kind) == "VirtualMachineInstancetype"


def test_missing_kind_means_the_cluster_wide_one() -> None:
    assert INSTANCETYPE.matched_kind("") == "VirtualMachineClusterInstancetype"
    assert PREFERENCE.matched_kind("") == "VirtualMachineClusterPreference"


@pytest.mark.parametrize(
    "kind", ["VirtualMachinePreference", "Instancetype", " ", "VirtualMachineInstancetypess"]
)
def test_unknown_kinds_are_refused(kind: str) -> None:
    assert INSTANCETYPE.matched_kind(kind) is None


def test_matcher_survives_a_round_trip() -> None:
    content: JsonObject = {
        "name": "a",
        "kind": "k",
        "revisionName": "r",
        "inferFromVolume": "v",
        "inferFromVolumeFailurePolicy": "Ignore",
    }

    matcher = read_matcher({"instancetype": content}, INSTANCETYPE)

    assert matcher == Matcher("a", "k", "r", "v", "Ignore")
    assert matcher.content() == content


def test_null_is_not_a_matcher_and_a_null_field_is_empty() -> None:
    assert read_matcher({"instancetype": None}, INSTANCETYPE) is None
    assert read_matcher({"preference": {"name": "a", "kind": None}}, PREFERENCE) == Matcher("a")


@pytest.mark.parametrize(
    ("content", "field"),
    [("u1.small", "spec.instancetype"), ([], "spec.instancetype"), ({"name": 1}, "spec.instancetype.name")],
)
def test_a_matcher_of_a_wrong_type_is_named(content: Json, field: str) -> None:
    with pytest.raises(CauseError) as error:
        read_matcher({"instancetype": content}, INSTANCETYPE)

    assert [cause.field for cause in error.value.causes] == [field]


def test_a_name_or_a_volume_is_needed() -> None:
    assert fields(Matcher(kind="VirtualMachineInstancetype")) == ["spec.instancetype"]
    assert fields(Matcher("a")) == []
    assert fields(Matcher(infer_from_volume="root")) == []


def test_a_volume_excludes_name_and_kind_but_not_the_revision() -> None:
    both = Matcher("a", "VirtualMachineInstancetype", "r", "root")

    assert fields(both) == ["spec.instancetype.name", "spec.instancetype.kind"]
    assert fields(Matcher(revision_name="r", infer_from_volume="root")) == []


def test_the_failure_policy_is_one_of_two_words() -> None:
    assert fields(Matcher("a", failure_policy="Reject")) == []
    assert fields(Matcher("a", failure_policy="ignore")) == ["spec.instancetype.inferFromVolumeFailurePolicy"]
    assert fields(Matcher("a", failure_policy="")) == ["spec.instancetype.inferFromVolumeFailurePolicy"]


@pytest.mark.parametrize(
    ("new", "old", "refused"),
    [
        (Matcher("b", revision_name="r"), Matcher("a", revision_name="r"), True),
        (Matcher("b", revision_name="s"), Matcher("a", revision_name="r"), False),
        (Matcher("b"), Matcher("a", revision_name="r"), False),
        (Matcher("a", kind="x", revision_name="r"), Matcher("a", revision_name="r"), False),
        (None, Matcher("a", revision_name="r"), False),
        (Matcher("b", revision_name="r"), None, False),
    ],
)
def test_a_new_name_needs_a_new_revision(new: Matcher | None, old: Matcher | None, *, refused: bool) -> None:
    causes = check_matcher_update(new, old, PREFERENCE)

    assert [cause.field for cause in causes] == (["spec.preference.revisionName"] if refused else [])


@pytest.mark.parametrize(
    ("new", "old", "kept"),
    [
        (Matcher("a"), Matcher("a", revision_name="r"), True),
        (Matcher("a"), Matcher("a"), True),
        (Matcher("a"), Matcher("a", kind="k", infer_from_volume="root", revision_name="r"), True),
        (Matcher(infer_from_volume="root"), Matcher("a", infer_from_volume="root"), True),
        (Matcher("b"), Matcher("a", revision_name="r"), False),
        (Matcher("a", kind="x"), Matcher("a", kind="k", revision_name="r"), False),
        (Matcher("a", kind="x"), Matcher("a", revision_name="r"), False),
        (Matcher("a", infer_from_volume="root"), Matcher("a", revision_name="r"), False),
        (Matcher("a", revision_name="s"), Matcher("a", revision_name="r"), False),
        (None, Matcher("a", revision_name="r"), False),
        (Matcher("a"), None, False),
    ],
)
def test_status_names_the_revision_until_the_object_changes(
    new: Matcher | None, old: Matcher | None, *, kept: bool
) -> None:
    assert keeps_stored_revision(new, old) is kept
