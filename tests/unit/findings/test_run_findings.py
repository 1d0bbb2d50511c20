"""Which findings of a run are stored, and how the others are reported."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import copy_context
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import renderer
from renderer.cli.app import main
from renderer.files.file_system import MemoryFileSystem
from renderer.findings.located import Located, LocatedRelated, Unshown
from renderer.findings.merged import MergedFindings
from renderer.findings.run_findings import FindingFilter, RunFindings
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.location import Location, Site
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.masking import Masking
from renderer.model.run.limits import VARIABLE
from renderer.model.run.readings import readings
from renderer.model.run.taint import begin_notes, taint


def finding(line: int, severity: Severity = Severity.WARNING, overlay: str = "prod") -> Located:
    return Located(
        code=Code.RUN_STRATEGY,
        message=f"{severity} in line {line}",
        severity=severity,
        location=Location("vm.yaml", line),
        overlays=(overlay,),
    )


def merged(findings: Sequence[Located], most: int | None = None) -> MergedFindings:
    found = MergedFindings(most)
    for each in findings:
        found.add(each)
    return found


FINDINGS = st.lists(
    st.builds(
        finding,
        st.integers(1, 30),
        st.sampled_from([Severity.ERROR, Severity.WARNING]),
        st.sampled_from(["prod", "test", "lab"]),
    ),
    max_size=120,
)


@given(FINDINGS, st.integers(1, 10))
def test_first_findings_are_kept_errors_first_and_the_rest_counted(
    findings: list[Located], most: int
) -> None:
    everything = merged(findings).found()
    wanted = sorted(everything, key=lambda each: each.severity is not Severity.ERROR)

    bounded = merged(findings, most)
    kept = bounded.found()

    assert {each.message for each in kept} == {each.message for each in wanted[:most]}
    assert list(kept) == [each for each in everything if each in kept]
    rest = wanted[most:]
    errors = [each for each in rest if each.severity is Severity.ERROR]
    assert (bounded.unshown.errors, bounded.unshown.others) == (len(errors), len(rest) - len(errors))
    assert bounded.unshown.codes == {each.code for each in errors}


@given(FINDINGS)
def test_at_most_twice_the_shown_findings_are_stored(findings: list[Located]) -> None:
    found = MergedFindings(5)
    for each in findings:
        found.add(each)
        assert len(found) <= 10


def test_ignored_codes_are_dropped_and_strict_makes_errors_of_warnings() -> None:
    fs = MemoryFileSystem({})
    warning = Diagnostic(Code.RUN_STRATEGY, "a", Severity.WARNING)
    assert not RunFindings(fs, FindingFilter()).add([warning])
    strict = RunFindings(fs, FindingFilter(strict=True))
    assert strict.add([warning])
    assert not strict.add([])
    assert strict.has_errors
    ignoring = RunFindings(fs, FindingFilter(frozenset({Code.RUN_STRATEGY}), strict=True))
    assert not ignoring.add([warning])
    assert ignoring.found() == ()


def test_located_findings_are_filtered_and_levelled_too() -> None:
    strict = RunFindings(None, FindingFilter(strict=True))
    assert strict.add_located([finding(1)])
    assert strict.found() == (finding(1)._replace(severity=Severity.ERROR),)
    ignoring = RunFindings(None, FindingFilter(frozenset({Code.RUN_STRATEGY}), strict=True))
    assert not ignoring.add_located([finding(1)])
    assert ignoring.found() == ()


def secret_in_texts(text: str) -> Diagnostic:
    return Diagnostic(
        Code.SCHEMA,
        f"message with {text}",
        location=Location("vm.yaml", 1),
        hint=f"hint with {text}",
        related=(Related(f"related to {text}"),),
    )


MASKED = Located(
    Code.SCHEMA,
    "message with ***",
    location=Location("vm.yaml", 1),
    hint="hint with ***",
    related=(LocatedRelated("related to ***"),),
)


def test_texts_mask_the_values_of_the_finding() -> None:
    found = secret_in_texts("correct-horse")._replace(confidential=(Masking(["correct-horse"]),))
    assert RunFindings(None).located(found) == MASKED


def test_texts_mask_the_values_of_the_run() -> None:
    def run() -> None:
        begin_notes()
        taint(["correct-horse"])
        assert RunFindings(None).located(secret_in_texts("correct-horse")) == MASKED

    copy_context().run(run)


def test_keys_of_cloud_init_are_shown_and_other_lines_of_its_data_are_not() -> None:
    data = "network:\n  version: 2\nusers:\n  - correct-horse:\n"
    masking = Masking([*readings(data), "correct-horse:"])
    found = secret_in_texts("users: network: version: 2 correct-horse:")._replace(confidential=(masking,))
    assert RunFindings(None).located(found).message == "message with users: network: *** ***"


def test_texts_mask_the_values_at_their_location() -> None:
    fs = MemoryFileSystem({"s.yaml": b"stringData: {a: correct-horse}\n"})
    site = Site("s.yaml", 0, FieldPath.of("stringData", "a"))
    found = secret_in_texts("correct-horse")._replace(location=None, sites=(site,))
    located = RunFindings(fs).located(found)
    assert located == MASKED._replace(location=Location("s.yaml", 1, 17))


def test_value_noted_later_is_masked_in_earlier_findings() -> None:
    """Findings that differ only in the value are one finding once it is masked."""

    def run() -> None:
        begin_notes()
        findings = RunFindings(None)
        findings.add([secret_in_texts("correct-horse")])
        findings.add_located([MASKED])
        taint(["correct-horse"])
        assert findings.found() == (MASKED,)

    copy_context().run(run)


def test_omitted_findings_stay_counted_after_a_later_value() -> None:
    def run() -> None:
        begin_notes()
        findings = RunFindings(None, FindingFilter(most=2))
        findings.add_located(finding(line) for line in range(1, 4))
        taint(["correct-horse"])
        assert findings.found() == (finding(1), finding(2))
        assert findings.unshown == Unshown(others=1)

    copy_context().run(run)


OVERLAYS, MACHINES = 6, 5
MACHINE = """\
---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: vm-{number}}}
spec:
  running: true
  template: {{spec: {{domain: {{memory: {{guest: 1Gi}}, devices: {{}}}}}}}}
