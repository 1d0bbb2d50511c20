"""What a changed ``KubeVirt`` object does to machines whose manifests stay the same."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.model.difference import Effect, ResourceChange
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

LISTED = "permittedHostDevices: {pciHostDevices: [{pciVendorSelector: '10DE:1', resourceName: NAME%s}]}"
OURS, EXTERNAL = LISTED % "", LISTED % ", externalResourceProvider: true"
DEVICE = "gpus: [{name: g, deviceName: n/v}]"
PLUGIN = "interfaces: [{name: default, binding: {name: x}}]"
HAS_PLUGIN = "network: {binding: {x: {sidecarImage: a}}}"


def configured(configuration: str) -> dict[str, Any]:
    return {"configuration": yaml.safe_load(f"{{{configuration.replace('NAME', 'n/v')}}}")}


def object_(kind: str, name: str, spec: dict[str, Any]) -> Resource:
    metadata = {"name": name, "namespace": "shop"}
    content: dict[str, Any] = {
        "apiVersion": "kubevirt.io/v1",
        "kind": kind,
        "metadata": metadata,
        "spec": spec,
    }
    return Resource(content, Site("a.yaml"))


def changes_with(devices: str, before: dict[str, Any], after: dict[str, Any]) -> dict[str, ResourceChange]:
    template = {"spec": {"domain": {"devices": yaml.safe_load(f"{{{devices}}}")}}}
    machine = object_("VirtualMachine", "db", {"runStrategy": "Always", "template": template})
    kubevirts = [object_("KubeVirt", "kubevirt", spec) for spec in (before, after)]
    sides = [OverlaySide(LATEST, (each, machine), kubevirt=each.content) for each in kubevirts]
    return {each.id.gvk.kind: each for each in compare_overlay("a", "a", sides[0], sides[1]).changes}


@pytest.mark.parametrize(
    ("devices", "before", "after", "words"),
    [
        (PLUGIN, HAS_PLUGIN, "", "no longer has the plugin x"),
        (DEVICE, OURS, "", "no node offers the device"),
        (DEVICE.replace("gpus", "hostDevices"), OURS, "", "no node offers the device"),
        (DEVICE, OURS, OURS.replace("NAME", "n/other"), "KubeVirt makes no pod"),
        (DEVICE, EXTERNAL, OURS.replace("NAME", "n/other"), "KubeVirt makes no pod"),
        (DEVICE, "", OURS.replace("NAME", "n/other"), "KubeVirt makes no pod"),
    ],
)
def test_machine_does_not_start_without_what_it_uses(
    devices: str, before: str, after: str, words: str
) -> None:
    change = changes_with(devices, configured(before), configured(after))["VirtualMachine"]
    assert change.effects == (Effect.NO_START, Effect.NONE)
    assert change.impact is not None
    assert words in change.impact.reason
    assert change.start_refusal == change.impact.reason


@pytest.mark.parametrize(
    ("devices", "before", "after"),
    [
        (PLUGIN, f"{HAS_PLUGIN}, evictionStrategy: None", HAS_PLUGIN),
        (PLUGIN, "", "evictionStrategy: None"),  # a plugin that the repository does not know
        (DEVICE, EXTERNAL, ""),
        (DEVICE, "", OURS),
        (DEVICE, OURS.replace("NAME", "n/other"), ""),
        (DEVICE, OURS.replace("NAME", "n/other"), OURS.replace("NAME", "n/third")),
    ],
)
def test_machine_that_loses_nothing_is_not_mentioned(devices: str, before: str, after: str) -> None:
    assert [*changes_with(devices, configured(before), configured(after))] == ["KubeVirt"]


@pytest.mark.parametrize("field", ["imageTag", "imageRegistry"])
@pytest.mark.parametrize(("methods", "effect"), [([], None), (["Evict"], Effect.EVICTED)])
def test_other_images_are_another_kubevirt(field: str, methods: list[str], effect: Effect | None) -> None:
    strategy = {"workloadUpdateStrategy": {"workloadUpdateMethods": methods}}
    found = changes_with("", strategy, {**strategy, field: "other"})
    assert found["KubeVirt"].effects == (Effect.LIVE,)
    machine = found.get("VirtualMachine")
    assert (machine and machine.impact and machine.impact.effect) is effect
