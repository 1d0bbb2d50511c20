from __future__ import annotations

import json
import re
from typing import Any

import pytest

from renderer.findings.located import Located, LocatedRelated
from renderer.model.codes import Code, Explanation
from renderer.model.diagnostic import Severity
from renderer.model.kube.location import Location
from renderer.report.paths import uri_of
from renderer.report.report import Report
from renderer.report.sarif import MOST_RELATED, MOST_RESULTS, write


def run_of(report: Report) -> Any:  # noqa: ANN401 - a JSON document
    document = json.loads(write(report))
    assert document["version"] == "2.1.0"
    [run] = document["runs"]
    return run


def test_fields_required_by_code_scanning_are_present(report: Report) -> None:
    run = run_of(report)
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["conflict", "deprecated", "schema", "yaml-syntax"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"error", "warning", "note"}
        assert result["message"]["text"]
        assert result["partialFingerprints"]["primaryLocationLineHash"]
        [location] = result["locations"]
        assert location["physicalLocation"]["region"]["startLine"] >= 1
    assert [result["level"] for result in run["results"]] == ["error", "error", "warning", "note"]


def test_paths_are_uris_below_the_root_of_the_sources(report: Report) -> None:
    artifacts = [
        result["locations"][0]["physicalLocation"]["artifactLocation"] for result in run_of(report)["results"]
    ]
    assert artifacts == [
        {"uri": "overlays/prod/my%20db.yaml", "uriBaseId": "%SRCROOT%"},
        {
            "uri": "a%3Ab%2Cc%25d%0D%0A%3C%26%3E%22%1B%00%ED%A0%80%5D%5D%3E.yaml",
            "uriBaseId": "%SRCROOT%",
        },
        {"uri": "-"},
        {"uri": "vmrender.yaml", "uriBaseId": "%SRCROOT%"},
    ]


def test_related_place_is_a_related_location(report: Report) -> None:
    first = run_of(report)["results"][0]
    assert first["relatedLocations"] == [
        {
            "id": 1,
            "physicalLocation": {
                "artifactLocation": {"uri": "builtin:common/u1.yaml"},
                "region": {"startLine": 41, "startColumn": 3},
            },
            "message": {"text": "spec.cpu.guest: 1"},
        }
    ]
    assert (
        first["message"]["text"] == "cores is set by instance type u1.medium\nwithout a place\nhint: drop it"
    )


def test_explanation_of_a_code_is_the_help_of_its_rule() -> None:
    finding = Located(code=Code.CONFLICT, message="m", location=Location("vm.yaml", 1))
    explain = {Code.CONFLICT: Explanation("short", "# short\n\nlong\n")}
    [rule] = run_of(Report((finding,), explain=explain.__getitem__))["tool"]["driver"]["rules"]
    assert rule["shortDescription"] == {"text": "short"}
    assert rule["help"] == {"text": "# short\n\nlong\n", "markdown": "# short\n\nlong\n"}


def test_braces_and_links_of_a_message_are_escaped() -> None:
    location = Location("vm.yaml", 1)
    finding = Located(
        code=Code.SCHEMA,
        message="a[0] is {0}, see [x](1)",
        location=location,
        related=(LocatedRelated("{r}", location=location),),
        hint="[{]",
    )
    explain = {Code.SCHEMA: Explanation("use {}", "use `{}`, [here](there)")}
    run = run_of(Report((finding,), explain=explain.__getitem__))
    [result], [rule] = run["results"], run["tool"]["driver"]["rules"]
    assert result["message"]["text"] == "a\\[0\\] is {{0}}, see \\[x\\](1)\nhint: \\[{{\\]"
    assert result["relatedLocations"][0]["message"]["text"] == "{{r}}"
    assert rule["shortDescription"]["text"] == "use {{}}"
    assert rule["help"] == {"text": "use `{{}}`, \\[here\\](there)", "markdown": "use `{}`, [here](there)"}


@pytest.mark.parametrize(
    "text",
    [
        r"[Approved \] see report](https://evil.example/x)",
        r"\[x](https://evil.example/x)",
        r"\\[x\\](https://evil.example/x)",
        "![x](https://evil.example/x.png)",
        "[a[b]c](https://evil.example/x)",
        "[x]\n[x]: https://evil.example/x",
        "`rm -rf /`",
        "\\`rm -rf /`",
        "[`x`](//evil.example)",
    ],
)
@pytest.mark.parametrize("part", ["message", "hint", "related"])
def test_input_makes_no_link_and_no_code(text: str, part: str) -> None:
    location = Location("vm.yaml", 1)
    finding = Located(
        code=Code.SCHEMA,
        message=text if part == "message" else "wrong",
        location=location,
        related=(LocatedRelated(text, location=location),) if part == "related" else (),
        hint=text if part == "hint" else None,
    )
    [result] = run_of(Report((finding,)))["results"]
    messages = [result["message"], *(each["message"] for each in result.get("relatedLocations", ()))]
    for message in messages:
        assert not re.search(r"[\[\]`]", re.sub(r"\\.", "", message["text"])), (
            "a bracket or quote is not escaped"
        )
    assert any(re.sub(r"\\(.)", r"\1", message["text"]).endswith(text) for message in messages)


def test_indices_of_lists_stay_as_they_are() -> None:
    message = "spec.template.spec.volumes[0].disks[name=root] and C:\\x are wrong"
    [result] = run_of(Report((Located(code=Code.SCHEMA, message=message),)))["results"]
    assert result["message"]["text"] == message


def test_finding_without_a_location_is_reported_at_the_project_file(report: Report) -> None:
    location = run_of(report._replace(nowhere=Location("sub/vmrender.yaml")))["results"][-1]["locations"][0][
        "physicalLocation"
    ]
    assert location["artifactLocation"]["uri"] == "sub/vmrender.yaml"


def test_non_utf_8_name_keeps_its_bytes() -> None:
    assert uri_of(b"a/\xff.yaml".decode("utf-8", "surrogateescape")) == "a/%FF.yaml"


def test_limits_of_code_scanning_are_respected_errors_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_RESULTS == 25_000
    monkeypatch.setattr("renderer.report.sarif.MOST_RESULTS", 10)
    warning = Located(
        code=Code.SCHEMA, message="w", severity=Severity.WARNING, location=Location("vm.yaml", 1)
    )
    error = Located(
        code=Code.SCHEMA,
        message="e",
        location=Location("vm.yaml", 9),
        related=(LocatedRelated("r", location=Location("a.yaml", 1)),) * (MOST_RELATED + 1),
    )
    run = run_of(Report((*[warning] * 10, error)))
    assert len(run["results"]) == 10
    assert run["results"][0]["message"]["text"] == "e"
    assert len(run["results"][0]["relatedLocations"]) == MOST_RELATED
    [notification] = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"].startswith("1 more ")
