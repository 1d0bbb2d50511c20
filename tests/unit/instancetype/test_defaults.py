from __future__ import annotations

import pytest

from renderer.instancetype.cluster_config import cluster_config
from renderer.instancetype.defaults import default_vmi_spec
from renderer.kubevirt.cluster import ClusterConfig
from renderer.model.diagnostic import DiagnosticError
from renderer.model.json import Json, JsonObject, array_at, object_at
from tests.kubevirt_objects import behaviour, catalog, kubevirt

RESOURCES = ("domain", "resources")


def defaulted(spec: JsonObject, cluster: JsonObject | None = None, release: str | None = None) -> JsonObject:
    config = ClusterConfig() if cluster is None else cluster_config(catalog(cluster))
    return default_vmi_spec(spec, config, behaviour(release))


def domain(**sections: Json) -> JsonObject:
    return {"domain": sections}


def test_a_silent_vm_gets_what_every_vm_gets() -> None:
    assert defaulted(domain(devices={})) == {
        "architecture": "amd64",
        "evictionStrategy": "None",
        "networks": [{"name": "default", "pod": {}}],
        "domain": {
            "cpu": {"sockets": 1, "cores": 1, "threads": 1},
            "devices": {"interfaces": [{"name": "default", "bridge": {}}]},
            "machine": {"type": "q35"},
            "memory": {},
        },
    }


def test_what_the_vm_says_stays() -> None:
    said: JsonObject = {
        "architecture": "arm64",
        "evictionStrategy": "External",
        "networks": [{"name": "n", "multus": {"networkName": "n"}}],
        "domain": {
            "machine": {"type": "virt-7"},
            "cpu": {"cores": 2},
            "memory": {"guest": "1Gi"},
            "devices": {},
        },
    }

    assert defaulted(said) == said


@pytest.mark.parametrize(
    ("architecture", "release", "machine"),
    [
        ("arm64", "1.9", "virt"),
        ("s390x", "1.9", "configured"),
        ("s390x", "1.6", "s390-ccw-virtio"),
        ("ppc64le", "1.6", "pseries"),
        ("ppc64le", "1.7", "q35"),
        ("riscv64", "1.9", "q35"),
    ],
)
def test_the_machine_type_follows_the_architecture(architecture: str, release: str, machine: str) -> None:
    cluster = kubevirt(architectureConfiguration={"s390x": {"machineType": "configured"}})
    spec: JsonObject = {"architecture": architecture, **domain()}

    assert object_at(defaulted(spec, cluster, release), "domain", "machine") == {"type": machine}


def test_the_machine_type_of_the_cluster_is_for_all_architectures() -> None:
    assert object_at(defaulted(domain(), kubevirt("arm64", machineType="m")), "domain", "machine") == {
        "type": "m"
    }


def test_guest_memory_comes_from_request_then_limit_then_one_huge_page() -> None:
    pages: JsonObject = {"hugepages": {"pageSize": "2Mi"}}
    request: JsonObject = {"requests": {"memory": "1024Mi"}, "limits": {"memory": "2Gi"}}

    def guest(**sections: Json) -> Json:
        return object_at(defaulted(domain(**sections)), "domain", "memory").get("guest")

    assert guest(resources=request, memory=pages) == "1Gi"
    assert guest(resources={"requests": {"memory": "0"}, "limits": {"memory": "2Gi"}}) == "2Gi"
    assert guest(memory=pages) == "2Mi"
    assert guest(memory={"hugepages": {"pageSize": "huge"}}) is None


@pytest.mark.parametrize(("release", "requested"), [("1.5", "1Gi"), ("1.6", None)])
def test_a_memory_request_follows_from_guest_memory_up_to_1_5(release: str, requested: str | None) -> None:
    requests = object_at(defaulted(domain(memory={"guest": "1Gi"}), release=release), *RESOURCES, "requests")

    assert requests.get("memory") == requested


def test_memory_is_overcommitted_as_the_cluster_says() -> None:
    cluster = kubevirt(developerConfiguration={"memoryOvercommit": 150})
    result = defaulted(domain(memory={"guest": "3Gi"}), cluster, "1.5")

    assert object_at(result, *RESOURCES, "requests") == {"memory": "2Gi"}


