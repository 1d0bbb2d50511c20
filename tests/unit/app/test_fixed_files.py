"""What ``vmrender fix`` writes is based on the files as it read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from renderer.app.fixed_files import FixChoice, fix_paths, write_files
from renderer.app.project import Project
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError

MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  template: {spec: {hostnam: web, domain: {devices: {}}}}
"""


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
