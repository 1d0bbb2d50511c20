"""A change that tells Flux or Argo CD to ignore it does not go unnoticed in ``diff``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.security.git_history import committed
from tests.security.test_secrets import invoked

KUSTOMIZATION = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: vms, namespace: flux-system}
spec: {interval: 1h, prune: true, path: ./vms, sourceRef: {kind: GitRepository, name: flux-system}}
"""
IGNORING = KUSTOMIZATION.replace("path:", "ignore: [{paths: [/data]}], path:")
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {mode: safe}\n"
EXEMPT = CONFIG_MAP.replace(
    "name: c", "name: c, annotations: {kustomize.toolkit.fluxcd.io/reconcile: disabled}"
)
OF_OBJECT = "kustomize.toolkit.fluxcd.io/reconcile: disabled"
OF_KUSTOMIZATION = "spec.ignore of Kustomization vms"


@pytest.mark.parametrize(
    ("before", "after", "ignored"),
    [
        ((KUSTOMIZATION, CONFIG_MAP), (KUSTOMIZATION, EXEMPT), f"{OF_OBJECT} (added by this change)"),
        ((KUSTOMIZATION, EXEMPT), (KUSTOMIZATION, EXEMPT), OF_OBJECT),
        ((KUSTOMIZATION, CONFIG_MAP), (IGNORING, CONFIG_MAP), f"{OF_KUSTOMIZATION} (added by this change)"),
        ((IGNORING, CONFIG_MAP), (IGNORING, CONFIG_MAP), OF_KUSTOMIZATION),
    ],
)
def test_ignored_differences_say_what_the_change_itself_adds(
    before: tuple[str, str],
    after: tuple[str, str],
    ignored: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{flux: clusters}]\n"
    for path in ("clusters", "vms"):
        (tmp_path / path).mkdir()
    (tmp_path / "vmrender.yaml").write_text(project, encoding="utf-8")
    for path, text in zip(("clusters/vms.yaml", "vms/c.yaml"), before, strict=True):
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    committed(tmp_path)
    (tmp_path / "clusters/vms.yaml").write_text(after[0], encoding="utf-8")
    (tmp_path / "vms/c.yaml").write_text(after[1].replace("safe", "open"), encoding="utf-8")

    _, stdout, _ = invoked("diff")
    assert any(line.endswith(f"ignored: {ignored}") for line in stdout.splitlines()), stdout
