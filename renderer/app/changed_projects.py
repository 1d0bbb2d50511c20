"""Write the files of several projects: of all, or of none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from renderer.emit.edit_user_files import change_files, check_writable
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.run.work import WorkLimitError


class ChangedProject(NamedTuple):
    """The new content of files of a project, and the content that they have now."""

    root: Path
    writes: Mapping[str, bytes]
    before: Mapping[str, bytes]


def change_projects(changes: Iterable[ChangedProject]) -> None:
    """Write the files of all projects, or none. Raises ``DiagnosticError``.

    If a later project cannot be written, the files of the earlier ones get their old content back; what
    keeps that from happening is reported as well. A signal leaves each project as it was, or changed.
    """
    changes = tuple(changes)
    for each in changes:
        check_writable(each.root, each.writes)
    done: list[ChangedProject] = []
    try:
        for each in changes:
            change_files(each.root, each.writes, (), each.before)
            done.append(each)
    except (DiagnosticError, WorkLimitError) as error:
        found = error.diagnostics if isinstance(error, DiagnosticError) else (error.diagnostic,)
        raise DiagnosticError(*found, *_undo(done)) from error


def _undo(done: Sequence[ChangedProject]) -> tuple[Diagnostic, ...]:
    """Give the files their old content; return the errors about files that keep the new one."""
    failed: list[Diagnostic] = []
    for each in done:
        try:
            change_files(each.root, each.before, (), each.writes)
        except DiagnosticError as error:
            hint = f"the changes of {each.root.name} stay: bring its files back from Git"
            failed += (found._replace(hint=hint) for found in error.diagnostics)
    return tuple(failed)
