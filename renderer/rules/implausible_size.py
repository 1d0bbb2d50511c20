"""An amount of memory or storage is so small that its unit was probably forgotten or mistaken.

`memory: 64` is 64 bytes to Kubernetes, and `128m` is a fraction of a byte: `m` stands for thousandths.
KubeVirt takes such a machine, and it does not start; a claim of `storage: 30` is one of 30 bytes, which most
provisioners round up to their smallest volume.

Wrong:

```yaml
domain:
  memory: {guest: 64}
```

Right:

```yaml
domain:
  memory: {guest: 64Gi}
```

Reported is less than 1Mi of memory or storage, and a negative amount: in virtual machines, in
`dataVolumeTemplates`, in instance types and preferences, in DataVolumes and in PersistentVolumeClaims.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from renderer.kubevirt.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, scalar_text
from renderer.model.list_elements import element_index
from renderer.model.quantity import Quantity, lenient_quantity
from renderer.model.resource import Resource
from renderer.model.rule_settings import Level
from renderer.rules.context import Context
from renderer.rules.matchers import INSTANCETYPES, PREFERENCES
from renderer.rules.rule import Finding, Rule

_SMALLEST = Quantity.parse("1Mi")
_IN_DOMAIN: tuple[tuple[str, ...], ...] = (
    ("memory", "guest"),
    ("memory", "maxGuest"),
    ("resources", "requests", "memory"),
    ("resources", "limits", "memory"),
)
_IN_INSTANCETYPES = (("spec", "memory", "guest"), ("spec", "memory", "maxGuest"))
_IN_PREFERENCES = (("spec", "requirements", "memory", "guest"),)
_REQUESTED = ("resources", "requests", "storage")
_IN_DATA_VOLUMES: tuple[tuple[str, ...], ...] = (("pvc", *_REQUESTED), ("storage", *_REQUESTED))


def _check(context: Context) -> Iterator[Finding]:
    for machine in context.machines:
        yield from _slips(machine.resource, _of_machine(machine))
    of_kinds: tuple[tuple[Sequence[str], Sequence[tuple[str, ...]]], ...] = (
        (INSTANCETYPES, _IN_INSTANCETYPES),
        (PREFERENCES, _IN_PREFERENCES),
        (("DataVolume",), [("spec", *path) for path in _IN_DATA_VOLUMES]),
        (("PersistentVolumeClaim",), [("spec", *_REQUESTED)]),
    )
    for kinds, paths in of_kinds:
        for resource in context.of_kind(*kinds):
            yield from _slips(resource, map(FieldPath, paths))


def _of_machine(machine: VirtualMachineView) -> Iterator[FieldPath]:
    for path in _IN_DOMAIN:
        yield machine.in_instance("domain", *path)
    for index, _ in machine.data_volume_templates:
        for path in _IN_DATA_VOLUMES:
            yield machine.in_spec("dataVolumeTemplates", index, "spec", *path)
    for index, _ in machine.volumes:
        yield machine.in_instance("volumes", index, "emptyDisk", "capacity")


def _slips(resource: Resource, fields: Iterator[FieldPath]) -> Iterator[Finding]:
    for field in fields:
        written = _at(resource.content, field)
        amount = lenient_quantity(written)
        if amount is not None and amount.sign < 0:
            yield Finding(resource, field, f"{field} is {scalar_text(written)}, which is negative")
        elif amount is not None and amount.sign > 0 and amount.compare(_SMALLEST) < 0:
            digits = scalar_text(written).rstrip("mkKun")
            what = "storage" if "storage" in field.segments or "capacity" in field.segments else "memory"
            message = f"{field} is {scalar_text(written)}, which is {_bytes(amount)} of {what}"
            yield Finding(resource, field, message, f"write a unit: did you mean {digits}Gi or {digits}Mi?")


def _bytes(amount: Quantity) -> str:
    count = amount.value()
    return "less than a byte" if amount.milli_value() < 1000 else f"{count} byte{'s' if count > 1 else ''}"  # noqa: PLR2004 - thousandths


def _at(content: Json, field: FieldPath) -> Json:
    for segment in field.segments:
        if isinstance(content, list):
            index = element_index(content, segment)
            content = None if index is None else content[index]
        else:
            content = content.get(str(segment)) if isinstance(content, dict) else None
    return content


RULE = Rule(Code.IMPLAUSIBLE_SIZE, Level.WARNING, _check, __doc__)
