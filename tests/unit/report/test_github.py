from __future__ import annotations

from renderer.findings.located import Located
from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.kube.location import Location
from renderer.report.github import write
from renderer.report.report import Report


def test_properties_and_message_are_escaped_differently(report: Report) -> None:
    _, hostile, warning, note = write(report).splitlines()
    assert hostile.startswith(
        '::error file=a%3Ab%2Cc%25d\\r\\n<&>"\\x1b\\x00\\ud800]]>.yaml,line=2,title=yaml-syntax::'
        'a:b,c%25d\\r\\n<&>"\\x1b\\x00\\ud800]]>%0A-:1: '
    )
    assert warning == "::warning title=deprecated::-:7: old"
    assert note == "::notice title=schema::no place at all"


def test_an_annotation_has_a_title_the_other_sides_and_the_hint(report: Report) -> None:
    assert write(report).splitlines()[0] == (
        "::error file=overlays/prod/my db.yaml,line=23,col=15,title=conflict%3A VirtualMachine prod/db::"
        "cores is set by instance type u1.medium%0Abuiltin:common/u1.yaml:41:3: spec.cpu.guest: 1"
        "%0Awithout a place%0Ahint: drop it"
    )


def findings(count: int, severity: Severity) -> list[Located]:
    return [
        Located(code=Code.SCHEMA, message=f"m{n}", severity=severity, location=Location("vm.yaml", n))
        for n in range(1, count + 1)
    ]


def test_ten_annotations_of_a_level_are_shown() -> None:
    lines = write(Report(tuple(findings(10, Severity.ERROR)))).splitlines()
    assert len(lines) == 10
    assert all(line.startswith("::error file=vm.yaml,") for line in lines)


def test_tenth_annotation_counts_the_others_which_follow_as_text() -> None:
    report = Report((*findings(12, Severity.ERROR), *findings(11, Severity.WARNING)))
    lines = write(report).splitlines()
    errors = [line for line in lines if line.startswith("::error")]
    assert len(errors) == 10
    assert errors[-1] == "::error title=vmrender::3 more in the log of this step"
    assert [line for line in lines if not line.startswith("::")] == [
        "vm.yaml:10: error[schema]: m10",
        "vm.yaml:11: error[schema]: m11",
        "vm.yaml:12: error[schema]: m12",
        "vm.yaml:10: warning[schema]: m10",
        "vm.yaml:11: warning[schema]: m11",
    ]
