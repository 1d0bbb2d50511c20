from __future__ import annotations

import pytest

from renderer.authoring.sizes.series import generate
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, object_at, with_value
from renderer.model.kube.location import Site

SITE = Site("sizes/db1.yaml", 2)
PREFIX = "instancetype.kubevirt.io/"


def series(*sizes: Json, **spec: Json) -> JsonObject:
    return {
        "apiVersion": "vmrender.io/v1alpha1",
        "kind": "InstancetypeSeries",
        "metadata": {"name": "db1"},
        "spec": {"sizes": list(sizes), **spec},
    }


def instancetypes(content: JsonObject) -> tuple[JsonObject, ...]:
    return tuple(made.content for made in generate(content, SITE))


def problems(content: JsonObject) -> dict[str, Diagnostic]:
    """Return the message of each field; every problem must be a series error in the series' own file."""
    with pytest.raises(DiagnosticError) as error:
        generate(content, SITE)
    found = error.value.diagnostics
    assert {diagnostic.code for diagnostic in found} == {Code.SERIES_INVALID}
    assert all(site.path == SITE.path and site.document == 2 for d in found for site in d.sites)
    fields = {str(diagnostic.sites[0].field): diagnostic for diagnostic in found}
    assert len(fields) == len(found), "one problem is reported twice"
    return fields


def problem(content: JsonObject) -> tuple[str, Diagnostic]:
    fields = problems(content)
    assert len(fields) == 1, fields
    return next(iter(fields.items()))


def test_one_row_is_one_instance_type() -> None:
    (instancetype,) = instancetypes(series({"name": "small", "vcpus": 2, "memory": "3Gi"}))
    assert instancetype == {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {
            "name": "db1.small",
            "labels": {f"{PREFIX}cpu": "2", f"{PREFIX}memory": "3Gi", f"{PREFIX}size": "small"},
        },
        "spec": {"cpu": {"guest": 2}, "memory": {"guest": "3Gi"}},
    }


def test_ratio_fills_in_missing_values_only() -> None:
    rows: tuple[Json, ...] = (
        {"name": "a", "vcpus": 3},
        {"name": "b", "memory": "6Gi"},
        {"name": "c", "vcpus": 2, "memory": "1Gi"},
    )
    made = instancetypes(series(*rows, memoryPerVCPU="1.5Gi", maxSocketsPerVCPU=2))
    assert [(object_at(one, "spec", "cpu"), object_at(one, "spec", "memory")) for one in made] == [
        ({"guest": 3, "maxSockets": 6}, {"guest": "4608Mi"}),
        ({"guest": 4, "maxSockets": 8}, {"guest": "6Gi"}),
        ({"guest": 2, "maxSockets": 4}, {"guest": "1Gi"}),
    ]


def test_max_sockets_of_a_row_overrides_the_ratio() -> None:
    content = series({"name": "a", "vcpus": 2, "memory": "1Gi", "maxSockets": 16}, maxSocketsPerVCPU=1)
    assert object_at(instancetypes(content)[0], "spec", "cpu") == {"guest": 2, "maxSockets": 16}


def test_every_scope_has_every_size_in_every_page_size() -> None:
    content = series(
        {"name": "s", "vcpus": 1, "memory": "1Gi"},
        {"name": "m", "vcpus": 2, "memory": "2Gi"},
        scopes=["Cluster", "Namespaced"],
        namePattern="eu-{series}.{size}.v2",
        hugepages=[{"pageSize": "2Mi"}, {"pageSize": "1Gi", "suffix": "1gi"}],
    )
    made = instancetypes(content)
    names = [object_at(one, "metadata")["name"] for one in made]
    assert names == ["eu-db1.s.v2", "eu-db1.s1gi.v2", "eu-db1.m.v2", "eu-db1.m1gi.v2"] * 2
    kinds = [one["kind"] for one in made]
    assert kinds == ["VirtualMachineClusterInstancetype"] * 4 + ["VirtualMachineInstancetype"] * 4
    pages = [object_at(one, "spec", "memory", "hugepages")["pageSize"] for one in made]
    assert pages == ["2Mi", "1Gi"] * 4
    labels = [object_at(one, "metadata", "labels") for one in made]
    assert [label[f"{PREFIX}hugepages"] for label in labels] == pages
    assert [label[f"{PREFIX}size"] for label in labels] == ["s", "s1gi", "m", "m1gi"] * 2


