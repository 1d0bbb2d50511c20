"""Run a function of the library by itself: nothing that it counts or notes is left behind.

Limits, the account of work and the values of Secrets stand in context variables. A command is one run, and
ends with its process. A program that imports ``renderer`` makes many runs, in several threads, of several
projects: each call gets a context of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextvars import copy_context
from functools import wraps
from typing import ParamSpec, TypeVar

from renderer.app.api.arguments import check_arguments
from renderer.app.project import Project, project_files
from renderer.kubevirt.confidential import mask_in_findings
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.limits import VARIABLE, set_maximum_from
from renderer.model.taint import begin_notes, taint_masking
from renderer.model.work import WorkLimitError, begin_run
from renderer.source.file_system import FileSystem
from renderer.source.locate import Locator, locate

P = ParamSpec("P")
T = TypeVar("T")


def isolated_run(function: Callable[P, T]) -> Callable[P, T]:
    """Return ``function`` so that each call is a run of its own, which any thread may begin.

    A call that takes too many steps of work raises ``DiagnosticError``: build-limit. One with an argument of
    a wrong type raises ``TypeError``.
    """

    @wraps(function)
    def run(*arguments: P.args, **options: P.kwargs) -> T:
        check_arguments(function, arguments, options)
        projects = (each for each in (*arguments, *options.values()) if isinstance(each, Project))
        project = next(projects, None)

        def call() -> T:
            environment = os.environ if project is None else project.environment
            set_maximum_from(environment.get(VARIABLE, ""))
            begin_run()
            begin_notes()
            try:
                return function(*arguments, **options)
            except WorkLimitError as error:
                raise DiagnosticError(error.diagnostic) from None

        return copy_context().run(call)

    return run


def reopened(project: Project) -> Project:
    """Return the project with its files as they are now, and shared with no other call.

    A tree on disk remembers for the length of a run where links lead.
    """
    return project._replace(fs=project_files(project.root))


def located(
    fs: FileSystem, findings: Iterable[Diagnostic], locator: Locator | None = None
) -> tuple[Diagnostic, ...]:
    """Return the findings with their lines, and ``***`` for the values of Secrets that this run has met."""
    return mask_in_findings(locate(fs, findings, locator), taint_masking())
