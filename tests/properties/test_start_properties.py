"""The output for a machine starts like the machine itself, for any omitted fields."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.kubevirt.instancetype.expand import expand
from renderer.model.kube.json import Json, JsonObject
from renderer.model.release import LATEST, Release
from renderer.model.render_config import ExpandMode
from tests.kubevirt_objects import instancetype, kubevirt, preference, resources, vm
from tests.started import differences_at_start

NAMES = ("root", "seed", "data")
RELEASES = st.integers(0, LATEST.minor).map(lambda minor: Release(1, minor))
DISKS: st.SearchStrategy[JsonObject] = st.builds(
    lambda name, kind: {"name": name, **kind},
    st.sampled_from(NAMES),
    st.sampled_from([{}, {"disk": {}}, {"disk": {"bus": "scsi"}}, {"cdrom": {}}, {"lun": {"bus": ""}}]),
)
INTERFACES = st.sampled_from(
    [
        ([], []),
        ([{"name": "default", "masquerade": {}}], [{"name": "default", "pod": {}}]),
        ([{"name": "other", "bridge": {}}], [{"name": "other", "multus": {"networkName": "n"}}]),
        ([], [{"name": "default", "pod": {}}]),
    ]
)
PREFERENCES = st.fixed_dictionaries(
    {},
    optional={
        "preferredDiskBus": st.sampled_from(["virtio", "sata", "scsi"]),
        "preferredDiskDedicatedIoThread": st.booleans(),
        "preferredDiskCache": st.just("none"),
        "preferredDiskBlockSize": st.just({"matchVolume": {}}),
        "preferredCdromBus": st.just("sata"),
        "preferredInterfaceModel": st.sampled_from(["virtio", "e1000e"]),
        "preferredInterfaceMasquerade": st.just({}),
        "preferredInputBus": st.sampled_from(["virtio", "usb"]),
        "preferredInputType": st.just("tablet"),
        "preferredAutoattachInputDevice": st.booleans(),
        "preferredAutoattachPodInterface": st.booleans(),
        "preferredAutoattachGraphicsDevice": st.booleans(),
        "preferredRng": st.just({}),
        "preferredVideoType": st.just("virtio"),
        "preferredPanicDeviceModel": st.just("isa"),
    },
)
CLUSTERS = st.sampled_from(
    [(), (kubevirt(),), (kubevirt(network={"defaultNetworkInterface": "masquerade"}),), (kubevirt("arm64"),)]
)


@given(
    RELEASES,
    st.lists(DISKS, max_size=3, unique_by=lambda disk: str(disk["name"])),
    st.lists(st.sampled_from(NAMES), max_size=3, unique=True),
    INTERFACES,
    st.sampled_from([None, True, False]),
    PREFERENCES,
    CLUSTERS,
)
def test_written_defaults_start_the_same_machine(  # noqa: PLR0913, PLR0917 - each may be left out
    release: Release,
    disks: list[JsonObject],
    volumes: list[str],
    network: tuple[list[Json], list[Json]],
    input_device: bool | None,  # noqa: FBT001 - a field of the machine
    preferred: JsonObject,
    cluster: tuple[JsonObject, ...],
) -> None:
    interfaces, networks = network
    devices: dict[str, Json] = {"disks": list(disks), "interfaces": interfaces}
    if input_device is not None:
        devices["autoattachInputDevice"] = input_device
    content = vm("db", instancetype="i", preference="p")
    template = {
        "spec": {
            "domain": {"devices": devices},
            "networks": networks,
            "volumes": [{"name": name, "containerDisk": {"image": "fedora:42"}} for name in volumes],
        }
    }
    machine: JsonObject = {**content, "spec": {**content["spec"], "template": template}}  # type: ignore[dict-item]  # a mapping
    before = resources(machine, instancetype("i"), preference("p", devices=preferred), *cluster)
    outcome = expand(before, Catalog(), release, ExpandMode.APPLIED)
    if not outcome.failed:
        assert list(differences_at_start(before, outcome.value, Catalog(), release)) == []
