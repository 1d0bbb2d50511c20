from __future__ import annotations

from itertools import product
from math import prod

import pytest

from renderer.kubevirt.instancetype.catalog import CatalogSource
from renderer.kubevirt.instancetype.expand import expand
from renderer.kubevirt.instancetype.pin import Pinner
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, with_value, without
from renderer.model.kube.resource import ResourceSet
from renderer.model.release import LATEST, Release
from renderer.model.render_config import ExpandMode
from tests.kubevirt_objects import catalog, instancetype, labelled, namespaced, preference, resources, vm

VCPUS = "spec.template.spec.domain.cpu.guest"
MEMORY = "spec.template.spec.domain.memory.guest"
RELEASES = [Release.parse(f"1.{minor}") for minor in range(10)]


def v1beta2(content: JsonObject) -> JsonObject:
    return {**content, "apiVersion": "instancetype.kubevirt.io/v1beta2"}


def custom(name: str = "c.custom", /, **spec: Json) -> JsonObject:
    """An instance type without a size; ``spec`` is its whole spec."""
    return with_value(v1beta2(instancetype(name)), ("spec",), spec)


def domain(vcpus: Json = None, memory: Json = None, **more: Json) -> dict[str, Json]:
    """A domain with the given size, if any, and ``more`` fields."""
    cpu: JsonObject = {} if vcpus is None else {"cpu": {"guest": vcpus}}
    size: JsonObject = cpu if memory is None else {**cpu, "memory": {"guest": memory}}
    return {"devices": {}, **size, **more}


def expanded(
    *contents: JsonObject, mode: ExpandMode = ExpandMode.APPLIED, release: Release = LATEST
) -> Outcome[ResourceSet]:
    return expand(resources(*contents), catalog(), release, mode)


def domain_of(outcome: Outcome[ResourceSet]) -> JsonObject:
    """The domain of the VM, the last resource."""
    assert outcome.diagnostics == ()
    return object_at(outcome.value.resources[-1].content, "spec", "template", "spec", "domain")


def problems(outcome: Outcome[ResourceSet]) -> dict[str, Diagnostic]:
    assert len({str(found.field) for found in outcome.diagnostics}) == len(outcome.diagnostics)
    return {str(found.field): found for found in outcome.diagnostics}


def problem(outcome: Outcome[ResourceSet]) -> tuple[Code, str, Diagnostic]:
    (found,) = outcome.diagnostics
    return found.code, str(found.field), found


def test_a_vm_gives_the_size_and_the_class_everything_else() -> None:
    cx1 = custom(
        cpu={"dedicatedCPUPlacement": True, "numa": {"guestMappingPassthrough": {}}},
        memory={"hugepages": {"pageSize": "2Mi"}},
        ioThreadsPolicy="auto",
    )
    result = domain_of(expanded(cx1, vm(domain=domain(4, "4Gi"), instancetype="c.custom")))
    assert result == {
        "devices": {},
        "cpu": {
            "sockets": 4,
            "cores": 1,
            "threads": 1,
            "dedicatedCpuPlacement": True,
            "numa": {"guestMappingPassthrough": {}},
        },
        "memory": {"guest": "4Gi", "hugepages": {"pageSize": "2Mi"}},
        "ioThreadsPolicy": "auto",
    }


def test_overcommit_applies_to_the_vms_memory() -> None:
    o1 = custom(memory={"overcommitPercent": 50})
    result = domain_of(expanded(o1, vm(domain=domain(1, "2048Mi"), instancetype="c.custom")))
    assert result["memory"] == {"guest": "2048Mi"}, "what the user wrote stays as written"
    assert result["resources"] == {"requests": {"memory": "1Gi"}}


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_custom_size_works_in_every_release_with_other_memory_fields(release: Release) -> None:
    memory: Json = {"guest": "1Gi", "maxGuest": "2Gi"}
    written = vm(domain=domain(2, memory=None) | {"memory": memory}, instancetype="c.custom")
    result = domain_of(expanded(custom(), written, release=release))
    assert result == {
        "devices": {},
        "cpu": {"sockets": 2, "cores": 1, "threads": 1},
        "memory": memory,
    }


