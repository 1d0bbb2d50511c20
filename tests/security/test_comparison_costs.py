"""Comparing takes work that grows with what is compared and with the rules, not with their product."""

from __future__ import annotations

import pytest

from renderer.adopt.live.ignored_differences import IgnoreRules, rules_of_application, rules_of_kustomization
from renderer.app.diff_ignores import Ignores
from renderer.model.difference import ChangeType, Difference, FieldChange, OverlayDifference, ResourceChange
from renderer.model.difference_rule import DifferenceRule
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.kube.resource import Resource
from renderer.model.render_config import RenderConfig
from renderer.model.run.work import begin_run, spent
from renderer.provenance.patterns import FieldPattern

CONFIG_MAP = Gvk("", "v1", "ConfigMap")


def config_map(name: str) -> ResId:
    return ResId(CONFIG_MAP, name, "a")


def changed(count: int) -> Difference:
    field = FieldChange(FieldPath.of("data", "x"), "1", "2")
    changes = tuple(
        ResourceChange(ChangeType.CHANGED, id_, id_, (field,))
        for id_ in (config_map(f"c{number}") for number in range(count))
    )
    return Difference("a", "b", (OverlayDifference("o", "o", (None, None), changes),))


def ignoring(*rules: DifferenceRule) -> tuple[int, list[tuple[str, int]], int]:
    """Return the changes that are left of 1,000, the sources of the others, and the steps."""
    ignores = Ignores((), RenderConfig(ignored_differences=rules))
    begin_run()
    [overlay] = ignores.without_ignored(changed(1000)).overlays
    return len(overlay.changes), [(each.source, each.number) for each in overlay.ignored], spent()


@pytest.mark.parametrize(("kind", "name", "left"), [("", "b*", 1000), ("Config*", "", 0), ("", "c7", 999)])
def test_equal_rules_of_a_project_count_once(kind: str, name: str, left: int) -> None:
    rules = [DifferenceRule(f"diff.ignore[{number}]", kind, name, field="data.x") for number in range(5000)]
    found = ignoring(*rules)
    assert found == ignoring(rules[0])
    assert found[0] == left


def test_rules_of_a_project_for_other_objects_cost_nothing() -> None:
    rules = [DifferenceRule(f"{number}", "ConfigMap", f"d{number}") for number in range(5000)]
    assert ignoring(*rules) == (1000, [], 0)


def test_rules_of_a_project_count_in_their_order() -> None:
    rules = [
        DifferenceRule("by name", name="c1", field="data.x"),
        DifferenceRule("by glob", name="c1*", field="data"),
        DifferenceRule("by the same name", name="c1", field="data.x"),
        DifferenceRule("by kind", "ConfigMap", field="data"),
    ]
    assert ignoring(*rules)[:2] == (0, [("by kind", 889), ("by name", 1), ("by glob", 110)])


def application(rules: Json) -> Resource:
    content: JsonObject = {
        "kind": "Application",
        "metadata": {"name": "a"},
        "spec": {"ignoreDifferences": rules},
    }
    return Resource(content, Site("a.yaml"))


def test_rules_of_an_engine_that_aliases_repeat_are_read_once() -> None:
    rule: Json = {"kind": "C*p", "jsonPointers": ["/data/y"]}
    assert len([*rules_of_application(application([rule] * 5000))]) == 1
    flux: Json = {"paths": ["/data/y"]}
    content: JsonObject = {"kind": "Kustomization", "spec": {"ignore": [flux] * 5000}}
    assert len([*rules_of_kustomization(Resource(content, Site("k.yaml")))]) == 1


def test_rules_of_an_engine_for_other_objects_cost_nothing() -> None:
    rules: Json = [
        {"kind": "ConfigMap", "name": f"c{number}", "jsonPointers": ["/data/y"]} for number in range(5000)
    ]
    found = IgnoreRules(rules_of_application(application(rules)))
    begin_run()
    for number in range(1000):
        assert [each.name for each in found.about(config_map(f"c{number}"))] == [f"c{number}"]
    assert spent() == 0


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("...a" * 40 + ".b", ("a",) * 90, None),
        ("...a" * 40, ("a",) * 90, 40),
        ("." * 30_000, ("a",) * 90, None),
        (".".join("a" * 3000), ("a" + ".a" * 2999,), 1),
        ("...a" * 40 + ".b", ("a" + ".a" * 90,), None),
    ],
)
def test_a_pattern_is_not_matched_in_each_way(pattern: str, path: tuple[str, ...], found: int | None) -> None:
    begin_run()
    field = FieldPath(path)
    assert FieldPattern(pattern).match(field, field) == (None if found is None else FieldPath(path[:found]))
    assert spent() < 100_000
