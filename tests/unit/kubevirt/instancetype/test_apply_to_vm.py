from __future__ import annotations

import pytest

from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.instancetype.apply_to_vm import apply_checked
from renderer.kubevirt.instancetype.cause import CauseError, CrashError, DefaultsError, ExpansionCause
from renderer.kubevirt.instancetype.cluster_config import cluster_config
from renderer.kubevirt.instancetype.find import Finder
from renderer.kubevirt.instancetype.resolve import resolve_matchers, select
from renderer.model.codes import Code
from renderer.model.kube.json import Json, JsonObject, object_at
from tests.kubevirt_objects import behaviour, instancetype, kubevirt, preference, scope, vm

CPU = "spec.template.spec.domain.cpu"


def applied_domain(content: JsonObject, *objects: JsonObject, release: str | None = None) -> JsonObject:
    """The VM's domain with everything applied."""
    seen, how = scope(*objects), behaviour(release)
    matchers = resolve_matchers(object_at(content, "spec"), seen, how)
    selected = select(matchers, {}, seen, Finder(how))
    template = object_at(content, "spec", "template")
    cluster = Cluster(how.release, cluster_config(seen.catalog, how.release))
    applied = apply_checked(selected, template, seen, cluster)
    return object_at(applied, "spec", "domain")


def causes(
    content: JsonObject, *objects: JsonObject, release: str | None = None
) -> tuple[ExpansionCause, ...]:
    with pytest.raises(CauseError) as error:
        applied_domain(content, *objects, release=release)
    return error.value.causes


def fields(content: JsonObject, *objects: JsonObject, release: str | None = None) -> list[str]:
    return [cause.field for cause in causes(content, *objects, release=release)]


def is_admitted(content: JsonObject, *objects: JsonObject, release: str | None = None) -> bool:
    try:
        applied_domain(content, *objects, release=release)
    except CauseError:
        return False
    return True


def crashes(content: JsonObject, *objects: JsonObject, release: str) -> bool:
    try:
        applied_domain(content, *objects, release=release)
    except CrashError:
        return True
    except CauseError:
        return False
    return False


class TestConflicts:
    def test_all_conflicts_are_reported_with_both_sides(self) -> None:
        domain: JsonObject = {"cpu": {"cores": 4, "model": "host-model"}, "memory": {"guest": "8Gi"}}
        medium = instancetype("medium", cpu={"guest": 2, "model": "Skylake"})

        found = causes(vm("db", domain, instancetype="medium"), medium)

        assert [cause.field for cause in found] == [f"{CPU}.cores", f"{CPU}.model", f"{CPU[:-3]}memory.guest"]
        assert {cause.code for cause in found} == {Code.CONFLICT}
        assert found[0].message == f"{CPU}.cores is set by instance type medium"
        (theirs,) = found[0].related
        assert theirs.message == "spec.cpu.guest: 2"
        assert [(site.path, str(site.field)) for site in theirs.sites] == [("catalog.yaml", "spec.cpu.guest")]

    def test_kubevirts_name_of_a_field_differs_from_the_users(self) -> None:
        dedicated = instancetype("medium", cpu={"guest": 2, "dedicatedCPUPlacement": True})
        (cause,) = causes(
            vm("db", {"cpu": {"dedicatedCpuPlacement": True}}, instancetype="medium"), dedicated
        )

        assert cause.field == f"{CPU}.dedicatedCPUPlacement"
        assert str(cause.at) == f"{CPU}.dedicatedCpuPlacement"

    def test_hint_names_sizes_that_match_the_vm(self) -> None:
        sizes = (
            instancetype("u1.medium", 1, "4Gi"),
            instancetype("u1.xlarge", 4, "16Gi"),
            instancetype("n1.medium", 4, "4Gi"),
            instancetype("cx1.xlarge", 4, "8Gi"),
        )
        (cause,) = causes(vm("db", {"cpu": {"cores": 2, "sockets": 2}}, instancetype="u1.medium"), *sizes)[:1]

        assert (
            cause.hint == f"drop {CPU}.sockets; "
            "u1.xlarge (4 vCPUs, 16Gi) or n1.medium (4 vCPUs, 4Gi) has the requested size"
        )

    def test_hint_without_a_matching_size_is_to_drop_the_field(self) -> None:
        (cause,) = causes(
            vm("db", {"memory": {"guest": "3Gi"}}, instancetype="medium"), instancetype("medium")
        )

        assert cause.hint == "drop spec.template.spec.domain.memory.guest"

    @pytest.mark.parametrize(
        ("release", "field"), [("1.6", "spec.template.spec.domain.memory"), ("1.7", None), ("1.9", None)]
    )
    def test_memory_conflicts_as_a_whole_up_to_1_6(self, release: str, field: str | None) -> None:
        content = vm("db", {"memory": {"hugepages": {"pageSize": "2Mi"}}}, instancetype="medium")

        if field is None:
            assert is_admitted(content, instancetype("medium"), release=release)
        else:
            assert fields(content, instancetype("medium"), release=release) == [field]


