"""``vmrender fn``."""

from __future__ import annotations

import sys

import click

from renderer.cli.command import Command
from renderer.cli.console import ExitCode, ReportTarget, open_project, print_document, report
from renderer.cli.options import cluster_option
from renderer.files.file_system import FilesAbove, FileSystem, MemoryFileSystem, read_limited
from renderer.findings.run_findings import RunFindings, locate
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.kustomize.krm import FunctionSubjects, ResourceList, read_resource_list
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.run.taint import taint_again
from renderer.yamlio.encode import encode

_STANDARD_INPUT = "-"


@click.command("fn", cls=Command)
@cluster_option
def command() -> ExitCode:
    """Run as a KRM function: read a ResourceList from standard input, and write it to standard output.

    The kind of its functionConfig decides: an Expansion expands virtual machines and checks all items, a
    Validation only checks them, an InstancetypeSeries or Template adds the objects that it generates. The
    default is an Expansion. Settings that the functionConfig omits come from vmrender.yaml. Findings are in
    results, and on standard error; with an error among them, the exit code is 1 and the items are unchanged.

    \b
    Examples:
      vmrender fn < resource-list.yaml
      kustomize build --enable-alpha-plugins --enable-exec overlays/prod
    """
    ReportTarget.current()._replace(beside_manifests=True).activate()
    content = read_limited(sys.stdin.buffer, _STANDARD_INPUT)
    fs: FileSystem = MemoryFileSystem({_STANDARD_INPUT: content})
    given = ResourceList()
    outcome: Outcome[tuple[JsonObject, ...]]
    try:
        given = _read(content)
        project = open_project()
        fs = FilesAbove({_STANDARD_INPUT: content}, project.fs)
        ReportTarget.current()._replace(fs=fs).activate()
        from renderer.app.krm import run_function  # noqa: PLC0415 - what was given may be of no use

        outcome = run_function(given, project, fs)
    except DiagnosticError as error:
        fs = ReportTarget.current().fs or fs  # of the project, which may be the cause
        outcome = Outcome((), error.diagnostics)
    print_document(encode([_answer(given, outcome, fs)]))
    report(fs, locate(fs, map(_name_object, outcome.diagnostics)))
    return ExitCode.FINDINGS if outcome.failed else ExitCode.CLEAN


def _name_object(found: Diagnostic) -> Diagnostic:
    """Return the finding with its object: its line is in the orchestrator's list, not in a user's file."""
    if found.resource is None or all(site.path != _STANDARD_INPUT for site in found.sites):
        return found
    return found._replace(message=f"{found.resource}: {found.message}")


def _read(content: bytes) -> ResourceList:
    from renderer.kustomize.reader.resources import read_resources  # noqa: PLC0415 - not for --help
    from renderer.yamlio.decode import decode_documents  # noqa: PLC0415 - as above

    site = Site(_STANDARD_INPUT)
    documents = decode_documents(content, _STANDARD_INPUT)
    taint_again(secret_values(documents))  # findings may be about another object, or about the list
    return read_resource_list(documents, lambda: read_resources(content, site), site)


def _answer(given: ResourceList, outcome: Outcome[tuple[JsonObject, ...]], fs: FileSystem) -> JsonObject:
    items = tuple(item.content for item in given.items) if outcome.failed else outcome.value
    if not outcome.diagnostics:
        return given.answer(items, ())
    from renderer.report.function_results import FunctionFinding, write  # noqa: PLC0415 - only with findings

    run, subjects = RunFindings(fs), FunctionSubjects(given, _STANDARD_INPUT)
    found = (
        FunctionFinding(
            run.located(each),
            subjects.of(each),
            tuple(subjects.at(other.sites) for other in each.related),
            each.confidential,
        )
        for each in outcome.diagnostics
    )
    return given.answer(items, write(found, _STANDARD_INPUT))
