from __future__ import annotations

import subprocess
import sys

import pytest

from renderer.checks.schemas.registry import SchemaRegistry
from renderer.checks.schemas.validate import validate
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import LATEST, Release

SCHEMAS = SchemaRegistry()
ORIGIN = Site("base/vm.yaml", 2)
PATCH = Site("prod/patch.yaml")


def vm(spec: JsonObject, **template: Json) -> JsonObject:
    """A virtual machine with ``spec`` in its template's spec and ``template`` next to it."""
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "web"},
        "spec": {
            "runStrategy": "Always",
            "template": {**template, "spec": {"domain": {"devices": {}}, **spec}},
        },
    }


def domain(**fields: Json) -> JsonObject:
    return vm({"domain": {"devices": {}, **fields}})


def judged(*contents: JsonObject, release: Release = LATEST) -> tuple[Diagnostic, ...]:
    resources = tuple(Resource(content, ORIGIN) for content in contents)
    return validate(ResourceSet(resources), release, SCHEMAS)


def messages(*contents: JsonObject, release: Release = LATEST) -> list[str]:
    return [diagnostic.message for diagnostic in judged(*contents, release=release)]


def test_valid_objects_have_no_findings() -> None:
    assert judged(vm({}), domain(cpu={"cores": 4})) == ()


def test_a_finding_names_resource_field_and_places() -> None:
    content = vm({"volumes": [{"name": "root", "emptyDisk": {"capacity": "1GiB"}}]})
    (diagnostic,) = validate(ResourceSet((Resource(content, ORIGIN, layers=(PATCH,)),)), LATEST, SCHEMAS)
    root = ElementName("name", "root")
    written = FieldPath.of("spec", "template", "spec", "volumes", root, "emptyDisk", "capacity")
    assert diagnostic.code is Code.SCHEMA
    assert str(diagnostic.field) == "spec.template.spec.volumes[0].emptyDisk.capacity"
    assert str(diagnostic.resource) == "VirtualMachine web"
    assert diagnostic.sites == (Site("prod/patch.yaml", 0, written), Site("base/vm.yaml", 2, written))


def test_unknown_field_is_located_itself_and_missing_one_at_its_parent() -> None:
    unknown, missing = judged(vm({"volumes": [{"nam": "x"}, {}]}))
    assert str(unknown.sites[0].field).endswith("volumes[0].nam")
    assert str(missing.field) == "spec.template.spec.volumes[1].name"
    assert str(missing.sites[0].field) == "spec.template.spec.volumes[1]"


def test_findings_are_in_the_order_of_resources_and_fields() -> None:
    first = vm({"volumes": [{"name": str(i)} for i in range(10)] + [{"name": 1}, {"name": 2}]})
    found = judged(first, domain(cpu={"cores": "1"}))
    assert [str(diagnostic.field).split("spec.", 2)[2] for diagnostic in found] == [
        "volumes[10].name",
        "volumes[11].name",
        "domain.cpu.cores",
    ]


def test_the_same_input_gives_the_same_findings_whatever_the_order_of_keys() -> None:
    fields: dict[str, Json] = {"zzz": 1, "aaa": 1, "cpu": {"cores": "1", "x": 1}}
    backwards = dict(reversed(fields.items()))
    assert messages(domain(**fields)) == messages(domain(**backwards))


@pytest.mark.parametrize("amount", ["4Gi", "0", "1.5Gi", "+1k", "1e3", ".5", 4, 0.5, 10**30])
def test_texts_and_numbers_are_quantities(amount: Json) -> None:
    assert messages(domain(memory={"guest": amount})) == []


@pytest.mark.parametrize("amount", ["", "4GiB", "four", "4 Gi", "4Gi\n", "٤Gi", True, [], {}])
def test_other_values_are_not_quantities(amount: Json) -> None:
    (message,) = messages(domain(memory={"guest": amount}))
    assert message.startswith("spec.template.spec.domain.memory.guest must be a quantity")


@pytest.mark.parametrize("cores", [0, 4, 4.0, 2**31 - 1])
def test_whole_numbers_may_be_written_with_a_point(cores: Json) -> None:
    assert messages(domain(cpu={"cores": cores})) == []


@pytest.mark.parametrize("cores", [-1, 2**31, 10**40, 1.5, "4", True, float("inf"), float("nan")])
def test_other_values_are_not_core_counts(cores: Json) -> None:
    assert len(messages(domain(cpu={"cores": cores}))) == 1


def test_null_is_a_warning_if_the_api_server_drops_it() -> None:
    (dropped,) = judged(domain(cpu=None))
    assert dropped.severity is Severity.WARNING
    assert dropped.message == "spec.template.spec.domain.cpu has nothing after it"