def test_template_is_in_every_instance_type_and_labels_follow_the_spec() -> None:
    template: Json = {
        "metadata": {"labels": {"class": "database"}, "annotations": {"icon": "db"}},
        "spec": {
            "cpu": {"dedicatedCPUPlacement": True, "isolateEmulatorThread": False, "realtime": {}},
            "gpus": [{"name": "one", "deviceName": "vendor.com/gpu"}],
            "ioThreadsPolicy": "auto",
        },
    }
    (made,) = instancetypes(series({"name": "a", "vcpus": 1, "memory": "1Gi"}, template=template))
    assert object_at(made, "metadata", "annotations") == {"icon": "db"}
    assert object_at(made, "metadata", "labels") == {
        "class": "database",
        f"{PREFIX}cpu": "1",
        f"{PREFIX}memory": "1Gi",
        f"{PREFIX}size": "a",
        f"{PREFIX}dedicatedCPUPlacement": "true",
        f"{PREFIX}realtime": "true",
        f"{PREFIX}gpus": "true",
    }
    assert object_at(made, "spec")["ioThreadsPolicy"] == "auto"
    assert object_at(made, "spec", "cpu") == {
        "dedicatedCPUPlacement": True,
        "isolateEmulatorThread": False,
        "realtime": {},
        "guest": 1,
    }


@pytest.mark.parametrize(
    ("memory", "written"),
    [("1.5Gi", "1.5Gi"), ("+2Gi", "2Gi"), (".5Gi", "512Mi"), (2147483648, "2147483648"), ("2e9", "2e9")],
)
def test_memory_is_kept_as_written_if_a_label_can_express_it(memory: Json, written: str) -> None:
    (made,) = instancetypes(series({"name": "a", "vcpus": 1, "memory": memory}))
    assert object_at(made, "spec", "memory")["guest"] == written
    assert object_at(made, "metadata", "labels")[f"{PREFIX}memory"] == written


@pytest.mark.parametrize(
    "memory", ["", "4GB", "lots", True, [], {}, "0", "-1Gi", "0.5", "1.0001Ki", "9Ei", "1e999999999", "8Ei"]
)
def test_impossible_memory_is_refused(memory: Json) -> None:
    field, _ = problem(
        series({"name": "ok", "vcpus": 1, "memory": "1Gi"}, {"name": "a", "vcpus": 1, "memory": memory})
    )
    assert field == "spec.sizes[1].memory"


@pytest.mark.parametrize("vcpus", [0, -1, 1.5, "4", True, [], 1 << 32])
def test_impossible_vcpus_are_refused(vcpus: Json) -> None:
    field, _ = problem(series({"name": "a", "vcpus": vcpus, "memory": "1Gi"}))
    assert field == "spec.sizes[0].vcpus"


def test_quoted_number_has_a_hint() -> None:
    _, diagnostic = problem(series({"name": "a", "vcpus": "4", "memory": "1Gi"}))
    assert diagnostic.hint == "write it without quotes"


@pytest.mark.parametrize(
    ("row", "ratio", "field"),
    [
        ({"name": "a", "memory": "6Gi"}, "4Gi", "memory"),
        ({"name": "a", "memory": "1Gi"}, "4Gi", "memory"),
        ({"name": "a", "vcpus": 3}, "0.1", "vcpus"),
        ({"name": "a", "vcpus": 4_000_000_000}, "7Ei", "vcpus"),
        ({"name": "a", "memory": "7Ei"}, "1", "memory"),
    ],
)
def test_ratio_must_give_whole_numbers(row: Json, ratio: str, field: str) -> None:
    found, diagnostic = problem(series(row, memoryPerVCPU=ratio))
    assert found == f"spec.sizes[0].{field}"
    assert "do not make a whole number" in diagnostic.message


def test_fraction_of_a_byte_per_vcpu_is_allowed_if_the_sum_is_whole() -> None:
    (made,) = instancetypes(series({"name": "a", "vcpus": 10}, memoryPerVCPU="1.1Gi"))
    assert object_at(made, "spec", "memory")["guest"] == "11Gi"


def test_sizes_with_one_name_point_at_each_other() -> None:
    row: Json = {"name": "large", "vcpus": 1, "memory": "1Gi"}
    field, diagnostic = problem(series(row, row))
    assert field == "spec.sizes[1].name"
    assert diagnostic.related[0].sites == (Site(SITE.path, 2, FieldPath.of("spec", "sizes", 0, "name")),)


def test_suffix_can_give_two_sizes_one_name() -> None:
    field, diagnostic = problem(
        series(
            {"name": "l", "vcpus": 1, "memory": "1Gi"},
            {"name": "l1gi", "vcpus": 1, "memory": "1Gi"},
            hugepages=[{"pageSize": "2Mi"}, {"pageSize": "1Gi", "suffix": "1gi"}],
        )
    )
    assert field == "spec.sizes[1].name"
    assert "l1gi" in diagnostic.message