"""


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which every machine has a separate warning."""
    (tmp_path / "vmrender.yaml").write_text("apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n")
    for number in range(OVERLAYS):
        folder = tmp_path / "overlays" / f"o{number}"
        folder.mkdir(parents=True)
        (folder / "kustomization.yaml").write_text("resources: [vms.yaml]\n")
        (folder / "vms.yaml").write_text(
            "".join(MACHINE.format(number=machine) for machine in range(MACHINES))
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.mark.usefixtures("fleet")
@pytest.mark.parametrize("command", [("render", "--no-cache"), ("validate",)])
def test_run_reports_the_number_of_hidden_findings(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "findings=4")
    result = run(*command)
    assert result.exit_code == 0
    assert f"{OVERLAYS * MACHINES - 4} more findings are not shown" in result.stderr
    assert "overlays/o0/vms.yaml:6:3" in result.stderr
    assert "overlays/o1" not in result.stderr.replace("overlays/o1 ->", "")

    strict = run(*command, "--strict")
    assert strict.exit_code == 1
    assert "4 errors, 1 info" in strict.stderr


@pytest.mark.usefixtures("fleet")
def test_cached_run_reports_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "findings=4")
    first = run("render", "--check")
    assert first.exit_code == 1
    run("render")
    second, third = run("render", "--check"), run("render", "--check", "--no-cache")
    assert second.exit_code == 0
    assert second.stderr == third.stderr
    assert "26 more findings are not shown" in second.stderr


def test_overlay_with_a_hidden_error_is_not_reported_as_valid(
    fleet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "findings=2")
    for number in range(OVERLAYS - 1):
        file = fleet / "overlays" / f"o{number}" / "vms.yaml"
        file.write_text(file.read_text().replace("devices: {}", "devices: {diks: []}"))
    result = run("render", "--no-cache")
    assert result.exit_code == 1
    broken = ", ".join(f"overlays/o{number}" for number in range(OVERLAYS - 1))
    assert f"not rendered, because of errors: {broken}\n" in result.stderr
    assert (fleet / "rendered/o5").exists()
    assert not (fleet / "rendered/o4").exists()


@pytest.mark.usefixtures("fleet")
def test_a_function_of_the_library_returns_all_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "findings=2")
    project = renderer.open_project()
    assert len(renderer.validate(project)) == OVERLAYS * MACHINES
    assert len(renderer.write(project).findings) == OVERLAYS * MACHINES


def of_object(name: str, overlay: str = "prod", message: str = "{} is wrong", row: str = "") -> Located:
    return Located(
        code=Code.SCHEMA,
        message=message.format(name),
        location=Location("vm.yaml.j2", 6),
        resource=ResId(Gvk("kubevirt.io", "v1", "VirtualMachine"), name),
        related=(LocatedRelated(f"made of {row}", is_row=True),) if row else (),
        overlays=(overlay,),
    )


def test_mistake_of_a_line_is_one_finding_whatever_objects_the_line_makes() -> None:
    rows = [of_object(f"db-{row}", row=f"n={row}") for row in range(12)]
    (found,) = merged([*rows, *(each._replace(overlays=("test",)) for each in rows)]).found()
    assert found.message == "db-0 is wrong"
    assert found.related == (LocatedRelated("made of n=0", is_row=True),)
    assert found.other_objects == 11
    assert found.overlays == ("prod", "test")


def test_merged_findings_of_several_workers_count_each_object_once() -> None:
    workers = [
        merged([of_object(f"{overlay}-{name}", overlay) for name in "abc"]).found()
        for overlay in ("prod", "test")
    ]
    (found,) = merged([each for findings in workers for each in findings]).found()
    assert found.other_objects == 5
    (same,) = merged([*workers[0], *workers[0]]).found()
    assert same.other_objects == 2


def test_a_name_that_is_a_word_of_the_message_does_not_hide_that_both_are_equal() -> None:
    (found,) = merged([of_object(name, message="must be a number") for name in ("a", "b")]).found()
    assert found.other_objects == 1


def test_messages_about_different_values_are_not_merged() -> None:
    two = [of_object("a", message="1GB is no size"), of_object("b", message="2GB is no size")]
    assert merged(two).found() == tuple(two)
