"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable

import click

from renderer.cli.report_target import ReportTarget
from renderer.model.release import Release, target_release
from renderer.model.render_config import ExpandMode
from renderer.report.formats import Format


def release_of(text: str) -> Release:
    """A release that can be rendered for. Raises ``click.BadParameter``."""
    try:
        return target_release(text)
    except ValueError:
        from renderer.app.schemas import releases_of_project  # noqa: PLC0415 - few projects have any

    try:
        return target_release(text, releases_of_project())
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _mode(_context: click.Context, _parameter: click.Parameter, text: str | None) -> ExpandMode | None:
    return None if text is None else ExpandMode(text)


kubevirt_option = click.option(
    "--kubevirt",
    type=release_of,
    metavar="RELEASE",
    help="Target release, for example 1.9 [default: vmrender.yaml's]",
)
expand_option = click.option(
    "--expand",
    type=click.Choice([mode.value for mode in ExpandMode]),  # of values: click takes an enum's names
    callback=_mode,
    help="How far virtual machines are expanded [default: vmrender.yaml's, else applied]",
)
verbose_option = click.option("-v", "--verbose", is_flag=True, help="Say what is done and how long it took.")
no_progress_option = click.option(
    "--no-progress", is_flag=True, help="Show no progress, on a terminal either."
)


def format_option(
    *, beside_manifests: bool = False
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """``--format``: how findings are written. ``beside_manifests``: the command prints those on stdout."""

    def choose(_context: click.Context, _parameter: click.Parameter, text: str) -> None:
        ReportTarget(Format(text), beside_manifests=beside_manifests).choose()

    place = "standard error" if beside_manifests else "standard output; text to standard error"
    return click.option(
        "--format",
        type=click.Choice([member.value for member in Format]),  # of values: click takes an enum's names
        default=Format.TEXT.value,
        show_default=True,
        callback=choose,
        expose_value=False,
        help=f"How findings are written, to {place}.",
    )


def vm_arguments(command: Callable[..., object]) -> Callable[..., object]:
    """The arguments and options that say which virtual machines of an overlay are meant."""
    for parameter in (
        format_option(),
        click.option("--all", "everything", is_flag=True, help="All virtual machines of the overlay."),
        click.option("-l", "--selector", metavar="SELECTOR", help="Those whose labels match, as in app=db."),
        click.argument("names", metavar="[VM]...", nargs=-1),
        click.argument("overlay"),
    ):
        command = parameter(command)
    return command