class TestSpread:
    def spread(self, **options: Json) -> JsonObject:
        return preference("p", cpu={"preferredCPUTopology": "spread", "spreadOptions": options})

    @pytest.mark.parametrize(
        ("vcpus", "options", "admitted"),
        [
            (4, {}, True),
            (3, {}, False),
            (1, {}, False),
            (6, {"ratio": 3}, True),
            (6, {"ratio": 4}, False),
            (6, {"across": "CoresThreads", "ratio": 3}, True),
            (8, {"across": "SocketsCoresThreads"}, True),
            (6, {"across": "SocketsCoresThreads"}, False),
            (7, {"across": "SocketsCoresThreads", "ratio": 0}, False),
            (3, {"across": "Elsewhere"}, True),
        ],
    )
    def test_vcpus_must_be_divisible(self, vcpus: int, options: JsonObject, *, admitted: bool) -> None:
        content = vm("db", instancetype="it", preference="p")

        assert is_admitted(content, instancetype("it", vcpus), self.spread(**options)) == admitted

    def test_finding_has_kubevirts_field_and_both_objects(self) -> None:
        content = vm("db", instancetype="it", preference="p")

        (cause,) = causes(content, instancetype("it", 1), self.spread())

        assert (cause.code, cause.field) == (Code.TOPOLOGY, "instancetype.spec.cpu.guest")
        message = "the 1 vCPU of instance type it cannot be spread by 2 as preference p requests"
        assert cause.message == message
        assert len(cause.related) == 2

    def test_spread_error_is_reported_before_any_conflict(self) -> None:
        content = vm("db", {"cpu": {"cores": 4}}, instancetype="it", preference="p")

        assert fields(content, instancetype("it", 3), self.spread()) == ["instancetype.spec.cpu.guest"]

    def test_a_ratio_of_zero_crashes_kubevirt(self) -> None:
        content = vm("db", instancetype="it", preference="p")

        assert crashes(content, instancetype("it", 4), self.spread(ratio=0), release="1.9")

    @pytest.mark.parametrize(("release", "admitted"), [("1.0", True), ("1.1", False), ("1.2", False)])
    def test_spread_is_checked_since_1_1(self, release: str, *, admitted: bool) -> None:
        content = vm("db", instancetype="it", preference="p")
        spread = preference("p", cpu={"preferredCPUTopology": "preferSpread"})

        assert is_admitted(content, instancetype("it", 3), spread, release=release) == admitted

    @pytest.mark.parametrize(("release", "crash"), [("1.0", False), ("1.1", True), ("1.2", False)])
    def test_spread_without_an_instance_type_crashes_1_1(self, release: str, *, crash: bool) -> None:
        spread = preference("p", cpu={"preferredCPUTopology": "preferSpread"})

        assert crashes(vm("db", preference="p"), spread, release=release) == crash

    @pytest.mark.parametrize(("release", "admitted"), [("1.3", True), ("1.4", False)])
    def test_a_topology_that_a_release_does_not_know_is_not_checked(
        self, release: str, *, admitted: bool
    ) -> None:
        content = vm("db", instancetype="it", preference="p")

        assert is_admitted(content, instancetype("it", 3), self.spread(), release=release) == admitted


