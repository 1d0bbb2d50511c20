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

The rule knows the guest by the name of the preference and its `openshift.io/display-name`, by the annotation
`vm.kubevirt.io/os`, and by labels like `os.template.kubevirt.io/win10`. Editions of Windows Server use up to
64 sockets and are not reported.

With an instance type, only the preference decides between sockets and cores. So a preference in the
repository is the one to correct, and one that ships is copied under another name:

```yaml
kind: VirtualMachineClusterPreference
metadata: {name: windows.11.cores}
spec:
  cpu: {preferredCPUTopology: cores}
  # and the rest of windows.11
```

`vmrender customize preference/windows.11 --name windows.11.cores --topology cores --cluster` prints it.
"""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

from renderer.checks.rules.context import (
    INSTANCETYPE,
    PREFERENCE,
    Context,
    instancetype_of,
    preference_of,
)
from renderer.checks.rules.rule import Finding, MachineCheck, Rule, related_to
from renderer.kubevirt.facts.guest_system import OS_ANNOTATION
from renderer.kubevirt.facts.kinds import CLUSTER_KINDS
from renderer.kubevirt.facts.sizes import positive, vcpus
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs, ApplyError
from renderer.kubevirt.instancetype.apply.cpu import CpuTopology, cpu_topology
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.model.codes import Code
from renderer.model.field_edit import AddField, Edit, SetField
from renderer.model.fix import Fix
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.location import BUILTIN_SCHEME
from renderer.model.kube.resource import Resource
from renderer.model.pattern import pattern
from renderer.model.release import Release
from renderer.model.rule_settings import Level

#: The client editions of Windows, as common-instancetypes and common-templates name them: windows.11.virtio,
#: windows10, win7. ``2k22`` and the like are servers.
_WINDOWS_CLIENT = pattern(r"win(?:dows)?[.-]?(xp|vista|7|8\.1|8|10|11)(?:[.-].*)?")
#: The same in what a preference is called for people.
_TITLE = pattern(r"\bWindows (XP|Vista|7|8\.1|8|10|11)\b")
_TITLE_KEY = "openshift.io/display-name"
_MOST_SOCKETS = 2
_SMALLER = f"an instance type with at most {_MOST_SOCKETS} vCPUs"
_TOPOLOGY = "preferredCPUTopology"
_SHORT_WORDS_SINCE = Release(1, 4)
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
    message = (
        f"{machine.name} has {sockets} CPU sockets, of which Windows {version} uses {_MOST_SOCKETS}: it runs"
        f" on {_MOST_SOCKETS * others} of its {sockets * others} vCPUs"
    )
    if INSTANCETYPE not in written:
        yield _in_machine(machine, message, cores=sockets * (counts[1] or 1))
        return
    field = machine.in_spec(PREFERENCE if PREFERENCE in written else INSTANCETYPE, "name")
    preference = preference_of(context, machine)
    if preference is None:
        hint = f"use a preference with {_TOPOLOGY}: cores, or {_SMALLER}"
        yield Finding(machine.resource, field, message, hint)
    else:
        yield _in_preference(context, preference, Finding(machine.resource, field, message))


def _in_machine(machine: VirtualMachineView, message: str, cores: int) -> Finding:
    """Return the finding about a machine that has its own CPU, with one socket as its fix."""
    wanted: JsonObject = {"sockets": 1, "cores": cores}
    cpu, at = object_at(machine.domain, "cpu"), machine.in_instance("domain", "cpu")
    if "cpu" not in machine.domain:
        domain = machine.in_instance("domain")
        fix = Fix.of(machine.resource, AddField(domain, "cpu", wanted))
        return Finding(machine.resource, domain, message, _written(wanted), fix=fix)
    edits = [
        SetField(at.child(name), value) if name in cpu else AddField(at, name, value)
        for name, value in wanted.items()
    ]
    field = at.child("sockets") if "sockets" in cpu else machine.in_instance("domain")
    return Finding(machine.resource, field, message, _written(wanted), fix=Fix.of(machine.resource, *edits))


def _written(cpu: JsonObject) -> str:
    return f"write cpu: {{{', '.join(f'{name}: {value}' for name, value in cpu.items())}}}"


def _in_preference(context: Context, preference: Resource, found: Finding) -> Finding:
    """Return the finding about a machine whose preference makes sockets, with the preference as it should be.

    Users cannot change a preference that ships, that KubeVirt deploys, or that is a fact of the cluster.
    """
    spec = FieldPath.of("spec")
    cpu = object_at(preference.content, "spec", "cpu")
    word = "cores" if context.release >= _SHORT_WORDS_SINCE else "preferCores"
    asked, fixed = text_at(cpu, _TOPOLOGY), f"spec: {{cpu: {{{_TOPOLOGY}: {word}}}}}"
    what = f"{preference.name} asks for {asked or 'no topology, which makes sockets'}"
    field = spec.child("cpu", _TOPOLOGY) if asked else spec
    found = found._replace(related=(related_to(preference, what, field),))
    is_deployed = preference.name in context.lookups.bundled_names(context.release).get(preference.kind, ())
    if is_deployed or preference.origin.field != ROOT or preference.origin.path.startswith(BUILTIN_SCHEME):
        kind = PREFERENCE if preference.kind in CLUSTER_KINDS else preference.kind
        name, scope = preference.name, " --cluster" if preference.kind in CLUSTER_KINDS else ""
        names = f"{quote(f'{kind}/{name}')} --name {quote(f'{name}.cores')}"
        copied = f"vmrender customize {names} --topology cores{scope} --write DIR"
        return found._replace(hint=f"name a copy with {fixed}, which {copied} makes; or use {_SMALLER}")
    edit: Edit = AddField(spec, "cpu", {_TOPOLOGY: word})
    if cpu:
        at = spec.child("cpu")
        edit = SetField(at.child(_TOPOLOGY), word) if asked else AddField(at, _TOPOLOGY, word)
    return found._replace(hint=f"write in {preference.name}: {fixed}", fix=Fix.of(preference, edit))


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
    preference = preference_of(context, machine)
    title = preference and _TITLE.search(text_at(preference.content, "metadata", "annotations", _TITLE_KEY))
    if title:
        return title[1]
    for path in (machine.paths.template, machine.paths.machine):
        if path is not None:
            metadata = object_at(machine.resource.content, *path.keys, "metadata")
            names.append(text_at(metadata, "annotations", OS_ANNOTATION))
            labels = object_at(metadata, "labels")
            names += [key.removeprefix(_OS_LABELS) for key in labels if key.startswith(_OS_LABELS)]
    found = (_WINDOWS_CLIENT.fullmatch(name) for name in names)
    return next((match[1] for match in found if match), None)


RULE = Rule(Code.UNUSABLE_SOCKETS, Level.WARNING, MachineCheck(_check_machine), __doc__)
