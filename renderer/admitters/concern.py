"""Whether resources are any concern of this stage, which can be told without importing the rest of it."""

from __future__ import annotations

from renderer.model.resource import ResourceSet

_KINDS = frozenset({"VirtualMachine", "VirtualMachineInstance", "VirtualMachinePool"})


def concerns(resources: ResourceSet) -> bool:
    """Whether a webhook is asked about any of the resources."""
    return any(resource.content.get("kind") in _KINDS for resource in resources)
