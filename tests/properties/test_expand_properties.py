"""Properties of every expansion, for any input."""

from __future__ import annotations

import json
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.kubevirt.instancetype.expand import expand
from renderer.model.diagnostic import Outcome
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.resource import ResourceSet
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode
from tests.kubevirt_objects import (
    catalog,
    instancetype,
    kubevirt,
    labelled,
    preference,
    resources,
    revision,
    vm,
)
from tests.properties.examples import examples

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 2**33),
    st.sampled_from(["", "x", "1Gi", "500m", "a/b", "spread", "Ignore", "root"]),
    st.floats(),
)
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.text(), inner, max_size=2)),
)
MODES = st.sampled_from(list(ExpandMode))
RELEASES = st.integers(0, 9).map(lambda minor: Release.parse(f"1.{minor}"))

FULL_VM = vm(
    "db",
    {
        "cpu": {"cores": 2, "model": "host-model"},
        "memory": {"guest": "1Gi", "hugepages": {"pageSize": "2Mi"}},
        "resources": {"requests": {"memory": "1Gi", "cpu": "1"}, "limits": {"cpu": "2"}},
        "machine": {"type": ""},
        "features": {"acpi": {}, "hyperv": {"evmcs": {}}},
        "firmware": {"bootloader": {"efi": {}}},
        "devices": {"disks": [{"name": "root", "disk": {}}], "interfaces": [{"name": "default"}]},
    },
    instancetype={"name": "it", "kind": "", "revisionName": "rev"},
    preference={"inferFromVolume": "root", "inferFromVolumeFailurePolicy": "Ignore"},
    dataVolumeTemplates=[{"metadata": {"name": "dv"}, "spec": {"source": {"pvc": {"name": "c"}}}}],
)
FULL_OBJECTS = (
    instancetype("it", launchSecurity={"sev": {}}, gpus=[{"name": "g"}], nodeSelector={"a": "b"}),
    preference(
        "p",
        cpu={"preferredCPUTopology": "spread", "spreadOptions": {"across": "SocketsCores", "ratio": 2}},
        requirements={"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}, "architecture": "amd64"},
    ),
    labelled("PersistentVolumeClaim", "root", labels={"instancetype.kubevirt.io/default-preference": "p"}),
    revision("rev", instancetype("it")),
    kubevirt("amd64", network={"defaultNetworkInterface": "bridge"}, cpuRequest="250m"),
)
SIZES = catalog(instancetype("small", 1, "1Gi"), instancetype("large", 8, "32Gi"), preference("cores"))


@st.composite
def damaged(draw: st.DrawFn, content: Json, depth: int = 0) -> Json:
    """``content`` with junk somewhere in it."""
    if not isinstance(content, dict | list) or not content or (depth > 1 and draw(st.integers(0, 4)) == 0):
        return draw(JUNK)
    if isinstance(content, list):
        at = draw(st.integers(0, len(content) - 1))
        return [draw(damaged(each, depth + 1)) if i == at else each for i, each in enumerate(content)]
    key = draw(st.sampled_from(sorted(set(content) - {"kind"})))
    return {**content, key: draw(damaged(content[key], depth + 1))}


def expanded(
    contents: list[JsonObject], objects: Catalog, release: Release, mode: ExpandMode
) -> Outcome[ResourceSet]:
    return expand(resources(*contents), objects, release, mode)


@examples(1.5)
@given(st.data(), RELEASES, MODES)
def test_bad_input_is_reported_and_never_changed(
    data: st.DataObject, release: Release, mode: ExpandMode
) -> None:
    contents: list[JsonObject] = [FULL_VM, *FULL_OBJECTS]
    at = data.draw(st.integers(0, len(contents) - 1))
    broken = data.draw(damaged(contents[at]))
    assert isinstance(broken, dict)
    contents[at] = broken
    before = json.dumps(contents)

    outcome = expanded(contents, Catalog(), release, mode)

    assert len(outcome.value) == len(contents)
    assert all(diagnostic.sites and diagnostic.message for diagnostic in outcome.diagnostics)
    assert json.dumps(contents) == before


@st.composite
def fleet(draw: st.DrawFn) -> list[JsonObject]:
    """VMs with and without matchers and conflicts."""
    domains: list[JsonObject] = [
        {"devices": {}},
        {"devices": {}, "cpu": {"cores": 1}},
        {"memory": {"guest": "1Gi"}},
    ]
    matchers: list[dict[str, Json]] = [
        {},
        {"instancetype": "small"},
        {"instancetype": "large", "preference": "cores"},
        {"instancetype": "missing"},
    ]
    picked = draw(st.lists(st.tuples(st.sampled_from(domains), st.sampled_from(matchers)), max_size=5))
    return [vm(f"vm{at}", domain, **matcher) for at, (domain, matcher) in enumerate(picked)]


@given(fleet(), RELEASES, MODES)
def test_expanding_again_changes_nothing(vms: list[JsonObject], release: Release, mode: ExpandMode) -> None:
    once = expanded(vms, SIZES, release, mode)
    twice = expand(once.value, SIZES, release, mode)

    assert twice.value == once.value
    assert twice.diagnostics == once.diagnostics


@given(fleet(), st.randoms(use_true_random=False), RELEASES, MODES)
def test_the_order_of_resources_does_not_matter(
    vms: list[JsonObject], random: Random, release: Release, mode: ExpandMode
) -> None:
    shuffled = [*vms]
    random.shuffle(shuffled)

    def by_name(contents: list[JsonObject]) -> list[str]:
        outcome = expanded(contents, SIZES, release, mode)
        return sorted(json.dumps(resource.content) for resource in outcome.value)

    assert by_name(shuffled) == by_name(vms)
