"""Run each call of a library function as a separate run, so that it leaves no state in the caller.

Limits, the work count and the values of Secrets are in context variables. A command is one run, and
ends with its process. A program that imports ``renderer`` makes many runs, in several threads, of several
projects: each call gets its own context.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from functools import wraps
from typing import ParamSpec, TypeVar

from renderer.app.api.arguments import check_arguments
from renderer.app.known_secrets import learn_from_project
from renderer.app.project import Project, project_files
from renderer.files.file_system import FileSystem
from renderer.findings.located import LocatedError
from renderer.findings.run_findings import locate
from renderer.model.diagnostic import DiagnosticError
from renderer.model.run.limits import VARIABLE, set_maximum_from
from renderer.model.run.taint import begin_notes, learn_nothing
from renderer.model.run.work import WorkLimitError, begin_run

P = ParamSpec("P")
T = TypeVar("T")


def isolated_run(function: Callable[P, T]) -> Callable[P, T]:
    """Wrap ``function`` so that each call is a separate run. Any thread may call it.

    A stage's errors are located in the files of the project and raised as ``LocatedError``; so is
    build-limit, if a call exceeds the work limit. An argument of a wrong type raises ``TypeError``.
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
            if project is not None:
                learn_from_project(project.root, project.fs, project.config)
            with located_errors(None if project is None else project.fs):
                return function(*arguments, **options)

        return copy_context().run(call)

    return run


@contextmanager
def located_errors(fs: FileSystem | None) -> Iterator[None]:
    """Turn errors about files of ``fs`` into ``LocatedError``."""
    try:
        yield
    except WorkLimitError as error:
        learn_nothing()
        raise LocatedError(*locate(fs, [error.diagnostic])) from None
    except DiagnosticError as error:
        raise LocatedError(*locate(fs, error.diagnostics)) from None


def reopen(project: Project) -> Project:
    """Return the project with a fresh view of its files, shared with no other call.

    A tree on disk caches the targets of links for one run.
    """
    return project._replace(fs=project_files(project.root, project.environment))
