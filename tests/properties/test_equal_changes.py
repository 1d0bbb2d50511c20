"""Changes that share a judgement would have got the same one alone."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from renderer.diff.compare import compare_overlay
from renderer.diff.equal_changes import EqualChanges, MachineChange
from renderer.diff.overlay_side import OverlaySide
from renderer.kubevirt.facts.firmware_uuid import uuid_of_name
from renderer.kubevirt.impact.judge import Judgement
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.model.run.work import begin_run
from renderer.pipeline.vm_changes import ProjectState, VmChanges
from tests.properties.examples import examples

Machine = dict[str, Any]


class Unshared(EqualChanges):
    """Judges every change."""

    def judged(self, _change: MachineChange | None, judge: Callable[[], Judgement]) -> Judgement:
        return judge()


def machine(name: str, namespace: str, volume: str) -> Machine:
    template = {
        "metadata": {"name": "root", **({"namespace": "prod"} if volume == "other" else {})},
        "spec": {
            "storage": {"resources": {"requests": {"storage": "1Gi"}}},
            "sourceRef": {"kind": "DataSource", "name": "linux"},
        },
    }
    is_made = volume in {"made", "other"}
    volumes = {
        "image": {"containerDisk": {"image": "linux:1"}},
        "claim": {"persistentVolumeClaim": {"claimName": "root"}},
    }
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {
            "name": name,
            **({"namespace": namespace} if namespace else {}),
            "labels": {"site": namespace},
        },
        "spec": {
            "runStrategy": "Always",
            **({"dataVolumeTemplates": [template]} if is_made else {}),
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {
                    "domain": {"devices": {"disks": [{"name": "root", "disk": {"bus": "virtio"}}]}},
                    "volumes": [{"name": "root", **volumes.get(volume, {"dataVolume": {"name": "root"}})}],
                },
            },
        },
    }


def disk(namespace: str, size: str) -> dict[str, Any]:
    return {
        "apiVersion": "cdi.kubevirt.io/v1beta1",
        "kind": "DataVolume",
        "metadata": {"name": "root", "namespace": namespace},
        "spec": {"storage": {"resources": {"requests": {"storage": size}}, "accessModes": ["ReadWriteMany"]}},
    }


def data_source(namespace: str) -> dict[str, Any]:
    labels = {"template.kubevirt.io/architecture": "arm64"}
    return {
        "apiVersion": "cdi.kubevirt.io/v1beta1",
        "kind": "DataSource",
        "metadata": {"name": "linux", "namespace": namespace, "labels": labels},
        "spec": {"source": {"pvc": {"name": "root", "namespace": "images"}}},
    }


def _set(*path: str) -> Callable[[Machine, object], None]:
    def change(content: Machine, value: object) -> None:
        *parents, last = ("spec", *path)
        for key in parents:
            content = content.setdefault(key, {})
        content[last] = value

    return change


_IN_TEMPLATE = ("template", "spec")
CHANGES: dict[str, tuple[Callable[[Machine, object], None], tuple[object, ...]]] = {
    "hostname": (_set(*_IN_TEMPLATE, "hostname"), ("db", "web", "site-1")),
    "uuid": (_set(*_IN_TEMPLATE, "domain", "firmware", "uuid"), (uuid_of_name("db"), uuid_of_name("web"))),
    "serial": (_set(*_IN_TEMPLATE, "domain", "firmware", "serial"), ("db", "1")),
    "cores": (_set(*_IN_TEMPLATE, "domain", "cpu"), ({"cores": 2}, {"cores": 4})),
    "eviction": (_set(*_IN_TEMPLATE, "evictionStrategy"), ("LiveMigrate", "None")),
    "machine": (_set(*_IN_TEMPLATE, "domain", "machine"), ({"type": "q35"}, {"type": "virt"})),
    "volumes": (
        _set(*_IN_TEMPLATE, "volumes"),
        (
            [{"name": "root", "dataVolume": {"name": "root"}}],
            [{"name": "root", "emptyDisk": {"capacity": "1Gi"}}],
        ),
    ),
    "labels": (_set("template", "metadata", "labels"), ({"app": "db"}, {"app": "web", "tier": "a"})),
    "strategy": (_set("runStrategy"), ("Halted", "Always")),
}
CHANGE = st.sampled_from([(name, value) for name, (_, values) in CHANGES.items() for value in values])
OVERLAY = st.fixed_dictionaries(
    {
        "namespace": st.sampled_from(["prod", "site-1", "db", ""]),
        "sizes": st.tuples(st.sampled_from(["", "1Gi"]), st.sampled_from(["", "1Gi", "2Gi"])),
        "source": st.booleans(),
    }
)


VOLUME = st.sampled_from(["image", "claim", "made", "other", "disk"])


@examples(0.5)
@given(
    VOLUME,
    st.lists(OVERLAY, min_size=2, max_size=4),
    st.lists(CHANGE, max_size=2),
    st.lists(CHANGE, min_size=1, max_size=2),
    st.sampled_from(["1.3", "1.4", "1.6", "1.9"]),
)
def test_shared_judgements_are_those_of_each_machine(
    volume: str,
    overlays: list[dict[str, Any]],
    base: list[tuple[str, object]],
    changes: list[tuple[str, object]],
    release: str,
) -> None:
    begin_run()
    shared = EqualChanges()
    for overlay in overlays:
        sides: list[OverlaySide] = []
        states: list[ProjectState] = []
        for size, made in zip(overlay["sizes"], (base, [*base, *changes]), strict=True):
            machines = [machine(name, overlay["namespace"], volume) for name in ("db", "web", "a.b")]
            for content in machines:
                for name, value in made:
                    CHANGES[name][0](content, deepcopy(value))
            objects = [*machines]
            objects += [disk(overlay["namespace"], size)] if size else []
            objects += [data_source(overlay["namespace"])] if overlay["source"] else []
            written = tuple(Resource(each, Site("a.yaml")) for each in objects)
            sides.append(OverlaySide(Release.parse(release), written))
            states.append(ProjectState(ResourceSet(written), Catalog()))
        changed = VmChanges(states[0], states[1], Release.parse(release))
        compared = [
            compare_overlay("a", "a", sides[0], sides[1], changed, equal_changes=equal_changes)
            for equal_changes in (shared, Unshared())
        ]
        assert compared[0] == compared[1]