def test_either_half_may_be_fixed() -> None:
    fixed_cpu = custom("cpu.custom", cpu={"guest": 2})
    fixed_memory = custom("mem.custom", memory={"guest": "8Gi"})
    first = domain_of(expanded(fixed_cpu, vm(domain=domain(None, "1Gi"), instancetype="cpu.custom")))
    second = domain_of(expanded(fixed_memory, vm(domain=domain(3), instancetype="mem.custom")))
    assert (object_at(first, "cpu")["sockets"], first["memory"]) == (2, {"guest": "1Gi"})
    assert (object_at(second, "cpu")["sockets"], second["memory"]) == (3, {"guest": "8Gi"})


def test_vcpus_without_an_instance_type_are_sockets_of_one_core() -> None:
    result = domain_of(expanded(vm(domain=domain(4, cpu={"guest": 4, "model": "host-model"}))))
    assert result["cpu"] == {"model": "host-model", "sockets": 4, "cores": 1, "threads": 1}


@pytest.mark.parametrize("matcher", [{}, {"instancetype": "c.custom"}], ids=["alone", "instancetype"])
@pytest.mark.parametrize(
    ("cpu", "shape"),
    [
        ({}, (8, 1, 1)),
        ({"preferredCPUTopology": "sockets"}, (8, 1, 1)),
        ({"preferredCPUTopology": "any"}, (8, 1, 1)),
        ({"preferredCPUTopology": "cores"}, (1, 8, 1)),
        ({"preferredCPUTopology": "threads"}, (1, 1, 8)),
        ({"preferredCPUTopology": "spread"}, (4, 2, 1)),
        ({"preferredCPUTopology": "spread", "spreadOptions": {"ratio": 4}}, (2, 4, 1)),
        ({"preferredCPUTopology": "spread", "spreadOptions": {"across": "CoresThreads"}}, (1, 4, 2)),
        ({"preferredCPUTopology": "spread", "spreadOptions": {"across": "SocketsCoresThreads"}}, (2, 2, 2)),
    ],
)
def test_the_preference_shapes_the_vcpus(
    cpu: Json, shape: tuple[int, int, int], matcher: dict[str, str]
) -> None:
    written = vm(domain=domain(8, "1Gi"), preference="linux", **matcher)
    result = domain_of(expanded(custom(), preference(cpu=cpu), written))
    assert result["cpu"] == dict(zip(("sockets", "cores", "threads"), shape, strict=True))


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_vm_gets_exactly_the_requested_vcpus(release: Release) -> None:
    """Over all topologies; a number that the release cannot produce is an error."""
    names = ["sockets", "cores", "threads", "spread", "any"]
    old_names = ["preferSockets", "preferCores", "preferThreads", "preferSpread", "preferAny", "none"]
    acrosses = [None, "SocketsCores", "CoresThreads", "SocketsCoresThreads", "Nodes"]
    for name, across, vcpus in product(names + old_names, acrosses, (1, 2, 3, 4, 6, 8)):
        cpu: Json = {
            "preferredCPUTopology": name,
            "spreadOptions": {} if across is None else {"across": across},
        }
        outcome = expanded(preference(cpu=cpu), vm(domain=domain(vcpus), preference="linux"), release=release)
        made = object_at(outcome.value.resources[-1].content, "spec", "template", "spec", "domain", "cpu")
        codes = {found.code for found in outcome.diagnostics}
        if str(VCPUS) in {str(found.field) for found in outcome.diagnostics}:
            assert Code.TOPOLOGY in codes
        else:
            counts = [made[field] for field in ("sockets", "cores", "threads")]
            assert prod(count for count in counts if isinstance(count, int)) == vcpus


def test_indivisible_vcpus_are_an_error() -> None:
    spread = preference(cpu={"preferredCPUTopology": "spread"})
    code, field, found = problem(expanded(spread, vm(domain=domain(3), preference="linux")))
    assert (code, field) == (Code.TOPOLOGY, VCPUS)
    assert found.message == "the 3 vCPUs of the VM cannot be spread by 2 as preference linux requests"


