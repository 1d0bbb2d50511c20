"""The rules as a whole: they are complete, documented and safe."""

from __future__ import annotations

import gc
import time
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from renderer.app.explanations import explanation_of
from renderer.checks import rules
from renderer.checks.rules.context import Context
from renderer.checks.rules.judge import judge
from renderer.checks.rules.rule import Rule
from renderer.checks.rules.table import RULES
from renderer.model.codes import RULE_CODES, STRICT_RULES, WARNING_CODES
from renderer.model.kube.json import Json, JsonObject, without
from renderer.model.kube.resource import ResourceSet
from renderer.model.release import LATEST
from renderer.model.rule_settings import (
    Level,
    RuleSetting,
    RuleSettings,
)
from tests.kubevirt_objects import instancetype, labelled, preference, resources, vm

every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)

VM = vm(
    "web",
    {
        "memory": {"guest": "1Gi", "hugepages": {"pageSize": "2Mi"}},
        "resources": {"requests": {"memory": "512Mi"}},
        "devices": {
            "disks": [{"name": "root", "disk": {}}],
            "interfaces": [{"name": "lan", "bridge": {}, "macAddress": "02:00:00:00:00:01"}],
        },
    },
    preference="linux",
    dataVolumeTemplates=[
        {"metadata": {"name": "root"}, "spec": {"source": {"blank": {}}, "storage": {"resources": {}}}}
    ],
)
OBJECTS: tuple[JsonObject, ...] = (
    VM,
    instancetype(memory={"guest": "1500Mi", "hugepages": {"pageSize": "1Gi"}}),
    preference(firmware={"preferredEfi": {}}, volumes={"preferredStorageClassName": "fast"}),
    labelled("PersistentVolumeClaim", "data", annotations={"ignore.vmrender.io/run-strategy": "why not"}),
)


def judged(*contents: JsonObject, settings: RuleSettings | None = None) -> set[str]:
    """Return the codes of the rules' findings; virtual machines are rendered without preferences."""
    composed = resources(*contents)
    rendered = composed.map(
        lambda resource: resource.with_content(without(resource.content, "spec", "preference"))
    )
    context = Context(rendered, composed, LATEST)
    return {str(finding.code) for finding in judge(context, (), settings or RuleSettings()).diagnostics}


def test_codes_and_rules_agree() -> None:
    assert tuple(rule.code for rule in RULES) == RULE_CODES
    assert tuple(rule.code for rule in RULES if rule.strict) == STRICT_RULES
    assert set(RULE_CODES).isdisjoint(WARNING_CODES)


def test_every_rule_of_the_folder_is_in_the_table() -> None:
    found: set[str] = set()
    for file in Path(rules.__file__).parent.glob("*.py"):
        module = vars(import_module(f"renderer.checks.rules.{file.stem}"))
        found |= {rule.code for rule in (*module.get("RULES", ()), *filter(None, [module.get("RULE")]))}

    assert sorted(found) == [*RULE_CODES]


@every_rule
def test_a_rule_is_explained(rule: Rule) -> None:
    heading, blank, *text = explanation_of(rule.code).markdown.splitlines()

    assert heading.startswith("# ")
    assert not blank
    assert any(line.startswith("Wrong") for line in text)
    assert any(line.startswith("Right") for line in text)


@every_rule
def test_the_examples_of_an_explanation_are_yaml(rule: Rule) -> None:
    blocks = explanation_of(rule.code).markdown.split("```")[1::2]

    assert blocks
    assert all(yaml.safe_load(block.removeprefix("yaml")) for block in blocks)


@every_rule
def test_no_rule_reports_on_an_empty_set(rule: Rule) -> None:
    nothing = Context(ResourceSet(), ResourceSet(), LATEST)

    assert list(rule.check(nothing)) == []
    assert list((rule.strict or rule.check)(nothing)) == []


def mutated(value: Json, path: tuple[int, ...], other: Json) -> Json:
    """``value`` with ``other`` somewhere below it, where ``path`` leads."""
    if not path:
        return other
    head, *rest = path
    if isinstance(value, dict) and value:
        key = sorted(value)[head % len(value)]
        return {**value, key: mutated(value[key], tuple(rest), other)}
    if isinstance(value, list) and value:
        at = head % len(value)
        return [*value[:at], mutated(value[at], tuple(rest), other), *value[at + 1 :]]
    return other


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(max_size=5),
    st.lists(st.none() | st.text(max_size=3), max_size=2),
    st.dictionaries(st.sampled_from(["name", "spec", "a"]), st.none() | st.integers(), max_size=2),
)
EVERYTHING = RuleSettings(tuple(RuleSetting(code, Level.ERROR, strict=True) for code in RULE_CODES))


@given(path=st.lists(st.integers(0, 9), min_size=2, max_size=9), other=ANYTHING)
def test_no_rule_fails_on_objects_that_the_schema_refuses(path: list[int], other: Json) -> None:
    for content in OBJECTS:
        changed = mutated(content, tuple(path), other)
        assert isinstance(changed, dict)
        judged(*(each for each in OBJECTS if each is not content), changed, settings=EVERYTHING)


def test_sample_objects_trigger_rules() -> None:
    assert {"hugepages-overcommit", "storage-class-dropped", "hugepages-remainder"} <= judged(*OBJECTS)


def test_rules_take_linear_time() -> None:
    def seconds(count: int) -> float:
        those = [{**VM, "metadata": {"name": f"web-{at}", "namespace": "prod"}} for at in range(count)]
        those += [labelled("Secret", f"init-{at}") for at in range(count)]
        before = time.process_time()
        judged(*those, settings=EVERYTHING)
        return time.process_time() - before

    gc.collect()
    few = min(seconds(200) for _ in range(3))
    assert seconds(2000) < 40 * few
