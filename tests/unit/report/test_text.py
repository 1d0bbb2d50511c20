from __future__ import annotations

import pytest

from renderer.findings.located import Located, LocatedRelated
from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.kube.location import Location
from renderer.model.kube.res_id import Gvk, ResId
from renderer.report.report import Report
from renderer.report.text import block, excerpt, summary, write

CONFLICT = Located(
    code=Code.CONFLICT,
    message="spec.template.spec.domain.cpu.cores is set by instance type u1.medium",
    location=Location("overlays/prod/db.yaml", 23, 15),
    hint="drop domain.cpu.cores",
    related=(
        LocatedRelated("spec.cpu.guest: 1", location=Location("catalog/u1.yaml", 41)),
        LocatedRelated("no place"),
    ),
)
WARNING = Located(code=Code.DEPRECATED, message="preferCores is deprecated", severity=Severity.WARNING)
LINES = {Location("overlays/prod/db.yaml", 23, 15): "              cores: 2"}


def test_finding_is_followed_by_its_line_related_places_and_hint() -> None:
    assert write(Report((CONFLICT, CONFLICT, WARNING), lines=LINES)) == (
        "overlays/prod/db.yaml:23:15: error[conflict]: "
        "spec.template.spec.domain.cpu.cores is set by instance type u1.medium\n"
        "   23 |               cores: 2\n"
        "      |               ^^^^^\n"
        "  catalog/u1.yaml:41: spec.cpu.guest: 1\n"
        "  no place\n"
        "  hint: drop domain.cpu.cores\n"
        "  also: overlays/prod/db.yaml:23:15\n"
        "\n"
        "warning[deprecated]: preferCores is deprecated\n"
        "\n"
        "2 errors, 1 warning\n"
    )


def of_vm(name: str, message: str, number: int) -> Located:
    vm = ResId(Gvk("kubevirt.io", "v1", "VirtualMachine"), name, "prod")
    return Located(
        code=Code.DEPRECATED, message=message, resource=vm, location=Location(f"{name}.yaml", number)
    )


def test_findings_that_differ_only_by_object_are_grouped() -> None:
    found = [of_vm(f"vm-{number}", f"vm-{number} has an old field", number) for number in range(1, 14)]
    text = write(Report((*found, of_vm("vm", "vm-9 has an old field", 1))))
    assert text == (
        "vm-1.yaml:1: error[deprecated]: vm-1 has an old field\n"
        + "".join(
            f"  also: vm-{number}.yaml:{number} (VirtualMachine prod/vm-{number})\n"
            for number in range(2, 11)
        )
        + "  also: 3 more places; --format json has all of them\n"
        + "\n"
        + "vm.yaml:1: error[deprecated]: vm-9 has an old field\n"
        + "\n"
        + "14 errors\n"
    )


def test_errors_between_other_findings_are_listed_again_below_a_long_report() -> None:
    noise = [WARNING._replace(location=Location("a.yaml", line), message=f"{line}") for line in range(30)]
    errors = [CONFLICT._replace(message=f"{number}", related=()) for number in range(12)]
    ending = "\n12 errors, 30 warnings\n"
    again = "".join(f"  overlays/prod/db.yaml:23:15: conflict: {number}\n" for number in range(10))

    assert write(Report((*noise, *errors))).endswith(f"\nerrors:\n{again}  and 2 more\n{ending}")
    twice = write(Report((*noise, errors[0], errors[0])))
    assert "\n  overlays/prod/db.yaml:23:15: conflict: 0 (and 1 more place)\n" in twice
    assert "errors:" not in write(Report((*noise[:5], errors[0])))
    assert "errors:" not in write(Report((*noise[:8], *errors)))
    assert "errors:" not in write(Report(tuple(noise)))


@pytest.mark.parametrize(
    "other",
    [
        of_vm("b", "old", 1)._replace(code=Code.SCHEMA),
        of_vm("b", "old", 1)._replace(severity=Severity.INFO),
        of_vm("b", "old", 1)._replace(hint="other"),
        of_vm("b", "new", 1),
    ],
)
def test_other_findings_are_separate(other: Located) -> None:
    assert "also" not in write(Report((of_vm("a", "old", 1), other)))


def test_no_findings_print_nothing() -> None:
    assert write(Report(())) == ""


def test_colour_is_used_only_on_request() -> None:
    plain, coloured = (write(Report((CONFLICT,), lines=LINES, colour=colour)) for colour in (False, True))
    assert "\x1b" not in plain
    assert "\x1b[1;31merror[conflict]\x1b[0m" in coloured


def test_the_summary_counts_by_severity() -> None:
    note = Located(code=Code.SCHEMA, message="", severity=Severity.INFO)
    assert summary([CONFLICT, CONFLICT, WARNING, note, note]) == "2 errors, 1 warning, 2 info"
    assert summary([]) == ""


def test_input_cannot_begin_a_line_or_control_the_terminal() -> None:
    hostile = Located(
        code=Code.UNKNOWN_FIELD,
        message="no field \x1b[31mfoo\n::error file=x::boo\r",
        location=Location("a\nb.yaml", 1),
        hint="\x9b2J\u2028",
    )
    assert block(hostile) == (
        "a\\nb.yaml:1: error[unknown-field]: no field \\x1b[31mfoo\\n::error file=x::boo\\r\n"
        "  hint: \\x9b2J\\u2028\n"
    )


@pytest.mark.parametrize("place", ["location", "related"])
def test_file_name_is_not_a_workflow_command(place: str) -> None:
    location = Location("::stop-commands::x/vm.yaml", 1)
    found = Located(
        code=Code.SCHEMA,
        message="m",
        location=location if place == "location" else None,
        related=() if place == "location" else (LocatedRelated("r", location=location),),
    )
    assert not any(line.lstrip().startswith("::") for line in block(found).splitlines())


def test_a_long_value_is_cut_in_the_middle() -> None:
    found = Located(code=Code.SCHEMA, message=f"must be a number, not {'x' * 100_000} at the end")
    shown = block(found)
    assert len(shown) < 1_200
    assert shown.startswith("error[schema]: must be a number, not x")
    assert shown.endswith(" at the end\n")


@pytest.mark.parametrize(
    ("column", "line", "expected"),
    [
        (1, "key: value", ["    1 | key: value", "      | ^^^"]),
        (6, "key: value", ["    1 | key: value", "      |      ^^^^^"]),
        (6, 'key: "a b"', ['    1 | key: "a b"', "      |      ^^"]),
        (3, "- \x1b[31m: x", ["    1 | - \\x1b[31m: x", "      |   ^^^^"]),
        (4, "\tx\ty: 1", ["    1 | \\tx\\ty: 1", "      |      ^"]),
        (5, "日本: x", ["    1 | 日本: x", "      |       ^"]),
        (99, "short", ["    1 | short", "      |      ^"]),
        (0, "whole line", ["    1 | whole line"]),
        (0, "", ["    1 |"]),
    ],
)
def test_caret_marks_the_located_value(column: int, line: str, expected: list[str]) -> None:
    assert list(excerpt(Location("vm.yaml", 1, column), line)) == expected


def test_long_line_is_cut_to_a_window_around_the_column() -> None:
    line = f"{'a' * 5_000} key: {'b' * 5_000}"
    source, caret = excerpt(Location("vm.yaml", 1, 5_002), line)
    assert len(source) <= 110
    assert source[caret.index("^") :].startswith("key:")
    assert source.count("…") == 2
