from __future__ import annotations

import sys
from types import ModuleType

import click
import pytest
from click.testing import CliRunner, Result

from renderer.cli import app, command
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.location import Location


def run(*args: str) -> Result:
    return CliRunner().invoke(app.main, args)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let a test replace ``build`` by its own command."""
    monkeypatch.setitem(sys.modules, "renderer.cli.commands.build", ModuleType("renderer.cli.commands.build"))
    return monkeypatch


def raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    @click.command()
    def failing() -> None:
        raise error

    monkeypatch.setattr(sys.modules["renderer.cli.commands.build"], "command", failing, raising=False)


def test_help_names_every_command_and_imports_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> ModuleType:
        raise AssertionError(f"{name} was imported")

    monkeypatch.setattr(command, "import_module", refuse)
    result = run("--help")
    assert result.exit_code == 0
    for name, text in app.COMMANDS.items():
        assert f"  {name} " in result.stdout
        assert text.split()[0] in result.stdout


def test_wrong_usage_exits_with_2_and_a_message() -> None:
    result = run("frobnicate")
    assert result.exit_code == 2
    assert "there is no command 'frobnicate'; --help lists the commands" in result.stderr
    assert run("build", "--kubevirt", "latest", ".").exit_code == 2


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("/usr/bin/vmrender", "vmrender"),
        ("/home/a/.fluxcd/plugins/flux-vmrender", "flux vmrender"),
        ("flux-vmrender.exe", "flux vmrender"),
    ],
)
def test_usage_has_the_words_that_started_the_program(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], program: str, words: str
) -> None:
    monkeypatch.setattr(sys, "argv", [program])
    with pytest.raises(SystemExit):
        app.main(["build", "--help"])
    assert capfd.readouterr().out.startswith(f"Usage: {words} build ")


def test_fatal_finding_is_printed_like_any_other(failing: pytest.MonkeyPatch) -> None:
    finding = Diagnostic(code=Code.YAML_SYNTAX, message="bad indent", location=Location("a.yaml", 3, 1))
    raising(failing, DiagnosticError(finding))
    result = run("build")
    assert result.exit_code == 2
    assert result.stderr == "a.yaml:3:1: error[yaml-syntax]: bad indent\n\n1 error\n"


def test_an_interruption_exits_with_130(failing: pytest.MonkeyPatch) -> None:
    raising(failing, KeyboardInterrupt())
    assert run("build").exit_code == 130


def test_internal_error_is_reported_and_exits_with_3(failing: pytest.MonkeyPatch) -> None:
    raising(failing, ZeroDivisionError("by zero"))
    result = run("build")
    assert result.exit_code == 3
    assert "ZeroDivisionError" in result.stderr
    assert "this is a bug in vmrender" in result.stderr
    assert result.stderr.endswith("Please report it with the lines above\nwhere you got vmrender from.\n\n")
    assert result.stdout == ""
