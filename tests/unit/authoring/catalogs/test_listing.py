from __future__ import annotations

from typing import Any

import pytest

from renderer.authoring.catalogs.entry import CatalogEntry, EntryScope, EntryType, entries_of
from renderer.authoring.catalogs.filters import Filter, amount_of_memory, count, parse_range
from renderer.authoring.catalogs.listing import as_json, names, table
from renderer.model.kube.json import Json
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

GROUP = "instancetype.kubevirt.io"


def resource(kind: str, name: str, spec: dict[str, Any], **metadata: Any) -> Resource:  # noqa: ANN401 - any manifest
    content: Json = {
        "apiVersion": f"{GROUP}/v1beta1",
        "kind": kind,
        "metadata": {"name": name, **metadata},
        "spec": spec,
    }
    assert isinstance(content, dict)
    return Resource(content, Site("a.yaml"))


def size(vcpus: Json, memory: Json) -> dict[str, Any]:
    return {"cpu": {"guest": vcpus}, "memory": {"guest": memory}}


DATABASE = {
    "cpu": {"guest": 4, "dedicatedCPUPlacement": True, "isolateEmulatorThread": True, "numa": {"x": {}}},
    "memory": {"guest": "16Gi", "hugepages": {"pageSize": "1Gi"}},
    "gpus": [{"name": "a", "deviceName": "x"}],
    "ioThreadsPolicy": "auto",
}
WINDOWS = {
    "requirements": {**size(2, "4Gi"), "architecture": "amd64"},
    "firmware": {"preferredEfi": {"secureBoot": True}},
    "devices": {"preferredTPM": {}, "preferredDiskBus": "sata"},
    "cpu": {"preferredCPUTopology": "sockets"},
}
CATALOG = [
    resource("VirtualMachineClusterPreference", "win", WINDOWS, labels={f"{GROUP}/os-type": "windows"}),
    resource("VirtualMachineClusterInstancetype", "u1.large", size(2, "8Gi")),
    resource("VirtualMachineClusterInstancetype", "u1.small", size(1, "2048Mi")),
    resource("VirtualMachineInstancetype", "u1.small", size(1, "2048Mi")),
    resource("VirtualMachineInstancetype", "u1.large", size(3, "8Gi"), namespace="dev"),
    resource(
        "VirtualMachineClusterInstancetype",
        "db.large",
        DATABASE,
        labels={f"{GROUP}/class": "data.base"},
        annotations={f"{GROUP}/description": "For databases.\nWith all\tthat they need, " + "and more " * 9},
    ),
    resource("VirtualMachineClusterInstancetype", "u1.custom", {}),
    resource("ConfigMap", "other", {}),
]


def entries() -> list[CatalogEntry]:
    return list(entries_of([("ours", CATALOG)]))


def found(wanted: Filter) -> list[str]:
    return [f"{entry.scope} {entry.name}" for entry in wanted.apply(entries())]


def test_a_table_has_a_line_for_each_size_of_a_name() -> None:
    assert table(entries()) == (
        "NAME       KIND          SCOPE             VCPUS  MEMORY  CLASS      "
        "FEATURES                                                      DESCRIPTION\n"
        "db.large   instancetype  cluster           4      16Gi    data.base  "
        "hugepages=1Gi dedicated isolated numa gpus=1 io-threads=auto  "
        "For databases. With all that they need, and more and more …\n"
        "u1.small   instancetype  both              1      2Gi     -          -\n"
        "u1.large   instancetype  cluster           2      8Gi     -          -\n"
        "u1.large   instancetype  namespaced (dev)  3      8Gi     -          -\n"
        "u1.custom  instancetype  cluster           -      -       -          -\n"
        "win        preference    cluster           >=2    >=4Gi   windows    "
        "amd64 topology=sockets efi secure-boot tpm disk=sata\n"
    )
    assert table([]) == ""


def test_each_name_is_listed_once() -> None:
    assert names(entries()) == "db.large\nu1.small\nu1.large\nu1.custom\nwin\n"


def test_machine_readable_values_are_listed() -> None:
    assert as_json(entries())[1] == {
        "name": "u1.small",
        "kind": "instancetype",
        "scopes": ["cluster", "namespaced"],
        "namespaces": [],
        "vcpus": 1,
        "memory": "2Gi",
        "class": None,
        "architecture": None,
        "features": [],
        "displayName": None,
        "description": None,
        "catalog": "ours",
        "file": "a.yaml",
    }


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Filter(type=EntryType.PREFERENCE), ["cluster win"]),
        (Filter(scope=EntryScope.NAMESPACED), ["namespaced u1.small", "namespaced u1.large"]),
        (Filter(class_name="DATA.base"), ["cluster db.large"]),
        (Filter(class_name="db"), ["cluster db.large"]),
        (Filter(class_name="d"), []),
        (Filter(vcpus=parse_range("2", count)), ["cluster u1.large", "cluster win"]),
        (Filter(memory=parse_range(">=16384Mi", amount_of_memory)), ["cluster db.large"]),
        (Filter(architecture="amd64"), ["cluster win"]),
        (Filter(architecture="arm64"), []),
        (Filter(words=("DATABASES", "hugepages=1gi")), ["cluster db.large"]),
        (Filter(words=("windows", "tpm")), ["cluster win"]),
        (Filter(words=("windows", "linux")), []),
        (Filter(class_name="u1", vcpus=parse_range("3..", count)), ["namespaced u1.large"]),
    ],
)
def test_filters_select_rows(wanted: Filter, expected: list[str]) -> None:
    assert found(wanted) == expected


def test_first_of_two_catalogs_wins() -> None:
    mine = resource("VirtualMachineClusterInstancetype", "u1.large", size(8, "8Gi"))

    (first, *_) = Filter(vcpus=parse_range("8", count)).apply(
        entries_of([("mine", [mine]), ("ours", CATALOG)])
    )

    assert (first.catalog, first.name) == ("mine", "u1.large")
    assert first.resource is mine


def test_invalid_sizes_are_shown_as_unknown() -> None:
    value = True
    odd = [
        resource("VirtualMachineInstancetype", f"odd{i}", spec)
        for i, spec in enumerate(
            [size("x", value), size([], {}), {"cpu": 1, "memory": None}, {"cpu": {"guest": None}}]
        )
    ]

    assert [(entry.vcpus, entry.memory) for entry in entries_of([("odd", odd)])] == [(None, None)] * 4


def test_table_fits_the_width_and_keeps_the_names() -> None:
    whole = table(entries())
    for width in (10, 40, 60, 80, 120, 500):
        lines = table(entries(), width).splitlines()
        assert max(map(len, lines)) <= max(width, len(whole.split("  ")[0]) + 20)
        assert [line.split()[0] for line in lines] == [line.split()[0] for line in whole.splitlines()]
    assert table(entries(), 500) == whole
    assert "…" in table(entries(), 100)