@pytest.mark.parametrize("name", ["", "Large", "a b", "-a", "a-", "a..b", "x" * 64, "{size}", 4, None])
def test_invalid_size_name_is_refused(name: Json) -> None:
    field, _ = problem(series({"name": name, "vcpus": 1, "memory": "1Gi"}))
    assert field in {"spec.sizes[0].name", "spec.sizes[0]"}


@pytest.mark.parametrize(
    "pattern", ["", "{series}", "{size}.{flavour}", "{size", "U1.{size}", "{size!r}", "{0.x}{size}"]
)
def test_invalid_name_pattern_is_refused(pattern: str) -> None:
    field, _ = problem(series({"name": "a", "vcpus": 1, "memory": "1Gi"}, namePattern=pattern))
    assert field == "spec.namePattern"


def test_memory_must_be_a_multiple_of_the_huge_page() -> None:
    row: Json = {"name": "a", "vcpus": 1, "memory": "1.5Gi"}
    field, diagnostic = problem(
        series(row, hugepages=[{"pageSize": "2Mi"}, {"pageSize": "1Gi", "suffix": "1gi"}])
    )
    assert field == "spec.sizes[0].memory"
    assert "1536Mi of memory are not a multiple of huge pages of 1Gi" in diagnostic.message


@pytest.mark.parametrize(
    ("hugepages", "field"),
    [
        ([{"pageSize": "two"}], "spec.hugepages[0].pageSize"),
        ([{"pageSize": "2M"}], "spec.hugepages[0].pageSize"),
        ([{"pageSize": "4Ki"}], "spec.hugepages[0].pageSize"),
        ([{"pageSize": 1}], "spec.hugepages[0].pageSize"),
        ([{"suffix": "1gi"}], "spec.hugepages[0]"),
        ([{"pageSize": "2Mi", "suffix": "_"}], "spec.hugepages[0].suffix"),
        ([{"pageSize": "2Mi"}, {"pageSize": "1Gi"}], "spec.hugepages"),
        ([{"pageSize": "2Mi", "sufix": "a"}], "spec.hugepages[0].sufix"),
        ("2Mi", "spec.hugepages"),
    ],
)
def test_invalid_huge_pages_are_refused(hugepages: Json, field: str) -> None:
    assert problem(series({"name": "a", "vcpus": 1, "memory": "2Gi"}, hugepages=hugepages))[0] == field


@pytest.mark.parametrize("size", ["1Gi", "1024Mi", "1073741824", 1073741824])
def test_huge_pages_are_named_as_on_nodes(size: Json) -> None:
    (made,) = instancetypes(
        series({"name": "a", "vcpus": 1, "memory": "2Gi"}, hugepages=[{"pageSize": size}])
    )
    assert object_at(made, "spec", "memory", "hugepages") == {"pageSize": "1Gi"}
    assert object_at(made, "metadata", "labels")["instancetype.kubevirt.io/hugepages"] == "1Gi"


@pytest.mark.parametrize(
    ("scopes", "field"),
    [
        (["cluster"], "spec.scopes[0]"),
        ([], "spec.scopes"),
        (["Cluster"] * 2, "spec.scopes"),
        ("Cluster", "spec.scopes"),
    ],
)
def test_invalid_scopes_are_refused(scopes: Json, field: str) -> None:
    assert problem(series({"name": "a", "vcpus": 1, "memory": "1Gi"}, scopes=scopes))[0] == field


@pytest.mark.parametrize(
    ("path", "field"),
    [
        (("spec", "memoryPerVcpu"), "spec.memoryPerVcpu"),
        (("sepc",), "sepc"),
        (("metadata", "labels"), "metadata.labels"),
        (("spec", "template", "metdata"), "spec.template.metdata"),
        (("spec", "template", "metadata", "name"), "spec.template.metadata.name"),
    ],
)
def test_unknown_fields_are_errors(path: tuple[str, ...], field: str) -> None:
    content = with_value(series({"name": "a", "vcpus": 1, "memory": "1Gi"}), path, {})
    assert problem(content)[0] == field


def test_unknown_field_has_a_suggestion() -> None:
    _, diagnostic = problem(series({"name": "a", "vcpu": 1, "vcpus": 1, "memory": "1Gi"}))
    assert diagnostic.message == "unknown field spec.sizes[0].vcpu"
    assert diagnostic.hint == "did you mean vcpus?"


