from __future__ import annotations

import pytest

from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import DataPlace, Resource


def test_sites_go_from_the_last_patch_to_the_base_and_name_list_elements() -> None:
    content: JsonObject = {
        "kind": "VirtualMachine",
        "spec": {"disks": [{"name": "a"}, {"name": "b", "bus": "sata"}], "cpus": [1]},
    }
    resource = Resource({}, Site("base/vm.yaml", 2)).with_content(content, Site("prod/patch.yaml"))
    named = FieldPath.of("spec", "disks", ElementName("name", "b"), "bus")
    assert resource.sites(FieldPath.of("spec", "disks", 1, "bus")) == (
        Site("prod/patch.yaml", 0, named),
        Site("base/vm.yaml", 2, named),
    )
    assert resource.sites(FieldPath.of("spec", "cpus", 0))[0].field == FieldPath.of("spec", "cpus", 0)


def test_places_of_data_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def generator_of(place: DataPlace) -> Site:
        read.append(place.key)
        return generator

    monkeypatch.setattr(DataPlace, "generator", property(generator_of))
    generator = Site("kustomization.yaml").below("configMapGenerator", 0)
    places = tuple(DataPlace(f"k{n % 90}", generator.below("literals", n)) for n in range(100))
    resource = Resource({"kind": "ConfigMap"}, generator, data_places=places)
    assert [resource.data_place(f"k{n}") for n in range(91)] == [*places[:90], None]
    assert resource.with_content({}, Site("patch.yaml")).data_place("k1") is None
    assert len(read) == 100
