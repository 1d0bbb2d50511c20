"""A volume is smaller than the volume that it is a clone of, so it is never filled.

CDI compares the requested sizes before it clones a volume (`ValidateRequestedCloneSize` in its
`pkg/controller/common/util.go`), and reports "target resources requests storage size is smaller than the
source" as an event of the DataVolume, which stays as it is. A CSI driver rejects a smaller clone as well.

Wrong:

```yaml
kind: PersistentVolumeClaim
metadata: {name: golden}
spec:
  resources: {requests: {storage: 50Gi}}
```

```yaml
kind: DataVolume
spec:
  source: {pvc: {name: golden}}
  storage: {resources: {requests: {storage: 20Gi}}}
```

Right, as CDI takes the size of the source then:

```yaml
kind: DataVolume
spec:
  source: {pvc: {name: golden}}
  storage: {}
```

The rule compares DataVolumes, `dataVolumeTemplates` and claims with a source that is in the same overlay: a
claim, a DataVolume, a VolumeSnapshot of a claim, a DataSource, or a DataImportCron.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.claimed_volumes import (
    VolumeRequest,
    claim_named,
    only_object,
    request_of_claim,
    request_of_data_volume,
)
from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding, MachineCheck, Rule, related_to
from renderer.kubevirt.facts.kinds import CLAIM, DATA_SOURCE, DATA_VOLUME, VOLUME_SNAPSHOT
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.quantity import Quantity, lenient_quantity
from renderer.model.record import Record
from renderer.model.rule_settings import Level

_SIZE = ("resources", "requests", "storage")
_SPEC = FieldPath.of("spec")
#: A DataSource may refer to another one.
_LONGEST_CHAIN = 5


class _Source(Record):
    """The volume that another one is a clone of, and its name."""

    name: str
    request: VolumeRequest


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    for index, template in machine.data_volume_templates:
        at = machine.in_spec("dataVolumeTemplates", index, "spec")
        spec, name = object_at(template, "spec"), text_at(template, "metadata", "name")
        request = request_of_data_volume(machine.resource, spec, at)
        if request is not None:
            yield from _findings(context, name, request, spec)


def _check_others(context: Context) -> Iterator[Finding]:
    for resource in context.of_kind(DATA_VOLUME):
        spec = object_at(resource.content, "spec")
        request = request_of_data_volume(resource, spec, _SPEC)
        if request is not None:
            yield from _findings(context, resource.name, request, spec)
    for resource in context.of_kind(CLAIM):
        yield from _findings(context, resource.name, request_of_claim(resource), {})


def _findings(
    context: Context, name: str, request: VolumeRequest, data_volume: JsonObject
) -> Iterator[Finding]:
    """Yield the finding about a claim, or about what the spec of a DataVolume requests."""
    size = _size(request)
    if size is None or size.sign <= 0:
        return
    source = _source(context, request, data_volume)
    source_size = None if source is None else _size(source.request)
    if source is None or source_size is None or size.compare(source_size) >= 0:
        return
    if _is_measured(source.request.content, request.content):
        return
    at_source = source.request.field.child(*_SIZE)
    hint = f"write at least {source_size.json}" + ("" if request.is_claim else ", or leave the size out")
    yield Finding(
        request.resource,
        request.field.child(*_SIZE),
        f"{name} has {size.json}, and is a clone of {source.name}, which has {source_size.json}:"
        " it is never filled",
        hint,
        (related_to(source.request.resource, f"storage: {source_size.json}", at_source),),
    )


def _size(request: VolumeRequest) -> Quantity | None:
    return lenient_quantity(object_at(request.content, *_SIZE[:-1]).get(_SIZE[-1]))


def _is_measured(source: JsonObject, target: JsonObject) -> bool:
    """Return True for a file cloned to a block device: CDI compares the size of the image in it."""
    return text_at(target, "volumeMode") == "Block" and text_at(source, "volumeMode") == "Filesystem"


def _source(context: Context, request: VolumeRequest, data_volume: JsonObject) -> _Source | None:
    """Return the volume that a volume is a clone of; None if the overlay lacks it."""
    namespace = request.resource.namespace
    reference = object_at(data_volume, "sourceRef")
    if text_at(reference, "kind") == DATA_SOURCE:
        return _data_source(context, *_named(reference, namespace))
    found = _of_source(context, object_at(data_volume, "source"), namespace)
    for field in ("dataSourceRef", "dataSource"):
        populated = object_at(request.content, field)
        kind, name = text_at(populated, "kind"), text_at(populated, "name")
        if found is None and kind == CLAIM:
            found = _claim(context, name, namespace)
        elif found is None and kind == VOLUME_SNAPSHOT:
            found = _snapshot(context, name, namespace)
    return found


def _of_source(
    context: Context, source: JsonObject, namespace: str, chain: int = _LONGEST_CHAIN
) -> _Source | None:
    """Return the volume of a ``source``, of a DataVolume or of a DataSource."""
    if "pvc" in source:
        return _claim(context, *_named(object_at(source, "pvc"), namespace))
    if "snapshot" in source:
        return _snapshot(context, *_named(object_at(source, "snapshot"), namespace))
    if "dataSource" in source and chain:
        return _data_source(context, *_named(object_at(source, "dataSource"), namespace), chain - 1)
    return None


def _named(reference: JsonObject, namespace: str) -> tuple[str, str]:
    return text_at(reference, "name"), text_at(reference, "namespace") or namespace


def _claim(context: Context, name: str, namespace: str) -> _Source | None:
    request = claim_named(context, name, namespace)
    return None if request is None else _Source(name, request)


def _snapshot(context: Context, name: str, namespace: str) -> _Source | None:
    items = context.inventory.named_in(VOLUME_SNAPSHOT, name, namespace)
    snapshot = next((each.resource for each in items if namespace in ("", each.namespace)), None)
    if snapshot is None:
        return None
    claim = text_at(snapshot.content, "spec", "source", "persistentVolumeClaimName")
    return _claim(context, claim, snapshot.namespace)


def _data_source(context: Context, name: str, namespace: str, chain: int = _LONGEST_CHAIN) -> _Source | None:
    resource = only_object(context, DATA_SOURCE, name, namespace)
    if resource is None:
        return None
    if resource.kind == DATA_SOURCE:
        source = object_at(resource.content, "spec", "source")
        return _of_source(context, source, resource.namespace, chain)
    at = FieldPath.of("spec", "template", "spec")  # of a DataImportCron
    request = request_of_data_volume(resource, object_at(resource.content, *at.keys), at)
    return None if request is None else _Source(name, request)


RULE = Rule(Code.CLONE_TOO_SMALL, Level.WARNING, MachineCheck(_check_machine, _check_others), __doc__)
