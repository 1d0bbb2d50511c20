from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.findings.located import Located, LocatedFix
from renderer.findings.quoted_lines import TaintedQuotes, quoted_lines, without_hidden_values
from renderer.model.codes import Code
from renderer.model.kube.field_path import ROOT
from renderer.model.kube.location import Location
from renderer.model.run.taint import begin_notes, taint
from renderer.model.run.work import allowed, begin_run, may_find_lines, spent

VALUE = "canary-is-a-bird"
FILES = {
    "a.yaml": f"kind: Thing\nspec:\n  password: {VALUE}\n  colour: {VALUE}\n  size: large\n".encode(),
    "notes.txt": VALUE.encode(),
}


@pytest.fixture
def quotes() -> TaintedQuotes:
    begin_run()
    begin_notes()
    taint([VALUE])
    return TaintedQuotes(MemoryFileSystem(FILES))


def test_a_line_that_would_be_shown_with_a_value_is_tainted(quotes: TaintedQuotes) -> None:
    assert quotes.any_at([None, Location("a.yaml", 5), Location("a.yaml", 4)])


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.yaml", 3),  # hidden
        ("a.yaml", 5),  # without a value
        ("a.yaml", 9),  # beyond the end
        ("notes.txt", 1),  # not quoted
        ("removed.yaml", 1),
    ],
)
def test_other_lines_are_not_tainted(quotes: TaintedQuotes, path: str, line: int) -> None:
    assert not quotes.any_at([None, Location(path, line)])


@pytest.mark.parametrize("written", ['"canary-is\\\n  -a-bird"', '"canary\\x2Dis-a-bird"'])
def test_a_line_with_a_part_of_a_value_or_an_escape_is_tainted(written: str) -> None:
    begin_notes()
    taint([VALUE])
    quotes = TaintedQuotes(MemoryFileSystem({"a.yaml": f"colour: {written}\n".encode()}))
    assert quotes.any_at([Location("a.yaml", 1)])


def test_without_values_no_line_is_tainted(quotes: TaintedQuotes) -> None:
    begin_notes()
    assert not quotes.any_at([Location("a.yaml", 4)])


def test_a_value_noted_later_counts_in_lines_that_were_asked_about_before(quotes: TaintedQuotes) -> None:
    size = Location("a.yaml", 5)
    assert not quotes.any_at([size])
    taint(["size: large"])
    assert quotes.any_at([size])


def test_what_may_be_shown_is_decided_once_for_a_line_and_costs_steps() -> None:
    begin_run()
    begin_notes()
    taint([VALUE])
    text = "".join(f"k{number}: {VALUE}\n" for number in range(1000))
    quotes = TaintedQuotes(MemoryFileSystem({"a.yaml": text.encode()}))
    places = [Location("a.yaml", number) for number in range(1, 1001)]

    costs = []
    for _ in range(3):
        before = spent()
        assert quotes.any_at(places)
        costs.append(spent() - before)

    assert costs[0] > 4 * len(text)
    assert costs[1] == costs[2] < len(text)


@pytest.mark.parametrize(("line", "old"), [(3, None), (4, None), (5, "large")])
def test_fix_has_no_old_value_if_its_line_is_not_shown(line: int, old: str | None) -> None:
    begin_notes()
    taint([VALUE])
    fix = LocatedFix("a.yaml", 0, ROOT, (), "large")
    finding = Located(Code.UNKNOWN_FIELD, "", location=Location("a.yaml", line), fix=fix)

    [shown] = without_hidden_values(MemoryFileSystem(FILES), [finding])

    assert shown.fix == fix._replace(old=old)


def test_lines_are_quoted_although_the_search_for_the_lines_of_findings_has_used_up_its_steps() -> None:
    begin_run()
    place = Location("a.yaml", 5)
    assert not may_find_lines(allowed())
    finding = Located(Code.SCHEMA, "invalid", location=place)
    assert quoted_lines(MemoryFileSystem(FILES), [finding]) == {place: "  size: large"}
