"""``--format``: which stream gets which output, and in colour or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from renderer.cli.app import main

PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays:\n- path: prod\n"
VIRTUAL_MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec: {runstrategy: Always, template: {spec: {domain: {memory: {guest: 2Gi}, devices: {}}}}}
"""
MACHINE_FORMATS = ("json", "sarif", "gitlab")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "shop"  # the project above is only for this test, too
    (root / "prod").mkdir(parents=True)
    (root / "vmrender.yaml").write_text(PROJECT)
    (root / "prod/kustomization.yaml").write_text("resources: [vm.yaml]\n")
    (root / "prod/vm.yaml").write_text(VIRTUAL_MACHINE)
    monkeypatch.chdir(root)
    return root


def run(*words: str, env: dict[str, str] | None = None) -> Result:
    return CliRunner(catch_exceptions=False).invoke(main, words, prog_name="vmrender", env=env)


@pytest.mark.parametrize("report_format", MACHINE_FORMATS)
@pytest.mark.usefixtures("repository")
def test_report_goes_to_standard_output_if_no_manifests_are_printed(report_format: str) -> None:
    result = run("render", "--format", report_format)
    assert result.exit_code == 1
    assert "runstrategy" in json.dumps(json.loads(result.stdout))
    assert "runstrategy" not in result.stderr


def test_manifests_alone_are_on_standard_output(repository: Path) -> None:
    (repository / "prod/vm.yaml").write_text(VIRTUAL_MACHINE.replace("runstrategy", "runStrategy"))
    result = run("build", "--format", "json", "prod")
    assert result.exit_code == 0
    assert result.stdout.startswith("apiVersion: kubevirt.io/v1\n")
    assert json.loads(result.stderr)["findings"] == []


@pytest.mark.usefixtures("repository")
def test_text_report_goes_to_standard_error() -> None:
    result = run("render")
    assert result.stdout == ""
    assert "prod/vm.yaml:4:8: error[unknown-field]: " in result.stderr


def test_diff_of_a_check_moves_to_standard_error_for_a_report(repository: Path) -> None:
    (repository / "prod/vm.yaml").write_text(VIRTUAL_MACHINE.replace("runstrategy", "runStrategy"))
    assert run("render", "--check").stdout.startswith("--- /dev/null\n")
    result = run("render", "--check", "--format", "gitlab")
    assert [entry["check_name"] for entry in json.loads(result.stdout)] == ["stale"]
    assert "--- /dev/null\n" in result.stderr


def test_fatal_finding_is_in_the_report_too(repository: Path) -> None:
    (repository / "vmrender.yaml").write_text(PROJECT.replace("prod", "[prod"))
    result = run("render", "--format", "json")
    assert result.exit_code == 2
    [finding] = json.loads(result.stdout)["findings"]
    assert (finding["code"], finding["location"]["path"]) == ("yaml-syntax", "vmrender.yaml")


def test_ci_formats_use_paths_of_the_checkout(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository.parent / ".git").mkdir()
    folder = repository.name
    monkeypatch.chdir(repository / "prod")
    [entry] = json.loads(run("render", "--format", "gitlab").stdout)
    assert entry["location"]["path"] == f"{folder}/prod/vm.yaml"
    [finding] = json.loads(run("render", "--format", "json").stdout)["findings"]
    assert finding["location"]["path"] == "prod/vm.yaml"


@pytest.mark.usefixtures("repository")
def test_an_unknown_format_is_wrong_usage() -> None:
    result = run("render", "--format", "xml")
    assert result.exit_code == 2
    assert "'text', 'json', 'github', 'sarif', 'junit', 'gitlab'" in result.stderr


@pytest.mark.parametrize(
    ("env", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, False),
    ],
)
@pytest.mark.usefixtures("repository")
def test_colour_follows_the_environment(env: dict[str, str], coloured: bool) -> None:  # noqa: FBT001 - pytest passes parameters so
    unset = {"NO_COLOR": "", "FORCE_COLOR": "", "TERM": "xterm"}
    assert ("\x1b[" in run("render", env=unset | env).stderr) is coloured
