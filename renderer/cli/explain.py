"""``vmrender explain CODE``."""

from __future__ import annotations

import click

from renderer.cli.exit_code import ExitCode
from renderer.cli.explanations import explanation_of
from renderer.model.codes import Code


@click.command("explain")
@click.argument("code", metavar="[CODE]", required=False)
def command(code: str | None) -> ExitCode:
    """Say what a diagnostic code means: why it is refused, what is wrong and what is right.

    CODE is the word in brackets of a finding; without it all codes are listed.

    \b
    Examples:
      vmrender explain conflict
      vmrender explain
    """
    click.echo(all_codes() if code is None else explained_code(code), nl=False)
    return ExitCode.CLEAN


def explained_code(word: str) -> str:
    """The long form of a code. Raises ``click.UsageError`` for what is none."""
    word = word.strip("[]").lower()
    if word in set(Code):
        return explanation_of(Code(word)).markdown
    from difflib import get_close_matches  # noqa: PLC0415 - only when something is wrong

    meant = get_close_matches(word, tuple(Code), n=3)
    hint = f"did you mean {' or '.join(meant)}?" if meant else "vmrender explain lists them"
    raise click.UsageError(f"there is no diagnostic code {word!r}; {hint}")


def all_codes() -> str:
    """Each code with its sentence, in a column of its own."""
    width = max(map(len, Code))
    return "".join(f"{code:<{width}}  {explanation_of(code).summary}\n" for code in sorted(Code))