@pytest.mark.parametrize("label", ["cpu", "memory", "size", "hugepages", "numa", "gpus"])
def test_derived_labels_cannot_be_written_by_hand(label: str) -> None:
    template: Json = {"metadata": {"labels": {PREFIX + label: "x"}}}
    field, _ = problem(series({"name": "a", "vcpus": 1, "memory": "1Gi"}, template=template))
    assert field == f'spec.template.metadata.labels["{PREFIX}{label}"]'


@pytest.mark.parametrize(
    ("template", "spec", "field"),
    [
        ({"cpu": {"guest": 1}}, {}, "cpu.guest"),
        ({"memory": {"guest": "1Gi"}}, {}, "memory.guest"),
        ({"cpu": {"maxSockets": 1}}, {"maxSocketsPerVCPU": 1}, "cpu.maxSockets"),
        (
            {"memory": {"hugepages": {"pageSize": "2Mi"}}},
            {"hugepages": [{"pageSize": "2Mi"}]},
            "memory.hugepages",
        ),
        ({"cpu": 4}, {}, "cpu"),
    ],
)
def test_template_may_not_repeat_fields_of_the_table(
    template: Json, spec: dict[str, Json], field: str
) -> None:
    content = series({"name": "a", "vcpus": 1, "memory": "1Gi"}, template={"spec": template}, **spec)
    assert problem(content)[0] == f"spec.template.spec.{field}"


def test_all_missing_fields_are_reported() -> None:
    assert set(problems({"apiVersion": "vmrender.io/v1alpha1", "kind": "InstancetypeSeries"})) == {
        "metadata",
        "spec",
    }
    rows = series(
        {"vcpus": 1, "memory": "1Gi"}, {"name": "a", "vcpus": 1}, {"name": "b", "memory": "1Gi"}, "c"
    )
    assert set(problems(rows)) == {"spec.sizes[0]", "spec.sizes[1]", "spec.sizes[2]", "spec.sizes[3]"}


def test_wrong_ratio_is_not_reported_at_the_rows() -> None:
    field, _ = problem(series({"name": "a", "vcpus": 1}, {"name": "b", "vcpus": 2}, memoryPerVCPU="4GB"))
    assert field == "spec.memoryPerVCPU"


def test_all_problems_are_reported_at_once() -> None:
    content = series(
        {"name": "a", "vcpus": 0, "memory": "x"},
        {"name": "a", "vcpus": 1, "memory": "1Gi", "sise": 1},
        maxSocketsPerVCPU=0,
    )
    assert set(problems(content)) == {
        "spec.sizes[0].vcpus",
        "spec.sizes[0].memory",
        "spec.sizes[1].name",
        "spec.sizes[1].sise",
        "spec.maxSocketsPerVCPU",
    }


def test_oversized_series_is_refused() -> None:
    rows: list[Json] = [{"name": f"s{index}", "vcpus": 1, "memory": "1Gi"} for index in range(600)]
    pages: Json = [{"pageSize": "2Mi"}, {"pageSize": "1Gi", "suffix": "1gi"}]
    assert problem(series(*rows, hugepages=pages))[0] == "spec.sizes"


@pytest.mark.parametrize(
    "content", [[], "x", None, 1, {"spec": []}, {"spec": {"sizes": {}}}, {"metadata": 1}]
)
def test_any_other_input_is_an_error(content: Json) -> None:
    # A value in a file need not have its declared type.
    with pytest.raises(DiagnosticError):
        generate(content, SITE)  # type: ignore[arg-type]  # hostile on purpose


def test_the_input_is_not_changed() -> None:
    template: Json = {"spec": {"cpu": {"dedicatedCPUPlacement": True}}}
    content = series({"name": "a", "vcpus": 1, "memory": "1Gi"}, template=template)
    before = repr(content)
    generate(content, SITE)
    assert repr(content) == before


def test_each_instance_type_comes_from_its_row_of_the_table() -> None:
    rows: tuple[Json, ...] = tuple({"name": name, "vcpus": 1, "memory": "2Gi"} for name in "ab")
    made = generate(
        series(*rows, hugepages=[{"pageSize": "2Mi"}, {"pageSize": "1Gi", "suffix": "1gi"}]), SITE
    )
    assert [str(each.site.field) for each in made] == [f"spec.sizes[{row}]" for row in (0, 0, 1, 1)]
    assert {(each.site.path, each.site.document) for each in made} == {("sizes/db1.yaml", 2)}


