from __future__ import annotations

from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource


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
