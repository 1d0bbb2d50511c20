"""A VM that KubeVirt started from its source, and the rendered tree that replaces it."""

from __future__ import annotations

import json

import pytest

from renderer.app.comparison.compared_overlay import compare_sides
from renderer.app.comparison.side import Side
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import MemoryFileSystem
from renderer.model.difference import Effect
from renderer.model.kube.json import Json, JsonObject
from tests.kubevirt_objects import instancetype, kubevirt, preference, vm

OBJECTS = (
    instancetype("medium"),
    preference("linux", devices={"preferredDiskBus": "virtio", "preferredInterfaceModel": "virtio"}),
    kubevirt(),
)


def side(mode: str, machine: JsonObject) -> Side:
    files: dict[str, Json] = {
        "vmrender.yaml": {
            "apiVersion": "vmrender.io/v1alpha1",
            "kind": "RenderConfig",
            "overlays": [{"path": "o", "expand": mode}],
        },
        "o/kustomization.yaml": {"resources": [f"{number}.yaml" for number in range(len(OBJECTS) + 1)]},
    }
    for number, content in enumerate((machine, *OBJECTS)):
        files[f"o/{number}.yaml"] = content
    texts = {path: json.dumps(content).encode() for path, content in files.items()}
    return Side(mode, BuiltinFileSystem(MemoryFileSystem(texts)))


def machine(devices: JsonObject, **spec: Json) -> JsonObject:
    content = vm("db", {"devices": devices}, instancetype="medium", preference="linux")
    template: Json = {"spec": {"domain": {"devices": devices}, **spec}}
    return {**content, "spec": {**dict(content["spec"]), "template": template}}  # type: ignore[arg-type]  # a mapping


VOLUMES: list[Json] = [{"name": "root", "containerDisk": {"image": "fedora:42"}}]
DISKS: list[Json] = [{"name": "root", "disk": {}}]
NETWORK: dict[str, Json] = {"networks": [{"name": "default", "pod": {}}]}
INTERFACES: list[Json] = [{"name": "default", "masquerade": {}}]


@pytest.mark.parametrize(
    ("written", "effect"),
    [
        (machine({"disks": DISKS, "interfaces": INTERFACES}, volumes=VOLUMES, **NETWORK), Effect.NONE),
        # KubeVirt compares the written specs, and finds a disk that it has added itself until now.
        (machine({"interfaces": INTERFACES}, volumes=VOLUMES, **NETWORK), Effect.RESTART),
    ],
)
def test_writing_out_the_rendered_machine_has_the_expected_effect(
    written: JsonObject, effect: Effect
) -> None:
    before, after = side("off", written), side("applied", written)
    difference = compare_sides((before, after), (before.render("o"), after.render("o")), "o", "o", ())
    [change] = [each for each in difference.changes if each.after and each.after.name == "db"]
    assert change.impact is not None
    assert change.impact.effect is effect
    reasons = {
        field.impact.reason for field in change.fields if field.impact and field.impact.effect is effect
    }
    assert effect is Effect.NONE or all("changes nothing" in reason for reason in reasons)
