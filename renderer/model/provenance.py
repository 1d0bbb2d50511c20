"""What made or changed a resource, for ``buildMetadata`` (kustomize ``api/resource/origin.go``)."""

from __future__ import annotations

from dataclasses import dataclass

#: The API version of what kustomize has built in.
BUILTIN = "builtin"


@dataclass(frozen=True, slots=True)
class ConfiguredBy:
    """A generator or transformer: the file that configures it, and what it is."""

    path: str
    kind: str
    api_version: str = BUILTIN
    name: str = ""
    namespace: str = ""
