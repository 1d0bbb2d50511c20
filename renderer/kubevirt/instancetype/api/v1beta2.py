"""v1beta2 of instance types and preferences, in which an instance type may leave its size to the VM.

No release of KubeVirt serves it: it belongs to KubeVirt's customisation proposal ("Make ``spec.cpu.guest``
and ``spec.memory.guest`` optional"); everything else is as in v1beta1. We read it but never write it.
"""

from __future__ import annotations

from renderer.model.kube.json import JsonObject, object_at


def leaves_vcpus_to_vm(spec: JsonObject) -> bool:
    """Return True if an instance type with that spec has no ``cpu.guest``."""
    return object_at(spec, "cpu").get("guest") is None


def leaves_memory_to_vm(spec: JsonObject) -> bool:
    """Return True if an instance type with that spec has no ``memory.guest``."""
    return object_at(spec, "memory").get("guest") is None


def is_incomplete(spec: JsonObject) -> bool:
    """Return True if an instance type with that spec leaves vCPUs or memory to the VM."""
    return leaves_vcpus_to_vm(spec) or leaves_memory_to_vm(spec)
