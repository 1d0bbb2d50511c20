"""``vmrender schema list``."""

from __future__ import annotations

from collections.abc import Iterator

import click

from renderer.app.schemas import project_schemas
from renderer.cli.exit_code import ExitCode
from renderer.cli.plain_output import echo_lines
from renderer.model.release import Release
from renderer.validation.kubevirt_kinds import KINDS, api_versions
from renderer.validation.registry import SchemaRegistry
from renderer.validation.user_schemas import UserSchemas


@click.command("list")
@click.option("--release", metavar="RELEASE", help="Only those of one release of KubeVirt.")
def command(release: str | None) -> ExitCode:
    """List the KubeVirt releases with schemas, their kinds and API versions, and the project's own schemas.

    \b
    Examples:
      vmrender schema list
      vmrender schema list --release 1.9
    """
    own = project_schemas()
    registry = SchemaRegistry(project=own)
    if release is not None:
        echo_lines("".join(f"{line}\n" for line in _kinds(known_release(registry, release))))
        return ExitCode.CLEAN
    imported = {path.partition("/")[0] for path in own.releases}
    lines = [
        f"KubeVirt {each}{'  (imported)' if str(each) in imported else ''}" for each in registry.releases
    ]
    lines += [f"{gvk.api_version} {gvk.kind}  {path}" for gvk, path in UserSchemas(own).kinds]
    echo_lines("".join(f"{line}\n" for line in lines))
    return ExitCode.CLEAN


def known_release(registry: SchemaRegistry, text: str) -> Release:
    """Raises ``click.BadParameter`` for a release without schemas."""
    known = registry.releases
    try:
        release = Release.parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    if release not in known:
        raise click.BadParameter(
            f"there are no schemas of KubeVirt {release}: {known[0]} to {known[-1]} have some"
        )
    return release


def _kinds(release: Release) -> Iterator[str]:
    for kind in KINDS:
        yield f"{kind.name}  {', '.join(api_versions(kind, release))}"