class TestCpuRequirement:
    def requiring(self, vcpus: int, topology: str | None = None, **options: Json) -> JsonObject:
        cpu: dict[str, Json] = {} if topology is None else {"preferredCPUTopology": topology}
        if options:
            cpu["spreadOptions"] = options
        return preference("p", cpu=cpu, requirements={"cpu": {"guest": vcpus}})

    def test_only_the_vcpu_count_of_an_instance_type_matters(self) -> None:
        content = vm("db", instancetype="it", preference="p")

        assert is_admitted(content, instancetype("it", 4), self.requiring(4, "threads"))
        assert fields(content, instancetype("it", 4), self.requiring(5)) == ["spec.instancetype"]

    def test_hint_names_a_larger_instance_type(self) -> None:
        sizes = (instancetype("u.s", 1, "2Gi"), instancetype("u.l", 4, "8Gi"), instancetype("u.m", 2, "4Gi"))
        (cause,) = causes(vm("db", instancetype="u.s", preference="p"), *sizes, self.requiring(2))

        assert cause.message == "preference p requires 2 vCPUs, instance type u.s provides 1"
        assert cause.hint == "use u.m (2 vCPUs, 4Gi) or u.l (4 vCPUs, 8Gi)"

    @pytest.mark.parametrize(
        ("topology", "cpu", "unmet"),
        [
            (None, {"sockets": 4}, []),
            (None, {"cores": 4}, ["sockets"]),
            ("cores", {"cores": 4}, []),
            ("cores", {"sockets": 4}, ["cores"]),
            ("threads", {"threads": 3}, ["threads"]),
            ("any", {"cores": 2, "sockets": 2, "threads": 1}, []),
            ("any", {"cores": 2, "sockets": 2}, ["cores", "sockets", "threads"]),
            ("spread", {"cores": 2, "sockets": 2}, []),
            ("spread", {"cores": 4, "threads": 4}, ["sockets", "cores"]),
            ("made-up", {"cores": 1}, []),
            ("cores", {"cores": 2**32}, ["cores"]),
        ],
    )
    def test_fields_of_the_preferred_topology_of_a_vm_matter(
        self, topology: str | None, cpu: JsonObject, unmet: list[str]
    ) -> None:
        content = vm("db", {"cpu": cpu}, preference="p")
        expected = [", ".join(f"{CPU}.{field}" for field in unmet)] if unmet else []

        if expected:
            assert fields(content, self.requiring(4, topology)) == expected
        else:
            assert is_admitted(content, self.requiring(4, topology))

    def test_unknown_spread_provides_no_vcpus(self) -> None:
        content = vm("db", {"cpu": {"cores": 9}}, preference="p")

        assert fields(content, self.requiring(1, "spread", across="Elsewhere")) == [""]

    def test_a_vm_without_cpu_gets_its_topology_from_the_limits(self) -> None:
        content = vm("db", {"resources": {"limits": {"cpu": "3500m"}}}, preference="p")

        assert is_admitted(content, self.requiring(4))
        assert fields(content, self.requiring(5)) == [f"{CPU}.sockets"]

    @pytest.mark.parametrize(("release", "first"), [("1.2", "cores"), ("1.3", "sockets")])
    def test_spread_requirement_names_sockets_first_since_1_3(self, release: str, first: str) -> None:
        content = vm("db", {"cpu": {"cores": 1}}, preference="p")
        (field,) = fields(content, self.requiring(4, "preferSpread"), release=release)

        assert field.startswith(f"{CPU}.{first}, ")

    @pytest.mark.parametrize(("release", "admitted"), [("1.0", True), ("1.1", False)])
    def test_any_is_a_topology_since_1_1(self, release: str, *, admitted: bool) -> None:
        content = vm("db", {"cpu": {"cores": 1}}, preference="p")

        assert is_admitted(content, self.requiring(4, "preferAny"), release=release) == admitted


