"""A Service nearly selects a virtual machine of the overlay, or targets a port that the machine lacks.

KubeVirt copies the labels of a machine's template to the pod that the machine runs in, and a Service selects
the pod by them. A Service that selects no pod is not an error in Kubernetes: it exists, but nothing answers.
The labels in the machine's own `metadata` are not copied to the pod.

Wrong:

```yaml
kind: Service
spec:
  selector: {app: wbe}  # the label of the machine's template is app: web
```

Right:

```yaml
kind: Service
spec:
  selector: {app: web}
```

The rule reports a selector that matches no object of the overlay, if it differs by a typo from the labels of
a machine, or matches labels that are only in the machine's `metadata`. `labels` with `includeSelectors` and
`commonLabels` of a kustomization cause this: they reach the selector of a Service, but not the template of a
machine. It does not report a Service for an object that is not in the overlay.

A `targetPort` that is a name is looked up among the `ports` of the machine's interfaces. One that is a number
is reported if `masquerade` has a list of `ports` without this number: only listed ports are forwarded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from renderer.checks.rules.context import Context
from renderer.checks.rules.pod_labels import LABELS_OF_KUBEVIRT, pod_labels
from renderer.checks.rules.rule import Finding, Rule, related_to
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.field_edit import RenameField, SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.near_miss import is_near_miss
from renderer.model.placeholders import has_placeholder
from renderer.model.rule_settings import Level
from renderer.model.run.work import spend
from renderer.model.suggest import did_you_mean

_SELECTOR = FieldPath.of("spec", "selector")


def _check(context: Context) -> Iterator[Finding]:
    services = [service for service in context.of_kind("Service") if _selector(service)]
    if not services or not context.machines:
        return
    templates = [pod_labels(resource.content) for resource in context.resources]
    of_machines = {machine.resource.current_id: machine for machine in context.machines}
    for service in services:
        spend(2 * len(templates) + 16 * len(context.machines), "comparing selectors of Services with labels")
        selector = _selector(service)
        selected = [
            resource
            for resource, labels in zip(context.resources, templates, strict=True)
            if labels and selector.items() <= labels.items()
        ]
        reachable = [each for each in selected if _may_share_namespace(service, each)]
        machines = [of_machines[each.current_id] for each in reachable if each.current_id in of_machines]
        if machines and len(machines) == len(reachable):
            yield from _unreachable_ports(service, machines)
        if not selected and not any(key.startswith(LABELS_OF_KUBEVIRT) for key in selector):
            candidates = (each for each in context.machines if _may_share_namespace(service, each.resource))
            nearly = (_nearly_selected(service, machine, selector) for machine in candidates)
            yield from islice(filter(None, nearly), 1)


def _selector(service: Resource) -> Mapping[str, str]:
    """Return the selector; empty if a value is not a text, or is filled in later."""
    written = object_at(service.content, *_SELECTOR.keys)
    selector = {key: value for key, value in written.items() if isinstance(value, str)}
    if len(selector) < len(written) or any(map(has_placeholder, selector.values())):
        return {}
    return selector


def _may_share_namespace(left: Resource, right: Resource) -> bool:
    return left.namespace == right.namespace or "" in (left.namespace, right.namespace)


def _nearly_selected(
    service: Resource, machine: VirtualMachineView, selector: Mapping[str, str]
) -> Finding | None:
    """Return the finding about a selector that is probably for the machine; None if it is not."""
    labels = pod_labels(machine.resource.content)
    wrong = [key for key in selector if selector[key] != labels.get(key)]
    message = "the selector matches no virtual machine of the overlay"
    name = f"{machine.kind} {machine.name}"
    if _has_labels(machine.resource, selector, wrong):
        return _missing_in_template(service, machine, {key: selector[key] for key in wrong})
    if len(wrong) != 1:
        return None
    key = wrong[0]
    there = labels.get(key)
    related = related_to(
        machine.resource, f"{name} nearly matches", machine.paths.template.child("metadata", "labels")
    )
    if isinstance(there, str) and is_near_miss(selector[key], there):
        hint, fix = f"did you mean {key}: {there}?", SetField(_SELECTOR.child(key), there)
        return Finding(service, _SELECTOR.child(key), message, hint, (related,), fix)
    for other in labels:
        if labels[other] == selector[key] and is_near_miss(key, other):
            hint = f"did you mean {other}: {selector[key]}?"
            fix_of_key = None if other in selector else RenameField(_SELECTOR.child(key), other)
            return Finding(service, _SELECTOR.child(key), message, hint, (related,), fix_of_key)
    return None


def _has_labels(resource: Resource, selector: Mapping[str, str], keys: Iterable[str]) -> bool:
    """Return True if the labels of the object itself have the values of a selector."""
    own = object_at(resource.content, "metadata", "labels")
    return all(own.get(key) == selector[key] for key in keys)


def _missing_in_template(
    service: Resource, machine: VirtualMachineView, missing: Mapping[str, str]
) -> Finding:
    """Return the finding about labels that the machine has, but not the pod that it runs in.

    If the Service has them as labels of its own, too, a kustomization most likely added them to both, and to
    the selector: kustomize knows the selector of a Service, but not the template of a machine.
    """
    labels = ", ".join(f"{key}: {value}" for key, value in missing.items())
    template = machine.paths.template.child("metadata", "labels")
    name = f"{machine.kind} {machine.name}"
    added = f"add {labels} to {template}"
    if _has_labels(service, missing, missing):
        hint = (
            f"labels with includeSelectors or commonLabels of a kustomization add {labels} to selectors, but"
            f" not to the pods of virtual machines: set includeSelectors: false, or {added}"
        )
    else:
        hint = f"{added}: the machine's own labels are not copied to its pod"
    (key, *others) = missing
    field = _SELECTOR if others else _SELECTOR.child(key)
    related = related_to(
        machine.resource, f"{name} has it for itself only", FieldPath.of("metadata", "labels")
    )
    message = f"the selector matches no virtual machine of the overlay: the pod of {name} lacks {labels}"
    return Finding(service, field, message, hint, (related,))


def _unreachable_ports(service: Resource, machines: Sequence[VirtualMachineView]) -> Iterator[Finding]:
    """Yield a finding for each port on which none of the selected ``machines`` answers.

    virt-controller makes container ports of the ports of interfaces (``pkg/virt-controller/services``
    ``rendercontainer.go``), and virt-launcher forwards only these (``pkg/network/setup`` masquerade).
    """
    spec = object_at(service.content, "spec")
    known = [machine.ports for machine in machines]
    spend(2 * sum(map(len, known)), "comparing selectors of Services with labels")
    names = dict.fromkeys(sorted({text_at(port, "name") for ports in known for port in ports} - {""}))
    are_known = not any(map(has_placeholder, names))
    is_limited = all(map(_forwards_only_listed_ports, machines)) and spec.get("clusterIP") != "None"
    numbers = {(port.get("port"), text_at(port, "protocol") or "TCP") for ports in known for port in ports}
    about = f"{machines[0].kind} {machines[0].name}" if len(machines) == 1 else "the machines it selects"
    for index, port in enumerate(array_at(spec, "ports")):
        written = "targetPort" if object_at(port).get("targetPort") else "port"
        target = object_at(port).get(written)
        field = FieldPath.of("spec", "ports", index, written)
        related = (related_to(machines[0].resource, "a selected machine"),)
        if isinstance(target, str) and target not in names and are_known and not has_placeholder(target):
            hint = did_you_mean(target, names, otherwise="give a port of an interface this name")
            yield Finding(service, field, f"no port of {about} has the name {target}", hint, related)
        protocol = text_at(port, "protocol") or "TCP"
        if isinstance(target, int) and is_limited and (target, protocol) not in numbers:
            hint = "add it to the ports of the interface; an interface without ports forwards all"
            message = f"port {target} ({protocol}) is not forwarded by {about}"
            yield Finding(service, field, message, hint, related)


def _forwards_only_listed_ports(machine: VirtualMachineView) -> bool:
    """Return True if the interface of the pod network forwards only the ports that it lists."""
    return any(
        "masquerade" in interface and array_at(interface, "ports") for _, interface in machine.interfaces
    )


RULE = Rule(Code.SERVICE_SELECTOR, Level.WARNING, _check, __doc__)
