"""An amount of memory or storage is so small that its unit was probably forgotten or mistaken.

`memory: 64` means 64 bytes in Kubernetes, and `128m` is a fraction of a byte: `m` means thousandths. KubeVirt
accepts such a machine, but it does not start. `storage: 30` requests 30 bytes, which most provisioners round
up to their smallest volume.

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

The rule reports less than 1Mi of memory or storage, negative amounts, and storage of 0: in virtual machines,
in `dataVolumeTemplates`, in instance types and preferences, in DataVolumes and in PersistentVolumeClaims.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from renderer.checks.rules.context import INSTANCETYPES, PREFERENCES, Context
from renderer.checks.rules.domain_values import is_zero
from renderer.checks.rules.rule import Finding, MachineCheck, Rule
from renderer.kubevirt.facts.kinds import CLAIM, DATA_VOLUME
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.kube.field_path import ROOT, FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, object_at, scalar_text
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import Memo
from renderer.model.plural import plural
from renderer.model.quantity import Quantity, lenient_quantity
from renderer.model.rule_settings import Level

_SMALLEST = Quantity.parse("1Mi")
_IN_DOMAIN: tuple[tuple[str, ...], ...] = (
    ("memory", "guest"),
    ("memory", "maxGuest"),
    ("resources", "requests", "memory"),
    ("resources", "limits", "memory"),
)
_IN_VOLUMES = (("emptyDisk", "capacity"),)
_OF_STORAGE = ("storage", "capacity")
_IN_INSTANCETYPES = (("spec", "memory", "guest"), ("spec", "memory", "maxGuest"))
_IN_PREFERENCES = (("spec", "requirements", "memory", "guest"),)
_REQUESTED = ("resources", "requests", "storage")
_IN_DATA_VOLUMES: tuple[tuple[str, ...], ...] = (("pvc", *_REQUESTED), ("storage", *_REQUESTED))


def _check_others(context: Context) -> Iterator[Finding]:
    of_kinds: tuple[tuple[Sequence[str], Sequence[tuple[str, ...]]], ...] = (
        (INSTANCETYPES, _IN_INSTANCETYPES),
        (PREFERENCES, _IN_PREFERENCES),
        ((DATA_VOLUME,), [("spec", *path) for path in _IN_DATA_VOLUMES]),
        ((CLAIM,), [("spec", *_REQUESTED)]),
    )
    for kinds, paths in of_kinds:
        for resource in context.of_kind(*kinds):
            yield from _findings(resource, resource.content, paths, ROOT)


def _check_machine(_: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    resource, paths = machine.resource, machine.paths
    yield from _findings(resource, machine.domain, _IN_DOMAIN, paths.instance, "domain")
    for index, template in machine.data_volume_templates:
        spec = object_at(template, "spec")
        yield from _findings(
            resource, spec, _IN_DATA_VOLUMES, paths.spec, "dataVolumeTemplates", index, "spec"
        )
    for index, volume in machine.volumes:
        if "emptyDisk" in volume:
            yield from _findings(resource, volume, _IN_VOLUMES, paths.instance, "volumes", index)


def _findings(
    resource: Resource,
    content: JsonObject,
    paths: Iterable[tuple[str, ...]],
    base: FieldPath,
    *place: Segment,
) -> Iterator[Finding]:
    """Yield the findings at the ``paths`` below ``content``, which is at ``place`` below ``base``."""
    for path in paths:
        if path[0] in content:
            written = object_at(content, *path[:-1]).get(path[-1])
            is_plausible = _PLAUSIBLE[written] if isinstance(written, str) else _is_plausible(written)
            if is_plausible and path[-1] in _OF_STORAGE and str(written).startswith("0"):
                is_plausible = not is_zero(written)
            amount = None if is_plausible else lenient_quantity(written)
            if amount is not None:
                yield _finding(resource, base.child(*place, *path), written, amount)


def _is_plausible(written: Json) -> bool:
    """Return True also for an invalid quantity, which other checks reject."""
    amount = lenient_quantity(written)
    return amount is None or amount.sign == 0 or amount.compare(_SMALLEST) >= 0


#: The answers for texts, which repeat in a fleet.
_PLAUSIBLE = Memo(_is_plausible)


def _finding(resource: Resource, field: FieldPath, written: Json, amount: Quantity) -> Finding:
    if amount.sign < 0:
        return Finding(resource, field, f"{field} is {scalar_text(written)}, which is negative")
    if not amount.sign:
        return Finding(
            resource, field, f"{field} is 0, which no volume can have", "write the size, such as 10Gi"
        )
    digits = scalar_text(written).rstrip("mkKun")
    what = "memory" if "memory" in field.segments else "storage"
    is_fraction = amount.milli_value() < 1000  # noqa: PLR2004 - thousandths
    size = "less than a byte" if is_fraction else plural(amount.value(), "byte")
    message = f"{field} is {scalar_text(written)}, which is {size} of {what}"
    return Finding(resource, field, message, f"write a unit: did you mean {digits}Gi or {digits}Mi?")


RULE = Rule(Code.IMPLAUSIBLE_SIZE, Level.WARNING, MachineCheck(_check_machine, _check_others), __doc__)
