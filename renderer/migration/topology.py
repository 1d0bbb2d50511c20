"""Values of ``preferredCPUTopology``: ``preferSockets`` and the like are ``sockets`` since KubeVirt 1.4.

KubeVirt ``pkg/instancetype/preference/webhooks/admitter.go`` warns of the old ones; a release that does not
know the new ones takes them silently and makes one socket, core and thread of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.migration.change import Finding, Subject, new_value
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject, text_at
from renderer.model.release import Release

_FIELD = FieldPath.of("spec", "cpu", "preferredCPUTopology")
_SINCE = Release(1, 4)
_SUCCESSORS = {
    "preferSockets": "sockets",
    "preferCores": "cores",
    "preferThreads": "threads",
    "preferSpread": "spread",
    "preferAny": "any",
}


def in_preference(content: JsonObject) -> Iterator[Finding]:
    old = text_at(content, "spec", "cpu", "preferredCPUTopology")
    if old in _SUCCESSORS:
        yield new_value(Subject.TOPOLOGY, _FIELD, old, _SUCCESSORS[old], _SINCE)
