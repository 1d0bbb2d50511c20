from __future__ import annotations

import base64
import json

import pytest

from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE, MatcherType
from renderer.kubevirt.instancetype.revision import RevisionError, decode_revision
from renderer.model.kube.json import Json, JsonObject
from tests.kubevirt_objects import behaviour, instancetype, preference, revision, vm

SIZE: JsonObject = {"cpu": {"guest": 2}, "memory": {"guest": "1Gi"}}
AS_POINTERS = {"guest": 2, "model": "", "dedicatedCPUPlacement": False, "isolateEmulatorThread": False}


def encoded(spec: object) -> JsonObject:
    text = spec if isinstance(spec, str) else json.dumps(spec)
    return {"apiVersion": "", "spec": base64.b64encode(text.encode()).decode()}


def spec(data: Json, release: str, matcher_type: MatcherType = INSTANCETYPE) -> JsonObject:
    return decode_revision(revision("r", data), matcher_type, behaviour(release)).spec


def refusal(data: Json, release: str, matcher_type: MatcherType = INSTANCETYPE) -> str:
    with pytest.raises(RevisionError) as error:
        spec(data, release, matcher_type)
    return str(error.value)


def of_version(version: str, content: JsonObject) -> JsonObject:
    return {**content, "apiVersion": f"instancetype.kubevirt.io/{version}"}


@pytest.mark.parametrize("release", ["1.0", "1.6", "1.7", "1.9"])
def test_complete_v1beta1_objects_are_read_by_all_releases(release: str) -> None:
    assert spec(instancetype(vcpus=2, memory="1Gi"), release) == SIZE
    assert spec(preference(preferredSubdomain="s"), release, PREFERENCE) == {"preferredSubdomain": "s"}


def test_metadata_of_the_object_must_be_valid_too() -> None:
    data = instancetype() | {"metadata": {"deletionTimestamp": "soon"}}

    assert "deletionTimestamp must be a time" in refusal(data, "1.9")


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2"])
def test_older_objects_are_read_up_to_1_6_with_defaults(version: str) -> None:
    data = of_version(version, instancetype(vcpus=2, memory="1Gi"))

    assert spec(data, "1.6")["cpu"] == AS_POINTERS
    assert "KubeVirt 1.7 does not decode" in refusal(data, "1.7")


def test_fields_that_the_older_version_lacks_are_dropped() -> None:
    data = of_version("v1alpha2", instancetype(nodeSelector={"a": "b"}))

    assert "nodeSelector" not in spec(data, "1.6")


@pytest.mark.parametrize("release", ["1.0", "1.2", "1.3", "1.6"])
def test_a_spec_in_base64_is_read_up_to_1_6(release: str) -> None:
    assert spec(encoded(SIZE), release)["cpu"] == AS_POINTERS


def test_base64_spec_of_an_old_release_is_explained() -> None:
    with pytest.raises(RevisionError) as error:
        spec(encoded(SIZE), "1.7")

    assert error.value.outdated
    assert str(error.value) == "holds a spec without its kind, which KubeVirt 1.7 does not decode"


def test_up_to_1_2_a_spec_is_read_as_the_requested_kind() -> None:
    assert spec(encoded({**SIZE, "unknown": 1}), "1.2", PREFERENCE) == {"cpu": {}}
    assert refusal(encoded(SIZE), "1.3", PREFERENCE) == "holds an instance type, not a preference"


def test_unknown_field_is_refused_since_1_3() -> None:
    assert "memory" in spec(encoded({**SIZE, "unknown": 1}), "1.2")
    refusal(encoded({**SIZE, "unknown": 1}), "1.3")
    refusal({**encoded(SIZE), "extra": 1}, "1.3")
    refusal(encoded('{"cpu": {"guest": 1}, "cpu": {"guest": 2}, "memory": {"guest": "1Gi"}}'), "1.3")


def test_empty_spec_is_a_preference_since_1_3() -> None:
    assert spec(encoded({}), "1.3", PREFERENCE) == {}
    assert spec(encoded("null"), "1.3", PREFERENCE) == {}
    assert refusal(encoded({}), "1.3") == "holds a preference, not an instance type"
    assert spec(encoded({}), "1.2")["memory"] == {"guest": "0"}


def test_object_without_a_spec_is_read_since_1_3() -> None:
    data = {key: value for key, value in instancetype().items() if key != "spec"}

    refusal(data, "1.2")
    assert spec(data, "1.3") == {"cpu": {"guest": 0}, "memory": {"guest": "0"}}


@pytest.mark.parametrize("release", ["1.0", "1.3", "1.9"])
@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "text",
        {},
        {"spec": "%%%"},
        {"apiVersion": "", "spec": base64.b64encode(b"not json").decode()},
        {"apiVersion": "", "spec": base64.b64encode(b'{"cpu": {"guest": NaN}}').decode()},
        {"apiVersion": "", "spec": base64.b64encode(b"[" * 100_000).decode()},
        {"apiVersion": "", "spec": base64.b64encode(b'{"cpu": {"guest": 1' + b"0" * 9999 + b"}}").decode()},
        vm(),
        instancetype() | {"kind": "VirtualMachineInstancetypeList"},
        instancetype() | {"apiVersion": "instancetype.kubevirt.io/v2"},
        instancetype(cpu={"guest": -1}),
        instancetype(cpu={"guest": 2.0}),
        instancetype(memory={"guest": "lots"}),
        instancetype() | {"metadata": {"labels": {"a": 1}}},
        instancetype() | {"spec": []},
    ],
)
def test_undecodable_data_is_refused(data: Json, release: str) -> None:
    refusal(data, release)
