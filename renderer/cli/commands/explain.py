"""``vmrender explain CODE`` and ``vmrender explain RESOURCE [FIELD]``."""

from __future__ import annotations

import json

import click

from renderer.app.explanations import explanation_of
from renderer.cli.exit_code import ExitCode
from renderer.cli.report_target import ReportTarget
from renderer.model.codes import Code
from renderer.report.formats import Format


def _choose(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    ReportTarget(Format(text), beside_manifests=True).choose()
    return text


@click.command("explain")
@click.argument("subject", metavar="[CODE | RESOURCE]", required=False)
@click.argument("field", metavar="[FIELD]", required=False, default="")
@click.option("--overlay", metavar="OVERLAY", default="", help="Which one, when several have the resource.")
@click.option("-n", "--namespace", metavar="NAMESPACE", default="", help="The namespace of the resource.")
@click.option(
    "--format",
    "format_",
    type=click.Choice([Format.TEXT.value, Format.JSON.value]),
    default=Format.TEXT.value,
    show_default=True,
    callback=_choose,
    help="How the answer is written to standard output.",
)
def command(subject: str | None, field: str, overlay: str, namespace: str, format_: str) -> ExitCode:
    """Say what a diagnostic code means, or where the fields of a rendered resource come from.

    CODE is the word in brackets of a finding; without it all codes are listed.

    RESOURCE is NAME, KIND/NAME or NAMESPACE/KIND/NAME, or a file of the rendered tree, FILE[:LINE]. For each
    of its fields, or those at FIELD, stands what made it: the file and line of the base, each patch and
    transformer, the instance type, the preference or the default, with the value after each.

    FIELD is a path such as spec.template.spec.domain.cpu, spec...disks[name=root], or a JSON pointer; ...
    stands for any way between two parts.

    \b
    Examples:
      vmrender explain conflict
      vmrender explain vm/db spec.template.spec.domain.memory --overlay prod
      vmrender explain rendered/prod/shop/virtualmachine_db.yaml:14
    """
    as_json = format_ == Format.JSON
    if subject is None:
        if overlay or namespace:
            raise click.UsageError("of which resource?")
        click.echo(_all_codes_as_json() if as_json else all_codes(), nl=False)
        return ExitCode.CLEAN
    is_alone = not (field or overlay or namespace or "/" in subject)
    if is_alone and (code := _code(subject)):
        click.echo(_as_json(code) if as_json else explanation_of(code).markdown, nl=False)
        return ExitCode.CLEAN
    from renderer.cli.explain_resource import (  # noqa: PLC0415 - it takes the whole pipeline
        NoSuchResourceError,
        Question,
        explain_resource,
    )

    try:
        return explain_resource(Question(subject, field, overlay, namespace), as_json=as_json)
    except NoSuchResourceError as error:
        if is_alone:
            raise click.UsageError(f"{_no_such_code(subject)}\n{error.message}") from None
        raise


def _code(word: str) -> Code | None:
    word = word.strip("[]").lower()
    return Code(word) if word in set(Code) else None


def _no_such_code(word: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only when something is wrong

    meant = get_close_matches(word.strip("[]").lower(), tuple(Code), n=3)
    hint = f"did you mean {' or '.join(meant)}?" if meant else "vmrender explain lists them"
    return f"there is no diagnostic code {word!r}; {hint}"


def all_codes() -> str:
    """Each code with its sentence, in a column of its own."""
    width = max(map(len, Code))
    return "".join(f"{code:<{width}}  {explanation_of(code).summary}\n" for code in sorted(Code))


def _all_codes_as_json() -> str:
    return json.dumps({code: explanation_of(code).summary for code in sorted(Code)}, indent=2) + "\n"


def _as_json(code: Code) -> str:
    return json.dumps({"code": code, **explanation_of(code)._asdict()}, indent=2) + "\n"