def test_finding_names_the_spread() -> None:
    options: JsonObject = {"across": "SocketsCoresThreads", "ratio": 4}
    spread = preference(cpu={"preferredCPUTopology": "spread", "spreadOptions": options})
    message = problem(expanded(spread, vm(domain=domain(4), preference="linux")))[2].message
    assert "by 8, in sockets of 4 cores with 2 threads each, as preference linux requests" in message


def test_ratio_of_zero_is_handled() -> None:
    spread = preference(cpu={"preferredCPUTopology": "spread", "spreadOptions": {"ratio": 0}})
    outcome = expanded(spread, vm(domain=domain(4), preference="linux"))
    assert {found.code for found in outcome.diagnostics} == {Code.TOPOLOGY}


def test_missing_size_is_an_error() -> None:
    found = problems(expanded(custom(), vm(domain=domain(), instancetype="c.custom")))
    assert {field: each.message for field, each in found.items()} == {
        VCPUS: "neither the VM nor instance type c.custom sets the number of vCPUs",
        MEMORY: "neither the VM nor instance type c.custom sets the amount of memory",
    }
    for field, left in ((VCPUS, "spec.cpu.guest"), (MEMORY, "spec.memory.guest")):
        assert found[field].code is Code.CUSTOM_SIZE
        assert [related.message for related in found[field].related] == [f"{left} is left to the VM"]


def test_size_on_both_sides_is_an_error() -> None:
    sized = instancetype("c.medium", 2, "4Gi")
    outcome = expanded(sized, custom(), vm(domain=domain(4, "8Gi"), instancetype="c.medium"))
    found = problems(outcome)
    assert {field: each.code for field, each in found.items()} == dict.fromkeys(
        (VCPUS, MEMORY), Code.CONFLICT
    )
    assert [related.message for related in found[VCPUS].related] == ["spec.cpu.guest: 2"]
    assert [related.message for related in found[MEMORY].related] == ["spec.memory.guest: 4Gi"]
    assert found[VCPUS].hint == f"drop {VCPUS}; c.custom leaves the size to the VM"


@pytest.mark.parametrize("matcher", [{}, {"instancetype": "c.custom"}], ids=["alone", "instancetype"])
@pytest.mark.parametrize("count", ["sockets", "cores", "threads"])
def test_guest_vcpus_exclude_the_topology_fields(count: str, matcher: dict[str, str]) -> None:
    written = vm(domain=domain(2, "1Gi") | {"cpu": {"guest": 2, count: 2}}, **matcher)
    code, field, found = problem(expanded(custom(), written))
    assert (code, field) == (Code.CONFLICT, VCPUS.replace("guest", count))
    assert [related.message for related in found.related] == [f"{VCPUS}: 2"]


def test_topology_fields_do_not_set_the_vcpus_of_an_instance_type() -> None:
    written = vm(domain=domain(None, "1Gi", cpu={"cores": 2, "sockets": 2}), instancetype="c.custom")
    code, _, found = problem(expanded(custom(), written))
    assert code is Code.CUSTOM_SIZE
    assert "reads the vCPUs from spec.template.spec.domain.cpu.guest only" in found.message


def test_zero_counts_are_ignored() -> None:
    written = vm(domain=domain(2, cpu={"guest": 2, "cores": 0, "sockets": 0, "threads": 0}))
    assert domain_of(expanded(written))["cpu"] == {"sockets": 2, "cores": 1, "threads": 1}


@pytest.mark.parametrize("vcpus", [0, -1, 1.5, "four", "4", "${VCPUS}", True, [], {}, 1 << 32])
@pytest.mark.parametrize("matcher", [{}, {"instancetype": "c.custom"}], ids=["alone", "instancetype"])
def test_invalid_vcpus_are_refused(vcpus: Json, matcher: dict[str, str]) -> None:
    code, field, found = problem(expanded(custom(), vm(domain=domain(vcpus, "1Gi"), **matcher)))
    assert (code, field) == (Code.CUSTOM_SIZE, VCPUS)
    assert "must be a whole number from 1 to 4294967295" in found.message
    assert found.hint


