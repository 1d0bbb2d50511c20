"""The schemas that a repository brings along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class ProjectSchemas(NamedTuple):
    """Files of the folders under ``schemas`` in the project, as they are.

    ``releases`` has those of KubeVirt releases by ``1.10/virtualmachine.json``: the path in the repository, and
    the content. ``others`` has all others by their path in the repository: the path below the folder, and the
    content.
    """

    releases: Mapping[str, tuple[str, bytes]]
    others: Mapping[str, tuple[str, bytes]]


NO_SCHEMAS = ProjectSchemas({}, {})
