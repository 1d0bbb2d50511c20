"""What made or changed a resource, for ``buildMetadata`` (kustomize ``api/resource/origin.go``)."""

from __future__ import annotations

from renderer.model.record import Record

#: The API version of what kustomize has built in.
BUILTIN = "builtin"


class ConfiguredBy(Record):
    """A generator or transformer: the file that configures it, and what it is."""

    path: str
    kind: str
    api_version: str = BUILTIN
    name: str = ""
    namespace: str = ""
