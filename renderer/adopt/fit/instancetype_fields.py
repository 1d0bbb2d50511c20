"""The fields that an instance type sets in a VirtualMachine, found by applying it to an empty one."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.adopt.fit.template_parts import fields_of, pruned
from renderer.kubevirt.facts.lists import is_equal
from renderer.kubevirt.facts.stored_values import as_stored
from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs, ApplyError
from renderer.kubevirt.instancetype.apply.vmi import apply_instancetype
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, without
from renderer.model.kube.list_elements import value_at

_CPU = ("spec", "domain", "cpu")
GUEST_MEMORY = ("spec", "domain", "memory", "guest")
COUNTS = tuple((*_CPU, count) for count in ("sockets", "cores", "threads"))
_OPENED = frozenset(
    {
        "metadata",
        "annotations",
        "spec",
        "domain",
        "cpu",
        "memory",
        "resources",
        "requests",
        "devices",
        "ioThreads",
    }
)
#: Fields that a VirtualMachine cannot have together with an instance type (``apply/cpu.go``,
#: ``apply/memory.go``).
_ALWAYS_IN_CONFLICT = (
    *COUNTS,
    GUEST_MEMORY,
    *(
        ("spec", "domain", "resources", kind, name)
        for kind in ("requests", "limits")
        for name in ("cpu", "memory")
    ),
)
#: A memory conflict is reported alone; once it is dropped, the next conflict may show.
_MOST_CONFLICTS_IN_TURN = 8


class InstancetypeFields:
    """The fields of a VirtualMachine that an instance type's ``spec`` sets; ``vcpus`` are spread last.

    ``fields`` has their values as KubeVirt stores them, by their paths in ``spec.template``.
    """

    def __init__(self, spec: JsonObject, behaviour: Behaviour) -> None:
        """Raises ``ApplyError`` for a size that is not a valid quantity."""
        self.spec = spec
        self.vcpus = object_at(spec, "cpu").get("guest")
        self._specs = AppliedSpecs(spec, EMPTY, behaviour)
        applied = apply_instancetype(self._specs, EMPTY)[0]
        self.fields: Mapping[tuple[str, ...], Json] = {
            path: value for path, value in fields_of(as_stored(applied), _OPENED) if path not in COUNTS
        }

    @property
    def memory(self) -> Json:
        """Return the guest memory as a canonical quantity."""
        return self.fields.get(GUEST_MEMORY)

    def are_in(self, template: JsonObject) -> bool:
        """Return True if a template, as KubeVirt stores it, has all of the fields except the vCPUs."""
        return all(is_equal(value_at(template, path), value) for path, value in self.fields.items())

    def without(self, template: JsonObject) -> JsonObject:
        """Return a template without the fields that the instance type sets or conflicts with."""
        remaining = template
        for path in (*_ALWAYS_IN_CONFLICT, *self.fields):
            remaining = without(remaining, *path)
        remaining = pruned(remaining, template)
        if value_at(remaining, _CPU) == {}:
            remaining = without(remaining, *_CPU)
        for _ in range(_MOST_CONFLICTS_IN_TURN):
            try:
                conflicts = apply_instancetype(self._specs, remaining)[1]
            except ApplyError:
                return remaining
            if not conflicts:
                return remaining
            for conflict in conflicts:
                remaining = without(remaining, *conflict.field.keys[2:])
        return remaining
