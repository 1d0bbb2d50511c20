"""What the shell offers for an argument."""

from __future__ import annotations

import click

from renderer.model.diagnostic import DiagnosticError


def complete_overlays(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """The names of the project's overlays; none where the project cannot be read."""
    from renderer.cli.repository import Repository  # noqa: PLC0415 - only the shell asks
    from renderer.pipeline.entry_points import find_overlays  # noqa: PLC0415 - as above

    try:
        repository = Repository.here()
        found = find_overlays(repository.fs, repository.config)
    except DiagnosticError:
        return []
    return sorted({overlay.name for overlay in found if overlay.name.startswith(incomplete)})