@pytest.mark.parametrize(
    ("memory", "code"),
    [
        (0, Code.CUSTOM_SIZE),
        ("0Gi", Code.CUSTOM_SIZE),
        ("-1Gi", Code.CUSTOM_SIZE),
        ("lots", Code.QUANTITY_INVALID),
        ("4GB", Code.QUANTITY_INVALID),
        (True, Code.QUANTITY_INVALID),
        ([], Code.QUANTITY_INVALID),
    ],
)
def test_invalid_memory_is_refused(memory: Json, code: Code) -> None:
    found = problem(expanded(custom(), vm(domain=domain(1, memory), instancetype="c.custom")))
    assert found[:2] == (code, MEMORY)


def test_null_is_ignored() -> None:
    assert domain_of(expanded(vm(domain=domain(cpu={"guest": None, "model": "x"}))))["cpu"] == {"model": "x"}
    found = problems(
        expanded(custom(), vm(domain={"cpu": {"guest": None}, "memory": None}, instancetype="c.custom"))
    )
    assert set(found) == {VCPUS, MEMORY}


def test_memory_may_be_a_variable_of_the_gitops_tool() -> None:
    result = domain_of(expanded(custom(), vm(domain=domain(1, "${MEMORY}"), instancetype="c.custom")))
    assert result["memory"] == {"guest": "${MEMORY}"}


def test_requests_belong_to_the_instance_type() -> None:
    requests: JsonObject = {"requests": {"cpu": "1", "memory": "1Gi"}}
    written = vm(domain=domain(1, "1Gi", resources=requests), instancetype="c.custom")
    found = problems(expanded(custom(), written))
    below = "spec.template.spec.domain.resources.requests"
    assert {field: each.code for field, each in found.items()} == {
        f"{below}.cpu": Code.CONFLICT,
        f"{below}.memory": Code.CONFLICT,
    }
    assert domain_of(expanded(vm(domain=domain(1, resources=requests))))["resources"] == requests


@pytest.mark.parametrize("matcher", [{}, {"instancetype": "c.custom"}], ids=["alone", "instancetype"])
def test_requirements_are_checked_against_the_size(matcher: dict[str, str]) -> None:
    needs = preference(requirements={"cpu": {"guest": 4}, "memory": {"guest": "4Gi"}})

    def found(vcpus: int, memory: str) -> Outcome[ResourceSet]:
        return expanded(custom(), needs, vm(domain=domain(vcpus, memory), preference="linux", **matcher))

    assert found(4, "4096Mi").diagnostics == ()
    code, field, small = problem(found(3, "4Gi"))
    assert (code, field) == (Code.REQUIREMENT, VCPUS)
    assert small.message == "preference linux requires 4 vCPUs, the VM has 3"
    assert small.hint == f"set {VCPUS} to at least 4"
    code, field, _ = problem(found(4, "4095Mi"))
    assert code is Code.REQUIREMENT
    assert field.startswith("spec.template.spec.domain.memory")


@pytest.mark.parametrize(
    ("spec", "size", "field"),
    [
        ({"memory": {"hugepages": {"pageSize": "1Gi"}}}, (1, "1536Mi"), MEMORY),
        ({"memory": {"hugepages": {"pageSize": "1Gi"}}}, (1, "512Mi"), MEMORY),
        ({"memory": {"maxGuest": "4Gi"}}, (1, "5Gi"), MEMORY),
        ({"cpu": {"maxSockets": 2}}, (3, "1Gi"), VCPUS),
    ],
)
def test_limits_of_the_class_are_checked(spec: dict[str, Json], size: tuple[int, str], field: str) -> None:
    code, at, found = problem(expanded(custom(**spec), vm(domain=domain(*size), instancetype="c.custom")))
    assert (code, at) == (Code.CUSTOM_SIZE, field)
    assert "of instance type c.custom" in found.message
    assert found.related


def test_invalid_page_size_is_left_to_other_checks() -> None:
    pages = custom(memory={"hugepages": {"pageSize": "huge"}})
    assert domain_of(expanded(pages, vm(domain=domain(1, "1Gi"), instancetype="c.custom")))


