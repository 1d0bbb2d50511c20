"""A machine has more CPU sockets than its guest can use.

Windows counts sockets, and its client editions use two of them (the licence terms of Windows 7 to 11; Pro for
Workstations uses four). The vCPUs of the other sockets are there, take part in the size of the pod, and stay
idle. KubeVirt makes a socket of each vCPU of an instance type unless the preference asks for cores
(`pkg/instancetype/apply/cpu.go`), and of each CPU that is requested if the machine says nothing about sockets
and cores (`pkg/defaults`). The preferences `windows.10` and `windows.11` of common-instancetypes ask for
cores only after v1.7.0.

Wrong:

```yaml
preference: {name: windows.11}
template:
  spec:
    domain:
      cpu: {sockets: 8}
```

Right:

```yaml
preference: {name: windows.11}
template:
  spec:
    domain:
      cpu: {sockets: 1, cores: 8}
```

The rule knows the guest by the name of the preference, by the annotation `vm.kubevirt.io/os`, and by labels
like `os.template.kubevirt.io/win10`. Editions of Windows Server use up to 64 sockets and are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import (
    INSTANCETYPE,
    PREFERENCE,
    Context,
    instancetype_of,
    preference_of,
)
from renderer.checks.rules.rule import Finding, MachineCheck, Rule
from renderer.kubevirt.facts.sizes import positive, vcpus
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs, ApplyError
from renderer.kubevirt.instancetype.apply.cpu import CpuTopology, cpu_topology
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.model.codes import Code
from renderer.model.kube.json import object_at, text_at
from renderer.model.pattern import pattern
from renderer.model.rule_settings import Level

#: The client editions of Windows, as common-instancetypes and common-templates name them: windows.11.virtio,
#: windows10, win7. ``2k22`` and the like are servers.
_WINDOWS_CLIENT = pattern(r"win(?:dows)?[.-]?(xp|vista|7|8\.1|8|10|11)(?:[.-].*)?")
_MOST_SOCKETS = 2
_OS_ANNOTATION = "vm.kubevirt.io/os"
_OS_LABELS = "os.template.kubevirt.io/"


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    topology = _topology(context, machine)
    counts = [positive(count) for count in (topology.sockets, topology.cores, topology.threads)]
    sockets, others = counts[0], (counts[1] or 1) * (counts[2] or 1)
    if sockets <= _MOST_SOCKETS:
        return
    version = _windows_version(context, machine)
    if version is None:
        return
    written = context.spec_before(machine)
    if INSTANCETYPE in written:
        field = machine.in_spec(PREFERENCE if PREFERENCE in written else INSTANCETYPE, "name")
        hint = (
            "use a preference with preferredCPUTopology: cores, or an instance type with at most"
            f" {_MOST_SOCKETS} vCPUs"
        )
    else:
        has_sockets = "sockets" in object_at(machine.domain, "cpu")
        field = machine.in_instance("domain", *(("cpu", "sockets") if has_sockets else ()))
        hint = f"write cpu: {{sockets: 1, cores: {sockets * (counts[1] or 1)}}}"
    message = (
        f"{machine.name} has {sockets} CPU sockets, of which Windows {version} uses {_MOST_SOCKETS}: it runs"
        f" on {_MOST_SOCKETS * others} of its {sockets * others} vCPUs"
    )
    yield Finding(machine.resource, field, message, hint)


def _topology(context: Context, machine: VirtualMachineView) -> CpuTopology:
    """Return the topology that KubeVirt starts the machine with."""
    if INSTANCETYPE in machine.spec:  # the machine is written without expansion
        instancetype, preference = instancetype_of(context, machine), preference_of(context, machine)
        if instancetype is None:
            return CpuTopology()
        sizes = object_at(instancetype.content, "spec")
        preferred = object_at(preference.content, "spec") if preference is not None else {}
        specs = AppliedSpecs(sizes, preferred, behaviour_of(context.release))
        try:
            return cpu_topology(object_at(sizes, "cpu").get("guest"), specs)
        except ApplyError:  # reported by the expansion
            return CpuTopology()
    cpu = object_at(machine.domain, "cpu")
    topology = CpuTopology(cpu.get("sockets"), cpu.get("cores"), cpu.get("threads"))
    return topology if any(map(positive, topology)) else CpuTopology(vcpus(machine))


def _windows_version(context: Context, machine: VirtualMachineView) -> str | None:
    """Return the version of a Windows client edition; None for any other guest."""
    names = [text_at(context.spec_before(machine), PREFERENCE, "name")]
    for path in (machine.paths.template, machine.paths.machine):
        if path is not None:
            metadata = object_at(machine.resource.content, *path.keys, "metadata")
            names.append(text_at(metadata, "annotations", _OS_ANNOTATION))
            labels = object_at(metadata, "labels")
            names += [key.removeprefix(_OS_LABELS) for key in labels if key.startswith(_OS_LABELS)]
    found = (_WINDOWS_CLIENT.fullmatch(name) for name in names)
    return next((match[1] for match in found if match), None)


RULE = Rule(Code.UNUSABLE_SOCKETS, Level.WARNING, MachineCheck(_check_machine), __doc__)