def test_custom_size_leaves_vcpus_and_memory_to_the_vm() -> None:
    template: Json = {"spec": {"cpu": {"dedicatedCPUPlacement": True}, "memory": {"overcommitPercent": 50}}}
    row: Json = {"name": "custom", "vcpus": "custom", "memory": "custom"}
    content = series(row, scopes=["Cluster", "Namespaced"], template=template, memoryPerVCPU="4Gi")
    cluster, namespaced = instancetypes(content)
    assert cluster == {
        "apiVersion": "instancetype.kubevirt.io/v1beta2",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {
            "name": "db1.custom",
            "labels": {
                f"{PREFIX}cpu": "custom",
                f"{PREFIX}memory": "custom",
                f"{PREFIX}size": "custom",
                f"{PREFIX}dedicatedCPUPlacement": "true",
            },
        },
        "spec": {"cpu": {"dedicatedCPUPlacement": True}, "memory": {"overcommitPercent": 50}},
    }
    assert namespaced == {**cluster, "kind": "VirtualMachineInstancetype"}


@pytest.mark.parametrize(
    ("row", "spec", "labels"),
    [
        ({"vcpus": "custom", "memory": "custom"}, {}, ("custom", "custom")),
        ({"vcpus": 2, "memory": "custom"}, {"cpu": {"guest": 2, "maxSockets": 8}}, ("2", "custom")),
        ({"vcpus": "custom", "memory": "2Gi"}, {"memory": {"guest": "2Gi"}}, ("custom", "2Gi")),
        (
            {"vcpus": "custom", "memory": "custom", "maxSockets": 4},
            {"cpu": {"maxSockets": 4}},
            ("custom", "custom"),
        ),
    ],
)
def test_vcpus_or_memory_of_a_custom_size_may_be_fixed(
    row: dict[str, Json], spec: Json, labels: tuple[str, str]
) -> None:
    (made,) = instancetypes(series({"name": "a", **row}, maxSocketsPerVCPU=4))
    assert made["spec"] == spec
    stated = object_at(made, "metadata", "labels")
    assert (stated[f"{PREFIX}cpu"], stated[f"{PREFIX}memory"]) == labels
    assert made["apiVersion"] == "instancetype.kubevirt.io/v1beta2"


def test_a_custom_size_comes_in_every_page_size() -> None:
    pages: Json = [{"pageSize": "2Mi"}, {"pageSize": "1Gi", "suffix": "1gi"}]
    made = instancetypes(series({"name": "custom", "vcpus": "custom", "memory": "custom"}, hugepages=pages))
    assert [object_at(one, "metadata")["name"] for one in made] == ["db1.custom", "db1.custom1gi"]
    assert [one["spec"] for one in made] == [
        {"memory": {"hugepages": {"pageSize": "2Mi"}}},
        {"memory": {"hugepages": {"pageSize": "1Gi"}}},
    ]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"vcpus": "custom"}, ""),
        ({"memory": "custom"}, ""),
        ({"vcpus": "custom", "memory": "lots"}, ".memory"),
        ({"vcpus": "custom", "memory": 0}, ".memory"),
        ({"vcpus": 0, "memory": "custom"}, ".vcpus"),
        ({"vcpus": "Custom", "memory": "custom"}, ".vcpus"),
        ({"vcpus": "custom", "memory": "Custom"}, ".memory"),
        ({"vcpus": "custom", "memory": "custom", "maxSockets": "custom"}, ".maxSockets"),
        ({"vcpus": "custom", "memory": "1.5Gi"}, ".memory"),
    ],
)
def test_invalid_custom_row_is_refused(row: dict[str, Json], field: str) -> None:
    at, found = problem(series({"name": "a", **row}, memoryPerVCPU="4Gi", hugepages=[{"pageSize": "1Gi"}]))
    assert at == f"spec.sizes[0]{field}"
    assert found.hint


@pytest.mark.parametrize(
    "row",
    [
        {"vcpus": 0, "memory": "1Gi"},
        {"vcpus": 1.5, "memory": "1Gi"},
        {"vcpus": "four", "memory": "1Gi"},
        {"vcpus": 1, "memory": "4GB"},
        {"vcpus": 1, "memory": 0},
        {"vcpus": 1, "memory": "9Ei"},
        {"vcpus": 1, "memory": 0.5},
        {"memory": "6Gi"},
        {"vcpus": 1, "memory": "1Gi", "maxSockets": 0},
        {"vcpus": 1, "memory": "1Gi", "maxSocket": 1},
        {"vcpus": 1, "memory": "1Gi", "name": "Large"},
        {"vcpus": 1, "memory": "1Gi", "name": None},
        {"vcpus": 4_000_000_000, "memory": "1Gi"},
        {},
    ],
)
def test_every_wrong_row_has_a_hint(row: dict[str, Json]) -> None:
    _, found = problem(series({"name": "a", **row}, memoryPerVCPU="4Gi", maxSocketsPerVCPU=2))
    assert found.hint
