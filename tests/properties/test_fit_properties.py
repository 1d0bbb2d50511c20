"""Laws of fitting instance types and preferences to machines, on valid and on nonsense ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from renderer.adopt.fit.fit import Fitter
from renderer.adopt.fit.series import propose_sizes
from renderer.adopt.fit.values import FitQuality
from renderer.app.cluster_import.fit import fit_machines
from renderer.kubevirt.facts.stored_values import as_stored, differences
from renderer.kubevirt.instancetype.expand import expand
from renderer.model.kube.json import Json, JsonObject, with_value
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode
from tests.kubevirt_objects import catalog, instancetype, preference, resources, vm
from tests.started import differences_at_start

SOURCE = catalog(
    instancetype("small", 1, "2Gi"),
    instancetype("pages", 4, {"guest": "4Gi", "hugepages": {"pageSize": "2Mi"}}, ioThreadsPolicy="auto"),
    instancetype("thin", 2, {"guest": "4Gi", "overcommitPercent": 15}, nodeSelector={"a": "b"}),
    instancetype("gpu", 2, "4Gi", gpus=[{"name": "g", "deviceName": "x"}], annotations={"a": "1"}),
    preference(
        "linux",
        cpu={"preferredCPUTopology": "cores", "preferredCPUFeatures": [{"name": "vmx"}]},
        devices={
            "preferredDiskBus": "virtio",
            "preferredDiskDedicatedIoThread": True,
            "preferredInterfaceModel": "virtio",
            "preferredInterfaceMasquerade": {},
            "preferredInputBus": "usb",
            "preferredRng": {},
        },
    ),
    preference(
        "windows",
        features={"preferredAcpi": {}, "preferredHyperv": {"relaxed": {}}, "preferredSmm": {"enabled": True}},
        firmware={"preferredEfi": {"secureBoot": True}, "preferredUseSecureBoot": True},
        clock={"preferredClockOffset": {"utc": {}}, "preferredTimer": {"hpet": {"present": False}}},
        preferredTerminationGracePeriodSeconds=3600,
        annotations={"vm.kubevirt.io/os": "windows"},
    ),
)
FITTERS = {minor: Fitter(SOURCE, Release.parse(f"1.{minor}")) for minor in range(10)}
RELEASES = st.sampled_from(sorted(FITTERS))
PAIRS = st.tuples(
    st.sampled_from([None, "small", "pages", "thin", "gpu"]), st.sampled_from([None, "linux", "windows"])
)
JUNK: st.SearchStrategy[Json] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-1, 2**33), st.sampled_from(["", "x", "4Gi", "1.5", "${X}"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=4,
)
PLACES = st.sampled_from(
    [
        ("spec", "domain"),
        ("spec", "domain", "cpu"),
        ("spec", "domain", "cpu", "sockets"),
        ("spec", "domain", "memory"),
        ("spec", "domain", "memory", "guest"),
        ("spec", "domain", "resources"),
        ("spec", "domain", "resources", "requests"),
        ("spec", "domain", "devices"),
        ("spec", "domain", "devices", "disks"),
        ("spec", "domain", "devices", "interfaces"),
        ("spec", "domain", "features"),
        ("spec", "domain", "firmware"),
        ("spec", "networks"),
        ("spec", "volumes"),
        ("spec", "nodeSelector"),
        ("metadata", "annotations"),
        ("metadata",),
        ("spec",),
    ]
)
DISKS: st.SearchStrategy[Json] = st.lists(
    st.sampled_from(
        [
            {"name": "a", "disk": {}},
            {"name": "b", "disk": {"bus": "sata"}, "dedicatedIOThread": False},
            {"name": "c", "cdrom": {"bus": "sata"}},
            {"name": "d"},
        ]
    ),
    max_size=3,
)


def machine(disks: Json) -> dict[str, Json]:
    devices: JsonObject = {"disks": disks, "interfaces": [{"name": "default", "masquerade": {}}], "rng": {}}
    content = vm("db", {"devices": devices, "cpu": {}})
    return dict(
        with_value(content, ("spec", "template", "spec", "networks"), [{"name": "default", "pod": {}}])
    )


@given(RELEASES, PAIRS, DISKS)
def test_expanded_machine_fits_exactly_and_expands_to_itself(
    minor: int, pair: tuple[str | None, str | None], disks: Json
) -> None:
    release = Release.parse(f"1.{minor}")
    content = machine(disks)
    for key, name in zip(("instancetype", "preference"), pair, strict=True):
        if name is not None:
            content = dict(with_value(content, ("spec", key), {"name": name}))
    result = expand(resources(content), SOURCE, release, ExpandMode.APPLIED)
    if result.failed:
        return
    whole = next(iter(result.value)).content
    found = FITTERS[minor].fit(whole)
    if any(pair):
        assert found.quality is FitQuality.EXACT
        assert (found.instancetype is not None) == (pair[0] is not None)
    if found.quality is FitQuality.EXACT:
        again = expand(resources(found.vm), SOURCE, release, ExpandMode.APPLIED)
        assert list(differences(as_stored(whole), as_stored(next(iter(again.value)).content))) == []


@given(RELEASES, PAIRS, DISKS, st.booleans())
def test_fitted_machine_starts_like_the_imported_one(
    minor: int,
    pair: tuple[str | None, str | None],
    disks: Json,
    has_network: bool,  # noqa: FBT001 - drawn
) -> None:
    release = Release(1, minor)
    content = machine(disks) if has_network else vm("db", {"devices": {"disks": disks}, "cpu": {}})
    for key, name in zip(("instancetype", "preference"), pair, strict=True):
        if name is not None:
            content = dict(with_value(content, ("spec", key), {"name": name}))
    applied = expand(resources(content), SOURCE, release, ExpandMode.APPLIED)
    if applied.failed:
        return
    imported = next(iter(applied.value)).content
    fitted = fit_machines({0: imported}, SOURCE, release, {})
    for written in fitted.contents.values():
        found = differences_at_start(resources(imported), resources(written), SOURCE, release)
        assert list(found) == []


@given(RELEASES, st.dictionaries(PLACES, JUNK, max_size=3), DISKS)
def test_nonsense_machines_are_handled(minor: int, junk: dict[tuple[str, ...], Json], disks: Json) -> None:
    content: JsonObject = machine(disks)
    for place, value in junk.items():
        content = with_value(content, ("spec", "template", *place), value)
    found = FITTERS[minor].fit(content)
    assert found.quality in FitQuality
    propose_sizes([content, content], SOURCE, Release.parse(f"1.{minor}"))
