"""Sync waves in which Argo CD waits for a halted machine."""

from __future__ import annotations

import pytest

from renderer.checks.rules.context import Context
from renderer.checks.rules.halted_in_sync_waves import RULE
from renderer.model.kube.json import Json, JsonObject
from renderer.model.release import LATEST
from tests.kubevirt_objects import labelled, resources, vm

WAVE, HOOK = "argocd.argoproj.io/sync-wave", "argocd.argoproj.io/hook"


def messages(
    other: dict[str, str], own: dict[str, str] | None = None, **spec: str | bool | None
) -> list[str]:
    power: dict[str, Json] = {**spec} if spec else {"runStrategy": "Halted"}
    machine = vm("web", None, **power)
    metadata = machine["metadata"]
    assert isinstance(metadata, dict)
    annotated: JsonObject = {**machine, "metadata": {**metadata, "annotations": own or {}}}
    everything = resources(annotated, labelled("ConfigMap", "settings", annotations=other))
    return [finding.message for finding in RULE.check(Context(everything, everything, LATEST))]


@pytest.mark.parametrize(
    ("other", "own"),
    [({}, {}), ({WAVE: "1"}, {WAVE: "1"}), ({WAVE: "0"}, {}), ({WAVE: "one"}, {}), ({HOOK: "Skip"}, {})],
)
def test_single_sync_wave_does_not_wait(other: dict[str, str], own: dict[str, str]) -> None:
    assert messages(other, own) == []


@pytest.mark.parametrize("other", [{WAVE: "1"}, {WAVE: "-1"}, {HOOK: "PreSync"}, {HOOK: "PostSync"}])
def test_later_sync_wave_waits_for_the_machine(other: dict[str, str]) -> None:
    assert messages(other) == [
        "the machine is in sync wave 0 and does not run: Argo CD never finishes the sync"
    ]


def test_machine_halted_with_running_false_is_waited_for() -> None:
    assert len(messages({WAVE: "1"}, runStrategy=None, running=False)) == 1


@pytest.mark.parametrize("strategy", ["Always", "Manual", "RerunOnFailure"])
def test_machine_that_may_run_is_not_reported(strategy: str) -> None:
    assert messages({WAVE: "1"}, runStrategy=strategy) == []
