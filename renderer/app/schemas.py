"""The schemas that a command of ``vmrender schema`` looks at: those that ship, and the project's own."""

from __future__ import annotations

from renderer.cli.repository import Repository
from renderer.model.project_schemas import ProjectSchemas
from renderer.model.release import Release
from renderer.source.project_schemas import imported_releases, read_project_schemas


def project_schemas() -> ProjectSchemas:
    """Those of the project in the working directory. Raises ``DiagnosticError``."""
    repository = Repository.here()
    return read_project_schemas(repository.fs, repository.config.schemas)


def releases_of_project() -> frozenset[Release]:
    """The KubeVirt releases that the project has imported schemas of. Raises ``DiagnosticError``."""
    repository = Repository.here()
    return imported_releases(repository.fs, repository.config.schemas)
