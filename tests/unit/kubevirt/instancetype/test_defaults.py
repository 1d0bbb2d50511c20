"""Defaults of expand-spec and of admission, by release."""

from __future__ import annotations

import pytest

from renderer.kubevirt.facts.cluster import ClusterConfig
from renderer.kubevirt.instancetype.cluster_config import cluster_config
from renderer.kubevirt.instancetype.defaults import default_vmi_spec
from renderer.kubevirt.instancetype.vmi_object_defaults import default_vmi_object
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json, JsonObject, array_at, object_at
from renderer.model.release import LATEST
from tests.kubevirt_objects import behaviour, catalog, kubevirt

RESOURCES = ("domain", "resources")


def defaulted(spec: JsonObject, cluster: JsonObject | None = None, release: str | None = None) -> JsonObject:
    config = ClusterConfig() if cluster is None else cluster_config(catalog(cluster), LATEST)
    return default_vmi_spec(spec, config, behaviour(release))


def domain(**sections: Json) -> JsonObject:
    return {"domain": sections}


def test_empty_vm_gets_the_general_defaults() -> None:
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


def test_fields_of_the_vm_are_kept() -> None:
    explicit: JsonObject = {
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

    assert defaulted(explicit) == explicit


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


def test_machine_type_of_the_cluster_applies_to_all_architectures() -> None:
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


def test_memory_overcommit_of_the_cluster_is_applied() -> None:
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
def test_images_with_moving_tags_are_always_pulled(image: str, policy: str) -> None:
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


def test_default_interface_of_the_cluster_is_used() -> None:
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
    found = cluster_config(catalog(kubevirt("arm64", machineType="m", **configuration)), LATEST)
    assert found._replace(set_by="", set_at=()) == ClusterConfig()


@pytest.mark.parametrize("configuration", [{"machineType": 1}, {"cpuRequest": "lots"}, {"network": "bridge"}])
def test_configuration_of_a_wrong_type_is_located(configuration: JsonObject) -> None:
    with pytest.raises(DiagnosticError) as error:
        cluster_config(catalog(kubevirt(None, **configuration)), LATEST)

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


def defaulted_by_1_3(architecture: str = "amd64", **sections: Json) -> JsonObject:
    return default_vmi_object({"architecture": architecture, "domain": sections}, "", behaviour("1.3"))


def disks(*disks: JsonObject, architecture: str = "amd64") -> list[Json]:
    return list(
        array_at(defaulted_by_1_3(architecture, devices={"disks": list(disks)}), "domain", "devices", "disks")
    )


def hyperv(**features: Json) -> JsonObject:
    return object_at(defaulted_by_1_3(features={"hyperv": features}), "domain", "features", "hyperv")


@pytest.mark.parametrize(
    ("architecture", "bus"), [("amd64", "sata"), ("arm64", "virtio"), ("s390x", "virtio")]
)
def test_disks_get_the_bus_of_the_architecture(architecture: str, bus: str) -> None:
    assert disks({"name": "a"}, {"name": "b", "lun": {"bus": "scsi"}}, architecture=architecture) == [
        {"name": "a", "disk": {"bus": bus}},
        {"name": "b", "lun": {"bus": "scsi"}},
    ]


def test_cdroms_are_closed_and_read_only() -> None:
    assert disks({"name": "a", "cdrom": {}}, {"name": "b", "cdrom": {"readonly": False, "tray": "open"}}) == [
        {"name": "a", "cdrom": {"bus": "sata", "readonly": True, "tray": "closed"}},
        {"name": "b", "cdrom": {"bus": "sata", "readonly": False, "tray": "open"}},
    ]


def test_the_block_size_of_the_volume_is_matched() -> None:
    (disk,) = disks({"name": "a", "disk": {"bus": "virtio"}, "blockSize": {"matchVolume": {}}})

    assert object_at(disk, "blockSize") == {"matchVolume": {"enabled": True}}


def test_timers_are_present_and_features_enabled_by_default() -> None:
    result = defaulted_by_1_3(
        clock={"timer": {"hpet": {"present": False}, "rtc": {"tickPolicy": "catchup"}}},
        features={"apic": {}, "smm": {"enabled": False}},
    )

    assert object_at(result, "domain", "clock", "timer") == {
        "hpet": {"present": False},
        "rtc": {"tickPolicy": "catchup", "present": True},
    }
    assert object_at(result, "domain", "features") == {
        "acpi": {"enabled": True},
        "apic": {"enabled": True},
        "smm": {"enabled": False},
    }


def test_missing_features_stay_missing_except_on_s390x() -> None:
    assert "features" not in object_at(defaulted_by_1_3(), "domain")
    assert object_at(defaulted_by_1_3("s390x"), "domain", "features") == {"acpi": {"enabled": False}}


def test_hyperv_features_add_their_prerequisites() -> None:
    assert hyperv(synictimer={}) == {
        "synictimer": {"enabled": True},
        "synic": {"enabled": True},
        "vpindex": {"enabled": True},
    }
    assert hyperv(ipi={}, vpindex={"enabled": False}) == {
        "ipi": {"enabled": True},
        "vpindex": {"enabled": False},
    }
    assert hyperv(spinlocks={})["spinlocks"] == {"enabled": True, "spinlocks": 4096}


def test_evmcs_needs_vmx() -> None:
    result = defaulted_by_1_3(
        cpu={"features": [{"name": "vmx", "policy": "disable"}]}, features={"hyperv": {"evmcs": {}}}
    )

    assert array_at(result, "domain", "cpu", "features") == [{"name": "vmx", "policy": "require"}]
    assert object_at(result, "domain", "features", "hyperv", "vapic") == {"enabled": True}


def test_cpu_model_defaults_to_the_host() -> None:
    assert object_at(defaulted_by_1_3(), "domain", "cpu") == {"model": "host-model"}
    assert object_at(defaulted_by_1_3("arm64"), "domain", "cpu") == {"model": "host-passthrough"}
    assert object_at(default_vmi_object({"domain": {}}, "Haswell", behaviour("1.3")), "domain", "cpu") == {
        "model": "Haswell"
    }


def test_arm64_boots_with_efi() -> None:
    assert object_at(defaulted_by_1_3("arm64"), "domain", "firmware") == {
        "bootloader": {"efi": {"secureBoot": False}}
    }
    kept = defaulted_by_1_3("arm64", firmware={"bootloader": {"bios": {}}})
    assert object_at(kept, "domain", "firmware") == {"bootloader": {"bios": {}}}


@pytest.mark.parametrize(
    ("architecture", "release", "device"),
    [
        ("amd64", "1.9", {"i6300esb": {"action": "reset"}}),
        ("s390x", "1.9", {"diag288": {"action": "reset"}}),
        ("arm64", "1.9", {}),
        ("s390x", "1.4", {"i6300esb": {"action": "reset"}}),
    ],
)
def test_a_watchdog_gets_the_device_of_its_architecture(
    architecture: str, release: str, device: JsonObject
) -> None:
    spec: JsonObject = {"architecture": architecture, **domain(devices={"watchdog": {"name": "w"}})}
    result = default_vmi_object(spec, "", behaviour(release))
    assert object_at(result, "domain", "devices", "watchdog") == {"name": "w", **device}


def test_gpus_and_probes_get_defaults() -> None:
    spec: JsonObject = {
        "readinessProbe": {"periodSeconds": 5, "failureThreshold": 0},
        "domain": {
            "devices": {
                "gpus": [{"name": "g", "virtualGPUOptions": {"display": {"ramFB": {}}}}],
            }
        },
    }
    result = default_vmi_object(spec, "", behaviour("1.3"))

    assert result["readinessProbe"] == {
        "periodSeconds": 5,
        "failureThreshold": 3,
        "timeoutSeconds": 1,
        "successThreshold": 1,
    }
    devices = object_at(result, "domain", "devices")
    assert devices["gpus"] == [{"name": "g", "virtualGPUOptions": {"display": {"ramFB": {"enabled": True}}}}]
