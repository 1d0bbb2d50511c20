"""The schemas in a repository."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.record import Record


class ProjectSchemas(Record):
    """The unchanged files of the folders under ``schemas`` in the project.

    ``releases`` has the path and content of each KubeVirt schema, by ``1.10/virtualmachine.json``. ``others``
    has the path below its folder and the content of all other files, by path in the repository.
    """

    releases: Mapping[str, tuple[str, bytes]]
    others: Mapping[str, tuple[str, bytes]]


NO_SCHEMAS = ProjectSchemas({}, {})
