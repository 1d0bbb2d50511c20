"""``vmrender import [FILE…]``."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import click
from click.core import ParameterSource

from renderer.adopt.dump.files import STDIN
from renderer.adopt.entry_objects import Engine
from renderer.app.cluster_import.facts import FactsImport, import_facts
from renderer.app.cluster_import.files import SourceChoices
from renderer.app.cluster_import.objects import Secrets
from renderer.app.import_cluster import OUTPUT, ClusterImport, import_cluster
from renderer.app.usage_error import UsageError
from renderer.cli.command import Command
from renderer.cli.console import ExitCode, ReportTarget, note, open_project, report
from renderer.cli.options import TextChoice, format_option, quiet_option, release_of
from renderer.findings.for_report import first_of_each_code
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE
from renderer.report.formats import Format
from renderer.report.import_json import as_json
from renderer.report.import_text import lines

#: The options that are about sources, of which an import of facts has none.
_FOR_SOURCES = frozenset(
    ("output", "kubevirt", "secrets", "fits", "group_by", "all_namespaces", "only", "entries", "force")
)
#: With more findings than this, a text shows only a few of each code and counts the others.
_MOST_FINDINGS, _FEW = 12, 2


@click.command("import", cls=Command)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(allow_dash=True))
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    show_default=f"{OUTPUT}, at the top of the project",
    help="The folder in which each namespace gets a folder.",
)
@click.option(
    "--cluster",
    metavar="NAME",
    default="",
    help="The cluster that the dump is of: its release and catalogs go under clusters in vmrender.yaml, its"
    " sources into clusters/NAME [default: the last folder of --output, if the dump has the KubeVirt object"
    " or instance types]",
)
@click.option(
    "--kubevirt",
    type=release_of,
    metavar="RELEASE",
    help="The release that the cluster runs, for example 1.9 or hco-1.18 [default: from its KubeVirt object,"
    " else vmrender.yaml's]",
)
@click.option(
    "--secrets",
    type=TextChoice(Secrets),
    default=Secrets.PLACEHOLDER,
    show_default=True,
    help="Whether to write the values of Secrets and of start data with credentials, or only their keys.",
)
@click.option(
    "--fit", "fits", is_flag=True, help="Find instance types and preferences for machines that name none."
)
@click.option(
    "--group-by",
    metavar="LABEL",
    default="",
    help="Write machines with the same value of LABEL as a base and patches.",
)
@click.option(
    "--all-namespaces", is_flag=True, help="Also import objects of namespaces without a virtual machine."
)
@click.option(
    "--only",
    metavar="NAMESPACE/NAME",
    multiple=True,
    help="Import these objects and what machines among them use; * matches any part of a name. Repeatable.",
)
@click.option(
    "--entries",
    type=TextChoice(Engine),
    help="Also write the objects by which Argo CD or Flux deploys the trees: without automation or pruning.",
)
@click.option(
    "--force",
    is_flag=True,
    help="Replace the files of objects that Git has, if they differ from the cluster.",
)
@click.option(
    "--facts",
    "facts_only",
    is_flag=True,
    help="Import no sources, but facts about the cluster, such as its releases, storage profiles and data"
    " sources, into a file that vmrender.yaml names: what is not in the repository is looked up there.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing; print what would be written.")
@quiet_option
@format_option()
def command(  # noqa: PLR0913 - one for each option
    files: tuple[str, ...],
    output: Path | None,
    cluster: str,
    kubevirt: Release | None,
    secrets: Secrets,
    *,
    fits: bool,
    group_by: str,
    only: tuple[str, ...],
    entries: Engine | None,
    all_namespaces: bool,
    force: bool,
    facts_only: bool,
    dry_run: bool,
) -> ExitCode:
    """Make sources in Git from the objects of a cluster, as kubectl get -o yaml or -o json prints them.

    FILE is such output, a folder of it, as oc adm inspect makes it, or - for standard input, which is also
    read without FILE. Each namespace gets a folder with a kustomization and a file for each object, without
    the fields that the cluster wrote. Objects that controllers make are left out, and so are namespaces in
    which no virtual machine runs, unless the dump has no virtual machine at all. Virtual machines that were
    started with another version of an instance type than the catalogs have are pinned to it. The overlays are
    added to vmrender.yaml, which is created if needed. Objects that Git has already stay as they are, unless
    --force is set; kustomizations only get new lines. A second import of the same dump changes nothing.

    \b
    Examples:
      kubectl get kubevirt,vm,dv,pvc,secret,cm,svc,controllerrevision -A -o yaml | vmrender import -
      vmrender import dump.yaml --dry-run
      vmrender import must-gather/ --cluster east
      vmrender import dump.yaml --only prod/db
      vmrender import must-gather/ --cluster east --facts
    """
    if facts_only:
        _refuse_options_for_sources()
    if sys.stdin.isatty() and STDIN in (files or (STDIN,)):
        note("reading standard input; end it with Ctrl-D, or name a file")
    if facts_only:
        return _import_facts(FactsImport(files or (STDIN,), sys.stdin.buffer, cluster, dry_run))
    choices = SourceChoices(secrets, fits, group_by, replace=force)
    request = ClusterImport(
        files or (STDIN,),
        sys.stdin.buffer,
        output=output,
        cluster=cluster,
        kubevirt=kubevirt,
        choices=choices,
        dry_run=dry_run,
        all_namespaces=all_namespaces,
        only=only,
        entries=entries,
    )
    project = open_project()
    imported = import_cluster(project, request)
    findings, summary = imported
    if ReportTarget.current().format is Format.TEXT and len(findings) > _MOST_FINDINGS:
        findings = first_of_each_code(findings, _FEW)
    code = report(None, findings, results={"import": as_json(summary)} if summary else {})
    if summary is not None:
        paths = (PROJECT_FILE, summary.output, summary.rendered, *summary.entries)
        added = shlex.join(Path(os.path.relpath(project.root / path)).as_posix() for path in paths)
        rendering = f"  vmrender render       writes {summary.rendered}/"
        note(*lines(summary), "", "next:", rendering, f"  git add {added}")
    return code


def _refuse_options_for_sources() -> None:
    """Raise ``UsageError`` for an option about sources, of which ``--facts`` imports none."""
    context = click.get_current_context()
    for parameter in context.command.params:
        is_given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if is_given and parameter.name in _FOR_SOURCES:
            raise UsageError("it is about sources, and cannot be combined with --facts", parameter.opts[-1])


def _import_facts(request: FactsImport) -> ExitCode:
    project = open_project(with_facts=False)
    findings, summary = import_facts(project, request)
    code = report(None, findings, results={"facts": summary.as_json()} if summary else {})
    if summary is not None:
        note(*summary.lines())
    return code
