"""Entry objects of imported trees: names that any object can have, and pins before machines."""

from __future__ import annotations

import re
from pathlib import Path

from renderer.adopt.entry_objects import (
    DeployedTree,
    application_set,
    entry_names,
    flux_kustomizations,
)
from renderer.files.file_system import DiskFileSystem
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.render_config import RenderConfig
from renderer.pipeline import Pipeline
from renderer.yamlio.encode import encode

PINS = DeployedTree("prod", "rendered/prod", has_pins=True)
OBJECTS: tuple[JsonObject, ...] = (
    {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {"name": "a", "labels": {"instancetype.kubevirt.io/object-name": "a"}},
    },
    {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": {"name": "of-somebody"}},
    {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "db"}},
    {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "labels": {"app": "db"}}},
)


def test_names_are_valid_and_distinct() -> None:
    names = entry_names(["_cluster", "cluster", "prod", "prod_fitted", "prod-fitted", "_", "Prod.x"])
    assert all(re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", name) for name in names.values())
    assert len(set(names.values())) == len(names)
    assert (names["cluster"], names["prod"], names["prod-fitted"]) == ("cluster", "prod", "prod-fitted")


def test_flux_applies_pins_alone_and_first(tmp_path: Path) -> None:
    [[pins, machines]] = flux_kustomizations("vms", [PINS])
    assert array_at(machines, "spec", "dependsOn") == [{"name": text_at(pins, "metadata", "name")}]
    (tmp_path / "objects.yaml").write_text(encode(OBJECTS))
    found = []
    for each in (pins, machines):
        spec = object_at(each, "spec")
        assert (spec["suspend"], spec["prune"], spec["path"]) == (True, False, "./rendered/prod")
        kustomization = {"resources": ["objects.yaml"], "patches": spec["patches"]}
        (tmp_path / "kustomization.yaml").write_text(encode([kustomization]))
        composed = Pipeline(DiskFileSystem(tmp_path), RenderConfig()).compose(".")
        assert composed.diagnostics == ()
        found.append({f"{each.kind} {each.name}" for each in composed.value})
    assert found == [
        {"ControllerRevision a"},
        {"ControllerRevision of-somebody", "VirtualMachine db", "Service db"},
    ]


def test_applications_neither_sync_nor_prune() -> None:
    made = application_set("vms", "https://git.example.org/a/b.git", [PINS])
    policy = object_at(made, "spec", "template", "spec", "syncPolicy")
    assert policy == {"syncOptions": ["ServerSideApply=true", "Prune=false"]}
    assert object_at(made, "spec", "syncPolicy") == {"preserveResourcesOnDeletion": True}
