"""No command edits a file of Git that a link among the sources leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.security.git_history import committed
from tests.security.test_secrets import invoked

DEPRECATED = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: a}
spec: {running: true, template: {spec: {domain: {devices: {}}}}}
"""


@pytest.mark.parametrize("command", ["fix", "migrate", "fix o/a.yaml", "migrate o/a.yaml"])
def test_file_of_git_is_not_edited(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "o").mkdir()
    (tmp_path / "o/kustomization.yaml").write_text("resources: [a.yaml]\n", encoding="utf-8")
    (tmp_path / "o/a.yaml").symlink_to("../.git/a.yaml")
    project = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{path: o}]\n"
    (tmp_path / "vmrender.yaml").write_text(project, encoding="utf-8")
    committed(tmp_path)
    (tmp_path / ".git/a.yaml").write_text(DEPRECATED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    code, _, stderr = invoked(command)
    assert (tmp_path / ".git/a.yaml").read_text(encoding="utf-8") == DEPRECATED
    assert code in (0, 1, 2), stderr
