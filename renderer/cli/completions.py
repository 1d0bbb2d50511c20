"""What a shell offers for an argument or option: overlays, machines, sizes, fields and other names.

Each function gets click's context and parameter, and the beginning of a word. A project that cannot be read
has no names, nor has one that exceeds the limits of a command; a message would end up in the middle of the
user's command line. Names are from the repository, and a shell puts them into the command line as they are:
only those that mean nothing to a shell are offered, and none with a confidential value.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import TypeAlias

import click

from renderer.cli.console import open_project

Completion: TypeAlias = Callable[[click.Context, click.Parameter, str], list[str]]

#: A word that every shell takes literally, and that is not an option. zsh expands =ls, PowerShell @x and a,b.
_PLAIN = re.compile(r"(?![-=@])[\w.:/@+=-]+")


def _completion(names: Callable[[click.Context], Iterable[str]]) -> Completion:
    """Return a completion by all plain names; none if they cannot be found within the limits of a command."""

    @wraps(names)
    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
        from renderer.app.cpu_limit import limited_cpu  # noqa: PLC0415 - only the shell asks
        from renderer.app.usage_error import UsageError  # noqa: PLC0415 - as above
        from renderer.findings.located import LocatedError  # noqa: PLC0415 - as above
        from renderer.model.diagnostic import DiagnosticError  # noqa: PLC0415 - as above
        from renderer.model.run.limits import VARIABLE, LimitValueError, set_maximum_from  # noqa: PLC0415 - as above
        from renderer.model.run.taint import begin_notes, noted_masking  # noqa: PLC0415 - as above
        from renderer.model.run.work import WorkLimitError, begin_run  # noqa: PLC0415 - as above

        begin_run()
        begin_notes()
        try:
            set_maximum_from(os.environ.get(VARIABLE, ""))
            with limited_cpu():
                found = sorted({name for name in names(context) if name.startswith(incomplete)})
                confidential = noted_masking()
                return [name for name in found if _PLAIN.fullmatch(name) and not confidential.is_in(name)]
        except (
            DiagnosticError,
            LocatedError,
            LimitValueError,
            WorkLimitError,
            UsageError,
            click.ClickException,
            OSError,
        ):
            return []

    return complete


@_completion
def complete_overlays(_: click.Context) -> Iterable[str]:
    """Yield the names of the project's overlays."""
    return (overlay.name for overlay in open_project().look_up_overlays().overlays)


@_completion
def complete_clusters(_: click.Context) -> Iterable[str]:
    """Yield the names of the project's clusters."""
    return (each.name for each in open_project().config.clusters)


@_completion
def complete_machines(context: click.Context) -> Iterable[str]:
    """Yield the machines of the overlay that the command line names, as ``db`` and ``prod/db``."""
    return _machines(context)


@_completion
def complete_pinned_overlay(context: click.Context) -> Iterable[str]:
    """Yield the names of the overlays; the machines of the overlay that ``--overlay`` names."""
    if context.params.get("named"):
        return _machines(context)
    return (overlay.name for overlay in open_project().look_up_overlays().overlays)


def _machines(context: click.Context) -> Iterator[str]:
    from renderer.app.known_names import machine_names  # noqa: PLC0415 - only the shell asks

    for namespace, name in machine_names(open_project(), _overlay_of(context)):
        yield from (name, f"{namespace}/{name}") if namespace else (name,)


def _overlay_of(context: click.Context) -> str:
    """Return the overlay that the command line names, as an option or an argument; empty without one."""
    return context.params.get("named") or context.params.get("overlay") or ""


@_completion
def complete_sizes(_: click.Context) -> Iterable[str]:
    """Yield the instance types and preferences of the project's catalogs."""
    from renderer.app.known_names import size_names  # noqa: PLC0415 - only the shell asks

    return size_names(open_project())


@_completion
def complete_kinds(_: click.Context) -> Iterable[str]:
    """Yield KubeVirt's kinds."""
    from renderer.app.known_names import kind_names  # noqa: PLC0415 - only the shell asks

    return kind_names(open_project())


@_completion
def complete_subjects(context: click.Context) -> Iterable[str]:
    """Yield what ``explain`` is about: codes of findings, kinds, and machines."""
    from renderer.app.known_names import kind_names, machine_names  # noqa: PLC0415 - only the shell asks
    from renderer.model.codes import Code  # noqa: PLC0415 - as above

    project = open_project()
    machines = machine_names(project, _overlay_of(context))
    return (*Code, *kind_names(project), *(f"vm/{name}" for _, name in machines))


@_completion
def complete_fields(context: click.Context) -> Iterable[str]:
    """Yield the fields of the kind that ``explain`` is about; of a VirtualMachine if it is a machine."""
    from renderer.app.known_names import field_paths, kind_names  # noqa: PLC0415 - only the shell asks

    project, subject = open_project(), context.params.get("subject")
    return field_paths(project, subject if subject in kind_names(project) else "VirtualMachine")


@_completion
def complete_codes(_: click.Context) -> Iterable[str]:
    """Yield the codes of findings."""
    from renderer.model.codes import Code  # noqa: PLC0415 - only the shell asks

    return Code


@_completion
def complete_releases(_: click.Context) -> Iterable[str]:
    """Yield the releases of KubeVirt, and of the products that bring it."""
    from renderer.app.known_names import release_names  # noqa: PLC0415 - only the shell asks

    return release_names(open_project())


@_completion
def complete_revisions(_: click.Context) -> Iterable[str]:
    """Yield the branches and tags of the repository."""
    from renderer.app.known_names import revision_names  # noqa: PLC0415 - only the shell asks

    return revision_names(open_project())
