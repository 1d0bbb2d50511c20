"""What is said of a migration: findings, lines for people, and a diff."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from renderer.cli.repository import Repository
from renderer.emit.redact import MASK
from renderer.migration.migrate_file import Migrated
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.location import Location
from renderer.source.file_system import FileSystem
from renderer.source.locate import Locator


class MigratedFiles(NamedTuple):
    """Files of one project; ``folder`` is where it is, seen from what is above all projects of the run."""

    repository: Repository
    files: tuple[Migrated, ...]
    folder: str = "."

    def path(self, path: str) -> str:
        return posixpath.normpath(posixpath.join(self.folder, path))


def side_by_side(projects: Sequence[MigratedFiles]) -> tuple[MigratedFiles, ...]:
    """The projects with their folders."""
    top = Path(os.path.commonpath([project.repository.root for project in projects]))
    return tuple(
        project._replace(folder=project.repository.root.relative_to(top).as_posix()) for project in projects
    )


def findings(projects: Sequence[MigratedFiles], *, check: bool) -> tuple[FileSystem, tuple[Diagnostic, ...]]:
    """Warnings of what stays and, in a ``check``, an error for each change; with the tree to find them in."""
    found = [tuple(_findings(project.files, check=check)) for project in projects]
    if len(projects) == 1:
        return projects[0].repository.fs, found[0]
    from renderer.app.several_projects import merged_results  # noqa: PLC0415 - a monorepo has several
    from renderer.app.validate import ValidationResult  # noqa: PLC0415 - as above

    repositories = [project.repository for project in projects]
    fs, whole = merged_results(
        [(each, ValidationResult(own, (), ())) for each, own in zip(repositories, found, strict=True)]
    )
    return fs, whole.diagnostics


def notes(projects: Iterable[MigratedFiles]) -> Iterator[str]:
    """A line for each change, at the place where it was, and how many there are."""
    from renderer.report.plain_text import printable  # noqa: PLC0415 - only when files are written

    changes = files = 0
    for project in projects:
        for line in _lines(project):
            yield printable(line, len(line))
        changes += sum(len(file.changes) for file in project.files)
        files += sum(bool(file.changes) for file in project.files)
    yield f"{_count(changes, 'change')} in {_count(files, 'file')}"


def diff(project: MigratedFiles) -> Iterator[str]:
    """What changes in each file, without values of Secrets and cloud-init data in the lines around it."""
    from renderer.emit.unified_diff import unified_diff  # noqa: PLC0415 - only when one is asked for

    for file in project.files:
        if file.changes:
            path = project.path(file.source.path)
            shown = unified_diff(path, _public(file.source.content), _public(file.content))
            yield shown or f"--- {path}\n+++ {path}\n(what changes is on lines that hold confidential data)\n"


def _findings(files: Iterable[Migrated], *, check: bool) -> Iterator[Diagnostic]:
    for file in files:
        yield from file.warnings
        for site, change in file.changes if check else ():
            yield Diagnostic(
                code=Code.DEPRECATED,
                message=f"{change.before} is deprecated",
                sites=(site,),
                field=change.field,
                hint=f"vmrender migrate makes it {change.after}",
            )


def _lines(project: MigratedFiles) -> Iterator[str]:
    locator = Locator(project.repository.fs)
    changes = [each for file in project.files for each in file.changes]
    placed = [(locator.location_of((site,)) or Location(site.path), change) for site, change in changes]
    for location, change in sorted(placed, key=lambda each: each[0]):
        place = location._replace(path=project.path(location.path))
        yield f"{place}: {change.before} -> {change.after}"


def _public(content: bytes) -> bytes:
    """The file with a mask for each line that may not be shown."""
    from renderer.yamlio.public_lines import public_lines  # noqa: PLC0415 - only when a diff is asked for

    numbers = range(1, content.count(b"\n") + 2)
    shown = public_lines(content, numbers)
    *lines, last = (shown.get(number, MASK) for number in numbers)
    return "\n".join([*lines, last if not content.endswith(b"\n") else ""]).encode()


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
