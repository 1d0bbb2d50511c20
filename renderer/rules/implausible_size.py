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

The rule reports less than 1Mi of memory or storage, and a negative amount: in virtual machines, in
`dataVolumeTemplates`, in instance types and preferences, in DataVolumes and in PersistentVolumeClaims.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from renderer.kubevirt.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.field_path import ROOT, FieldPath, Segment
from renderer.model.json import Json, JsonObject, object_at, scalar_text
from renderer.model.quantity import Quantity, lenient_quantity
from renderer.model.record import Record
from renderer.model.resource import Resource
from renderer.model.rule_settings import Level
from renderer.rules.context import INSTANCETYPES, PREFERENCES, Context
from renderer.rules.rule import Finding, Rule

_SMALLEST = Quantity.parse("1Mi")
_IN_DOMAIN: tuple[tuple[str, ...], ...] = (
    ("memory", "guest"),
    ("memory", "maxGuest"),
    ("resources", "requests", "memory"),
    ("resources", "limits", "memory"),
)
_IN_VOLUMES = (("emptyDisk", "capacity"),)
_IN_INSTANCETYPES = (("spec", "memory", "guest"), ("spec", "memory", "maxGuest"))
_IN_PREFERENCES = (("spec", "requirements", "memory", "guest"),)
_REQUESTED = ("resources", "requests", "storage")
_IN_DATA_VOLUMES: tuple[tuple[str, ...], ...] = (("pvc", *_REQUESTED), ("storage", *_REQUESTED))


class _Amount(Record):
    """The amount ``written`` in a field, at ``way`` below ``base``; only a finding joins the two paths."""

    written: Json
    base: FieldPath
    way: tuple[Segment, ...]


def _check(context: Context) -> Iterator[Finding]:
    for machine in context.machines:
        yield from _implausible_amounts(machine.resource, _of_machine(machine))
    of_kinds: tuple[tuple[Sequence[str], Sequence[tuple[str, ...]]], ...] = (
        (INSTANCETYPES, _IN_INSTANCETYPES),
        (PREFERENCES, _IN_PREFERENCES),
        (("DataVolume",), [("spec", *path) for path in _IN_DATA_VOLUMES]),
        (("PersistentVolumeClaim",), [("spec", *_REQUESTED)]),
    )
    for kinds, paths in of_kinds:
        for resource in context.of_kind(*kinds):
            yield from _implausible_amounts(resource, _amounts(resource.content, ROOT, (), paths))


def _of_machine(machine: VirtualMachineView) -> Iterator[_Amount]:
    paths = machine.paths
    yield from _amounts(machine.domain, paths.instance, ("domain",), _IN_DOMAIN)
    for index, template in machine.data_volume_templates:
        spec = object_at(template, "spec")
        yield from _amounts(spec, paths.spec, ("dataVolumeTemplates", index, "spec"), _IN_DATA_VOLUMES)
    for index, volume in machine.volumes:
        yield from _amounts(volume, paths.instance, ("volumes", index), _IN_VOLUMES)


def _amounts(
    content: JsonObject, base: FieldPath, place: tuple[Segment, ...], ways: Iterable[tuple[str, ...]]
) -> Iterator[_Amount]:
    """Yield what is written at the ``ways`` below ``content``, which stands at ``place`` below ``base``."""
    for way in ways:
        if way[0] not in content:
            continue
        written = object_at(content, *way[:-1]).get(way[-1])
        if written is not None:
            yield _Amount(written, base, (*place, *way))


def _implausible_amounts(resource: Resource, amounts: Iterable[_Amount]) -> Iterator[Finding]:
    for written, base, way in amounts:
        amount = lenient_quantity(written)
        if amount is None or amount.sign == 0 or amount.compare(_SMALLEST) >= 0:
            continue
        field = base.child(*way)
        if amount.sign < 0:
            yield Finding(resource, field, f"{field} is {scalar_text(written)}, which is negative")
        else:
            digits = scalar_text(written).rstrip("mkKun")
            what = "storage" if "storage" in way or "capacity" in way else "memory"
            message = f"{field} is {scalar_text(written)}, which is {_bytes(amount)} of {what}"
            yield Finding(resource, field, message, f"write a unit: did you mean {digits}Gi or {digits}Mi?")


def _bytes(amount: Quantity) -> str:
    count = amount.value()
    return "less than a byte" if amount.milli_value() < 1000 else f"{count} byte{'s' if count > 1 else ''}"  # noqa: PLR2004 - thousandths


RULE = Rule(Code.IMPLAUSIBLE_SIZE, Level.WARNING, _check, __doc__)
