"""An overlay whose pins a command changes."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from os.path import isdir
from pathlib import Path

import click

from renderer.cli.console import report
from renderer.cli.exit_code import ExitCode
from renderer.cli.repository import Repository
from renderer.compose.label_selector import Requirement, SelectorError, parse_selector
from renderer.emit.edit_user_files import change_files, check_writable
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.location import Location
from renderer.model.pin import Pinnable
from renderer.model.render_config import Overlay
from renderer.pins.changes import PINS, FileContent, PinChanges, changes, without_pins
from renderer.pins.folder import PinsFolder, read_folder
from renderer.pins.plan import PinPlan
from renderer.pipeline import Pipeline
from renderer.pipeline.entry_points import find_overlays
from renderer.source.file_system import FilesAbove
from renderer.source.find_kustomization import find_kustomization
from renderer.source.overlays import overlay_at, select_overlays


@dataclass(frozen=True, slots=True)
class PinnedOverlay:
    """An overlay, its kustomization, and its folder of pins."""

    repository: Repository
    overlay: Overlay
    kustomization: FileContent
    folder: PinsFolder

    @classmethod
    def open(cls, named: str) -> PinnedOverlay:
        """The overlay with that path, or with that name in the project. Raises ``DiagnosticError``."""
        path = Path(named)
        is_folder = isdir(path)  # noqa: PTH112 - Path.is_dir() raises for a name that is too long
        repository = Repository.containing(path) if is_folder else Repository.here()
        fs, config = repository.fs, repository.config
        found = find_overlays(fs, config)
        if is_folder:
            overlay = overlay_at(config, found, repository.relative(path))
        else:
            [overlay] = select_overlays(found, [named])
        file = find_kustomization(fs, overlay.path)
        pins = posixpath.normpath(posixpath.join(overlay.path, PINS))
        files = {
            name: fs.read(posixpath.join(pins, name))
            for name in fs.list(pins)
            if fs.is_file(posixpath.join(pins, name))
        }
        return cls(repository, overlay, FileContent(file, fs.read(file)), read_folder(pins, files))

    def pinnables(self) -> tuple[Pinnable, ...]:
        """The overlay's virtual machines as they are without pins. Raises ``DiagnosticError``."""
        bare = without_pins(self.kustomization)
        fs = FilesAbove({bare.path: bare.content}, self.repository.fs)
        outcome = Pipeline(fs, self.repository.config).pinnables(self.overlay)
        if outcome.failed:
            raise DiagnosticError(*outcome.diagnostics)
        return outcome.value

    def changes(self, plan: PinPlan) -> PinChanges:
        """What makes the files of the plan the overlay's pins. Raises: edit-refused, output-invalid."""
        needed = changes(self.folder, self.kustomization, plan.files)
        check_writable(self.repository.root, (*(file.path for file in needed.writes), *needed.removals))
        return needed

    def built_with(self, planned: PinChanges) -> Pipeline:
        """A pipeline that sees the changes as if they were made."""
        fs = FilesAbove({file.path: file.content for file in planned.writes}, self.repository.fs)
        return Pipeline(fs, self.repository.config)

    def make(self, planned: PinChanges) -> tuple[Diagnostic, ...]:
        """Makes the changes and prints how many; warns of files that stay. Raises ``DiagnosticError``."""
        writes = {file.path: file.content for file in planned.writes}
        change_files(self.repository.root, writes, planned.removals)
        counted = [
            f"{len(paths)} file{'' if len(paths) == 1 else 's'} {done}"
            for paths, done in ((planned.writes, "written"), (planned.removals, "removed"))
            if paths
        ]
        click.echo(f"{self.folder.path}: {', '.join(counted) or 'unchanged'}", err=True)
        return tuple(map(_left, planned.left))

    def report(self, work: Callable[[], tuple[Diagnostic, ...]]) -> ExitCode:
        """Prints what ``work`` finds, or is stopped by, with the lines of the repository."""
        try:
            findings = work()
        except DiagnosticError as error:
            findings = error.diagnostics
        return report(self.repository.fs, findings)


def choose(
    pinnables: Sequence[Pinnable], names: Iterable[str], selector: str | None, *, everything: bool
) -> tuple[Pinnable, ...]:
    """The virtual machines that are asked for, in their order.

    Raises ``click.UsageError`` for a name that is not there, a wrong selector, and when nothing is chosen.
    """
    by_name: dict[str, list[Pinnable]] = {}
    for pinnable in pinnables:
        by_name.setdefault(pinnable.resource.name, []).append(pinnable)
        if pinnable.resource.namespace:
            qualified = f"{pinnable.resource.namespace}/{pinnable.resource.name}"
            by_name.setdefault(qualified, []).append(pinnable)
    named = {id(pinnable) for name in names for pinnable in _named(name, by_name)}
    wanted = None if selector is None else _requirements(selector)
    chosen = tuple(p for p in pinnables if everything or id(p) in named or _matches(p, wanted))
    if not chosen:
        raise click.UsageError(_nothing_chosen(pinnables, selector))
    return chosen


def _named(name: str, by_name: dict[str, list[Pinnable]]) -> list[Pinnable]:
    if name not in by_name:
        nearest = get_close_matches(name, by_name, n=3)
        hint = f"; did you mean {' or '.join(nearest)}?" if nearest else ""
        raise click.UsageError(f"there is no virtual machine {name!r} in the overlay{hint}")
    return by_name[name]


def _requirements(selector: str) -> tuple[Requirement, ...]:
    try:
        return parse_selector(selector)
    except SelectorError as error:
        raise click.UsageError(f"{selector!r} is no label selector: {error}") from error


def _matches(pinnable: Pinnable, wanted: tuple[Requirement, ...] | None) -> bool:
    labels = pinnable.resource.labels
    return wanted is not None and all(requirement.matches(labels) for requirement in wanted)


def _nothing_chosen(pinnables: Sequence[Pinnable], selector: str | None) -> str:
    if not pinnables:
        return "the overlay has no virtual machine"
    if selector is not None:
        return f"no virtual machine has labels that match {selector!r}"
    return "say which virtual machines: by name, with --selector, or --all"


def _left(path: str) -> Diagnostic:
    return Diagnostic(
        code=Code.FOREIGN_FILE,
        severity=Severity.WARNING,
        message=f"{path} was changed by hand and stays, but nothing uses it any more",
        location=Location(path),
        hint="remove it when you do not need it",
    )
