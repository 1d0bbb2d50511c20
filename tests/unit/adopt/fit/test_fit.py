"""The instance type and the preference that reproduce a VirtualMachine."""

from __future__ import annotations

from functools import cache

import pytest

from renderer.adopt.fit.fit import Fitter, fit
from renderer.adopt.fit.series import propose_sizes
from renderer.adopt.fit.values import FitQuality, VmFit
from renderer.authoring.sizes.series import generate
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import MemoryFileSystem
from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE
from renderer.kubevirt.facts.stored_values import as_stored, differences
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource
from renderer.kubevirt.instancetype.expand import expand
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at, with_value
from renderer.model.kube.resource import ResourceSet
from renderer.model.release import LATEST, Release
from renderer.model.render_config import ExpandMode, RenderConfig
from renderer.pipeline import Pipeline
from tests.conformance.fit import fit_results
from tests.conformance.kubevirt.case import read_cases
from tests.conformance.lines import VECTORS
from tests.kubevirt_objects import catalog, instancetype, preference, resources, vm

#: Every eighth of the recorded cases: fitting tries many pairs.
CASES = list(read_cases(VECTORS / "expansion.jsonl.xz"))[::8]
RELEASES = sorted({str(case.target) for case in CASES})
SOCKETS: JsonObject = {"sockets": 2, "cores": 1, "threads": 1}


def sized(
    name: str = "db", cpu: JsonObject = SOCKETS, memory: Json = "4Gi", **domain: Json
) -> dict[str, Json]:
    devices = domain.pop("devices", {"autoattachPodInterface": False})
    content: dict[str, Json] = {"cpu": cpu, "memory": {"guest": memory}, "devices": devices, **domain}
    return vm(name, content)


def names(found: VmFit) -> tuple[str, str]:
    pair = (found.instancetype, found.preference)
    return tuple("" if each is None else each.resource.name for each in pair)  # type: ignore[return-value]  # of two


@cache
def shipped() -> Catalog:
    fs = BuiltinFileSystem(MemoryFileSystem({}))
    return Catalog.of(*Pipeline(fs, RenderConfig()).catalog_sources)


def expanded(content: JsonObject, source: Catalog, mode: ExpandMode, release: Release = LATEST) -> JsonObject:
    result = expand(resources(content), source, release, mode)
    assert not result.failed, result.diagnostics
    return next(iter(result.value)).content


@pytest.mark.parametrize("release", RELEASES)
def test_every_recorded_expansion_of_a_catalog_pair_is_found(release: str) -> None:
    results = [result for case in CASES if str(case.target) == release for result in fit_results(case)]
    assert results
    assert [f"{result.id}: {result.detail}" for result in results if not result.passed] == []


@pytest.mark.parametrize("mode", [ExpandMode.APPLIED, ExpandMode.DEFAULTS])
def test_expansion_of_a_shipped_pair_is_matched(mode: ExpandMode) -> None:
    fitter = Fitter(shipped(), LATEST)
    instancetypes = sorted(each.name for each in shipped().of_kind(INSTANCETYPE.cluster_kind))
    preferences = sorted(each.name for each in shipped().of_kind(PREFERENCE.cluster_kind))
    devices: JsonObject = {
        "disks": [{"name": "root", "disk": {}}, {"name": "iso", "cdrom": {}}],
        "interfaces": [{"name": "default", "masquerade": {}, "macAddress": "02:00:00:00:00:01"}],
    }
    tried = 0
    for index in range(max(len(instancetypes), len(preferences))):
        pair = instancetypes[index % len(instancetypes)], preferences[index % len(preferences)]
        written = vm("db", {"devices": devices}, instancetype=pair[0], preference=pair[1])
        networks: Json = [{"name": "default", "pod": {}}]
        written = dict(with_value(written, ("spec", "template", "spec", "networks"), networks))
        result = expand(resources(written), shipped(), LATEST, mode)
        if result.failed:  # the preference requires more than the instance type has
            continue
        tried += 1
        whole = next(iter(result.value)).content
        found = fitter.fit(whole)
        assert (found.quality, found.differing_at_start, names(found)[0]) == (FitQuality.EXACT, (), pair[0])
        again = expanded(found.vm, shipped(), mode)
        assert list(differences(as_stored(whole), as_stored(again))) == []
    assert tried > 30


def test_fitted_pair_removes_its_fields_and_keeps_the_machines_own() -> None:
    source = catalog(
        instancetype("medium", 2, "4Gi", ioThreadsPolicy="auto"),
        preference("linux", devices={"preferredDiskBus": "virtio", "preferredRng": {}}),
    )
    devices: JsonObject = {
        "disks": [{"name": "a", "disk": {"bus": "virtio"}}, {"name": "b", "disk": {"bus": "sata"}}],
        "rng": {},
        "autoattachPodInterface": False,
    }
    machine = sized(devices=devices, ioThreadsPolicy="auto", firmware={"uuid": "x"}, machine={"type": "q35"})
    found = fit(machine, source, LATEST)
    assert found.quality is FitQuality.EXACT
    assert found.vm["spec"] == {
        "instancetype": {"kind": "VirtualMachineClusterInstancetype", "name": "medium"},
        "preference": {"kind": "VirtualMachineClusterPreference", "name": "linux"},
        "runStrategy": "Always",
        "template": {
            "spec": {
                "domain": {
                    "devices": {
                        "disks": [{"name": "a", "disk": {}}, {"name": "b", "disk": {"bus": "sata"}}],
                        "autoattachPodInterface": False,
                    },
                    "firmware": {"uuid": "x"},
                    "machine": {"type": "q35"},
                }
            }
        },
    }


