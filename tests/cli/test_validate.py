"""The cost of checking one file, and the handling of paths as typed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from renderer.cli.app import main

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec: {runStrategy: Always, template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}}
"""
RUN = """
import sys
from renderer.cli.app import main
sys.argv = ["vmrender", "validate", *sys.argv[1:]]
try:
    main()
finally:
    print("modules:", *sys.modules)
"""


def imported(folder: Path, file: str) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-c", RUN, file], capture_output=True, text=True, check=True, cwd=folder
    )
    return set(run.stdout.partition("modules:")[2].split())


def validate(folder: Path, *arguments: str, monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.chdir(folder)
    return CliRunner().invoke(main, ["validate", *arguments], prog_name="vmrender")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "vmrender.yaml").write_text("apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n")
    (tmp_path / "vm.yaml").write_text(VM)
    (tmp_path / "values.yaml").write_text("replicas: 1\n")
    return tmp_path


def test_unlisted_file_is_validated_without_composing(repository: Path) -> None:
    modules = imported(repository, "vm.yaml")
    assert "renderer.checks.schemas.validate" in modules
    assert modules.isdisjoint(
        {"renderer.kustomize.compose", "renderer.kustomize.reader.load", "jsonschema", "difflib"}
    )


def test_foreign_file_costs_next_to_nothing(repository: Path) -> None:
    modules = imported(repository, "values.yaml")
    assert modules.isdisjoint(
        {
            "renderer.kubevirt.instancetype",
            "renderer.checks.schemas.validate",
            "renderer.kubevirt.admission.review",
            "jsonschema_rs",
        }
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_is_not_waited_for(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(repository / "pipe.yaml")
    assert validate(repository, "pipe.yaml", monkeypatch=monkeypatch).exit_code == 0


def test_links_are_not_followed_in_circles_or_out_of_the_repository(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "loop").symlink_to(repository)
    (repository / "out.yaml").symlink_to("/etc/hostname")
    (repository / "out").symlink_to("/etc")
    result = validate(repository, monkeypatch=monkeypatch)
    assert (result.exit_code, result.stderr) == (0, "checked 1 file\n")


def test_missing_path_is_wrong_usage(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert validate(repository, "nothing.yaml", monkeypatch=monkeypatch).exit_code == 2


def test_paths_are_relative_to_the_working_directory(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "deep").mkdir()
    result = validate(repository / "deep", "../vm.yaml", monkeypatch=monkeypatch)
    assert (result.exit_code, result.stderr) == (0, "checked 1 file\n")


def test_nothing_is_written(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted(repository.rglob("*"))
    validate(repository, monkeypatch=monkeypatch)
    assert sorted(repository.rglob("*")) == before


PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
kubevirt: "1.9"
overlays: [{path: plain}, {path: built}]
"""


@pytest.mark.parametrize(
    "name", ["plain/vm.yaml", "built/vm.yaml", "plain/below/vm.yaml", "built/unlisted.yaml"]
)
@pytest.mark.parametrize("text", [VM, VM.replace("devices", "devicez"), VM + "spec: {}\n", "kind: [", ""])
def test_standard_input_is_judged_as_the_file_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    (tmp_path / "plain" / "below").mkdir(parents=True)
    (tmp_path / "built").mkdir()
    (tmp_path / "vmrender.yaml").write_text(PROJECT)
    (tmp_path / "plain" / "other.yaml").write_text(VM.replace("web", "other"))
    (tmp_path / "built" / "kustomization.yaml").write_text("resources: [vm.yaml]\n")
    (tmp_path / "built" / "vm.yaml").write_text(VM)
    monkeypatch.chdir(tmp_path)
    arguments = ["validate", "--format", "json"]
    before = CliRunner().invoke(main, [*arguments, "-", "--path", name], input=text, prog_name="vmrender")
    assert not (tmp_path / name).exists() or (tmp_path / name).read_text() == VM

    (tmp_path / name).write_text(text)
    after = CliRunner().invoke(main, [*arguments, name], prog_name="vmrender")

    assert (before.exit_code, before.stdout) == (after.exit_code, after.stdout)


def test_standard_input_needs_its_dash(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = validate(repository, "--path", "vm.yaml", monkeypatch=monkeypatch)
    assert refused.exit_code == 2
    assert "add -" in refused.stderr


def test_settings_on_standard_input_are_used(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    refused = CliRunner().invoke(main, ["validate", "-", "--path", "vmrender.yaml"], input="kubevrt: 1\n")
    assert refused.exit_code == 2
    assert "kubevrt" in refused.stderr
