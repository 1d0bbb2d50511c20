"""The comparison of objects is counted as work."""

from __future__ import annotations

from contextvars import copy_context

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import Release
from renderer.model.run.work import begin_run, spent
from tests.kubevirt_objects import vm


def machine(name: str, cores: int) -> Resource:
    content: JsonObject = vm(name, {"devices": {}, "cpu": {"cores": cores}})
    return Resource(content, Site("a.yaml"))


def config_map(name: str, entries: int, value: Json) -> Resource:
    data: Json = {str(number): value for number in range(entries)}
    return Resource(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}, Site("a.yaml")
    )


def steps(before: list[Resource], after: list[Resource]) -> int:
    def compare() -> int:
        begin_run()
        old, new = (OverlaySide(Release.parse("1.8"), tuple(each)) for each in (before, after))
        compare_overlay("prod", "prod", old, new)
        return spent()

    return copy_context().run(compare)


def test_changed_machines_cost_more_steps_than_equal_ones() -> None:
    before = [machine(str(number), 1) for number in range(10)]
    after = [machine(str(number), 2 + number) for number in range(10)]

    assert steps(before, after) > 10_000 > steps(before, before)


def test_each_changed_field_costs_steps() -> None:
    few, many = (steps([config_map("a", size, "b")], [config_map("a", size, "c")]) for size in (10, 1000))
    assert many > 30 * few > 0


def test_characters_of_changed_texts_cost_steps() -> None:
    def texts(character: str) -> list[Resource]:
        return [config_map("settings", 100, character * 32_000)]

    assert steps(texts("x"), texts("y")) > 2 * 100 * 32_000 / 20
