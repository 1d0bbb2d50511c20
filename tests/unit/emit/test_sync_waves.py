from __future__ import annotations

import pytest

from renderer.emit.tree_options import in_sync_waves
from renderer.model.kube.json import Json
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet

WAVE, HOOK = "argocd.argoproj.io/sync-wave", "argocd.argoproj.io/hook"


def wave(api_version: str, kind: str, annotations: Json = None) -> Json:
    metadata: dict[str, Json] = {"name": "x"}
    if annotations is not None:
        metadata["annotations"] = annotations
    content: dict[str, Json] = {"apiVersion": api_version, "kind": kind, "metadata": metadata}
    [resource] = in_sync_waves(ResourceSet((Resource(content, Site("x.yaml")),))).value
    return resource.annotations.get(WAVE)


@pytest.mark.parametrize(
    ("api_version", "kind", "expected"),
    [
        ("v1", "Namespace", "-2"),
        ("instancetype.kubevirt.io/v1beta1", "VirtualMachineClusterInstancetype", "-1"),
        ("instancetype.kubevirt.io/v1alpha2", "VirtualMachinePreference", "-1"),
        ("apps/v1", "ControllerRevision", "-1"),
        ("kubevirt.io/v1", "VirtualMachine", None),
        ("example.com/v1", "Namespace", None),
    ],
)
def test_waves_follow_kinds(api_version: str, kind: str, expected: str | None) -> None:
    assert wave(api_version, kind) == expected
    assert wave(api_version, kind, {"a": "b"}) == expected


def test_existing_wave_or_hook_is_kept() -> None:
    assert wave("v1", "Namespace", {WAVE: "7"}) == "7"
    assert wave("v1", "Namespace", {HOOK: "PreSync"}) is None
