"""The names that a command line may hold: machines, sizes, fields and releases. A shell completes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from renderer.app.catalogs import project_entries
from renderer.app.field_meanings import schemas_of_fields
from renderer.app.project import Project, chosen_overlays
from renderer.authoring.catalogs.entry import EntryScope
from renderer.checks.schemas.kubevirt_kinds import kinds_at
from renderer.checks.schemas.registry import SchemaRegistry
from renderer.kubevirt.facts.kinds import MACHINES
from renderer.kubevirt.facts.products import products
from renderer.model.release import OLDEST
from renderer.pipeline import Pipeline
from renderer.project.project_schemas import listed_schemas

#: A fleet with more overlays is not composed for the names of its machines.
_MOST_OVERLAYS = 50


def machine_names(project: Project, overlay: str = "") -> Iterator[tuple[str, str]]:
    """Yield namespace and name of the machines in one overlay, or in all if there are few.

    Raises ``UsageError`` if no overlay is called so, and ``DiagnosticError``.
    """
    pipeline = Pipeline(project.fs, project.config)
    overlays = chosen_overlays(pipeline.found, [overlay] if overlay else [])
    for each in overlays if len(overlays) <= _MOST_OVERLAYS else ():
        for resource in pipeline.compose_overlay(each).value:
            if resource.kind in MACHINES:
                yield resource.namespace, resource.name


def size_names(project: Project) -> Iterator[str]:
    """Yield the instance types and preferences of the catalogs, by name; ``KIND/NAME`` if several have it."""
    entries = project_entries(project)
    times = Counter((entry.name, entry.scope) for entry in entries)
    for entry in entries:
        is_first = entry.scope is EntryScope.CLUSTER or not times[entry.name, EntryScope.CLUSTER]
        is_plain = is_first and times[entry.name, entry.scope] == 1
        yield entry.name if is_plain else f"{entry.resource.kind.lower()}/{entry.name}"


def kind_names(project: Project) -> tuple[str, ...]:
    """Return KubeVirt's kinds that have a schema at the project's release."""
    return tuple(kind.name for kind in kinds_at(project.config.kubevirt))


def field_paths(project: Project, kind_name: str) -> Iterator[str]:
    """Yield the paths of a kind's fields at the project's release."""
    release = project.config.kubevirt
    kind = next(kind for kind in kinds_at(release) if kind.name == kind_name)
    return (".".join(names) for names in schemas_of_fields(SchemaRegistry(), kind, release))


def release_names(project: Project) -> Iterator[str]:
    """Yield the releases of KubeVirt that have schemas, and the releases of products."""
    registry = SchemaRegistry(project=listed_schemas(project.fs, project.config.schemas))
    yield from (str(each) for each in registry.releases if each >= OLDEST)
    for product in products()[1:]:
        yield from (release.name for release in product.releases)


def revision_names(project: Project) -> tuple[str, ...]:
    """Return the branches and tags of the repository. Raises ``DiagnosticError``."""
    with project.git() as git:
        return git.references()
