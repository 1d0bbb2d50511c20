"""Commands treat arguments too long for any file system like other missing paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from renderer.cli.app import main
from tests.cli.project_of_everything import FILES, write_project

#: Valid values of the parameters of commands, so that a command reaches the overlong one.
USUAL: Mapping[str, Mapping[str, str]] = {
    "catalog diff": {"before": "sizes", "after": "sizes"},
    "catalog import": {"paths": "sizes", "name": "mine", "release": "v1.2.3", "into": "catalogs"},
    "catalog show": {"name": "small"},
    "customize": {"source": "small", "name": "mine", "folder": "sizes"},
    "expand": {"files": "dump.yaml"},
    "explain": {"subject": "VirtualMachine/web"},
    "import": {"files": "dump.yaml"},
    "pin": {"overlay": "overlays/prod", "names": "prod-web"},
    "schema import": {"paths": "schemas/lan.yaml", "release": "1.9"},
    "unpin": {"overlay": "overlays/prod", "names": "prod-web"},
}
#: By the length of the name: too long for a folder, and too long for any path, wherever it is.
FORMS: Mapping[int, Sequence[str]] = {
    300: ("LONG", "LONG/below.yaml", "sizes/LONG.yaml", "../LONG", "HEAD:LONG", "key=LONG"),
    5000: ("LONG", "sizes/LONG.yaml", "HEAD:LONG"),
}


def leaves(command: click.Command, *names: str) -> Iterator[tuple[str, click.Command]]:
    """Yield all commands without subcommands, with their words on the command line."""
    if not isinstance(command, click.Group):
        yield " ".join(names), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from leaves(below, *names, name)


def takes_text(parameter: click.Parameter) -> bool:
    is_flag = isinstance(parameter, click.Option) and (parameter.is_flag or parameter.count)
    return not is_flag and not isinstance(parameter.type, click.Choice | click.types.IntParamType)


def words(parameter: click.Parameter, value: str) -> list[str]:
    """Return the words of the command line that give the parameter the value."""
    name = [max(parameter.opts, key=len)] if isinstance(parameter, click.Option) else []
    return [*name, *[value] * max(parameter.nargs, 1)]


def uses() -> Iterator[tuple[str, ...]]:
    """Yield the words of every command with VALUE for one of its parameters."""
    for name, command in leaves(main):
        usual = USUAL.get(name, {})
        assert usual.keys() <= {each.name for each in command.params}, name
        for tried in filter(takes_text, command.params):
            given = (
                (each, "VALUE" if each is tried else usual.get(each.name or "")) for each in command.params
            )
            yield (*name.split(), *(word for each, value in given if value for word in words(each, value)))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long") / "project"
    write_project(folder)
    (folder / "dump.yaml").write_text(FILES["sizes/small.yaml"])
    return folder


@pytest.mark.parametrize("length", FORMS)
@pytest.mark.parametrize("use", list(uses()), ids=" ".join)
def test_overlong_name_is_not_an_internal_error(
    project: Path, monkeypatch: pytest.MonkeyPatch, use: tuple[str, ...], length: int
) -> None:
    monkeypatch.chdir(project)
    for form in FORMS[length]:
        value = form.replace("LONG", "a" * length)
        result = CliRunner().invoke(main, [word.replace("VALUE", value) for word in use])
        assert result.exit_code in (0, 1, 2), (form, result.stderr[-300:])


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("explain VirtualMachine/web --overlay LONG", "there is no overlay 'LONG'"),
        ("import LONG", "cannot read LONG: File name too long"),
        ("import --output LONG dump.yaml", "the output LONG has a name that is too long"),
        ("catalog diff LONG sizes", "no such catalog: LONG"),
        ("catalog export LONG", "no such catalog: LONG"),
    ],
)
def test_overlong_name_is_reported(
    project: Path, monkeypatch: pytest.MonkeyPatch, command: str, message: str
) -> None:
    monkeypatch.chdir(project)
    result = CliRunner().invoke(main, command.replace("LONG", "a" * 300).split())
    assert result.exit_code == 2
    assert message in result.stderr.replace("a" * 300, "LONG")
