"""``vmrender init``."""

from __future__ import annotations

import os
from pathlib import Path

import click

from renderer.app.editor_setup import set_up_editor
from renderer.app.init import ProjectOptions, Started, start_project
from renderer.authoring.new_project.ci_files import CiSystem
from renderer.authoring.new_project.editor_files import SCHEMAS, Editor
from renderer.authoring.new_project.project_files import OVERLAY, PROJECT
from renderer.cli.command import Command
from renderer.cli.completions import complete_releases
from renderer.cli.console import ExitCode, note, open_project, report
from renderer.cli.options import TextChoice, format_option, release_of
from renderer.files.disk import file_exists
from renderer.model.release import LATEST, Release

_NEXT = """
next:
  vmrender render       writes rendered/
  git add --all
  pre-commit install    checks every commit from now on
  git commit
  vmrender diff         says what your next change does to the machines"""

_NEXT_TO_LIST = """
next:
  list folders or entry points with virtual machines under overlays in vmrender.yaml, which lists none;
  a Template with parameters that need values is listed by its path and parameters: {NAME: value}
  vmrender init         says what else to add"""

_NEXT_TO_CORRECT = """
next:
  correct what cannot be built, for the reasons above
  vmrender init         then says what to add under overlays in vmrender.yaml"""


@click.command("init", cls=Command)
@click.option(
    "--kubevirt",
    type=release_of,
    metavar="RELEASE",
    shell_complete=complete_releases,
    help="The release that the cluster runs, for example 1.9 or hco-1.18"
    f" [default: the release that the repository deploys, or {LATEST}]",
)
@click.option(
    "--ci",
    type=TextChoice(CiSystem),
    help="The CI system [default: derived from the host of the remote origin]",
)
@click.option(
    "--source",
    metavar="URL@REV",
    envvar="VMRENDER_SOURCE",
    help="Where hooks and the pipeline install vmrender from: a Git repository and a revision, a wheel, or"
    " vmrender==VERSION of an index [default: where this copy was installed from]",
)
@click.option(
    "--editor",
    type=TextChoice(Editor),
    help=f"Also write schemas with what fields mean to {SCHEMAS}, and the settings of this editor.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing; print what would be written.")
@format_option()
def command(
    kubevirt: Release | None, ci: CiSystem | None, source: str | None, editor: Editor | None, *, dry_run: bool
) -> ExitCode:
    """Write a project file, a first overlay, and hooks and a pipeline that run vmrender.

    Run it at the top of a repository; it asks nothing and overwrites nothing. Where Flux or Argo CD
    applies the whole repository, a .sourceignore or the exclude of an Application keeps the new files
    out. It reads the repository first: clusters of Flux, Applications of Argo CD, kustomizations,
    templates and plain folders with virtual machines become entries of the project file, which
    says in comments what is left out and why. If there is no virtual machine, instance types and
    preferences become entries; an example overlay is written only if no file mentions KubeVirt. The lines
    to add to an existing .pre-commit-config.yaml, .gitattributes or .gitlab-ci.yml are printed; a second
    run prints what is new. Hooks and the pipeline install vmrender from where this copy was installed
    from, or from --source or VMRENDER_SOURCE.

    With --editor, a project that exists gets only the schemas and the settings.

    \b
    Examples:
      vmrender init
      vmrender init --dry-run
      vmrender init --kubevirt 1.8 --ci gitlab
      vmrender init --editor vscode
      vmrender init --source https://git.example.com/mirrors/vmrender@v1.2.3
    """
    if editor is not None and file_exists(PROJECT):
        _set_up_editor(editor, dry_run=dry_run)
        return ExitCode.CLEAN
    started = start_project(Path.cwd(), ProjectOptions(kubevirt, ci, source), os.environ, dry_run=dry_run)
    if started.findings:
        return report(None, started.findings)
    _print_result(started, dry_run=dry_run)
    if editor is not None:
        note("")
        _set_up_editor(editor, dry_run=dry_run)
    return ExitCode.CLEAN


def _set_up_editor(editor: Editor, *, dry_run: bool) -> None:
    setup = set_up_editor(open_project(), editor, dry_run=dry_run)
    what = "would be written" if dry_run else "written"
    note(f"{SCHEMAS}: {setup.schemas} schemas {what}")
    if setup.settings:
        note(f"{setup.settings}: {what}")
    elif setup.addition:
        note(f"{editor.file}: yours; add to it", "", *setup.addition.removesuffix("\n").split("\n"))


def _print_result(started: Started, *, dry_run: bool) -> None:
    if started.found:
        note(*started.found.summary, *started.found.changes, "")
        if started.found.kept:
            note("applied before, not by the tree:", *(f"  {line}" for line in started.found.kept), "")
    if started.covered:
        note(started.covered, "")
    if started.releases:
        note(*started.releases, "")
    if any(path.startswith(f"{OVERLAY}/") for path in started.planned.files):
        note(f"no virtual machine was found: {OVERLAY} has one to begin with", "")
    for path, text in started.planned.files.items():
        note(f"{path}: {'would be written' if dry_run else 'written'}")
        if dry_run and path == PROJECT:
            note("", *text.split("\n"))
    for path, (old, _) in started.ignores.changes.items():
        what = "written" if old is None else "changed"
        note(f"{path}: {'would be ' if dry_run else ''}{what}")
    note(*started.ignores.notes)
    for path, text in started.planned.additions.items():
        note("", f"{path}: yours; add to it", "", *text.removesuffix("\n").split("\n"))
    if not started.planned.files:
        note("nothing to write")
    note(*started.notes)
    if started.ci is CiSystem.NONE:
        note("no pipeline: vmrender init --ci github, or --ci gitlab, adds one")
    steps = _NEXT
    if started.found is not None and not started.found.lists_overlays:
        steps = _NEXT_TO_CORRECT if started.found.survey.broken else _NEXT_TO_LIST
    note(*steps.split("\n"))
    if started.found is not None and started.found.switches:
        note("", "later, once the trees are merged (docs/adoption.md):")
        note(*(f"  {line}" for line in started.found.switches))
