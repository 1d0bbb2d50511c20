"""A change that tells Flux or Argo CD to ignore it does not go unnoticed in ``diff``, now or later."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.security.git_history import committed, git
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
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: vms, namespace: argocd}
spec:
  project: default
  destination: {server: https://kubernetes.default.svc, namespace: default}
  source: {path: vms, repoURL: https://github.com/example/fleet}
"""
DEVIATING = (
    f"{APPLICATION}  ignoreDifferences: [{{group: '', kind: ConfigMap, jsonPointers: [/data/mode]}}]\n"
)
OF_KUSTOMIZATION = "spec.ignore of Kustomization vms"


def write_change(root: Path, before: tuple[str, str], after: tuple[str, str]) -> None:
    """Commit what deploys an object, and the object, and write both as they are after a change."""
    engine = "argocd" if "argoproj.io" in before[0] else "flux"
    project = f"apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{{{engine}: clusters}}]\n"
    files = root / "vmrender.yaml", root / "clusters/vms.yaml", root / "vms/c.yaml"
    for file, text in zip(files, (project, *before), strict=True):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    committed(root)
    for file, text in zip(files[1:], after, strict=True):
        file.write_text(text, encoding="utf-8")


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
    write_change(tmp_path, before, (after[0], after[1].replace("safe", "open")))
    monkeypatch.chdir(tmp_path)

    _, stdout, _ = invoked("diff")
    assert any(line.endswith(f"ignored: {ignored}") for line in stdout.splitlines()), stdout


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ((KUSTOMIZATION, EXEMPT), (KUSTOMIZATION, CONFIG_MAP), OF_OBJECT),
        (
            (KUSTOMIZATION, EXEMPT.replace("reconcile: disabled", "ssa: IfNotPresent")),
            (KUSTOMIZATION, CONFIG_MAP),
            "kustomize.toolkit.fluxcd.io/ssa: IfNotPresent",
        ),
        ((IGNORING, CONFIG_MAP), (KUSTOMIZATION, CONFIG_MAP), OF_KUSTOMIZATION),
        ((IGNORING, CONFIG_MAP), (IGNORING.replace("/data", "/data/other"), CONFIG_MAP), OF_KUSTOMIZATION),
        ((DEVIATING, CONFIG_MAP), (APPLICATION, CONFIG_MAP), "ignoreDifferences of Application vms"),
    ],
)
def test_what_was_kept_back_arrives_with_the_change_that_removes_the_reason(
    before: tuple[str, str],
    after: tuple[str, str],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_change(tmp_path, before, after)
    monkeypatch.chdir(tmp_path)

    code, stdout, _ = invoked("diff --fail-on data")
    assert re.search(rf"earlier changes of ConfigMap (default/)?c arrive now: {reason}", stdout), stdout
    assert code == 1


@pytest.mark.parametrize(
    ("before", "after", "summary"),
    [
        (
            (IGNORING, CONFIG_MAP),
            (IGNORING.replace("[/data]", "[/data, /binaryData]"), CONFIG_MAP),
            "1 changed (1 overlay)",
        ),
        (
            (IGNORING.replace("/data", "/binaryData"), CONFIG_MAP),
            (KUSTOMIZATION, CONFIG_MAP),
            "1 changed (1 overlay)",
        ),
        ((KUSTOMIZATION, EXEMPT), (KUSTOMIZATION, EXEMPT), ""),
    ],
)
def test_nothing_is_said_to_arrive_that_was_not_kept_back(
    before: tuple[str, str],
    after: tuple[str, str],
    summary: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_change(tmp_path, before, after)
    monkeypatch.chdir(tmp_path)

    _, stdout, _ = invoked("diff")
    assert "arrive" not in stdout
    assert summary in stdout
    assert bool(stdout) is bool(summary)


JSON_MAP = (
    '{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "{}"}}, "data": {{"mode": "{}"}}}}'
)
FIRST, SECOND = JSON_MAP.format("c", "safe"), JSON_MAP.format("d", "open")


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        pytest.param(f"{FIRST}{SECOND}".encode(), "added ConfigMap d", id="after another JSON object"),
        pytest.param(f"\ufeff{SECOND}".encode("utf-16"), "added ConfigMap d", id="in UTF-16"),
        pytest.param(SECOND.encode().replace(b"open", b"\xff"), "added ConfigMap d", id="not UTF-8"),
        pytest.param(SECOND.replace('"data"', '"data": {}, "data"').encode(), "not compared", id="key twice"),
    ],
)
def test_objects_that_argo_cd_reads_in_odd_files_are_shown(
    content: bytes, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_change(tmp_path, (APPLICATION, CONFIG_MAP), (APPLICATION, CONFIG_MAP))
    (tmp_path / "vms/d.yaml").write_bytes(content)
    monkeypatch.chdir(tmp_path)

    code, stdout, _ = invoked("diff")
    assert (code != 0, shown in stdout) == (True, True), stdout


MODULES = '[submodule "s"]\n\tpath = {}\n\turl = https://example.org/s.git\n'
RECURSIVE = APPLICATION.replace("path: vms,", "path: vms, directory: {recurse: true},")


@pytest.mark.parametrize("folder", ["vms/sub", "rendered/clusters/vms/sub"])
def test_submodules_that_an_engine_fetches_are_errors_where_they_are_empty(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_change(tmp_path, (RECURSIVE, CONFIG_MAP), (RECURSIVE, CONFIG_MAP))
    monkeypatch.chdir(tmp_path)
    assert invoked("render")[0] == 0
    output = next(tmp_path.glob("rendered/**/.vmrender-owned")).parent.relative_to(tmp_path).as_posix()
    folder = folder.replace("rendered/clusters/vms", output)
    (tmp_path / folder).mkdir()
    (tmp_path / ".gitmodules").write_text(MODULES.format(folder), encoding="utf-8")
    git(tmp_path, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},{folder}")

    for command in ("validate", "render --check"):
        code, _, stderr = invoked(command)
        assert (code != 0, f"{folder} is a submodule that is empty here" in stderr) == (True, True), command
    assert folder != "vms/sub" or invoked("diff --fail-on refused,data")[0] != 0


@pytest.mark.parametrize("converted", ["vms/c.yaml", "rendered/**"])
def test_files_that_git_converts_at_checkout_are_errors(
    converted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_change(tmp_path, (APPLICATION, CONFIG_MAP), (APPLICATION, CONFIG_MAP))
    monkeypatch.chdir(tmp_path)
    assert invoked("render")[0] == 0
    git(tmp_path, "add", "--all")
    attributes = f"{converted} working-tree-encoding=SHIFT_JIS\n"
    (tmp_path / ".gitattributes").write_text(attributes, encoding="utf-8")

    for command in ("validate", "render --check"):
        code, _, stderr = invoked(command)
        assert (code != 0, "for its attribute working-tree-encoding=SHIFT_JIS" in stderr) == (True, True)
    assert converted != "vms/c.yaml" or invoked("diff --fail-on refused,data")[0] != 0
