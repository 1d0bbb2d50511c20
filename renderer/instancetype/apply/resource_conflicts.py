"""Requests and limits of a VM that conflict with what an instance type always sets.

KubeVirt ``pkg/instancetype/apply/cpu.go`` and ``memory.go``.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.instancetype.conflict import Conflict
from renderer.model.json import JsonObject, object_at


def resource_conflicts(resource: str, domain: JsonObject) -> Iterator[Conflict]:
    """Of ``cpu`` or ``memory``, which in both a VM's resources and an instance type's spec have that name."""
    resources = domain.get("resources")
    if not resources:
        return
    for kind in ("requests", "limits"):
        if resource in object_at(resources, kind):
            yield Conflict.of_vmi_spec(("domain", "resources", kind, resource), (resource, "guest"))
