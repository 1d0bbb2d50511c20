"""``vmrender completion SHELL``."""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class

from renderer.cli import powershell
from renderer.cli.command import Command
from renderer.cli.console import ExitCode, print_document
from renderer.cli.options import TextChoice
from renderer.model.text_enum import TextEnum

_PROGRAM = "vmrender"
_VARIABLE = "_VMRENDER_COMPLETE"  # set by the shell; click derives it from the program's name


class Shell(TextEnum):
    """The shells that there is a completion script for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = powershell.NAME


@click.command("completion", cls=Command)
@click.argument("shell", type=TextChoice(Shell))
@click.pass_context
def command(context: click.Context, shell: Shell) -> ExitCode:
    """Print a script for SHELL that completes commands and options, and the names that the project has.

    These are overlays, clusters, machines, instance types, preferences, fields, codes, releases and
    revisions. Save the script once in the folder where the shell looks for such scripts, or evaluate the
    output of this command in the shell's start-up file.

    \b
    Examples:
      vmrender completion bash > ~/.local/share/bash-completion/completions/vmrender
      vmrender completion zsh > "${fpath[1]}/_vmrender"
      vmrender completion fish > ~/.config/fish/completions/vmrender.fish
      eval "$(vmrender completion bash)"
      vmrender completion powershell | Out-String | Invoke-Expression
    """
    powershell.register()
    script = get_completion_class(shell)
    if script is None:
        raise click.UsageError(f"this version of click does not support {shell}")
    completion = script(context.find_root().command, {}, _PROGRAM, _VARIABLE)
    print_document(ShellComplete.source(completion))  # bash's own class runs bash first, to get its version
    return ExitCode.CLEAN
