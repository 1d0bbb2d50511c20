"""A label of an instance type or preference contradicts its spec.

Catalogs repeat their sizes in labels, which consoles show and selectors match:
`instancetype.kubevirt.io/cpu`, `/memory`, `/hugepages`, `/dedicatedCPUPlacement`, `/isolateEmulatorThread`,
`/numa` and `/realtime` on instance types, `/required-cpu` and `/required-memory` on preferences. Nothing
keeps them correct: a patch or a copy that changes the spec does not update the label.

Wrong:

```yaml
kind: VirtualMachineClusterInstancetype
metadata:
  name: db.large
  labels:
    instancetype.kubevirt.io/memory: 8Gi
spec:
  cpu: {guest: 4}
  memory: {guest: 16Gi}
```

Right: `instancetype.kubevirt.io/memory: 16Gi`, or no such label.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from renderer.checks.rules.context import INSTANCETYPES, PREFERENCES, Context
from renderer.checks.rules.rule import Finding, Rule, related_to
from renderer.kubevirt.facts.kinds import INSTANCETYPE_PREFIX
from renderer.kubevirt.facts.size_labels import AMOUNT_LABELS, REQUIREMENT_LABELS, SWITCH_LABELS
from renderer.model.codes import Code
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, object_at, scalar_text
from renderer.model.kube.resource import Resource
from renderer.model.quantity import are_equal_amounts
from renderer.model.rule_settings import Level

_KeyPath = tuple[str, ...]


def _check(context: Context) -> Iterator[Finding]:
    for resource in context.of_kind(*INSTANCETYPES):
        yield from _wrong_sizes(resource, AMOUNT_LABELS)
        for name, path in SWITCH_LABELS.items():
            label = resource.labels.get(INSTANCETYPE_PREFIX + name)
            is_on = _value(object_at(resource.content, "spec"), path) not in (None, False)
            if label in ("true", "false") and (label == "true") is not is_on:
                yield _mismatch(resource, name, label, path, "has it" if is_on else "does not have it")
    for resource in context.of_kind(*PREFERENCES):
        yield from _wrong_sizes(resource, REQUIREMENT_LABELS)


def _wrong_sizes(resource: Resource, sizes: Mapping[str, _KeyPath]) -> Iterator[Finding]:
    for name, path in sizes.items():
        label = resource.labels.get(INSTANCETYPE_PREFIX + name)
        if not isinstance(label, str):
            continue
        value = _value(object_at(resource.content, "spec"), path)
        if value is None or not _matches(label, value):
            says = "has none" if value is None else f"has {scalar_text(value)}"
            yield _mismatch(resource, name, label, path, says)


def _value(spec: JsonObject, path: _KeyPath) -> Json:
    return object_at(spec, *path[:-1]).get(path[-1])


def _matches(label: str, value: Json) -> bool:
    """Return True if a label says the amount of the spec; the schema stage reports an invalid amount."""
    is_switch = label == "true"  # early catalogs label huge pages like this
    return is_switch or label == value or are_equal_amounts(label, value)


def _mismatch(resource: Resource, name: str, label: str, path: Sequence[str], says: str) -> Finding:
    field = FieldPath.of("metadata", "labels", INSTANCETYPE_PREFIX + name)
    at = FieldPath.of("spec", *path)
    message = f"the label {INSTANCETYPE_PREFIX}{name} is {label}, and the spec {says}"
    return Finding(resource, field, message, None, (related_to(resource, f"{at} {says}", at),))


RULE = Rule(Code.SIZE_LABEL, Level.WARNING, _check, __doc__)
