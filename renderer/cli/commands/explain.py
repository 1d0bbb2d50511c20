"""``vmrender explain CODE``, ``vmrender explain RESOURCE [FIELD]`` and ``vmrender explain KIND [FIELD]``."""

from __future__ import annotations

import json

import click

from renderer.app.explanations import Question, explanation_of
from renderer.app.usage_error import UsageError
from renderer.cli.command import Command
from renderer.cli.completions import complete_fields, complete_subjects
from renderer.cli.console import (
    ExitCode,
    ReportTarget,
    open_project,
    print_document,
    print_json,
    print_lines,
    report,
)
from renderer.cli.options import TextChoice, cluster_option, one_overlay_option
from renderer.model.codes import Code
from renderer.model.suggest import did_you_mean
from renderer.report.formats import Format


def _choose_format(_context: click.Context, _parameter: click.Parameter, chosen: Format) -> bool:
    """Return True for JSON."""
    ReportTarget.current()._replace(format=chosen, beside_manifests=True).activate()
    return chosen is Format.JSON


@click.command("explain", cls=Command)
@cluster_option
@click.argument(
    "subject", metavar="[CODE | KIND | RESOURCE]", required=False, shell_complete=complete_subjects
)
@click.argument("field", metavar="[FIELD]", required=False, default="", shell_complete=complete_fields)
@one_overlay_option("The overlay, if several have the resource.")
@click.option("-n", "--namespace", metavar="NAMESPACE", default="", help="The namespace of the resource.")
@click.option(
    "--format",
    "as_json",
    type=TextChoice([Format.TEXT, Format.JSON]),
    default=Format.TEXT,
    show_default=True,
    callback=_choose_format,
    help="Format of the answer, which goes to standard output.",
)
def command(subject: str | None, field: str, named: str, namespace: str, *, as_json: bool) -> ExitCode:
    """Say what a diagnostic code or a field means, or where the fields of a rendered resource come from.

    CODE is the word in brackets in a finding; without it, all codes are listed.

    KIND is a kind such as VirtualMachine, as it is spelt in a manifest. With FIELD, or the end of one, the
    answer is what the field means, what it may be, and the fields in it.

    RESOURCE is NAME, KIND/NAME, NAMESPACE/NAME or NAMESPACE/KIND/NAME, or a file of the rendered tree,
    FILE[:LINE]. For each of its fields, or the fields at FIELD, the answer lists its sources: the file and
    line of the base, each patch and transformer, the instance type, the preference or the default, with the
    value after each.

    FIELD is a path such as spec.template.spec.domain.cpu, spec...disks[name=root], or a JSON pointer; ...
    matches any path between two parts.

    \b
    Examples:
      vmrender explain conflict
      vmrender explain VirtualMachine disks.bootOrder
      vmrender explain vm/db spec.template.spec.domain.memory --overlay prod
      vmrender explain rendered/prod/shop/virtualmachine_db.yaml:14
    """
    if subject is None:
        if named or namespace:
            raise UsageError("of which resource?")
        summaries = {code: explanation_of(code).summary for code in sorted(Code)}
        print_document(json.dumps(summaries, indent=2) + "\n" if as_json else all_codes())
        return ExitCode.CLEAN
    is_alone = not (field or named or namespace or "/" in subject)
    word = subject.strip("[]").lower()
    if is_alone and word in set(Code):
        explanation = explanation_of(Code(word))
        document = json.dumps({"code": word, **explanation._asdict()}, indent=2) + "\n"
        print_document(document if as_json else explanation.markdown)
        return ExitCode.CLEAN
    if subject[:1].isupper() and subject.isalpha():
        return _explain_field(subject, field, as_json=as_json)
    return _explain_resource(Question(subject, field, named, namespace), is_alone=is_alone, as_json=as_json)


def _explain_field(kind: str, field: str, *, as_json: bool) -> ExitCode:
    from renderer.app.field_meanings import field_meanings  # noqa: PLC0415 - reads schemas
    from renderer.report import field_meanings_text  # noqa: PLC0415 - as above

    meanings = field_meanings(open_project(), kind, field)
    if as_json:
        print_json(json.dumps([each._asdict() for each in meanings], indent=2) + "\n")
    else:
        print_lines(field_meanings_text.write(meanings))
    return ExitCode.CLEAN


def _explain_resource(question: Question, *, is_alone: bool, as_json: bool) -> ExitCode:
    """Explain a resource. ``is_alone``: the subject may have been intended as a code."""
    from renderer.app.explain import NoSuchResourceError, explain_resource  # noqa: PLC0415 - the whole pipeline
    from renderer.report import history_json, history_text  # noqa: PLC0415 - as above

    project = open_project()
    try:
        explained = explain_resource(project, question)
    except NoSuchResourceError as error:
        if not is_alone:
            raise
        word = question.resource
        hint = did_you_mean(word.strip("[]").lower(), Code, otherwise="vmrender explain lists them")
        raise UsageError(f"there is no diagnostic code {word!r}; {hint}\n{error}") from None
    if explained.history:
        if as_json:
            print_json(history_json.write(explained.history))
        else:
            print_lines(history_text.write(explained.history))
    return (
        report(project.fs, explained.findings, explained.overlays) if explained.findings else ExitCode.CLEAN
    )


def all_codes() -> str:
    """Return each code with its sentence, in two columns."""
    width = max(map(len, Code))
    return "".join(f"{code:<{width}}  {explanation_of(code).summary}\n" for code in sorted(Code))
