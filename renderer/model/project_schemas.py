"""The schemas in a repository."""

from __future__ import annotations

import re
from collections.abc import Mapping

from renderer.model.record import Record

#: The paths of JSON schemas, which name their kind, in lower case.
SCHEMA_PATHS = (
    re.compile(r"(?:.*/)?(?P<group>[^/]+)/(?P<version>v[0-9][a-z0-9]*)/(?P<kind>[^/]+)\.json"),
    re.compile(r"(?:.*/)?(?P<group>[^/]+)/(?P<kind>[^/_]+)_(?P<version>v[0-9][a-z0-9]*)\.json"),
)


class ProjectSchemas(Record):
    """The unchanged files of the folders under ``schemas`` in the project.

    ``releases`` has the path and content of each KubeVirt schema, by ``1.10/virtualmachine.json``. ``others``
    has the path below its folder and the content of all other files, by path in the repository.
    """

    releases: Mapping[str, tuple[str, bytes]]
    others: Mapping[str, tuple[str, bytes]]


NO_SCHEMAS = ProjectSchemas({}, {})
