"""``vmrender diff`` of an object that the cluster refuses: what stays undone with it, in all formats."""

from __future__ import annotations

import json
import shutil
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from renderer.cli.app import main
from tests.cli.diff_repositories import SCHEMA
from tests.cli.git_work_tree import commit, init, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

ENTRY = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: %s, namespace: flux-system}
spec: {path: %s, prune: true, interval: 10m, dependsOn: [%s], sourceRef: {kind: GitRepository, name: a}}
"""
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: prod}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 20Gi}}}
"""
SETTINGS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: prod}
data: {colour: blue}
"""
JOB = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: copy, namespace: prod}
spec:
  schedule: 0 3 * * *
  jobTemplate:
    spec:
      template:
        spec: {containers: [{name: copy, image: "registry.example.org/copy:%s"}], restartPolicy: Never}
"""
FILES = {
    "vmrender.yaml": 'apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\nkubevirt: "1.9"\n',
    "flux/machines.yaml": ENTRY % ("machines", "overlays/prod", ""),
    "flux/apps.yaml": ENTRY % ("apps", "apps", "{name: machines}"),
    "overlays/prod/kustomization.yaml": "resources: [claim.yaml, settings.yaml]\n",
    "overlays/prod/claim.yaml": CLAIM,
    "overlays/prod/settings.yaml": SETTINGS,
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = init(tmp_path / "repository")
    commit(folder, FILES)
    write(folder, {"overlays/prod/settings.yaml": SETTINGS.replace("blue", "green")})
    monkeypatch.chdir(folder)
    return folder


def diff(output_format: str) -> str:
    result = CliRunner(catch_exceptions=False).invoke(main, ["diff", "--format", output_format])
    return unescape(result.stdout)


@pytest.mark.parametrize("output_format", ["text", "markdown", "html"])
def test_readers_see_what_stays_undone(repository: Path, output_format: str) -> None:
    write(repository, {"overlays/prod/claim.yaml": CLAIM.replace("20Gi", "10Gi")})
    shown = diff(output_format)
    assert "Kustomization flux-system/machines: Flux applies nothing else of it" in shown
    assert "stays undone: 1 change, ConfigMap prod/settings" in shown
    assert "waits until it is ready: Kustomization flux-system/apps" in shown


def test_programs_read_what_stays_undone(repository: Path) -> None:
    write(repository, {"overlays/prod/claim.yaml": CLAIM.replace("20Gi", "10Gi")})
    document = json.loads(diff("json"))
    Draft202012Validator(SCHEMA).validate(document)
    (stalled,) = document["overlays"][0]["stalled"]
    assert stalled["deployer"]["name"] == "machines"
    assert [each["name"] for each in stalled["undone"]] == ["settings"]
    assert [each["name"] for each in stalled["waiting"]] == ["apps"]


@pytest.mark.parametrize("output_format", ["text", "markdown", "html"])
def test_readers_see_images_from_and_to(repository: Path, output_format: str) -> None:
    write(repository, {"overlays/prod/settings.yaml": JOB % 1})
    commit(repository, {})
    write(repository, {"overlays/prod/settings.yaml": JOB % 2})
    shown = diff(output_format)
    assert "registry.example.org/copy" in shown
    assert "CronJob prod/copy" in shown
    document = json.loads(diff("json"))
    Draft202012Validator(SCHEMA).validate(document)
    (image,) = document["overlays"][0]["images"]
    assert (image["before"]["tag"], image["after"]["tag"]) == ("1", "2")


def test_admitted_change_stops_nothing(repository: Path) -> None:
    write(repository, {"overlays/prod/claim.yaml": CLAIM.replace("20Gi", "30Gi")})
    assert "undone" not in diff("text")
    assert "stalled" not in json.loads(diff("json"))["overlays"][0]
