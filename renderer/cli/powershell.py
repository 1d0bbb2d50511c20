"""Completion for PowerShell, which click does not have."""

from __future__ import annotations

import os

from click.shell_completion import CompletionItem, ShellComplete, add_completion_class, split_arg_string

NAME = "powershell"
_SCRIPT = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($word, $command, $position)
    $line = $command.ToString()
    $env:COMP_WORDS = $line.Substring(0, [Math]::Min($position, $line.Length))
    $env:COMP_CWORD = $word
    $env:%(complete_var)s = "powershell_complete"
    try {
        %(prog_name)s | ForEach-Object {
            $value, $help = $_ -split "`t", 2
            if (-not $help) { $help = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, "ParameterValue", $help)
        }
    } finally {
        Remove-Item Env:COMP_WORDS, Env:COMP_CWORD, Env:%(complete_var)s -ErrorAction SilentlyContinue
    }
}
"""


class PowerShellComplete(ShellComplete):
    """The protocol between the script and this program: each line is a value, a tab and its help."""

    name = NAME
    source_template = _SCRIPT

    def get_completion_args(self) -> tuple[list[str], str]:
        incomplete = os.environ.get("COMP_CWORD", "")  # PowerShell removes a variable that is set to nothing
        words = split_arg_string(os.environ["COMP_WORDS"])[1:]
        return (words[:-1] if incomplete and words else words), incomplete

    def format_completion(self, item: CompletionItem) -> str:
        return f"{item.value}\t{item.help or ''}"


def register() -> None:
    """Let click find this shell by its name."""
    add_completion_class(PowerShellComplete)
