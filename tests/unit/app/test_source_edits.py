"""What ``vmrender fix`` writes is based on the files as it read them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from renderer.app import fix
from renderer.app.project import Project
from renderer.app.source_edits import FixChoice, fix_paths, write_files
from renderer.app.tried_edits import apply_fixes, builds
from renderer.findings.located import Located, LocatedFix
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.run.limits import lowered
from renderer.model.run.work import begin_run, spent

MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  template: {spec: {hostnam: web, domain: {devices: {}}}}
"""
PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\nkubevirt: '1.9'\n"


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    file = tmp_path / "vm.yaml"
    file.write_text(MACHINE)
    fixed = fix_paths(lambda _path, _top=None: Project.read(tmp_path), (file,), FixChoice())
    assert [*fixed[0].contents] == ["vm.yaml"]
    edited = MACHINE.replace("Always", "Halted")
    file.write_text(edited)
    with pytest.raises(DiagnosticError) as raised:
        write_files(fixed)
    assert [each.code for each in raised.value.diagnostics] == [Code.WRITE_FAILED]
    assert file.read_text() == edited


def test_overlays_are_built_again_only_to_prove_a_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.delattr(fix, "builds")
    (tmp_path / "vm.yaml").write_text(MACHINE.replace("hostnam: web, ", "evictionStrategy: Never, "))
    fixed = fix_paths(lambda _path, _top=None: Project.read(tmp_path), (), FixChoice())
    assert not fixed[0].contents


def _old_machines(root: Path, count: int) -> None:
    """Write machines with a machine type that is gone; an annotation of the first one repeats it."""
    (root / ".git").mkdir()
    (root / "vmrender.yaml").write_text(PROJECT)
    overlay = root / "overlays" / "one"
    overlay.mkdir(parents=True)
    for number in range(count):
        (overlay / f"vm{number}.yaml").write_text(
            MACHINE.replace("hostnam: web, ", "")
            .replace("name: web", f"name: web{number}, annotations: {{type: none}}")
            .replace("{devices: {}}", "{machine: {type: pc-q35-rhel7.4.0}, devices: {}}")
        )
    (overlay / "kustomization.yaml").write_text(
        f"resources: {json.dumps([f'vm{number}.yaml' for number in range(count)])}\n"
        "replacements:\n"
        "- source: {name: web0, fieldPath: spec.template.spec.domain.machine.type}\n"
        "  targets: [{select: {name: web0}, fieldPaths: [metadata.annotations.type]}]\n"
    )


def test_one_fix_that_cannot_be_proved_costs_few_trials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _old_machines(tmp_path, 64)
    judged: list[int] = []

    def counted(*arguments: object, **named: object) -> object:
        judged.append(1)
        return builds(*arguments, **named)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(fix, "builds", counted)
    [fixed] = fix_paths(lambda _path, _top=None: Project.read(tmp_path), (tmp_path,), FixChoice())
    assert sorted(fixed.contents) == sorted(f"overlays/one/vm{number}.yaml" for number in range(1, 64))
    [left] = fixed.fixes.unfixed if fixed.fixes else ()
    assert left.reason == "VirtualMachine web0 in overlays/one would change at metadata.annotations.type"
    assert len(judged) < 2 * (64).bit_length()


def test_findings_that_had_no_lines_at_first_are_fixed_next(tmp_path: Path) -> None:
    (tmp_path / "vmrender.yaml").write_text("apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n")
    for number in range(12):
        (tmp_path / f"vm{number}.yaml").write_text(MACHINE)
    begin_run()
    with lowered({"work": 40_000}):
        [fixed] = fix_paths(lambda _path, _top=None: Project.read(tmp_path), (tmp_path,), FixChoice())
    assert len(fixed.contents) == 12


def test_mistakes_of_one_document_are_mended_for_the_cost_of_one(tmp_path: Path) -> None:
    values = [f"a{number}" for number in range(20)]
    (tmp_path / "vm.yaml").write_text("".join(f"{value}: 1\n" for value in values))
    project = Project.with_defaults(tmp_path)
    findings = [
        Located(
            Code.SCHEMA, value, fix=LocatedFix("vm.yaml", 0, ROOT, (SetField(FieldPath.of(value), 2),), "1")
        )
        for value in values
    ]
    costs: list[int] = []
    files: dict[str, bytes] = {}
    for wanted in (findings[:1], findings):
        begin_run()
        applied, files = apply_fixes(project, {}, wanted)
        costs.append(spent())
        assert applied == wanted
    assert files["vm.yaml"].decode() == "".join(f"{value}: 2\n" for value in values)
    assert costs[1] < 2 * costs[0]
