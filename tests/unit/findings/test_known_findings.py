"""A mistake in a base that many overlays share is located, masked and merged once."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import copy_context

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.findings.located import LocatedRelated
from renderer.findings.locator import Locator
from renderer.findings.run_findings import FindingFilter, RunFindings
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.location import Location, Site
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.masking import Masking
from renderer.model.run.limits import DEFAULTS, set_maximum
from renderer.model.run.taint import begin_notes, taint
from renderer.model.run.work import WorkLimitError, begin_run, spent

FS = MemoryFileSystem({"base/vm.yaml": b"metadata: {name: db}\nspec:\n  running: maybe\n"})
MISTAKE = Diagnostic(
    Code.SCHEMA,
    "spec.running of correct-horse must be a boolean",
    sites=(Site("base/vm.yaml", 0, FieldPath.of("spec", "running")),),
    resource=ResId(Gvk("kubevirt.io", "v1", "VirtualMachine"), "db", "a"),
    field=FieldPath.of("spec", "running"),
)
OVERLAYS = tuple(f"overlays/{number}" for number in range(50))


@pytest.fixture
def located(monkeypatch: pytest.MonkeyPatch) -> list[Diagnostic]:
    """The findings whose lines are looked up from now on."""
    found: list[Diagnostic] = []
    locate = Locator.locate

    def noted(self: Locator, each: Diagnostic) -> tuple[Location | None, tuple[LocatedRelated, ...]]:
        found.append(each)
        return locate(self, each)

    monkeypatch.setattr(Locator, "locate", noted)
    return found


def copied(**changed: object) -> Diagnostic:
    """Another object that is equal to the mistake but for ``changed``."""
    return Diagnostic(**{**MISTAKE._asdict(), **changed})


def added(findings: Iterable[Diagnostic], most: int | None = None) -> RunFindings:
    """A run that finds one of the findings in each overlay."""
    run = RunFindings(FS, FindingFilter(most=most))
    for overlay, finding in zip(OVERLAYS, findings, strict=True):
        assert run.add([finding], overlay)
    return run


@pytest.mark.parametrize(
    "findings",
    [
        [MISTAKE] * len(OVERLAYS),
        [copied() for _ in OVERLAYS],
        [
            copied(resource=ResId(Gvk("kubevirt.io", "v1", "VirtualMachine"), f"db-{each}", "a"))
            for each in OVERLAYS
        ],
        [copied(confidential=(Masking([f"other-{each}"]),)) for each in OVERLAYS],
    ],
    ids=["the same", "equal", "about other objects", "with other Secrets"],
)
def test_repeated_finding_is_located_once(findings: list[Diagnostic], located: list[Diagnostic]) -> None:
    [found] = added(findings).found()

    assert found.overlays == OVERLAYS
    assert found.location is not None
    assert found.location.line == 3
    assert len(located) == 1


def test_other_kind_other_message_and_other_place_are_located_again(located: list[Diagnostic]) -> None:
    run = RunFindings(FS)
    others = [
        copied(message="another"),
        copied(resource=ResId(Gvk("", "v1", "Secret"), "db", "a")),
        copied(sites=(Site("base/vm.yaml", 0, FieldPath.of("spec")),)),
        copied(about_key=True),
    ]
    run.add([MISTAKE, *others, MISTAKE])
    assert located == [MISTAKE, *others]


def test_values_of_one_overlay_are_masked_in_its_findings_alone() -> None:
    findings = [copied(confidential=(Masking(["correct-horse"]),)), *[copied() for _ in OVERLAYS[1:]]]
    masked, plain = sorted(added(findings).found(), key=lambda each: len(each.overlays))
    assert (masked.message, masked.overlays) == ("spec.running of *** must be a boolean", OVERLAYS[:1])
    assert (plain.message, plain.overlays) == (MISTAKE.message, OVERLAYS[1:])


def test_value_noted_between_two_overlays_is_masked_in_both() -> None:
    def run() -> None:
        begin_notes()
        findings = RunFindings(FS)
        findings.add([MISTAKE], "a")
        taint(["correct-horse"])
        findings.add([MISTAKE], "b")
        findings.add([copied()], "c")
        [found] = findings.found()
        assert (found.message, {*found.overlays}) == ("spec.running of *** must be a boolean", {*"abc"})

    copy_context().run(run)


def test_overlays_of_alternating_findings_keep_their_order() -> None:
    run = RunFindings(FS)
    other = copied(message="another")
    for number, overlay in enumerate(OVERLAYS):
        run.add([MISTAKE, other] if number % 3 else [other], overlay)
        run.add([MISTAKE], overlay)
    assert {found.overlays for found in run.found()} == {OVERLAYS}


def test_findings_that_are_not_shown_stay_counted_once() -> None:
    run = RunFindings(FS, FindingFilter(most=2))
    warning = copied(code=Code.RUN_STRATEGY, severity=Severity.WARNING)
    warnings = [warning._replace(message=f"warning {each}") for each in range(9)]
    for overlay in OVERLAYS:
        run.add([*warnings, MISTAKE], overlay)
    assert {found.message for found in run.found()} == {MISTAKE.message, "warning 0"}
    assert [len(found.overlays) for found in run.found()] == [len(OVERLAYS)] * 2
    assert (run.unshown.errors, run.unshown.others) == (0, 8)


def test_findings_of_overlays_are_counted_as_work() -> None:
    def steps(findings: list[Diagnostic]) -> int:
        begin_run()
        added(findings)
        return spent()

    same = copy_context().run(steps, [MISTAKE] * len(OVERLAYS))
    equal = copy_context().run(steps, [copied() for _ in OVERLAYS])
    different = copy_context().run(steps, [copied(message=overlay) for overlay in OVERLAYS])
    assert 0 < same < equal < different


def test_findings_end_with_the_work_of_the_run_and_its_last_one_is_reported() -> None:
    def report_for_ever() -> None:
        findings = RunFindings(FS)
        for number in range(1_000_000):
            findings.add([copied(message=str(number))], "a")

    def run() -> None:
        begin_run()
        set_maximum({"work": DEFAULTS.work // 10})
        with pytest.raises(WorkLimitError, match="reporting findings") as stopped:
            report_for_ever()
        last = RunFindings(FS)
        last.add([stopped.value.diagnostic])
        assert [found.code for found in last.found()] == [Code.BUILD_LIMIT]

    copy_context().run(run)
