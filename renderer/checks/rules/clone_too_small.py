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

from renderer.checks.rules.context import Context
from renderer.checks.rules.inventory import CLAIM, DATA_SOURCE, may_be_in
from renderer.checks.rules.rule import Finding, MachineCheck, Rule, related_to
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.diagnostic import Related
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.quantity import Quantity, lenient_quantity
from renderer.model.record import Record
from renderer.model.rule_settings import Level

_SNAPSHOT = "VolumeSnapshot"
_SIZE = ("resources", "requests", "storage")
#: A DataSource may refer to another one.
_LONGEST_CHAIN = 5


class _Volume(Record):
    """A volume with a size: ``field`` of ``resource``; ``spec`` is the section that has it."""

    resource: Resource
    field: FieldPath
    size: Quantity
    spec: JsonObject
    name: str


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    for index, template in machine.data_volume_templates:
        at = machine.in_spec("dataVolumeTemplates", index, "spec")
        spec, name = object_at(template, "spec"), text_at(template, "metadata", "name")
        yield from _findings(context, machine.resource, spec, at, name)


def _check_others(context: Context) -> Iterator[Finding]:
    at = FieldPath.of("spec")
    for resource in context.of_kind("DataVolume"):
        yield from _findings(context, resource, object_at(resource.content, "spec"), at, resource.name)
    for resource in context.of_kind(CLAIM):
        claim = {"pvc": object_at(resource.content, "spec")}
        for finding in _findings(context, resource, claim, ROOT, resource.name):
            yield finding._replace(field=FieldPath.of("spec", *finding.field.segments[1:]))


def _findings(
    context: Context, resource: Resource, spec: JsonObject, at: FieldPath, name: str
) -> Iterator[Finding]:
    """Yield the finding about a DataVolume's ``spec``, which is at ``at``."""
    target = _sized(resource, spec, at, name)
    source = None if target is None else _source(context, spec, resource.namespace)
    if target is None or source is None or target.size.sign <= 0:
        return
    if target.size.compare(source.size) >= 0 or _is_measured(source.spec, target.spec):
        return
    hint = f"write at least {source.size.json}"
    if spec.get("storage") is not None:
        hint += ", or leave the size out"
    yield Finding(
        resource,
        target.field,
        f"{name} has {target.size.json}, and is a clone of {source.name}, which has {source.size.json}:"
        " it is never filled",
        hint,
        (_related(source),),
    )


def _related(source: _Volume) -> Related:
    return related_to(source.resource, f"storage: {source.size.json}", source.field)


def _is_measured(source: JsonObject, target: JsonObject) -> bool:
    """Return True for a file cloned to a block device: CDI compares the size of the image in it."""
    return text_at(target, "volumeMode") == "Block" and text_at(source, "volumeMode") == "Filesystem"


def _sized(resource: Resource, spec: JsonObject, at: FieldPath, name: str) -> _Volume | None:
    for key in ("storage", "pvc"):
        section = object_at(spec, key)
        size = lenient_quantity(object_at(section, *_SIZE[:-1]).get(_SIZE[-1]))
        if size is not None:
            return _Volume(resource, at.child(key, *_SIZE), size, section, name)
    return None


def _source(context: Context, spec: JsonObject, namespace: str) -> _Volume | None:
    """Return the volume that a DataVolume is a clone of; None if the overlay lacks it, or its size."""
    reference = object_at(spec, "sourceRef")
    if text_at(reference, "kind") == DATA_SOURCE:
        return _data_source(context, *_named(reference, namespace))
    found = _of_source(context, object_at(spec, "source"), namespace)
    for key in ("storage", "pvc"):
        for field in ("dataSourceRef", "dataSource"):
            populated = object_at(spec, key, field)
            kind, name = text_at(populated, "kind"), text_at(populated, "name")
            if found is None and kind == CLAIM:
                found = _claim(context, name, namespace)
            elif found is None and kind == _SNAPSHOT:
                found = _snapshot(context, name, namespace)
    return found


def _of_source(
    context: Context, source: JsonObject, namespace: str, chain: int = _LONGEST_CHAIN
) -> _Volume | None:
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


def _claim(context: Context, name: str, namespace: str) -> _Volume | None:
    resource = _only(context, CLAIM, name, namespace)
    if resource is None:
        return None
    spec, at = object_at(resource.content, "spec"), FieldPath.of("spec")
    if resource.kind == CLAIM:
        volume = _sized(resource, {"pvc": spec}, ROOT, name)
        return None if volume is None else volume._replace(field=at.child(*_SIZE))
    machine = VirtualMachineView.of(resource)
    if machine is None:
        return _sized(resource, spec, at, name)
    for index, template in machine.data_volume_templates:
        if text_at(template, "metadata", "name") == name:
            in_template = machine.in_spec("dataVolumeTemplates", index, "spec")
            return _sized(resource, object_at(template, "spec"), in_template, name)
    return None


def _snapshot(context: Context, name: str, namespace: str) -> _Volume | None:
    for snapshot in context.of_kind(_SNAPSHOT):
        if snapshot.name == name and namespace in ("", snapshot.namespace):
            claim = text_at(snapshot.content, "spec", "source", "persistentVolumeClaimName")
            return _claim(context, claim, snapshot.namespace)
    return None


def _data_source(context: Context, name: str, namespace: str, chain: int = _LONGEST_CHAIN) -> _Volume | None:
    resource = _only(context, DATA_SOURCE, name, namespace)
    if resource is None:
        return None
    if resource.kind == DATA_SOURCE:
        source = object_at(resource.content, "spec", "source")
        return _of_source(context, source, resource.namespace, chain)
    at = FieldPath.of("spec", "template", "spec")  # of a DataImportCron
    return _sized(resource, object_at(resource.content, *at.keys), at, name)


def _only(context: Context, kind: str, name: str, namespace: str) -> Resource | None:
    """Return the object, or what makes it, unless several of the name may be meant."""
    items = [item for item in context.inventory.named(kind, name) if may_be_in(item, namespace)]
    return items[0].resource if len(items) == 1 else None


RULE = Rule(Code.CLONE_TOO_SMALL, Level.WARNING, MachineCheck(_check_machine, _check_others), __doc__)
