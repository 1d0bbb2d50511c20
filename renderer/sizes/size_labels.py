"""The labels of an instance type that say what its spec holds."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.json import Json, JsonObject, object_at

PREFIX = "instancetype.kubevirt.io/"

#: How labels and tables of sizes say that a VirtualMachine gives its own.
CUSTOM = "custom"

#: All labels that ``size_labels`` may give; nothing else should write them.
DERIVED_LABELS = frozenset(
    PREFIX + name
    for name in (
        "cpu",
        "memory",
        "size",
        "hugepages",
        "dedicatedCPUPlacement",
        "isolateEmulatorThread",
        "numa",
        "realtime",
        "gpus",
    )
)


def size_labels(spec: JsonObject, size: str) -> Mapping[str, str]:
    """The labels of an instance type with ``spec`` and the name ``size`` within its series.

    The names and values are common-instancetypes' (its README, "Labels"): ``cpu``, ``memory`` and
    ``size`` always, ``hugepages`` with the page size, and ``"true"`` for each feature that is on. What is
    left to the VM is ``custom``, as in the customisation proposal.
    """
    cpu, memory = object_at(spec, "cpu"), object_at(spec, "memory")
    page_size = object_at(memory, "hugepages").get("pageSize")
    features = {
        "dedicatedCPUPlacement": cpu.get("dedicatedCPUPlacement") is True,
        "isolateEmulatorThread": cpu.get("isolateEmulatorThread") is True,
        "numa": bool(object_at(cpu, "numa")),
        "realtime": cpu.get("realtime") is not None,
        "gpus": bool(spec.get("gpus")),
    }
    values: dict[str, Json] = {
        "cpu": cpu.get("guest", CUSTOM),
        "memory": memory.get("guest", CUSTOM),
        "size": size,
    }
    values |= {"hugepages": page_size} if page_size is not None else {}
    values |= {name: "true" for name, is_on in features.items() if is_on}
    return {PREFIX + name: str(value) for name, value in values.items()}
