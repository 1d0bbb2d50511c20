from __future__ import annotations

from renderer.kustomize.identity import with_previous_id
from renderer.kustomize.res_map import ResMap
from renderer.model.kube.json import JsonObject, with_value
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource


def config_map(name: str) -> Resource:
    content: JsonObject = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
    return Resource(content, Site("config-maps.yaml"))


def renamed(resource: Resource, name: str) -> Resource:
    content = with_value(resource.content, ("metadata", "name"), name)
    return with_previous_id(resource).with_content(content)


def keys_named(resources: ResMap, name: str | None) -> list[int]:
    return [key for key, _ in resources.named(name)]


def test_resources_are_found_by_current_and_previous_names() -> None:
    resources = ResMap([config_map("a"), renamed(config_map("a"), "b"), config_map("b")])

    assert keys_named(resources, "a") == [0, 1]
    assert keys_named(resources, "b") == [1, 2]
    assert keys_named(resources, "c") == []
    assert keys_named(resources, None) == [0, 1, 2]


def test_name_index_follows_every_change() -> None:
    resources = ResMap([config_map("a"), config_map("b"), config_map("c")])
    assert keys_named(resources, "d") == []

    resources.extend([config_map("d")])
    resources.replace(0, renamed(resources[0], "d"))
    assert keys_named(resources, "d") == [0, 3]

    resources.remove(3)
    assert keys_named(resources, "d") == [0]

    resources.update(lambda resource: renamed(resource, f"x-{resource.name}"))
    assert keys_named(resources, "x-d") == [0]
    assert keys_named(resources, "b") == [1]
