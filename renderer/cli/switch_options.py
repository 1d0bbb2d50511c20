"""The switches of ``customize`` as options: those for instance types, and those for preferences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import click

from renderer.sizes.customize import SpecChanges
from renderer.sizes.switches import SWITCHES, SWITCHES_FOR, Switch

_GIVEN, _CLEARED = "switch_", "no_switch_"


def switch_options(command: Callable[..., object]) -> Callable[..., object]:
    """The command with an option for each switch, and ``--no-`` ones."""
    for switch in reversed(list(SWITCHES.values())):
        for option in _options(switch):
            command = option(command)
    return command


def changes_of(asked: Mapping[str, object]) -> SpecChanges:
    """The changes that the command's options ask for."""
    given: dict[str, tuple[str, ...]] = {}
    for name in SWITCHES:
        value = asked[_GIVEN + name.replace("-", "_")]
        if isinstance(value, tuple) and value:
            given[name] = tuple(map(str, value))
        elif value is True:
            given[name] = ()
    cleared = (name for name in SWITCHES if asked.get(_CLEARED + name.replace("-", "_")))
    return SpecChanges(given, frozenset(cleared))


def _options(switch: Switch) -> Iterable[Callable[[Callable[..., object]], Callable[..., object]]]:
    word = switch.name.replace("-", "_")
    names = [f"--{name}" for name in (switch.name, switch.alias) if name]
    if switch.value.metavar:
        yield click.option(*names, _GIVEN + word, multiple=True, metavar=switch.value.metavar)
    else:
        yield click.option(*names, _GIVEN + word, is_flag=True)
    if switch.is_optional:
        yield click.option(f"--no-{switch.name}", _CLEARED + word, is_flag=True)


class SwitchCommand(click.Command):
    """A command whose help lists switches in tables of their own, one line each."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records = [
            record
            for parameter in self.get_params(ctx)
            if isinstance(parameter, click.Option)
            and not str(parameter.name).startswith((_GIVEN, _CLEARED))
            and (record := parameter.get_help_record(ctx)) is not None
        ]
        with formatter.section("Options"):
            formatter.write_dl(records)
        for target, switches in SWITCHES_FOR.items():
            with formatter.section(f"For {target}s; --no-NAME removes what SOURCE has"):
                formatter.write_dl([_record(switch) for switch in switches])


def _record(switch: Switch) -> tuple[str, str]:
    metavar = f" {switch.value.metavar}" if switch.value.metavar else ""
    return f"--{switch.name}{metavar}", switch.summary + (" Repeatable." if switch.value.repeats else "")