def test_a_cpu_request_follows_from_the_limit_or_from_the_cluster() -> None:
    cluster = kubevirt(cpuRequest="250m")

    def requests(resources: JsonObject, **sections: Json) -> JsonObject:
        return object_at(defaulted(domain(resources=resources, **sections), cluster), *RESOURCES, "requests")

    assert requests({"limits": {"cpu": "1.5"}}) == {"cpu": "1500m"}
    assert requests({}) == {"cpu": "250m"}
    assert requests({}, cpu={"dedicatedCpuPlacement": True}) == {}
    assert requests({"requests": {"cpu": "0"}}) == {"cpu": "0"}
    assert object_at(defaulted(domain(), kubevirt(cpuRequest="0.1")), *RESOURCES) == {}


def test_sockets_are_the_cpu_limit_rounded_up() -> None:
    result = defaulted(domain(resources={"limits": {"cpu": "2100m"}, "requests": {"cpu": "1"}}))

    assert object_at(result, "domain", "cpu") == {"sockets": 3, "cores": 1, "threads": 1}


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("fedora", "Always"),
        ("fedora:latest", "Always"),
        ("fedora:40", "IfNotPresent"),
        ("fedora@sha256:0", "IfNotPresent"),
        ("registry:5000/fedora", "IfNotPresent"),
    ],
)
def test_images_that_move_are_pulled_always(image: str, policy: str) -> None:
    result = defaulted({**domain(), "volumes": [{"name": "v", "containerDisk": {"image": image}}]})

    assert array_at(result, "volumes") == [
        {"name": "v", "containerDisk": {"image": image, "imagePullPolicy": policy}}
    ]


def test_every_volume_without_disk_or_file_system_gets_a_disk() -> None:
    spec: JsonObject = {
        **domain(devices={"disks": [{"name": "a", "lun": {}}], "filesystems": [{"name": "b"}]}),
        "volumes": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
    }

    assert array_at(defaulted(spec), "domain", "devices", "disks") == [
        {"name": "a", "lun": {}},
        {"name": "c"},
    ]


def test_the_default_interface_is_the_clusters() -> None:
    cluster = kubevirt(network={"defaultNetworkInterface": "masquerade"})

    assert array_at(defaulted(domain(), cluster), "domain", "devices", "interfaces") == [
        {"name": "default", "masquerade": {}}
    ]


@pytest.mark.parametrize(
    "configuration",
    [
        {"network": {"defaultNetworkInterface": "token-ring"}},
        {"imagePullPolicy": "Sometimes"},
        {"developerConfiguration": {"memoryOvercommit": -1}},
    ],
)
def test_kubevirt_ignores_its_configuration_when_a_value_is_out_of_range(configuration: JsonObject) -> None:
    assert cluster_config(catalog(kubevirt("arm64", machineType="m", **configuration))) == ClusterConfig()


@pytest.mark.parametrize("configuration", [{"machineType": 1}, {"cpuRequest": "lots"}, {"network": "bridge"}])
def test_a_configuration_of_a_wrong_type_is_told_with_its_place(configuration: JsonObject) -> None:
    with pytest.raises(DiagnosticError) as error:
        cluster_config(catalog(kubevirt(None, **configuration)))

    (diagnostic,) = error.value.diagnostics
    assert str(diagnostic.field).startswith("spec.configuration.")
    assert diagnostic.sites


@pytest.mark.parametrize("wrong", ["text", 1, [], True])
def test_sections_of_a_wrong_type_are_left_for_the_schema(wrong: Json) -> None:
    for section in ("cpu", "memory", "machine", "devices", "resources"):
        assert object_at(defaulted(domain(**{section: wrong})), "domain").get(section) == wrong
    assert defaulted({"domain": wrong})["domain"] == wrong


@pytest.mark.parametrize("wrong", ["text", 1, {"a": 1}, True])
def test_lists_of_a_wrong_type_are_left_for_the_schema(wrong: Json) -> None:
    spec: JsonObject = {**domain(devices={"disks": wrong, "interfaces": wrong}), "volumes": [{"name": "a"}]}

    assert object_at(defaulted(spec), "domain", "devices") == {"disks": wrong, "interfaces": wrong}
    for section in ("networks", "volumes"):
        assert defaulted({**domain(), section: wrong})[section] == wrong
