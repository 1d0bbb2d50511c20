"""A machine type or CPU model is obsolete: nodes no longer have it, or will not have it much longer.

The hypervisor in KubeVirt's images drops old machine types, and marks others as deprecated: KubeVirt raises
the alert DeprecatedMachineType for machines that have them. A machine whose type is gone does not start, and
cannot be migrated to a node that is up to date. KubeVirt also gives no node the label of a CPU model that it
regards as obsolete, such as `qemu64` (`DefaultObsoleteCPUModels` in its `pkg/virt-handler/node-labeller`), so
that the pod stays pending.

Wrong:

```yaml
domain:
  machine: {type: pc-q35-rhel7.6.0}
  cpu: {model: kvm64}
```

Right:

```yaml
domain:
  machine: {type: q35}
  cpu: {model: Haswell}
```

Without `machine` the machine gets the newest type when it is started. A guest sees other hardware then, so
restart Windows machines when there is time to activate them again.

The rule looks at virtual machines, instance types, preferences and the KubeVirt object. It reports no CPU
model if the KubeVirt object, in the overlay or in a catalog, has `obsoleteCPUModels` without that model.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import INSTANCETYPES, PREFERENCES, Context, comes_from_overlay
from renderer.checks.rules.rule import Finding, MachineCheck, Rule
from renderer.kubevirt.facts.cpu_models import is_obsolete_model
from renderer.kubevirt.facts.kinds import KUBEVIRT
from renderer.kubevirt.facts.machine_types import MachineTypeState, machine_type_state, successor
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import text_at
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.rule_settings import Level


class _Problem(Record):
    """What is wrong with a value; ``right`` is its one right successor, if there is one."""

    message: str
    hint: str
    right: str | None = None

    def finding(self, resource: Resource, field: FieldPath) -> Finding:
        fix = SetField(field, self.right) if self.right else None
        return Finding(resource, field, self.message, self.hint, fix=fix)


_CONSEQUENCES = {
    MachineTypeState.DEPRECATED: "deprecated: a machine that keeps it will not start on a later release",
    MachineTypeState.GONE: "gone: the hypervisor does not have it, so the machine does not start",
}
_NEWEST = ("", "q35", "virt")
_CONFIGURATION = FieldPath.of("spec", "configuration")
_MACHINE_TYPE, _CPU_MODEL = ("domain", "machine", "type"), ("domain", "cpu", "model")


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    for path, problem in (
        (_MACHINE_TYPE, _machine_type_problem(text_at(machine.instance, *_MACHINE_TYPE))),
        (_CPU_MODEL, _cpu_model_problem(context, text_at(machine.instance, *_CPU_MODEL))),
    ):
        if problem and not comes_from_overlay(context, machine, path):
            yield problem.finding(machine.resource, machine.in_instance(*path))


def _check_others(context: Context) -> Iterator[Finding]:
    for kinds, field in (
        (PREFERENCES, FieldPath.of("spec", "machine", "preferredMachineType")),
        ((KUBEVIRT,), _CONFIGURATION.child("machineType")),
        ((KUBEVIRT,), _CONFIGURATION.child("architectureConfiguration", "amd64", "machineType")),
    ):
        for resource in context.of_kind(*kinds):
            problem = _machine_type_problem(text_at(resource.content, *field.keys))
            if problem:
                yield problem.finding(resource, field)
    for kinds, field in (
        (INSTANCETYPES, FieldPath.of("spec", "cpu", "model")),
        ((KUBEVIRT,), _CONFIGURATION.child("cpuModel")),
    ):
        for resource in context.of_kind(*kinds):
            problem = _cpu_model_problem(context, text_at(resource.content, *field.keys))
            if problem:
                yield problem.finding(resource, field)


def _machine_type_problem(machine_type: str) -> _Problem | None:
    state = machine_type_state(machine_type) if machine_type not in _NEWEST else None
    if state is None:
        return None
    right = successor(machine_type)
    return _Problem(
        f"the machine type {machine_type} is {_CONSEQUENCES[state]}",
        f"write {right}, the newest of this kind"
        if right
        else "write q35, which is the newest, or leave the machine type out",
        right,
    )


def _cpu_model_problem(context: Context, model: str) -> _Problem | None:
    """Return the problem of a CPU model; a cluster's own list replaces KubeVirt's (``filterCpuModels``)."""
    if not is_obsolete_model(model):
        return None
    configured = context.cluster.config.obsolete_cpu_models
    if configured and model not in configured:
        return None
    return _Problem(
        f"KubeVirt regards the CPU model {model} as obsolete: no node has it, so the pod stays pending",
        "write a newer model, such as host-model or Haswell",
    )


RULE = Rule(Code.OBSOLETE_HARDWARE, Level.WARNING, MachineCheck(_check_machine, _check_others), __doc__)
