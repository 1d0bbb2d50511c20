"""Options that several commands share, shell completion, and ``VMRENDER_LIMITS``."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from renderer.cli.completions import (
    complete_clusters,
    complete_machines,
    complete_overlays,
    complete_pinned_overlay,
    complete_releases,
)
from renderer.cli.console import ReportTarget, open_project
from renderer.kubevirt.facts.products import target_release
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode
from renderer.report.formats import Format

if TYPE_CHECKING:
    from renderer.project.sharding import ShardName


Member = TypeVar("Member", bound=str)


class TextChoice(click.Choice[Member]):
    """A choice among members of an enumeration by their texts; click itself takes an enum's names."""

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:
        return super().normalize_choice(str(choice), ctx)


class ExistingPath(click.Path):
    """A path that exists; the error about a mistyped path suggests the nearest one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 - click's own
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            if not os.path.lexists(value):
                from renderer.model.suggest import suggest_paths  # noqa: PLC0415 - only when something is wrong

                near = suggest_paths(os.fspath(value), _list_folder)
                if near:
                    self.fail(f"{error.message} Did you mean {' or '.join(near)}?", param, ctx)
            raise


class OverlayPath(ExistingPath):
    """A path that exists; the error about the name of an overlay says how to name it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 - click's own
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            from shlex import quote  # noqa: PLC0415 - only when something is wrong

            name = os.fspath(value)
            if is_overlay_name(name):
                names_overlays = ctx is not None and any(
                    "--overlay" in each.opts for each in ctx.command.params
                )
                form = "" if names_overlays else "vmrender build "
                self.fail(
                    f"{name!r} is the name of an overlay, not a path: {form}--overlay {quote(name)}",
                    param,
                    ctx,
                )
            raise


def is_overlay_name(name: str) -> bool:
    """Return True if the project has an overlay that is called so; False if the project cannot be read."""
    from renderer.model.diagnostic import DiagnosticError  # noqa: PLC0415 - only when something is wrong
    from renderer.project.overlays import is_named  # noqa: PLC0415 - as above

    try:
        overlays = open_project().look_up_overlays().overlays
    except DiagnosticError:
        return False
    return any(is_named(overlay, name) for overlay in overlays)


