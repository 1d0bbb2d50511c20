"""A shared verdict equals the one that each machine would get alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from renderer.model.kube.json import JsonObject
from renderer.model.release import Release
from tests.unit.kubevirt.admission.test_vm import REFUSED
from tests.unit.kubevirt.admission.valid_vm import causes, cluster

ADDRESSES = ["02:00:00:00:00:00", "02:00:00:00:00:01", "0200.0000.0001", "020000000001", "02-00", "", None, 2]
RELEASES = [Release.parse("1.1"), Release.parse("1.5"), Release.parse("1.9")]

interfaces = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from(["default", "lan"])},
        optional={
            "masquerade": st.just({}),
            "bridge": st.just({}),
            "sriov": st.just({}),
            "state": st.sampled_from(["up", "absent"]),
            "macAddress": st.sampled_from(ADDRESSES),
        },
    ),
    max_size=2,
)
networks = st.lists(
    st.sampled_from(
        [
            {"name": "default", "pod": {}},
            {"name": "lan", "multus": {"networkName": "lan"}},
            {"name": "lan", "resourceClaim": {"claimName": "lan", "requestName": "lan"}},
        ]
    ),
    max_size=2,
)
claims = st.sampled_from([[], [{"name": "lan"}]])
disks = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from(["root", "data"])},
        optional={
            "disk": st.fixed_dictionaries({"bus": st.sampled_from(["virtio", "sata", "ide"])}),
            "cdrom": st.fixed_dictionaries({"bus": st.sampled_from(["virtio", "sata"])}),
            "cache": st.sampled_from(["none", "some"]),
            "bootOrder": st.sampled_from([0, 1]),
        },
    ),
    max_size=2,
)
machines = st.lists(
    st.fixed_dictionaries(
        {
            "domain.devices.interfaces": interfaces,
            "networks": networks,
            "resourceClaims": claims,
            "domain.devices.disks": disks,
            "domain.machine.type": st.sampled_from(["q35", "virt", "pc-q35-rhel9.6.0"]),
            "architecture": st.sampled_from(["amd64", "arm64"]),
        }
    ),
    min_size=2,
    max_size=5,
)


@given(machines, st.sampled_from(RELEASES))
def test_fleet_is_checked_like_its_single_machines(fleet: list[JsonObject], release: Release) -> None:
    shared = cluster(release=release)

    for machine in fleet:
        assert causes(machine, shared) == causes(machine, cluster(release=release))


def test_verdicts_do_not_depend_on_other_machines() -> None:
    shared = cluster()
    assert causes({}, shared) == ()

    for changes, _, _ in REFUSED:
        assert causes(changes, shared) == causes(changes)