def test_the_topology_decides_on_the_preference() -> None:
    source = catalog(
        instancetype("medium", 4, "4Gi"),
        preference("cores", cpu={"preferredCPUTopology": "cores"}),
        preference("spread", cpu={"preferredCPUTopology": "spread"}),
    )
    topologies: dict[tuple[int, int], str] = {(4, 1): "", (1, 4): "cores", (2, 2): "spread"}
    for (sockets, cores), wanted in topologies.items():
        machine = sized(cpu={"sockets": sockets, "cores": cores, "threads": 1})
        assert names(fit(machine, source, LATEST)) == ("medium", wanted)


def test_equal_pairs_are_chosen_by_mention_then_by_name() -> None:
    same: JsonObject = {"devices": {"preferredRng": {}}}
    source = catalog(
        instancetype("medium"), *(preference(name, **same) for name in ("alma", "fedora", "rhel.9"))
    )
    machine = sized(devices={"rng": {}, "autoattachPodInterface": False})
    assert names(fit(machine, source, LATEST)) == ("medium", "alma")
    volumes: Json = [{"name": "root", "containerDisk": {"image": "quay.io/containerdisks/fedora:41"}}]
    of_fedora = with_value(machine, ("spec", "template", "spec", "volumes"), volumes)
    assert names(fit(of_fedora, source, LATEST)) == ("medium", "fedora")
    labelled = with_value(machine, ("metadata", "labels"), {"os.template.kubevirt.io/rhel.9": "true"})
    assert names(fit(labelled, source, LATEST)) == ("medium", "rhel.9")


def test_preference_with_unmet_requirements_is_not_chosen() -> None:
    big = preference("big", devices={"preferredRng": {}}, requirements={"memory": {"guest": "8Gi"}})
    source = catalog(instancetype("medium"), big)
    machine = sized(devices={"rng": {}, "autoattachPodInterface": False})
    assert names(fit(machine, source, LATEST)) == ("medium", "")


def test_preference_that_would_change_a_disk_at_the_next_start_is_not_chosen() -> None:
    source = catalog(
        instancetype("medium"), preference("p", devices={"preferredDiskBus": "scsi", "preferredRng": {}})
    )
    machine = sized(devices={"rng": {}, "autoattachPodInterface": False})
    only_volume = with_value(
        machine, ("spec", "template", "spec", "volumes"), [{"name": "v", "emptyDisk": {}}]
    )
    assert names(fit(machine, source, LATEST)) == ("medium", "p")
    assert names(fit(only_volume, source, LATEST)) == ("medium", "")


def test_the_nearest_size_says_what_would_differ() -> None:
    source = catalog(instancetype("small", 2, "4Gi"), instancetype("huge", 64, "1Ti"))
    found = fit(sized(memory="5Gi"), source, LATEST)
    assert (found.quality, names(found)) == (FitQuality.NEAREST, ("small", ""))
    assert list(map(str, found.differing)) == ["spec.template.spec.domain.memory.guest"]
    assert fit(sized(memory="200Gi"), source, LATEST) == VmFit(FitQuality.NONE, sized(memory="200Gi"))


def test_machines_with_instance_type_or_without_template_are_unchanged() -> None:
    machines: list[JsonObject] = [vm(instancetype="medium"), {"kind": "VirtualMachine", "spec": {}}, {}]
    for machine in machines:
        assert fit(machine, catalog(instancetype("medium")), LATEST) == VmFit(FitQuality.NONE, machine)


def test_sizes_that_two_machines_share_become_a_series_that_fits_exactly() -> None:
    source = catalog(instancetype("medium"))
    cores: JsonObject = {"sockets": 1, "cores": 4, "threads": 1}
    machines = [sized("a", memory="5Gi"), sized("b", memory="5120Mi"), sized("c", memory="7Gi")]
    machines += [sized("d", cores, "6Gi"), sized("e", cores, "6Gi")]
    series, topology = propose_sizes(machines, source, LATEST)
    assert (series.name, series.uses) == ("imported", 4)
    assert array_at(series.manifest, "spec", "sizes") == [
        {"name": "2x5gi", "vcpus": 2, "memory": "5Gi"},
        {"name": "4x6gi", "vcpus": 4, "memory": "6Gi"},
    ]
    assert (topology.name, topology.uses) == ("imported.cores", 2)
    made = generate(series.manifest, next(iter(series.resources)).origin)
    assert [each.content for each in made] == [each.content for each in series.resources]
    proposed = ResourceSet((*series.resources, *topology.resources))
    extended = Fitter(source.after(CatalogSource("proposed", proposed)), LATEST)
    fits = {text_at(each, "metadata", "name"): extended.fit(each) for each in machines}
    assert {
        name: names(found)
        for name, found in fits.items()
        if found.quality is FitQuality.EXACT and found.supplied
    } == {
        "a": ("imported.2x5gi", ""),
        "b": ("imported.2x5gi", ""),
        "d": ("imported.4x6gi", "imported.cores"),
        "e": ("imported.4x6gi", "imported.cores"),
    }


def test_series_of_different_features_have_different_stable_names() -> None:
    pages: JsonObject = {"cpu": {**SOCKETS, "dedicatedCpuPlacement": True}}
    machines = [
        vm(name, {**object_at(sized(memory="3Gi"), "spec", "template", "spec", "domain"), **pages})
        for name in "ab"
    ]
    first, second = (propose_sizes(each, Catalog(), LATEST) for each in (machines, machines[::-1]))
    assert [each.manifest for each in first] == [each.manifest for each in second]
    assert first[0].name.startswith("imported-")
    assert object_at(first[0].manifest, "spec", "template", "spec") == {
        "cpu": {"dedicatedCPUPlacement": True}
    }
