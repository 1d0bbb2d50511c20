"""Names of sizes and of the instance types they generate, and the labels derived from a spec."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from renderer.kubevirt.facts.kinds import INSTANCETYPE_PREFIX
from renderer.kubevirt.facts.kubernetes_names import LABEL_LENGTH, dns_subdomain_errors
from renderer.kubevirt.facts.size_labels import AMOUNT_LABELS, SWITCH_LABELS
from renderer.model.kube.json import Json, JsonObject, object_at

NAME_RULE = "lower case letters, digits, - and ., beginning and ending with a letter or digit"
_PLACEHOLDERS = re.compile(r"\{(?:series|size)\}")
#: The text in labels and tables of sizes if a VirtualMachine sets its own size.
CUSTOM = "custom"
#: All labels that ``size_labels`` may set; nothing else should write them.
DERIVED_LABELS = frozenset(
    INSTANCETYPE_PREFIX + name for name in (*AMOUNT_LABELS, *SWITCH_LABELS, "size", "gpus")
)


@dataclass(frozen=True, slots=True)
class NamePattern:
    """The pattern that turns a size's name into an instance type's: ``u1.{size}``."""

    text: str = "{series}.{size}"

    @property
    def is_valid(self) -> bool:
        """Return True if the pattern names every size, has only known placeholders and yields valid names."""
        return "{size}" in self.text and is_object_name(_PLACEHOLDERS.sub("x", self.text))

    def of_series(self, name: str) -> NamePattern:
        return NamePattern(self.text.replace("{series}", name))

    def name(self, size: str) -> str:
        return self.text.replace("{size}", size)


def is_object_name(name: str) -> bool:
    """Return True if Kubernetes accepts it as the name of an instance type (RFC 1123 subdomain)."""
    return not dns_subdomain_errors(name)


def is_size_name(name: str) -> bool:
    """Return True if it can be part of such a name, and the value of a label."""
    return len(name) <= LABEL_LENGTH and is_object_name(name)


def size_labels(spec: JsonObject, size: str) -> Mapping[str, str]:
    """Return the labels of an instance type with ``spec`` and the name ``size`` within its series.

    The names and values are as in common-instancetypes (its README, "Labels"): ``cpu``, ``memory`` and
    ``size`` always, ``hugepages`` with the page size, and ``"true"`` for each feature that is on. A value
    that is left to the VM is ``custom``, as in the customisation proposal.
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
    return {INSTANCETYPE_PREFIX + name: str(value) for name, value in values.items()}