def overlay_option(verb: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Return the option that names overlays, for a command that does ``verb`` with them."""
    return click.option(
        "--overlay",
        "named",
        metavar="OVERLAY",
        multiple=True,
        shell_complete=complete_overlays,
        help=f"{verb} only this overlay, by name, path, entry or pattern. Repeatable.",
    )


def one_overlay_option(help_text: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Return the option that names the one overlay of a command; its value is empty without the option."""
    return click.option(
        "--overlay",
        "named",
        metavar="OVERLAY",
        multiple=True,
        callback=_only_one,
        shell_complete=complete_overlays,
        help=help_text,
    )


def _only_one(context: click.Context, _parameter: click.Parameter, names: tuple[str, ...]) -> str:
    if len(names) > 1:
        raise click.UsageError(f"{context.command_path} works on one overlay: name one overlay at a time")
    return names[0] if names else ""


def _list_folder(folder: str) -> tuple[str, ...]:
    try:
        return tuple(sorted(each.name for each in Path(folder).iterdir()))
    except OSError:
        return ()


def release_of(text: str) -> Release:
    """Return the target release in ``text``. Raises ``click.BadParameter`` if it is not supported."""
    try:
        return parse_release(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def parse_release(text: str) -> Release:
    """Return the target release in ``text``. Raises ``ValueError`` if it is not supported."""
    try:
        return target_release(text)
    except ValueError:
        from renderer.project.project_schemas import imported_releases  # noqa: PLC0415 - few projects have any

    project = open_project()
    return target_release(text, imported_releases(project.fs, project.config.schemas))


def _choose_quiet(_context: click.Context, _parameter: click.Parameter, quiet: bool) -> None:  # noqa: FBT001 - click passes flags so
    ReportTarget.current()._replace(is_quiet=quiet).activate()


kubevirt_option = click.option(
    "--kubevirt",
    type=release_of,
    metavar="RELEASE",
    shell_complete=complete_releases,
    help="Target release, for example 1.9 or hco-1.18 [default: vmrender.yaml's]",
)
expand_option = click.option(
    "--expand",
    type=TextChoice(ExpandMode),
    help="How far to expand virtual machines [default: vmrender.yaml's, else applied]",
)


def jobs_option(maximum: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Return the option for the ``maximum`` number of processes, as its help calls it."""
    return click.option(
        "--jobs",
        "-j",
        type=click.IntRange(min=1),
        metavar="N",
        help=f"{maximum} [default: one for each processor, if the work is worth it]",
    )


strict_option = click.option("--strict", is_flag=True, help="Treat warnings as errors.")
quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    callback=_choose_quiet,
    expose_value=False,
    help="Show only errors, and nothing without errors.",
)
verbose_option = click.option("-v", "--verbose", is_flag=True, help="Report each step and its duration.")
no_progress_option = click.option(
    "--no-progress", is_flag=True, help="Do not show progress, even on a terminal."
)


def _choose_cluster(_context: click.Context, parameter: click.Parameter, name: str | None) -> None:
    ReportTarget.current()._replace(cluster=name or "", cluster_option=parameter.opts[0]).activate()


def _cluster_option(name: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Return the option that chooses a cluster: its overlays, and its settings for everything else.

    ``open_project`` opens the project as that cluster sees it.
    """
    return click.option(
        name,
        metavar="NAME",
        callback=_choose_cluster,
        expose_value=False,
        shell_complete=complete_clusters,
        help="Only overlays of this cluster, and its catalogs and settings.",
    )


cluster_option = _cluster_option("--cluster")
#: The same for a command in which ``--cluster`` is a scope.
of_cluster_option = _cluster_option("--of-cluster")


def format_option(
    *, beside_manifests: bool = False
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Return the option ``--format`` for findings. ``beside_manifests``: stdout is for manifests."""

    def choose(_context: click.Context, _parameter: click.Parameter, chosen: Format) -> None:
        ReportTarget.current()._replace(format=chosen, beside_manifests=beside_manifests).activate()

    place = "standard error" if beside_manifests else "standard output; text to standard error"
    return click.option(
        "--format",
        type=TextChoice(Format),
        default=Format.TEXT,
        show_default=True,
        callback=choose,
        expose_value=False,
        help=f"Format of the findings, which go to {place}.",
    )


def vm_arguments(command: Callable[..., object]) -> Callable[..., object]:
    """Add the arguments and options that choose virtual machines of an overlay."""
    for parameter in (
        format_option(),
        click.option("--all", "everything", is_flag=True, help="All virtual machines of the overlay."),
        click.option(
            "-l",
            "--selector",
            metavar="SELECTOR",
            help="Virtual machines whose labels match, such as app=db.",
        ),
        cluster_option,
        click.argument("names", metavar="[VM]...", nargs=-1, shell_complete=complete_machines),
        click.argument("overlay", metavar="OVERLAY", required=False, shell_complete=complete_pinned_overlay),
        one_overlay_option("The overlay; the arguments are then virtual machines only."),
    ):
        command = parameter(command)
    return command


def overlay_and_machines(
    overlay: str | None, named: str, names: tuple[str, ...]
) -> tuple[str, tuple[str, ...]]:
    """Return the overlay of ``vm_arguments``, which is an argument or an option, and the machines' names."""
    if not named:
        if not overlay:
            raise click.UsageError("name the overlay: OVERLAY [VM]..., or --overlay OVERLAY [VM]...")
        return overlay, names
    return named, (overlay, *names) if overlay else names


def shard_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add the options that choose the overlays of one of several workers."""
    shard = click.option(
        "--shard",
        type=_parse_shard,
        metavar="I/N",
        help="Render only the share of worker I of N; all N together render each overlay once.",
    )
    plan = click.option(
        "--plan",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="The plan of all shards, as printed by vmrender plan [default: estimated from the sources]",
    )
    return shard(plan(command))


def _parse_shard(text: str) -> ShardName:
    from renderer.project.sharding import ShardName  # noqa: PLC0415 - few commands have shards

    try:
        return ShardName.parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def apply_limits(text: str) -> None:
    """Set the limits of this run: comma-separated ``name=value`` pairs. Raises ``click.UsageError``.

    ``VMRENDER_LIMITS`` is an environment variable. It is not a field of ``vmrender.yaml``, as a pull request
    can change that file. It is not an option, as it must also apply to hooks, plugins and functions that
    other programs start.
    """
    from renderer.model.run.limits import (  # noqa: PLC0415 - few runs set limits
        VARIABLE,
        LimitValueError,
        set_maximum_from,
    )

    try:
        set_maximum_from(text)
    except LimitValueError as error:
        raise click.UsageError(f"{VARIABLE}: {error}; {error.hint}") from None
