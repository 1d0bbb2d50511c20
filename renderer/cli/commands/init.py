"""``vmrender init``."""

from __future__ import annotations

import os
from pathlib import Path

import click

from renderer import __version__
from renderer.app.found_project import survey_repository
from renderer.cli.console import report
from renderer.cli.exit_code import ExitCode
from renderer.cli.options import format_option, release_of
from renderer.emit.edit_user_files import change_files
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.location import Location
from renderer.model.release import LATEST, Release
from renderer.scaffold import PROJECT, Choices, CiSystem, Scaffold, ci_system_of, plan_scaffold
from renderer.source.file_system import DiskFileSystem
from renderer.source.find_kustomization import KUSTOMIZATION_FILES
from renderer.source.git import GitProcess

_NEXT = """
next:
  vmrender render       writes rendered/
  git add --all
  pre-commit install    checks every commit from now on"""

#: What a bare repository and ``.git`` hold.
_GIT_FOLDER = ("HEAD", "objects", "refs")


def _ci_system(_context: click.Context, _parameter: click.Parameter, text: str | None) -> CiSystem | None:
    return None if text is None else CiSystem(text)


@click.command("init")
@click.option(
    "--kubevirt",
    type=release_of,
    metavar="RELEASE",
    help=f"The release that the cluster runs [default: the one that the repository deploys, or {LATEST}]",
)
@click.option(
    "--ci",
    type=click.Choice([system.value for system in CiSystem]),  # of values: click takes an enum's names
    callback=_ci_system,
    help="Where pipelines run [default: as the host of the remote origin is called]",
)
@click.option("--dry-run", is_flag=True, help="Write nothing; say what would be written.")
@format_option()
def command(kubevirt: Release | None, ci: CiSystem | None, *, dry_run: bool) -> ExitCode:
    """Write a project file, a first overlay, and what runs vmrender on commit and in CI.

    It is run at the top of a repository, asks nothing and overwrites nothing. The repository is read first:
    clusters of Flux, Applications of Argo CD, kustomizations, OpenShift Templates and plain folders with
    virtual machines become entries of the project file, which says in comments what is left out and why.
    Where there is any virtual machine, no overlay is made up. What has to be added to a
    .pre-commit-config.yaml or .gitlab-ci.yml that is there is printed; a second run says what is new.

    \b
    Examples:
      vmrender init
      vmrender init --dry-run
      vmrender init --kubevirt 1.8 --ci gitlab
    """
    root = Path.cwd()
    _check_top(root)
    choices = Choices(kubevirt or LATEST, ci or _ci_system_of(root), __version__)
    found = survey_repository(root)
    planned = plan_scaffold(
        choices,
        lambda path: _text_at(root / path),
        has_overlays=_has_overlays(root) or bool(found and found.machines),
        project=found.project_text(kubevirt) if found and found.is_more_than_overlays else None,
    )
    if planned.in_the_way:
        return report(None, [_in_the_way(path) for path in planned.in_the_way])
    if not dry_run:
        change_files(root, {path: text.encode() for path, text in planned.files.items()}, ())
    if found and found.is_more_than_overlays:
        click.echo("\n".join((*found.summary, *found.changes)) + "\n", err=True)
    _say(planned, choices, dry_run=dry_run)
    return ExitCode.CLEAN


def _check_top(root: Path) -> None:
    """Hooks and pipelines are looked for at the top of a checkout. Raises ``click.UsageError``."""
    if any(all((folder / name).exists() for name in _GIT_FOLDER) for folder in (root, *root.parents)):
        raise click.UsageError("a project is started in a work tree, and this is in a folder of Git's own")
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    if top != root:
        raise click.UsageError(f"a project starts at the top of its repository: cd {top}")


def _ci_system_of(root: Path) -> CiSystem:
    """What the remote's name says, or else what the repository has files of."""
    try:
        answer = GitProcess(root, os.environ).run("remote", "get-url", "origin")
    except DiagnosticError:  # there is no git
        return CiSystem.NONE
    system = ci_system_of(answer.output) if answer.code == 0 else CiSystem.NONE
    if system is CiSystem.NONE and (root / ".gitlab-ci.yml").exists():
        return CiSystem.GITLAB
    if system is CiSystem.NONE and (root / ".github").exists():
        return CiSystem.GITHUB
    return system


def _has_overlays(root: Path) -> bool:
    return any(True for name in KUSTOMIZATION_FILES for _ in root.glob(f"overlays/*/{name}"))


def _text_at(place: Path) -> str | None:
    """What a file says; nothing at all for what is no file or cannot be read, which is in the way too."""
    if not os.path.lexists(place):
        return None
    try:
        return DiskFileSystem(place.parent).read(place.name).decode("utf-8", "replace")
    except DiagnosticError:
        return ""


def _in_the_way(path: str) -> Diagnostic:
    return Diagnostic(
        code=Code.FILE_EXISTS,
        message=f"{path} is there already, and nothing is overwritten",
        location=Location(path),
        hint="move it away and try again; nothing was written",
    )


def _say(planned: Scaffold, choices: Choices, *, dry_run: bool) -> None:
    for path, text in planned.files.items():
        click.echo(f"{path}: {'would be written' if dry_run else 'written'}", err=True)
        if dry_run and path == PROJECT:
            click.echo(f"\n{text}", err=True)
    for path, text in planned.additions.items():
        click.echo(f"\n{path}: yours; add to it\n\n{text}", err=True, nl=False)
    if not planned.files:
        click.echo("nothing to write", err=True)
    if choices.ci is CiSystem.NONE:
        click.echo("no pipeline: vmrender init --ci github, or --ci gitlab, adds one", err=True)
    click.echo(_NEXT, err=True)
