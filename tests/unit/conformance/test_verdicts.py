"""The suite ``verdicts`` on objects of our own: an error refuses, a warning does not."""

from __future__ import annotations

import json
from pathlib import Path

from renderer.model.kube.json import JsonObject
from tests.conformance.verdicts import run


def case(expect: str, spec: JsonObject, release: str = "1.9") -> JsonObject:
    template: JsonObject = {"domain": {"devices": {}, "memory": {"guest": "1Gi"}}, **spec}
    content: JsonObject = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "vm", "namespace": "default"},
        "spec": {"runStrategy": "Always", "template": {"spec": template}},
    }
    return {"id": f"{release} {expect}", "release": release, "object": content, "expect": expect}


def test_only_errors_refuse_an_object(tmp_path: Path) -> None:
    toleration: JsonObject = {"tolerations": [{"key": "a", "operator": "Exist"}]}
    file = tmp_path / "cases.jsonl"
    cases = (
        case("allowed", {}),
        case("refused", toleration),
        case("allowed", toleration, "0.59"),
        case("allowed", toleration),
    )
    file.write_text("".join(json.dumps(each) + "\n" for each in cases), encoding="utf-8")
    results = list(run([file]))
    assert [result.actual for result in results] == [
        {"verdict": verdict} for verdict in ("allowed", "refused", "allowed", "refused")
    ]
    assert [result.passed for result in results] == [True, True, True, False]
    assert "operator cannot be" in results[-1].detail
