from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.__main__ import main
from tests.conformance.kustomize import run_case

RESOURCE = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n"
CASE: dict[str, Any] = {
    "id": "own/one",
    "excluded": None,
    "path": "o",
    "files": {"o/kustomization.yaml": "resources: [c.yaml]", "o/c.yaml": RESOURCE},
    "expect": {"stdout": RESOURCE},
}


def case(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - cases are JSON
    return {**CASE, **changes}


def test_case_passes_at_each_level_separately() -> None:
    reordered = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: c}\n"
    assert run_case(CASE).fields == {"level 1": True, "level 2": True}
    assert run_case(case(expect={"stdout": reordered})).fields == {"level 1": True, "level 2": False}
    other = run_case(case(expect={"stdout": RESOURCE.replace("c\n", "d\n")}))
    assert other.fields == {"level 1": False, "level 2": False}
    assert not other.passed


def test_types_count_when_documents_are_compared() -> None:
    files = {"o/kustomization.yaml": "resources: [c.yaml]", "o/c.yaml": RESOURCE + "data: {a: 1}\n"}
    result = run_case(case(files=files, expect={"stdout": RESOURCE + 'data:\n  a: "1"\n'}))
    assert not result.fields["level 1"]


def test_an_expected_failure_passes_when_the_build_fails() -> None:
    files = {"o/kustomization.yaml": "resources: [nope]"}
    result = run_case(case(files=files, expect={"error": "no such file"}))
    assert result.passed
    assert result.actual == {
        "error": "file-not-found: no such file or folder: o/nope (o/kustomization.yaml: resources[0])"
    }
    assert not run_case(case(expect={"error": "x"})).passed


def test_links_bytes_and_arguments_are_honoured() -> None:
    files = {
        "o/kustomization.yaml": {"base64": "cmVzb3VyY2VzOiBbYy55YW1sXQ=="},
        "o/c.yaml": {"symlink": "../c.yaml"},
        "c.yaml": RESOURCE,
    }
    assert not run_case(case(files=files)).passed
    assert run_case(case(files=files, args=["--load-restrictor", "LoadRestrictionsNone"])).passed


def test_unsorted_order_is_compared_if_given() -> None:
    first, second = RESOURCE.replace("name: c", "name: z"), RESOURCE
    files = {"o/kustomization.yaml": "resources: [r]", "o/r": f"{first}---\n{second}"}
    expect = {"stdout": f"{second}---\n{first}", "stdout_reorder_none": f"{first}---\n{second}"}
    assert run_case(case(files=files, expect=expect)).fields["reorder none"]


def test_the_command_prints_a_table_the_failing_ids_and_the_sum(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [CASE, case(id="own/two", expect={"error": "x"}), case(id="own/three", excluded="network")]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in cases))
    emitted = tmp_path / "emitted.jsonl"
    assert main(["kustomize", str(tmp_path), "--emit", str(emitted)]) == 1
    output = capsys.readouterr().out
    assert "own  1/2" in output
    assert "FAILED own/two" in output
    assert output.endswith("1 passed, 1 failed\n")
    assert [json.loads(line) for line in emitted.read_text().splitlines()] == [
        {"id": "own/one", "actual": {"stdout": RESOURCE}},
        {"id": "own/two", "actual": {"stdout": RESOURCE}},
    ]


def test_catalogs_are_compared_byte_by_byte(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c1").mkdir()
    (tmp_path / "c1/kustomization.yaml").write_text("resources: [c.yaml]")
    (tmp_path / "c1/c.yaml").write_text(RESOURCE)
    (tmp_path / "c1.expected.yaml").write_text(RESOURCE)
    assert main(["catalogs", str(tmp_path)]) == 0
    assert capsys.readouterr().out.endswith("1 passed, 0 failed\n")
