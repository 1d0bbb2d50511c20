from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.location import Location
from renderer.report.text import render, summary

CONFLICT = Diagnostic(
    code=Code.CONFLICT,
    message="spec.template.spec.domain.cpu.cores is set by instance type u1.medium",
    location=Location("overlays/prod/db.yaml", 23, 15),
    hint="drop domain.cpu.cores",
    related=(Related("spec.cpu.guest: 1", location=Location("catalog/u1.yaml", 41)), Related("no place")),
)
WARNING = Diagnostic(code=Code.DEPRECATED, message="preferCores is deprecated", severity=Severity.WARNING)


def test_a_finding_is_a_line_with_its_other_sides_and_its_hint_below() -> None:
    assert render([CONFLICT, WARNING]) == (
        "overlays/prod/db.yaml:23:15: error[conflict]: "
        "spec.template.spec.domain.cpu.cores is set by instance type u1.medium\n"
        "  catalog/u1.yaml:41: spec.cpu.guest: 1\n"
        "  no place\n"
        "  hint: drop domain.cpu.cores\n"
        "warning[deprecated]: preferCores is deprecated\n"
    )


def test_the_summary_counts_by_severity() -> None:
    assert summary([CONFLICT, CONFLICT, WARNING]) == "2 errors, 1 warning"
    assert summary([]) == ""


def test_input_can_neither_begin_a_line_nor_speak_to_the_terminal() -> None:
    hostile = Diagnostic(
        code=Code.UNKNOWN_FIELD,
        message="no field \x1b[31mfoo\n::error file=x::boo\r",
        location=Location("a\nb.yaml", 1),
        hint="\x9b2J\u2028",
    )
    assert render([hostile]) == (
        "a\\nb.yaml:1: error[unknown-field]: no field \\x1b[31mfoo\\n::error file=x::boo\\r\n"
        "  hint: \\x9b2J\\u2028\n"
    )
