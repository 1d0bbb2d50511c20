"""Pruning, defaults and validation by the schemas of HyperConverged."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from renderer.files.bundled import data_folder
from renderer.kubevirt.hyperconverged.release import LATEST, OperatorRelease
from renderer.kubevirt.hyperconverged.structural_schema import (
    RULES,
    ProblemCode,
    StructuralSchema,
    structural_schema,
)
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at

RELEASES = [OperatorRelease(1, minor) for minor in range(10, 21)]


def schema_of(release: str, version: str = "v1beta1") -> StructuralSchema:
    schema = structural_schema(OperatorRelease.parse(release), version)
    assert schema is not None
    return schema


def hyperconverged(spec: Json) -> JsonObject:
    return {"kind": "HyperConverged", "metadata": {"name": "kubevirt-hyperconverged"}, "spec": spec}


def problems(spec: Json, release: str = "1.17", version: str = "v1beta1") -> list[tuple[str, str]]:
    schema = schema_of(release, version)
    found = schema.problems(schema.defaulted(schema.pruned(hyperconverged(spec)).content))
    return [(str(problem.code), str(problem.at)) for problem in found]


class TestFiles:
    @pytest.mark.parametrize("release", RELEASES, ids=str)
    def test_each_release_serves_v1beta1_and_from_1_18_on_v1(self, release: OperatorRelease) -> None:
        assert structural_schema(release, "v1beta1") is not None
        assert (structural_schema(release, "v1") is not None) == (release >= (1, 18))
        assert structural_schema(release, "v1alpha1") is None

    def test_release_without_a_file_has_the_schema_of_the_one_before(self) -> None:
        assert structural_schema(LATEST, "v1") is schema_of("1.19", "v1")

    def test_each_rule_is_written_out(self) -> None:
        texts = set()
        for file in (data_folder("schemas") / "hyperconverged").rglob("*.json"):
            for part in parts(json.loads(file.read_text())):
                texts |= {text_at(rule, "rule") for rule in array_at(part, "x-kubernetes-validations")}
        assert texts == RULES.keys()


def parts(schema: Json) -> Iterator[Json]:
    yield schema
    children = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    for child in children:
        yield from parts(child)


class TestPruned:
    def test_unknown_fields_are_dropped_with_their_content(self) -> None:
        spec: JsonObject = {"infra": {"replicas": 2, "nodePlacement": {"foo": {"a": 1}}}, "version": "1.2"}
        pruned = schema_of("1.17").pruned({**hyperconverged(spec), "data": {}})
        assert list(map(str, pruned.fields)) == [
            "data",
            "spec.infra.nodePlacement.foo",
            "spec.infra.replicas",
            "spec.version",
        ]
        assert object_at(pruned.content, "spec") == {"infra": {"nodePlacement": {}}}

    def test_elements_of_lists_are_pruned(self) -> None:
        devices = [{"pciDeviceSelector": "10DE:1DB6", "resourceName": "a/b", "pciVendorSelector": "x"}]
        pruned = schema_of("1.17").pruned(
            hyperconverged({"permittedHostDevices": {"pciHostDevices": devices}})
        )
        assert list(map(str, pruned.fields)) == [
            "spec.permittedHostDevices.pciHostDevices[0].pciVendorSelector"
        ]

    def test_keys_of_maps_are_kept(self) -> None:
        spec = {"networkBinding": {"passt": {"sidecarImage": "registry.example/p:1"}}}
        assert schema_of("1.17").pruned(hyperconverged(spec)).fields == ()

    def test_field_of_a_later_release_is_dropped(self) -> None:
        spec = {"hypervisors": [{"name": "kvm"}]}
        assert list(map(str, schema_of("1.17").pruned(hyperconverged(spec)).fields)) == ["spec.hypervisors"]
        assert schema_of("1.18").pruned(hyperconverged(spec)).fields == ()


class TestDefaulted:
    @pytest.mark.parametrize("spec", [None, {}])
    def test_nothing_and_an_empty_spec_get_the_same_certificates(self, spec: Json) -> None:
        stored = schema_of("1.17").defaulted(hyperconverged(spec))
        assert object_at(stored, "spec", "certConfig") == {
            "ca": {"duration": "48h0m0s", "renewBefore": "24h0m0s"},
            "server": {"duration": "24h0m0s", "renewBefore": "12h0m0s"},
        }

    def test_default_fills_in_what_a_section_lacks(self) -> None:
        stored = schema_of("1.17").defaulted(hyperconverged({"certConfig": {"ca": {"duration": "72h"}}}))
        assert object_at(stored, "spec", "certConfig", "ca") == {"duration": "72h", "renewBefore": "24h0m0s"}

    @pytest.mark.parametrize(
        ("release", "timeout", "outbound"), [("1.10", 800, 2), ("1.18", 150, 2), ("1.19", 20, 1)]
    )
    def test_defaults_of_migrations_change(self, release: str, timeout: int, outbound: int) -> None:
        migrations = object_at(
            schema_of(release).defaulted(hyperconverged({})), "spec", "liveMigrationConfig"
        )
        assert migrations["completionTimeoutPerGiB"] == timeout
        assert migrations["parallelOutboundMigrationsPerNode"] == outbound

    def test_null_counts_as_missing(self) -> None:
        spec = {"vmStateStorageClass": None, "liveMigrationConfig": {"progressTimeout": None}}
        stored = object_at(schema_of("1.17").defaulted(hyperconverged(spec)), "spec")
        assert "vmStateStorageClass" not in stored
        assert object_at(stored, "liveMigrationConfig")["progressTimeout"] == 150

    def test_null_of_a_nullable_field_stays(self) -> None:
        spec = {"instancetypeConfig": {"referencePolicy": None}}
        assert object_at(schema_of("1.17").defaulted(hyperconverged(spec)), "spec", "instancetypeConfig") == {
            "referencePolicy": None
        }

    def test_object_itself_is_not_changed(self) -> None:
        spec: JsonObject = {"certConfig": {"ca": {}}}
        schema_of("1.17").defaulted(hyperconverged(spec))
        assert spec == {"certConfig": {"ca": {}}}


class TestProblems:
    @pytest.mark.parametrize(
        ("spec", "expected"),
        [
            ({"defaultCPUModel": 5}, ("type", "spec.defaultCPUModel")),
            ({"evictionStrategy": ""}, ("enum", "spec.evictionStrategy")),
            (
                {"higherWorkloadDensity": {"memoryOvercommitPercentage": 9}},
                ("minimum", "spec.higherWorkloadDensity.memoryOvercommitPercentage"),
            ),
            (
                {"filesystemOverhead": {"storageClass": {"nfs": "x"}}},
                ("pattern", "spec.filesystemOverhead.storageClass.nfs"),
            ),
            ({"filesystemOverhead": {"global": "0.1\n"}}, ("pattern", "spec.filesystemOverhead.global")),
            (
                {"permittedHostDevices": {"pciHostDevices": [{"resourceName": "a/b"}]}},
                ("required", "spec.permittedHostDevices.pciHostDevices[0].pciDeviceSelector"),
            ),
            (
                {"kubeMacPoolConfiguration": {"rangeStart": "02:00:00:00:00:00"}},
                ("rule", "spec.kubeMacPoolConfiguration"),
            ),
            ({"mediatedDevicesConfiguration": {}}, ("rule", "spec.mediatedDevicesConfiguration")),
        ],
    )
    def test_value_is_refused(self, spec: JsonObject, expected: tuple[str, str]) -> None:
        assert problems(spec) == [expected]

    def test_rule_is_not_asked_about_a_value_that_is_wrong_by_itself(self) -> None:
        spec = {"resourceRequirements": {"vmiCPUAllocationRatio": 0}}
        assert problems(spec) == [("minimum", "spec.resourceRequirements.vmiCPUAllocationRatio")]

    def test_problems_are_in_the_order_of_the_fields(self) -> None:
        found = problems({"tuningPolicy": "burst", "evictionStrategy": "x"})
        assert found == [("enum", "spec.evictionStrategy"), ("enum", "spec.tuningPolicy")]

    def test_at_most_one_hypervisor(self) -> None:
        hypervisors = [{"name": "kvm"}, {"name": "hyperv-direct"}]
        assert problems({"hypervisors": hypervisors}, "1.18") == [("maxItems", "spec.hypervisors")]

    def test_gates_of_v1_are_unique_without_case_from_1_19_on(self) -> None:
        gates = {"featureGates": [{"name": "alignCPUs"}, {"name": "AlignCPUs"}]}
        assert problems(gates, "1.18", "v1") == []
        assert problems(gates, "1.19", "v1") == [("rule", "spec.featureGates")]

    def test_none_stands_alone_in_lists_of_alerts(self) -> None:
        observability = {"observability": {"allowedAlerts": ["none", "VMStuck"]}}
        assert problems(observability, "1.19", "v1") == [("rule", "spec.observability.allowedAlerts")]

    def test_another_name_is_refused(self) -> None:
        schema = schema_of("1.17")
        found = schema.problems(schema.defaulted({"metadata": {"name": "my-hyperconverged"}}))
        assert [(problem.code, str(problem.at)) for problem in found] == [
            (ProblemCode.PATTERN, "metadata.name")
        ]

    def test_spec_that_is_not_a_mapping(self) -> None:
        schema = schema_of("1.17")
        assert [str(problem.at) for problem in schema.problems(schema.defaulted(hyperconverged([1])))] == [
            "spec"
        ]


class TestRepeated:
    def test_element_with_the_keys_of_an_earlier_one(self) -> None:
        devices: list[Json] = [
            {"pciDeviceSelector": "10DE:1DB6", "resourceName": "a/b"},
            {"pciDeviceSelector": "10DE:1EB8", "resourceName": "a/b"},
            {"pciDeviceSelector": "10DE:1DB6", "resourceName": "c/d"},
        ]
        content = hyperconverged({"permittedHostDevices": {"pciHostDevices": devices}})
        found = [*schema_of("1.17").repeated(content)]
        assert [(str(each.at), each.keys) for each in found] == [
            ("spec.permittedHostDevices.pciHostDevices[2]", ("pciDeviceSelector",))
        ]

    def test_list_without_keys_may_repeat(self) -> None:
        templates: list[Json] = [{"metadata": {"name": "a"}}, {"metadata": {"name": "a"}}]
        content = hyperconverged({"dataImportCronTemplates": templates})
        assert [*schema_of("1.17").repeated(content)] == []
