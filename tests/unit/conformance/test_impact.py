"""The suite ``impact`` on our own pairs: it passes right verdicts, and reports wrong ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from renderer.model.kube.json import Json
from tests.conformance.impact import run


def vm(**domain: Json) -> dict[str, Any]:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "vm", "namespace": "default"},
        "spec": {
            "runStrategy": "Always",
            "template": {"spec": {"domain": {"memory": {"guest": "4Gi"}, "devices": {}, **domain}}},
        },
    }


def pair(new: dict[str, Any], **truth: Json) -> dict[str, Any]:
    return {"id": "a", "release": "1.9", "old": vm(), "new": new, "config": {}, "truth": truth}


def test_verdicts_on_pairs_match_kubevirt(tmp_path: Path) -> None:
    grown = vm(memory={"guest": "8Gi"})  # on the pod network by a bridge, which does not migrate
    right = {"class": "restart", "pending": ["spec.domain.memory.guest"]}
    pairs = [
        pair(grown, **right),
        pair(vm(machine={}), **{"class": "none"}),
        pair(grown, **{"class": "live"}),
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in pairs), encoding="utf-8")
    passed, same, failed = run([file])
    assert passed.passed
    assert same.passed
    assert not failed.passed
    assert failed.actual == {
        "effect": "restart",
        "pending": ["spec.domain.memory.guest"],
        "refusedAtStart": False,
    }