class TestMemoryRequirement:
    NEEDS = preference("p", requirements={"memory": {"guest": "4Gi"}})

    @pytest.mark.parametrize(("memory", "admitted"), [("4Gi", True), ("4294967296", True), ("4G", False)])
    def test_sizes_compare_as_quantities(self, memory: str, *, admitted: bool) -> None:
        content = vm("db", instancetype="it", preference="p")

        assert is_admitted(content, instancetype("it", memory=memory), self.NEEDS) == admitted

    def test_vm_without_instance_type_must_set_its_memory(self) -> None:
        small = vm("db", {"memory": {"guest": "2Gi"}}, preference="p")

        assert fields(small, self.NEEDS) == ["spec.template.spec.domain.memory"]
        assert is_admitted(vm("db", {"memory": {"guest": "4Gi"}}, preference="p"), self.NEEDS)

    @pytest.mark.parametrize(("release", "unmet"), [("1.2", False), ("1.3", True), ("1.9", True)])
    def test_memory_request_counts_since_1_3(self, release: str, *, unmet: bool) -> None:
        content = vm("db", {"resources": {"requests": {"memory": "2Gi"}}}, preference="p")

        assert is_admitted(content, self.NEEDS, release=release) != unmet

    @pytest.mark.parametrize(
        ("release", "crash"), [("1.2", False), ("1.3", True), ("1.4", True), ("1.5", False)]
    )
    def test_missing_memory_crashes_1_3_and_1_4(self, release: str, *, crash: bool) -> None:
        assert crashes(vm("db", preference="p"), self.NEEDS, release=release) == crash

    @pytest.mark.parametrize(("release", "crash"), [("1.2", True), ("1.5", False)])
    def test_a_memory_section_without_guest_crashes_up_to_1_4(self, release: str, *, crash: bool) -> None:
        assert crashes(vm("db", {"memory": {}}, preference="p"), self.NEEDS, release=release) == crash

    def test_missing_memory_is_unmet_since_1_5(self) -> None:
        content = vm("db", preference="p")

        assert fields(content, self.NEEDS, release="1.5") == ["spec.template.spec.domain.memory"]
        assert is_admitted(content, self.NEEDS, release="1.2")


class TestArchitectureRequirement:
    NEEDS = preference("p", requirements={"architecture": "arm64"})

    def test_defaulted_architecture_is_compared(self) -> None:
        content = vm("db", preference="p")

        assert fields(content, self.NEEDS) == ["spec.template.spec.architecture"]
        assert is_admitted(content, self.NEEDS, kubevirt("arm64"))
        assert is_admitted(content, preference("p", **self.spec(), preferredArchitecture="arm64"))

    def test_empty_architecture_is_a_requirement(self) -> None:
        empty = preference("p", requirements={"architecture": ""})

        assert fields(vm("db", preference="p"), empty) == ["spec.template.spec.architecture"]

    def spec(self) -> JsonObject:
        return object_at(self.NEEDS, "spec")


def test_only_the_first_requirement_is_reported() -> None:
    needs = preference(
        "p", requirements={"cpu": {"guest": 9}, "memory": {"guest": "9Gi"}, "architecture": "x"}
    )

    assert fields(vm("db", instancetype="it", preference="p"), instancetype("it"), needs) == [
        "spec.instancetype"
    ]


@pytest.mark.parametrize(
    "network", [{"permitBridgeInterfaceOnPodNetwork": False}, {"defaultNetworkInterface": "slirp"}]
)
def test_a_cluster_without_default_network_needs_one_in_the_vm(network: JsonObject) -> None:
    without = vm("db")
    with_none = vm("db", {"devices": {"autoattachPodInterface": False}})

    with pytest.raises(DefaultsError):
        applied_domain(without, kubevirt(network=network))
    assert is_admitted(with_none, kubevirt(network=network))


@pytest.mark.parametrize(("release", "admitted"), [("1.2", True), ("1.3", False)])
def test_slirp_is_admitted_up_to_1_2(release: str, *, admitted: bool) -> None:
    cluster = kubevirt(network={"defaultNetworkInterface": "slirp", "permitSlirpInterface": True})

    assert is_admitted(vm("db"), cluster, release=release) == admitted


def test_inapplicable_field_is_reported_at_the_matcher_with_its_location() -> None:
    features = preference("p", cpu={"preferredCPUFeatures": [{"name": "vmx"}]})

    (cause,) = causes(vm("db", preference="p"), features)

    assert str(cause.at) in {"spec.preference", "spec.template.spec.domain.cpu"}
