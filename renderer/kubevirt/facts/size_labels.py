"""The labels that repeat sizes of a spec (common-instancetypes, its README, "Labels").

Each is a name after ``instancetype.kubevirt.io/``, with the path of what it says below ``spec``.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Labels of instance types with an amount.
AMOUNT_LABELS: Mapping[str, tuple[str, ...]] = {
    "cpu": ("cpu", "guest"),
    "memory": ("memory", "guest"),
    "hugepages": ("memory", "hugepages", "pageSize"),
}
#: Labels of preferences with an amount.
REQUIREMENT_LABELS: Mapping[str, tuple[str, ...]] = {
    "required-cpu": ("requirements", "cpu", "guest"),
    "required-memory": ("requirements", "memory", "guest"),
}
#: Labels that are "true" for an enabled feature.
SWITCH_LABELS: Mapping[str, tuple[str, ...]] = {
    "dedicatedCPUPlacement": ("cpu", "dedicatedCPUPlacement"),
    "isolateEmulatorThread": ("cpu", "isolateEmulatorThread"),
    "numa": ("cpu", "numa"),
    "realtime": ("cpu", "realtime"),
}
