"""A machine's own affinity, anti-affinity or spread does not select the machine itself.

The scheduler compares the `labelSelector` of these rules with the labels of pods, and the pod of a machine
has the labels of the machine's template. The labels in the machine's own `metadata` are not copied to it. A
selector that was meant for the machine and its replicas then selects nothing, and an anti-affinity that
should keep them apart does nothing.

Wrong:

```yaml
kind: VirtualMachine
metadata:
  name: web-1
  labels: {app: web}
spec:
  template:
    spec:
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: kubernetes.io/hostname
              labelSelector:
                matchLabels: {app: web}
```

Right:

```yaml
kind: VirtualMachine
metadata:
  name: web-1
  labels: {app: web}
spec:
  template:
    metadata:
      labels: {app: web}
```

The rule reports a selector that selects no pod of the overlay if it selects the labels of the machine's own
`metadata`, names the machine, or differs by a typo from the labels of its template. All others may be about
pods that are not in the overlay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from renderer.checks.rules.context import Context
from renderer.checks.rules.pod_labels import LABELS_OF_KUBEVIRT, texts
from renderer.checks.rules.rule import Finding, MachineCheck, Rule, related_to
from renderer.kubevirt.facts.pod_scheduling import PREFERRED, REQUIRED
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, elements
from renderer.model.codes import Code
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import JsonObject, object_at
from renderer.model.kube.label_selector import Operator, Requirement, SelectorError, read_selector, selects
from renderer.model.near_miss import is_near_miss
from renderer.model.placeholders import has_placeholder
from renderer.model.rule_settings import Level
from renderer.model.run.work import spend

_AFFINITY, _ANTI_AFFINITY, _SPREAD = "podAffinity", "podAntiAffinity", "topologySpreadConstraints"

_Labels = Mapping[str, str]


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    if "affinity" not in machine.instance and _SPREAD not in machine.instance:
        return
    labels = texts(object_at(machine.resource.content, *machine.paths.template.keys, "metadata", "labels"))
    for kind, field, term in _terms(machine):
        requirements = _requirements(object_at(term, "labelSelector"))
        if not requirements or selects(requirements, labels):
            continue
        problem = _meant_for(machine, kind, requirements, labels)
        if problem is not None and not _selects_any(context, machine, requirements, term):
            hint, related = problem
            at = field.child("labelSelector")
            yield Finding(
                machine.resource,
                at,
                f"the labelSelector of {kind} selects neither {machine.name} nor another pod of the overlay",
                hint,
                (related_to(machine.resource, "the labels of the machine", related),) if related else (),
            )


def _terms(machine: VirtualMachineView) -> Iterator[tuple[str, FieldPath, JsonObject]]:
    """Yield each element with a selector of pods: what it is of, its place and its content."""
    affinity = object_at(machine.instance, "affinity")
    for kind in (_AFFINITY, _ANTI_AFFINITY):
        of_kind = object_at(affinity, kind)
        at = machine.in_instance("affinity", kind)
        for index, term in elements(of_kind.get(REQUIRED)):
            yield kind, at.child(REQUIRED, index), term
        for index, weighted in elements(of_kind.get(PREFERRED)):
            term = object_at(weighted, "podAffinityTerm")
            yield kind, at.child(PREFERRED, index, "podAffinityTerm"), term
    for index, constraint in elements(machine.instance.get(_SPREAD)):
        yield _SPREAD, machine.in_instance(_SPREAD, index), constraint


def _requirements(selector: JsonObject) -> Sequence[Requirement]:
    """Return the requirements of a selector; none if it selects what the overlay cannot show."""
    try:
        requirements = read_selector(selector)
    except SelectorError:  # reported by the stage of KubeVirt's webhooks
        return ()
    for each in requirements:
        if each.key.startswith(LABELS_OF_KUBEVIRT) or any(map(has_placeholder, (each.key, *each.values))):
            return ()
    return requirements


def _meant_for(
    machine: VirtualMachineView, kind: str, requirements: Sequence[Requirement], labels: _Labels
) -> tuple[str, FieldPath | None] | None:
    """Return a hint and the place of labels if the selector was meant for the machine; else None."""
    at = machine.paths.template.child("metadata", "labels")
    for path in dict.fromkeys((ROOT, machine.paths.machine or ROOT)):
        own = texts(object_at(machine.resource.content, *path.keys, "metadata", "labels"))
        if selects(requirements, {**labels, **own}):
            missing = [each.key for each in requirements if not each.matches(labels)]
            added = ", ".join(f"{key}: {own[key]}" for key in missing if key in own)
            hint = f"add {added} to {at}: the machine's own labels are not copied to its pod"
            return hint, path.child("metadata", "labels")
    unmet = [each for each in requirements if not each.matches(labels)]
    if len(unmet) != 1 or unmet[0].operator is not Operator.IN or len(unmet[0].values) != 1:
        return None
    key, (value,) = unmet[0].key, unmet[0].values
    there = labels.get(key)
    if there is not None:
        return (f"did you mean {key}: {there}?", at) if is_near_miss(value, there) else None
    for other, its in labels.items():
        if its == value and is_near_miss(key, other):
            return f"did you mean {other}: {its}?", at
    if value == machine.name and kind != _AFFINITY:
        return f"add {key}: {value} to {at}", None
    return None


def _selects_any(
    context: Context, machine: VirtualMachineView, requirements: Sequence[Requirement], term: JsonObject
) -> bool:
    """Return True if the selector selects pods of the overlay in a namespace that it may be about."""
    anywhere = bool(term.get("namespaces")) or "namespaceSelector" in term
    spend(len(context.pod_labels) * len(requirements), "comparing selectors of affinities with labels")
    return any(
        selects(requirements, labels)
        for resource, labels in context.pod_labels
        if anywhere
        or "" in (resource.namespace, machine.namespace)
        or resource.namespace == machine.namespace
    )


RULE = Rule(Code.AFFINITY_SELECTOR, Level.WARNING, MachineCheck(_check_machine), __doc__)