def test_limits_of_the_vm_are_checked() -> None:
    memory: Json = {"guest": "2Gi", "maxGuest": "1Gi"}
    cpu: Json = {"guest": 4, "maxSockets": 2}
    found = problems(expanded(custom(), vm(domain={"cpu": cpu, "memory": memory}, instancetype="c.custom")))
    assert {field: each.code for field, each in found.items()} == {
        VCPUS: Code.CUSTOM_SIZE,
        MEMORY: Code.CUSTOM_SIZE,
    }


def test_cores_do_not_count_as_sockets() -> None:
    limited = custom(cpu={"maxSockets": 1})
    by_cores = preference(cpu={"preferredCPUTopology": "cores"})
    written = vm(domain=domain(4, "1Gi"), instancetype="c.custom", preference="linux")
    assert object_at(domain_of(expanded(limited, by_cores, written)), "cpu")["cores"] == 4


def test_all_kinds_are_read_and_complete_ones_written_as_v1beta1() -> None:
    complete = [
        v1beta2(instancetype("it")),
        v1beta2(namespaced(instancetype("it"))),
        v1beta2(preference("p", cpu={"preferredCPUTopology": "cores"})),
        v1beta2(namespaced(preference("p", cpu={"preferredCPUTopology": "threads"}))),
    ]
    kinds = ("VirtualMachineInstancetype", "VirtualMachinePreference")
    vms = [
        vm("a", instancetype="it", preference="p"),
        vm("b", instancetype={"name": "it", "kind": kinds[0]}, preference={"name": "p", "kind": kinds[1]}),
    ]
    for mode in (ExpandMode.APPLIED, ExpandMode.OFF):
        outcome = expanded(*complete, *vms, mode=mode)
        assert outcome.diagnostics == ()
        assert [resource.api_version for resource in outcome.value.resources[:4]] == [
            "instancetype.kubevirt.io/v1beta1"
        ] * 4
        rest = [without(resource.content, "apiVersion") for resource in outcome.value.resources[:4]]
        assert rest == [without(content, "apiVersion") for content in complete]


def test_namespaced_instance_type_without_a_size_is_used() -> None:
    written = vm(
        domain=domain(2, "1Gi"), instancetype={"name": "c.custom", "kind": "VirtualMachineInstancetype"}
    )
    assert object_at(domain_of(expanded(namespaced(custom()), written)), "cpu")["sockets"] == 2


def test_one_name_in_two_versions_is_an_error() -> None:
    code, field, found = problem(expanded(v1beta2(instancetype("it")), instancetype("it")))
    assert (code, field) == (Code.DUPLICATE_ID, "metadata.name")
    assert found.related


def test_invalid_custom_instance_type_is_an_error() -> None:
    wrong = custom(memory={"overcommitPercent": 200})
    outcome = expanded(wrong, vm(domain=domain(1, "1Gi"), instancetype="c.custom"))
    assert [found.code for found in outcome.diagnostics] == [Code.RESOURCE_INVALID]
    undecodable = custom(cpu={"dedicatedCPUPlacement": "yes"})
    outcome = expanded(undecodable, vm(domain=domain(1, "1Gi"), instancetype="c.custom"))
    assert {found.code for found in outcome.diagnostics} == {Code.RESOURCE_INVALID}


def test_off_refuses_vcpus_and_custom_instance_type() -> None:
    found = problems(
        expanded(custom(), vm(domain=domain(2, "1Gi"), instancetype="c.custom"), mode=ExpandMode.OFF)
    )
    assert {field: each.code for field, each in found.items()} == {
        VCPUS: Code.CUSTOM_SIZE,
        "spec.instancetype": Code.CUSTOM_SIZE,
    }
    assert "KubeVirt 1.9 does not know" in found[VCPUS].message
    assert "KubeVirt 1.9 does not know such instance types" in found["spec.instancetype"].message