@pytest.mark.parametrize(
    "content",
    [
        vm({"domain": None}),
        vm({"volumes": [None]}),
        vm({}, metadata={"labels": None}),
        vm({}, metadata={"labels": {"app": None}}),
    ],
)
def test_null_is_an_error_if_the_api_server_refuses_it(content: JsonObject) -> None:
    (refused,) = judged(content)
    assert refused.severity is Severity.ERROR
    assert refused.message.endswith("has nothing after it")


def test_generated_creation_timestamp_is_accepted() -> None:
    assert judged(vm({}, metadata={"creationTimestamp": None})) == ()


@pytest.mark.parametrize("field", ["labels", "annotations", "creationTimestamp", "finalizers"])
def test_nulls_in_metadata_are_accepted(field: str) -> None:
    assert judged({**vm({}), "metadata": {"name": "web", field: None}}) == ()


def test_a_misspelled_required_field_is_one_finding() -> None:
    content = vm({})
    assert messages({**content, "metadata": {"name": "x"}, "spec": {"templat": {}}}) == [
        "spec.templat is not a field of VirtualMachine"
    ]


def test_wrong_type_is_a_single_finding() -> None:
    (message,) = messages(vm({"evictionStrategy": 7}))
    assert message == "spec.template.spec.evictionStrategy must be text, not the number 7"


def test_a_field_of_a_later_release_says_which() -> None:
    content = domain(ioThreads={"supplementalPoolThreadCount": 2})
    assert judged(content, release=Release.parse("1.5")) == ()
    (diagnostic,) = judged(content, release=Release.parse("1.4"))
    assert diagnostic.code is Code.UNKNOWN_FIELD
    assert diagnostic.message == "spec.template.spec.domain.ioThreads needs KubeVirt 1.5"


def test_a_value_of_a_later_release_says_which() -> None:
    content = domain(ioThreadsPolicy="supplementalPool")
    assert judged(content, release=Release.parse("1.5")) == ()
    assert messages(content, release=Release.parse("1.4")) == [
        'spec.template.spec.domain.ioThreadsPolicy "supplementalPool" needs KubeVirt 1.5'
    ]


def test_missing_schema_is_reported_once_per_kind() -> None:
    found = judged(vm({}), vm({}), release=Release.parse("9.9"))
    assert [diagnostic.code for diagnostic in found] == [Code.SCHEMA_MISSING]
    assert str(found[0].resource) == "VirtualMachine web"


def test_other_kinds_are_ignored() -> None:
    assert judged({"apiVersion": "example.com/v1", "kind": "Widget", "nonsense": None}) == ()


def test_long_values_are_cut() -> None:
    (message,) = messages(vm({"hostname": "A" * 10_000}))
    assert len(message) < 250


def test_number_of_findings_is_limited() -> None:
    found = judged(domain(**{f"field{number}": 1 for number in range(5000)}))
    assert len(found) == 101
    assert found[-1].message == "4900 more fields are wrong"


def deep(depth: int) -> JsonObject:
    value: JsonObject = {}
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "content",
    [
        domain(cpu=deep(5000)),
        domain(cpu={"model": "\ud800"}),
        domain(cpu={"features": [{"name": "\ud800", "policy": "\ud800"}]}),
        {**vm({}), "metadata": {"name": "a" * 100_000 + "!"}},
        {**vm({}), "metadata": {"name": "web", "labels": {"a" * 100_000 + "!": "." * 100_000}}},
        {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine"},
        {**vm({}), "spec": []},
        {**vm({}), "\n": 1, "": 2},
    ],
    ids=["deep", "surrogate", "surrogates", "long", "labels", "bare", "list", "odd-keys"],
)
def test_hostile_input_gives_only_findings(content: JsonObject) -> None:
    judged(content)


def test_input_is_not_changed() -> None:
    content = domain(cpu={"cores": "4"}, x=1)
    before = repr(content)
    judged(content)
    assert repr(content) == before


def test_heavy_modules_are_imported_lazily() -> None:
    script = """
import sys
from renderer.model.kube.location import Site
from renderer.model.release import LATEST
from renderer.model.kube.resource import Resource
from renderer.model.kube.resource import ResourceSet
from renderer.checks.schemas.registry import SchemaRegistry
from renderer.checks.schemas.validate import validate
heavy = lambda: [name for name in ("jsonschema", "jsonschema_rs") if name in sys.modules]
def judge(content): validate(ResourceSet((Resource(content, Site("f")),)), LATEST, SchemaRegistry())
print(heavy())
judge({"apiVersion": "example.com/v1", "kind": "Widget"})
print(heavy())
judge({"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachinePreference",
       "metadata": {"name": "a"}, "spec": {}})
print(heavy())
judge({"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachinePreference",
       "metadata": {"name": "a", "generation": 1.0}, "spec": {}})
print(heavy())
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["[]", "[]", "[]", "['jsonschema_rs']"]
