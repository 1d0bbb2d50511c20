"""Remarks about target releases, for commands that do not report what rendering finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.files.file_system import STANDARD_INPUT, FileSystem, readable_content
from renderer.findings.levels import with_levels
from renderer.kubevirt.facts.installed_release import names_release
from renderer.kubevirt.facts.unreleased import about_target
from renderer.model.diagnostic import Diagnostic
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE, Overlay, RenderConfig
from renderer.project.overlays import FoundOverlays


def remarks_on_targets(overlays: Iterable[Overlay]) -> Iterator[Diagnostic]:
    """Yield the remarks about the target releases of overlays, at the levels that these set."""
    for overlay in overlays:
        yield from with_levels(about_target(overlay.kubevirt), overlay.rules)


def remarks_on_installed_release(
    fs: FileSystem, config: RenderConfig, found: FoundOverlays, paths: Iterable[str]
) -> tuple[Diagnostic, ...]:
    """Return the remarks that the repository installs other releases than the project is rendered for.

    There are none unless one of the files at ``paths`` may say either.
    """
    if not any(_may_say_release(fs, path) for path in paths):
        return ()
    from renderer.discovery.other_release import remarks_on_other_releases  # noqa: PLC0415 - for few files

    return with_levels(
        tuple(remarks_on_other_releases(fs, config, found.overlays, found.chosen)), config.rules
    )


def _may_say_release(fs: FileSystem, path: str) -> bool:
    if path in (PROJECT_FILE, STANDARD_INPUT):
        return path == PROJECT_FILE
    return names_release(readable_content(fs, path) or b"")


def remarks_on_project(config: RenderConfig, chosen: Release | None = None) -> Iterator[Diagnostic]:
    """Yield the remarks about the release that was chosen, or else about all that the project names."""
    of_entries = (entry.kubevirt for entry in config.overlays)
    named = (config.kubevirt, *(each.kubevirt for each in config.clusters), *of_entries)
    for release in {chosen} if chosen else {*named} - {None}:
        if release is not None:
            yield from with_levels(about_target(release), config.rules)