def test_defaults_are_added_after_applying() -> None:
    written = vm(domain=domain(4, "1Gi"), instancetype="c.custom", preference="linux")
    by_cores = preference(cpu={"preferredCPUTopology": "cores"})
    result = domain_of(expanded(custom(), by_cores, written, mode=ExpandMode.DEFAULTS))
    assert result["cpu"] == {"sockets": 1, "cores": 4, "threads": 1}
    assert result["memory"] == {"guest": "1Gi"}
    assert object_at(result, "machine")


@pytest.mark.parametrize("mode", [ExpandMode.APPLIED, ExpandMode.DEFAULTS])
def test_custom_size_works_in_a_pool(mode: ExpandMode) -> None:
    pool: JsonObject = {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "pool", "namespace": "prod"},
        "spec": {
            "virtualMachineTemplate": without(vm(domain=domain(2, "1Gi"), instancetype="c.custom"), "kind")
        },
    }
    outcome = expanded(custom(), pool, mode=mode)
    assert outcome.diagnostics == ()
    spec = object_at(outcome.value.resources[-1].content, "spec", "virtualMachineTemplate", "spec")
    assert "instancetype" not in spec
    cpu = object_at(spec, "template", "spec", "domain", "cpu")
    assert cpu == {"sockets": 2, "cores": 1, "threads": 1}
    _, field, _ = problem(expanded(with_value(pool, (*_POOL_CPU, "guest"), 0), custom()))
    assert field == f"spec.virtualMachineTemplate.{VCPUS}"


_POOL_CPU = ("spec", "virtualMachineTemplate", "spec", "template", "spec", "domain", "cpu")


def test_memory_of_the_vm_survives_an_ignored_inference_failure() -> None:
    """KubeVirt removes it, as it applies only if nothing is inferred; here it is the requested size."""
    label: JsonObject = {"instancetype.kubevirt.io/default-instancetype": "c.custom"}
    volumes: list[Json] = [{"name": "root", "persistentVolumeClaim": {"claimName": "disk"}}]
    written = with_value(
        vm(
            domain=domain(2, "3Gi"),
            instancetype={"inferFromVolume": "root", "inferFromVolumeFailurePolicy": "Ignore"},
        ),
        ("spec", "template", "spec", "volumes"),
        volumes,
    )
    claim = labelled("PersistentVolumeClaim", "disk", labels=label)
    assert domain_of(expanded(custom(), claim, written))["memory"] == {"guest": "3Gi"}
    sized = instancetype("c.custom", 2, "4Gi")
    found = expanded(sized, claim, without(written, "spec", "template", "spec", "domain", "cpu"))
    assert domain_of(found)["memory"] == {"guest": "4Gi"}


def test_invalid_vm_does_not_keep_the_vcpus_field() -> None:
    outcome = expanded(vm(domain=domain(0)))
    assert "guest" not in object_at(outcome.value.resources[0].content, "spec", "template", "spec", "domain")
    cpu = object_at(outcome.value.resources[0].content, "spec", "template", "spec", "domain", "cpu")
    assert cpu == {}


def test_an_instance_type_without_a_size_cannot_be_pinned() -> None:
    own = resources(custom(), preference(), vm(domain=domain(1, "1Gi"), instancetype="c.custom"))
    pinner = Pinner(catalog().after(CatalogSource("own", own)), LATEST, str)
    written = VirtualMachine.of(own.resources[-1])
    assert written is not None
    pin = pinner.pin(written)
    assert (pin.patch, pin.revisions) == ({}, ())
    assert [(found.code, str(found.field)) for found in pin.findings] == [
        (Code.CUSTOM_SIZE, "spec.instancetype")
    ]
    assert "ControllerRevision" in pin.findings[0].message


def test_preference_of_a_custom_size_can_be_pinned() -> None:
    own = resources(preference(), vm(domain=domain(1), preference="linux"))
    pinner = Pinner(catalog().after(CatalogSource("own", own)), LATEST, str)
    written = VirtualMachine.of(own.resources[-1])
    assert written is not None
    pin = pinner.pin(written)
    assert pin.findings == ()
    assert set(pin.patch) == {"preference"}
    assert array_at([dict(revision) for revision in pin.revisions])
