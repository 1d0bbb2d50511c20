"""The table of what each setting of a ``KubeVirt`` object does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from renderer.kubevirt.impact.settings import NOT_JUDGED, SETTINGS, changed_settings, objects_of_settings
from renderer.model.difference import Effect
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from tests.house import ROOT

SCHEMAS = sorted((ROOT / "schemas/kubevirt").glob("*/kubevirt.json"))


def fields(schema: dict[str, Any], node: dict[str, Any], path: str = "") -> Iterator[str]:
    """Yield the fields of a schema, each before those in it."""
    if "$ref" in node:
        node = schema["$defs"][node["$ref"].rpartition("/")[2]]
    for key, child in node.get("properties", {}).items():
        yield f"{path}{key}"
        yield from fields(schema, child, f"{path}{key}.")


def test_each_field_of_each_release_is_in_the_table() -> None:
    rows = {each.field for each in SETTINGS}
    known = set[str]()
    for path in SCHEMAS:
        schema = json.loads(path.read_text(encoding="utf-8"))
        known.update(fields(schema, schema["properties"]["spec"]))
    leaves = {each for each in known if not any(other.startswith(f"{each}.") for other in known)}
    missing = {each for each in leaves if not any(f"{each}.".startswith(f"{row}.") for row in rows)}
    assert not missing
    assert rows <= known
    assert len(rows) == len(SETTINGS)


@pytest.mark.parametrize(
    ("before", "after", "effect", "words"),
    [
        ("defaultRuntimeClass: ''", "defaultRuntimeClass: kata", Effect.NO_START, "RuntimeClass kata"),
        ("selinuxLauncherType: ''", "selinuxLauncherType: x_t", Effect.NO_START, "SELinux type x_t"),
        ("{}", "developerConfiguration: {nodeSelectors: {gpu: a}}", Effect.NO_START, "with gpu=a"),
        ("developerConfiguration: {useEmulation: true}", "{}", Effect.NO_START, "on nodes with KVM"),
        ("{}", "developerConfiguration: {useEmulation: true}", Effect.PENDING, "without KVM"),
        ("{}", "virtualMachineInstancesPerNode: 5", Effect.NO_START, "on which 5 machines run"),
        ("evictionStrategy: LiveMigrate", "{}", Effect.PENDING, "shuts down machines without"),
        (
            "evictionStrategy: LiveMigrate",
            "evictionStrategy: LiveMigrateIfPossible",
            Effect.PENDING,
            "that it cannot live-migrate",
        ),
        ("{}", "hypervisors: [{name: mshv}]", Effect.NO_START, "nodes with mshv"),
        ("imagePullPolicy: Always", "imagePullPolicy: Never", Effect.NO_START, "have the image"),
        (
            "network: {binding: {x: {sidecarImage: a}}}",
            "network: {binding: {x: {sidecarImage: b}}}",
            Effect.PENDING,
            "machines with x",
        ),
        ("{}", "migrations: {network: lan}", Effect.NO_START, "with the network lan"),
        ("migrations: {network: lan}", "{}", Effect.LIVE, "virtual machines run on"),
        ("{}", "migrations: {unsafeMigrationOverride: true}", Effect.AT_RISK, "may damage them"),
        (
            "{}",
            "seccompConfiguration: {virtualMachineInstanceProfile: {customProfile: {localhostProfile: a}}}",
            Effect.NO_START,
            "the profile a",
        ),
        ("{}", "minCPUModel: Haswell", Effect.NONE, "minCPUModel does to machines is not judged"),
        ("{}", "developerConfiguration: {diskVerification: {memoryLimit: 1Mi}}", Effect.NONE, "not judged"),
        ("{}", "unknown: {field: 1}", Effect.NONE, "another unknown does to machines is not judged"),
    ],
)
def test_setting_that_harms_machines(before: str, after: str, effect: Effect, words: str) -> None:
    specs = [{"configuration": yaml.safe_load(each)} for each in (before, after)]
    [(_, impact)] = changed_settings(specs[0], specs[1])
    assert impact is not None
    assert impact.effect is effect
    assert words in impact.reason


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("defaultRuntimeClass: kata", "{}"),
        (
            "developerConfiguration: {nodeSelectors: {a: b, gpu: a}}",
            "developerConfiguration: {nodeSelectors: {a: b}}",
        ),
        ("virtualMachineInstancesPerNode: 5", "virtualMachineInstancesPerNode: 6"),
        ("evictionStrategy: None", "evictionStrategy: LiveMigrate"),
        ("hypervisors: [{name: kvm}]", "{}"),
        ("migrations: {allowPostCopy: true}", "{}"),
        ("cpuModel: Haswell", "cpuModel: Skylake"),
    ],
)
def test_setting_that_harms_nothing(before: str, after: str) -> None:
    specs = [{"configuration": yaml.safe_load(each)} for each in (before, after)]
    assert [impact for _, impact in changed_settings(specs[0], specs[1])] == [None]


def test_pull_secret_that_goes_is_said() -> None:
    [(_, impact)] = changed_settings({"imagePullSecrets": [{"name": "a"}]}, {})
    assert impact is not None
    assert "without the Secret a" in impact.reason


def test_setting_without_a_verdict_says_why() -> None:
    assert all(each.judge or each.note for each in SETTINGS)
    assert any(each.note is NOT_JUDGED for each in SETTINGS)


def test_pull_secret_that_is_replaced_is_not_missing() -> None:
    changes = changed_settings({"imagePullSecrets": [{"name": "a"}]}, {"imagePullSecrets": [{"name": "b"}]})
    assert [impact for _, impact in changes] == [None]


@pytest.mark.parametrize(
    ("setting", "kind", "namespace", "effect"),
    [
        ("defaultRuntimeClass: lan", "RuntimeClass", "", None),
        ("migrations: {network: lan}", "NetworkAttachmentDefinition", "kubevirt", Effect.LIVE),
        ("migrations: {network: lan}", "NetworkAttachmentDefinition", "shop", Effect.NO_START),
        ("migrations: {network: shop/lan}", "NetworkAttachmentDefinition", "shop", Effect.LIVE),
    ],
)
def test_object_that_git_has_is_not_missing(
    setting: str, kind: str, namespace: str, effect: Effect | None
) -> None:
    content = yaml.safe_load(f"{{kind: {kind}, metadata: {{name: lan, namespace: '{namespace}'}}}}")
    there = objects_of_settings([Resource(content, Site("a.yaml"))], "kubevirt")
    [(_, impact)] = changed_settings({}, {"configuration": yaml.safe_load(setting)}, there)
    assert (impact.effect if impact else None) is effect
