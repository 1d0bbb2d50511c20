"""The fleet in ``overlays/``, our own first user: its rendered tree is what an expert expects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import DiskFileSystem
from renderer.model.kube.json import Json, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.pipeline import Pipeline
from renderer.project.overlays import find_overlays
from renderer.project.project import load_project

ENVIRONMENTS = ("dev", "staging", "prod")


@cache
def rendered() -> Mapping[str, tuple[Resource, ...]]:
    fs = BuiltinFileSystem(DiskFileSystem(Path(__file__).parents[2]))
    config = load_project(fs)
    pipeline = Pipeline(fs, config)
    outcomes = {overlay.name: pipeline.render(overlay) for overlay in find_overlays(fs, config)}
    assert {name: outcome.diagnostics for name, outcome in outcomes.items()} == dict.fromkeys(
        ENVIRONMENTS, ()
    )
    return {name: tuple(outcome.value) for name, outcome in outcomes.items()}


def machines(environment: str) -> dict[str, Resource]:
    return {r.name: r for r in rendered()[environment] if r.content["kind"] == "VirtualMachine"}


def domain(environment: str, name: str) -> Mapping[str, Json]:
    return object_at(machines(environment)[name].content, "spec", "template", "spec", "domain")


def names(value: Json, *path: str) -> list[str]:
    return sorted(text_at(element, "name") for element in array_at(value, *path))


def everything() -> Iterator[Resource]:
    for environment in ENVIRONMENTS:
        yield from machines(environment).values()


def test_fleet_has_enough_machines() -> None:
    assert len({resource.name for resource in everything()}) >= 12
    assert all(len(machines(environment)) >= 6 for environment in ENVIRONMENTS)


def test_every_machine_is_expanded_in_its_environments_namespace() -> None:
    for environment in ENVIRONMENTS:
        for resource in machines(environment).values():
            assert resource.namespace == f"plant-{environment}"
            assert object_at(resource.content, "spec").keys() & {"instancetype", "preference"} == set()
            template = object_at(resource.content, "spec", "template", "spec", "domain")
            assert object_at(template, "cpu")["sockets"], resource.name
            assert text_at(template, "memory", "guest"), resource.name


def test_disks_have_volumes_and_interfaces_have_networks() -> None:
    for resource in everything():
        spec = object_at(resource.content, "spec", "template", "spec")
        assert names(spec, "domain", "devices", "disks") == names(spec, "volumes"), resource.name
        assert names(spec, "domain", "devices", "interfaces") == names(spec, "networks"), resource.name


def test_every_data_volume_belongs_to_its_machine() -> None:
    for resource in everything():
        templates = array_at(resource.content, "spec", "dataVolumeTemplates")
        made = {text_at(template, "metadata", "name") for template in templates}
        volumes = array_at(resource.content, "spec", "template", "spec", "volumes")
        assert made == {text_at(volume, "dataVolume", "name") for volume in volumes} - {""}, resource.name


def test_cloud_init_exists_under_the_referenced_name() -> None:
    for environment in ENVIRONMENTS:
        secrets = {r.name for r in rendered()[environment] if r.content["kind"] == "Secret"}
        for resource in machines(environment).values():
            volumes = array_at(resource.content, "spec", "template", "spec", "volumes")
            used = {text_at(volume, "cloudInitNoCloud", "secretRef", "name") for volume in volumes}
            assert used - {""} <= secrets, resource.name


@pytest.mark.parametrize(
    ("environment", "name", "path", "expected"),
    [
        ("prod", "mes-db", ("memory",), {"guest": "128Gi", "hugepages": {"pageSize": "1Gi"}}),
        ("dev", "mes-db", ("memory",), {"guest": "8Gi"}),
        ("prod", "historian", ("cpu",), {"cores": 1, "maxSockets": 32, "sockets": 16, "threads": 1}),
        ("prod", "edge-gateway", ("memory",), {"guest": "2Gi"}),
        ("prod", "bastion", ("firmware", "bootloader", "efi"), {"secureBoot": True}),
        ("staging", "build-runner", ("resources",), {"requests": {"memory": "8Gi"}}),
        ("prod", "domain-controller", ("devices", "tpm"), {"persistent": True}),
        (
            "prod",
            "soft-plc",
            ("cpu",),
            {
                "cores": 2,
                "dedicatedCpuPlacement": True,
                "isolateEmulatorThread": True,
                "numa": {"guestMappingPassthrough": {}},
                "realtime": {},
                "sockets": 1,
                "threads": 2,
            },
        ),
        (
            "prod",
            "edge-firewall",
            ("cpu",),
            {
                "cores": 4,
                "dedicatedCpuPlacement": True,
                "isolateEmulatorThread": True,
                "sockets": 1,
                "threads": 2,
            },
        ),
    ],
)
def test_instances_have_the_expected_essentials(
    environment: str, name: str, path: tuple[str, ...], expected: Json
) -> None:
    assert object_at(domain(environment, name), *path) == expected


def test_gpu_comes_from_the_fleets_own_instance_type() -> None:
    gpus = array_at(domain("prod", "inspection"), "devices", "gpus")
    assert list(gpus) == [{"deviceName": "nvidia.com/AD104GL_L4", "name": "inference"}]


def test_disk_added_by_production_is_only_there() -> None:
    disks = {env: names(domain(env, "mes-db"), "devices", "disks") for env in ENVIRONMENTS}
    assert disks["prod"] == sorted([*disks["dev"], "archive"])
    assert disks["staging"] == disks["dev"]
