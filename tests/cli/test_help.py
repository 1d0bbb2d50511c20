"""Every command and subcommand has complete help."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from renderer.cli.app import main


def commands(command: click.Command, *words: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if words:
        yield words, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, *words, name)


COMMANDS = tuple(commands(main))
every_command = pytest.mark.parametrize(
    ("words", "command"), COMMANDS, ids=[" ".join(words) for words, _ in COMMANDS]
)


def help_of(words: tuple[str, ...]) -> str:
    result = CliRunner().invoke(main, [*words, "--help"], prog_name="vmrender")
    assert result.exit_code == 0
    return result.stdout


@every_command
def test_help_has_examples(words: tuple[str, ...], command: click.Command) -> None:
    text = help_of(words)
    _, _, examples = text.partition("Example")
    assert f"vmrender {' '.join(words)}" in examples, text
    assert command.help


@every_command
def test_every_option_says_what_it_does(words: tuple[str, ...], command: click.Command) -> None:
    del words
    options = [option for option in command.params if isinstance(option, click.Option)]
    # The options of customize are explained together, in a separate table.
    silent = [option.name for option in options if not option.help]
    assert [name for name in silent if name and "switch_" not in name] == []


@every_command
def test_no_option_uses_a_date_or_uuid_type(words: tuple[str, ...], command: click.Command) -> None:
    del words
    assert [
        each.name for each in command.params if isinstance(each.type, (click.DateTime, type(click.UUID)))
    ] == []


@every_command
def test_first_line_of_help_says_what_the_command_does(
    words: tuple[str, ...], command: click.Command
) -> None:
    del words
    first = command.get_short_help_str(limit=200)
    assert first
    assert not first.endswith("..."), first


@every_command
def test_lines_fit_a_terminal(words: tuple[str, ...], command: click.Command) -> None:
    del command
    assert [line for line in help_of(words).splitlines() if len(line) > 110] == []
