"""The storage class of a preference is lost when the machine is expanded.

KubeVirt writes `volumes.preferredStorageClassName` of a preference into `dataVolumeTemplates` when a machine
is created (`pkg/instancetype/webhooks/vm/mutator.go`). If machines are rendered expanded, the cluster no
longer sees the preference, so their volumes get the cluster's default class.

Wrong, with a preference that has `preferredStorageClassName: fast`:

```yaml
dataVolumeTemplates:
  - metadata: {name: web-root}
    spec:
      storage: {resources: {requests: {storage: 20Gi}}}
```

Right:

```yaml
dataVolumeTemplates:
  - metadata: {name: web-root}
    spec:
      storage:
        storageClassName: fast
        resources: {requests: {storage: 20Gi}}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from renderer.checks.rules.context import PREFERENCE, Context, preference_of
from renderer.checks.rules.rule import Finding, MachineCheck, Rule, related_to
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.field_edit import AddField, Edit
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.plural import listed
from renderer.model.rule_settings import Level

_PREFERRED = FieldPath.of("spec", "volumes", "preferredStorageClassName")


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    if "dataVolumeTemplates" not in machine.spec or PREFERENCE in machine.spec:
        return
    preference = preference_of(context, machine)
    preferred = text_at(preference.content, *_PREFERRED.keys) if preference else ""
    if not preferred or preference is None:
        return
    found = [each for each in machine.data_volume_templates if _has_no_class(each[1])]
    if not found:
        return
    without = [index for index, _ in found]
    names = [text_at(template, "metadata", "name") for _, template in found]
    yield Finding(
        machine.resource,
        machine.in_spec("dataVolumeTemplates", without[0], "spec"),
        f"{listed(names)} would get the storage class {preferred} from {preference.name}, but the machine "
        "is written without its preference",
        f"write storageClassName: {preferred} in the DataVolume's storage",
        (related_to(preference, f"preferredStorageClassName: {preferred}", _PREFERRED),),
        fix=_storage_class_edit(machine, without, preferred),
    )


def _storage_class_edit(machine: VirtualMachineView, without: Sequence[int], preferred: str) -> Edit | None:
    """Return the edit of the only template ``without`` a class; None if there are several."""
    if len(without) > 1:
        return None
    spec = object_at(dict(machine.data_volume_templates)[without[0]], "spec")
    section = next(key for key in ("storage", "pvc") if isinstance(spec.get(key), dict))
    at = machine.in_spec("dataVolumeTemplates", without[0], "spec", section)
    return AddField(at, "storageClassName", preferred)


def _has_no_class(template: JsonObject) -> bool:
    spec = object_at(template, "spec")
    sections = [spec[key] for key in ("storage", "pvc") if isinstance(spec.get(key), dict)]
    return bool(sections) and all(object_at(section).get("storageClassName") is None for section in sections)


RULE = Rule(Code.STORAGE_CLASS_DROPPED, Level.WARNING, MachineCheck(_check_machine), __doc__)
