"""Commands, and groups of commands whose modules are imported on use."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Command(click.Command):
    """A command that reports a use case's ``UsageError`` as its own usage error.

    If it accepts files, a word that may be an option or a file is refused: hooks and patterns of a shell pass
    names of a repository, and ``--cluster=x.yaml`` is one.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line. Raises ``click.UsageError`` for a word that may be an option or a file."""
        if any(
            isinstance(each, click.Argument) and isinstance(each.type, click.Path) for each in self.params
        ):
            words = args[: args.index("--")] if "--" in args else args
            for word in words:
                if len(word) > 1 and word.startswith("-") and os.path.lexists(word):
                    raise click.UsageError(
                        f"{word!r} is a file here, and looks like an option: write ./ before it", ctx
                    )
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own
        from renderer.app.cpu_limit import limited_cpu  # noqa: PLC0415 - not for --version
        from renderer.app.usage_error import UsageError  # noqa: PLC0415 - as above
        from renderer.model.run.taint import begin_notes  # noqa: PLC0415 - as above
        from renderer.model.run.work import begin_run  # noqa: PLC0415 - as above

        begin_run()
        begin_notes()
        try:
            with limited_cpu():
                return super().invoke(ctx)
        except UsageError as error:
            if error.option:
                raise click.BadParameter(str(error), ctx, param_hint=f"'{error.option}'") from error
            raise click.UsageError(str(error), ctx) from error


class CommandGroup(click.Group):
    """A group of commands in one module."""

    command_class = Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and suggest others for a mistyped one."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            from renderer.model.suggest import did_you_mean  # noqa: PLC0415 - only when something is wrong

            hint = did_you_mean(args[0], self.list_commands(ctx), otherwise="--help lists the commands")
            ctx.fail(f"there is no command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)


class LazyGroup(CommandGroup):
    """A group with a module for each command; its ``--help`` reads only the table ``summaries``."""

    #: Every command and its line in ``--help``.
    summaries: Mapping[str, str] = {}
    #: The module of the command ``{}``.
    module = "renderer.cli.commands.{}"

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in self.summaries:
            return None
        name = cmd_name.replace("-", "_")
        module = f"{name}_" if iskeyword(name) else name
        command: click.Command = import_module(self.module.format(module)).command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete commands. click's own method would import every command to check if it is hidden."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only the shell asks

        commands = [
            CompletionItem(name, help=summary)
            for name, summary in self.summaries.items()
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))
