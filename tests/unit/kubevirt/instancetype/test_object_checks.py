from __future__ import annotations

import pytest

from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.object_checks import ObjectVerdict, check_object
from renderer.model.kube.json import Json, JsonObject
from tests.kubevirt_objects import behaviour, instancetype, preference


def admission(content: JsonObject, release: str | None = None) -> ObjectVerdict:
    matcher_type = INSTANCETYPE if content["kind"] in INSTANCETYPE.kinds else PREFERENCE
    return check_object(content, matcher_type, behaviour(release))


def refused(content: JsonObject, release: str | None = None) -> list[str]:
    return [cause.field for cause in admission(content, release).causes]


def warned(content: JsonObject, release: str | None = None) -> list[str]:
    return [str(warning.at) for warning in admission(content, release).warnings]


def topology(name: str, **options: Json) -> JsonObject:
    cpu: dict[str, Json] = {"preferredCPUTopology": name}
    if options:
        cpu["spreadOptions"] = options
    return preference(cpu=cpu)


def with_memory(**memory: Json) -> JsonObject:
    return instancetype(memory={"guest": "1Gi", **memory})


@pytest.mark.parametrize(("percent", "causes"), [(0, 0), (100, 0), (101, 1), (-1, 1), (None, 0)])
def test_overcommit_is_a_percentage(percent: int | None, causes: int) -> None:
    assert refused(with_memory(overcommitPercent=percent)) == ["spec.memory.overcommitPercent"] * causes


def test_huge_pages_cannot_be_overcommitted() -> None:
    pages = {"pageSize": "2Mi"}

    assert refused(with_memory(overcommitPercent=10, hugepages=pages)) == ["spec.memory.overcommitPercent"]
    assert len(refused(with_memory(overcommitPercent=110, hugepages=pages))) == 2
    assert refused(with_memory(overcommitPercent=0, hugepages=pages)) == []


@pytest.mark.parametrize(
    ("metadata", "field"),
    [
        ("x", "metadata"),
        ({"name": 1}, "metadata.name"),
        ({"creationTimestamp": "yesterday"}, "metadata.creationTimestamp"),
        ({"creationTimestamp": "2022-02-30T12:20:19Z"}, "metadata.creationTimestamp"),
        ({"ownerReferences": [{"controller": "yes"}]}, "metadata.ownerReferences[0].controller"),
        ({"managedFields": {}}, "metadata.managedFields"),
        ({"finalizers": "x"}, "metadata.finalizers"),
    ],
)
def test_metadata_of_a_wrong_type_cannot_be_decoded(metadata: Json, field: str) -> None:
    with pytest.raises(CauseError) as error:
        admission(instancetype() | {"metadata": metadata})

    assert [str(cause.at) for cause in error.value.causes] == [field]


@pytest.mark.parametrize("time", [None, "2022-09-30T12:20:19Z", "2022-09-30T12:20:19.25+02:00"])
def test_metadata_written_by_a_cluster_is_read(time: Json) -> None:
    written = {"name": "a", "creationTimestamp": time, "managedFields": [{"time": time, "fieldsV1": {}}]}

    assert refused(instancetype() | {"metadata": written}) == []


@pytest.mark.parametrize(("release", "is_refused"), [("1.3", False), ("1.4", True)])
def test_unknown_topology_is_refused_since_1_4(release: str, *, is_refused: bool) -> None:
    assert refused(topology("Cores"), release) == ["spec.cpu.preferredCPUTopology"] * is_refused


@pytest.mark.parametrize(("release", "is_refused"), [("1.2", False), ("1.3", True)])
def test_spread_options_are_checked_since_1_3(release: str, *, is_refused: bool) -> None:
    assert refused(topology("preferSpread", across="Everywhere"), release) == (
        ["spec.cpu.spreadOptions.across"] * is_refused
    )


def test_cores_have_two_threads() -> None:
    assert refused(topology("spread", across="CoresThreads")) == []
    assert refused(topology("spread", across="CoresThreads", ratio=3)) == ["spec.cpu.spreadOptions.ratio"]
    assert refused(topology("spread", across="SocketsCores", ratio=3)) == []
    assert refused(topology("cores", across="CoresThreads", ratio=3)) == []


def test_ratio_is_located_where_it_is_written() -> None:
    content = preference(
        cpu={"preferredCPUTopology": "spread", "spreadOptions": {"across": "CoresThreads"}},
        preferSpreadSocketToCoreRatio=4,
    )
    (cause,) = admission(content).causes

    assert (cause.field, str(cause.at)) == (
        "spec.cpu.spreadOptions.ratio",
        "spec.preferSpreadSocketToCoreRatio",
    )


@pytest.mark.parametrize(
    ("name", "release", "is_warned"),
    [("preferCores", "1.3", False), ("preferCores", "1.4", True), ("cores", "1.9", False)],
)
def test_original_names_of_topologies_are_deprecated_since_1_4(
    name: str, release: str, *, is_warned: bool
) -> None:
    assert warned(topology(name), release) == ["spec.cpu.preferredCPUTopology"] * is_warned


def test_new_name_is_suggested() -> None:
    (warning,) = admission(topology("preferSpread")).warnings

    assert warning.hint == "use spread"


@pytest.mark.parametrize(("release", "is_warned"), [("1.8", False), ("1.9", True)])
def test_launch_security_of_instance_types_is_deprecated_since_1_9(release: str, *, is_warned: bool) -> None:
    assert warned(instancetype(launchSecurity={}), release) == ["spec.launchSecurity"] * is_warned


def test_refused_field_has_no_warning() -> None:
    assert warned(instancetype(launchSecurity={}, memory={"guest": "1Gi", "overcommitPercent": 200})) == []


@pytest.mark.parametrize(
    ("version", "is_warned"), [("v1alpha1", True), ("v1alpha2", True), ("v1beta1", False)]
)
def test_older_versions_are_deprecated(version: str, *, is_warned: bool) -> None:
    content = instancetype() | {"apiVersion": f"instancetype.kubevirt.io/{version}"}

    assert warned(content, "1.5") == ["apiVersion"] * is_warned


def test_only_a_spec_is_required_and_allowed() -> None:
    without = {key: value for key, value in instancetype().items() if key != "spec"}

    assert refused(without) == [""]
    assert refused(without | {"spec": None}) == []
    assert refused(instancetype() | {"extra": 1}) == [""]


@pytest.mark.parametrize(
    "content",
    [
        instancetype(cpu={"guest": "2"}),
        instancetype(cpu={"guest": 2**32}),
        instancetype(cpu=[]),
        instancetype(memory={"guest": True}),
        instancetype(nodeSelector={"a": 1}),
        instancetype(gpus=["gpu"]),
        preference(devices={"preferredTPM": True}),
        preference(cpu={"preferredCPUTopology": 1}),
        preference(preferredTerminationGracePeriodSeconds=2**63),
        preference(annotations={"a": {}}),
    ],
)
def test_values_of_a_wrong_type_are_named(content: JsonObject) -> None:
    with pytest.raises(CauseError) as error:
        admission(content)

    (cause,) = error.value.causes
    assert cause.message.startswith(f"{cause.at} ")
    assert str(cause.at).startswith("spec.")


def test_null_counts_as_absent_and_unknown_fields_are_ignored() -> None:
    assert (
        admission(instancetype(cpu={"guest": None, "model": None}, unknown=1, gpus=None)) == ObjectVerdict()
    )
