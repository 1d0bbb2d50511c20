"""KubeVirt admits a value that Kubernetes or the hypervisor rejects later, so the machine never starts.

KubeVirt's webhooks check only a part of a virtual machine. Other fields are copied into the pod that the
machine runs in, into names that are looked up, or into the domain description for libvirt. Errors in them
show only when the machine is started: the pod is rejected, or its image cannot be pulled.

Wrong:

```yaml
tolerations:
- {key: dedicated, operator: Exists, value: databases}
```

Right:

```yaml
tolerations:
- {key: dedicated, operator: Equal, value: databases}
```

The rule reports values that Kubernetes rejects: tolerations, node selectors, node affinity, topology spread
constraints, probes and priority classes (`pkg/apis/core/validation`), invalid image references of container
disks and of `kernelBoot`, and invalid names of Secrets, ConfigMaps, claims, service accounts and networks.

It reports values that libvirt and QEMU reject: multicast MAC addresses, an invalid `uuid` of a firmware, CPU
models, CPU features, machine types and time zones that they do not know, LUNs on a bus other than SCSI or of
a file system, a cache that a disk's other settings exclude, names of GPUs and host devices, serials and
vendor ids that are too long, sizes of huge pages that no node has, and a guest of no memory.

It also reports machines that request no memory, probes of a named port that no interface lists, a negative
`terminationGracePeriodSeconds`, hook sidecars that virt-controller cannot decode, DataVolumes and
DataImportCrons that CDI rejects, schedules and time zones of CronJobs, permitted devices that match nothing,
networks whose `config` is not a valid CNI configuration, and patches of a KubeVirt object
(`customizeComponents`) that virt-operator cannot apply or that match none of its components.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

from renderer.checks.rules.claimed_volumes import claim_named
from renderer.checks.rules.component_patches import component_patch_problems
from renderer.checks.rules.context import (
    INSTANCETYPES,
    PREFERENCES,
    Context,
    comes_from_overlay,
)
from renderer.checks.rules.domain_values import (
    DomainProblem,
    cluster_problems,
    domain_problems,
    instancetype_problems,
    preference_problems,
)
from renderer.checks.rules.hook_sidecars import hook_sidecar_problems
from renderer.checks.rules.image_reference import image_problem
from renderer.checks.rules.operator_values import (
    cron_job_problems,
    data_volume_problems,
    hyperconverged_problems,
    import_cron_problems,
    kubevirt_problems,
)
from renderer.checks.rules.primary_networks import unlabelled_namespaces
from renderer.checks.rules.references import ObjectReference
from renderer.checks.rules.rule import Finding, MachineCheck, Rule, related_to
from renderer.kubevirt.facts.image_sources import HOOK_SIDECARS
from renderer.kubevirt.facts.kinds import DATA_IMPORT_CRON, DATA_VOLUME, HYPERCONVERGED, KUBEVIRT, NETWORK
from renderer.kubevirt.facts.kubernetes_names import (
    HEXADECIMAL,
    consists_of,
    dns_label_errors,
    dns_subdomain_errors,
    is_port_name,
    label_value_errors,
)
from renderer.kubevirt.facts.name_references import CREDENTIAL_SECRETS
from renderer.kubevirt.facts.pod_scheduling import REQUIRED, node_selector_problems, toleration_problems
from renderer.kubevirt.facts.sizes import asks_for_no_memory
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, elements, elements_by_name
from renderer.model.codes import Code
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.pattern import pattern
from renderer.model.placeholders import has_placeholder
from renderer.model.rule_settings import Level
from renderer.model.suggest import did_you_mean

#: A field below the instance's spec, the problem, and a hint.
_Problem: TypeAlias = tuple[tuple[Segment, ...], str, str | None]
_Problems: TypeAlias = Iterator[_Problem]

_FILESYSTEM = "Filesystem"
_NODE_AFFINITY = "nodeAffinity"
_INTEGER = pattern(r"[+-]?[0-9]+")
_MOST_PORT = 65_535
_PROBE_NUMBERS = (
    "failureThreshold",
    "periodSeconds",
    "successThreshold",
    "timeoutSeconds",
    "initialDelaySeconds",
)
#: The second hex digits of multicast addresses, in which the last bit of the first byte is set.
_ODD_DIGITS = frozenset("13579bdfBDF")
_UUID_DIGITS = 32


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    for path, message, hint in _instance_problems(machine):
        if has_placeholder(value_at(machine.instance, path)) or comes_from_overlay(context, machine, path):
            continue
        yield Finding(machine.resource, machine.in_instance(*path), message, hint)
    for problem in domain_problems(machine):
        path = ("domain", *problem.path)
        if not comes_from_overlay(context, machine, path):
            at = machine.in_instance("domain")
            yield from _domain_finding(machine.resource, at, machine.domain, problem)
    yield from _lun_findings(context, machine)
    yield from _hook_sidecar_findings(machine)
    for index, template in machine.data_volume_templates:
        for path, message, hint in data_volume_problems(object_at(template, "spec")):
            at = machine.in_spec("dataVolumeTemplates", index, "spec", *path)
            yield Finding(machine.resource, at, message, hint)


def _domain_finding(
    resource: Resource, base: FieldPath, content: JsonObject, problem: DomainProblem
) -> Iterator[Finding]:
    """Yield the finding about a field below ``base``, unless another tool fills in its value."""
    if not has_placeholder(value_at(content, problem.path)):
        at = base.child(*problem.path)
        fix = None if problem.right is None else SetField(at, problem.right)
        yield Finding(resource, at, problem.message, problem.hint, fix=fix)


def _lun_findings(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    """Yield the LUNs of claims of the overlay that are file systems: libvirt accepts only block devices."""
    luns = [(index, disk) for index, disk in machine.disks if disk.get("lun") is not None]
    volumes = elements_by_name([volume for _, volume in machine.volumes]) if luns else {}
    for index, disk in luns:
        volume = volumes.get(text_at(disk, "name"), {})
        name = text_at(volume, "dataVolume", "name") or text_at(volume, "persistentVolumeClaim", "claimName")
        claim = claim_named(context, name, machine.namespace) if name else None
        mode = None if claim is None else claim.content.get("volumeMode")
        if claim is not None and (mode == _FILESYSTEM or (mode is None and claim.is_claim)):
            message = f"a LUN needs a block device, and the claim {name} is a file system"
            related = related_to(claim.resource, "without volumeMode: Block", claim.field)
            at = machine.in_devices("disks", index, "lun")
            yield Finding(machine.resource, at, message, "add volumeMode: Block to the claim", (related,))


def _hook_sidecar_findings(machine: VirtualMachineView) -> Iterator[Finding]:
    metadata = object_at(machine.resource.content, *machine.paths.template.keys, "metadata")
    annotations = metadata.get("annotations")
    if not isinstance(annotations, dict) or HOOK_SIDECARS not in annotations:
        return
    written = annotations[HOOK_SIDECARS]
    if isinstance(written, str) and not has_placeholder(written):
        at = machine.paths.template.child("metadata", "annotations", HOOK_SIDECARS)
        for message, hint in hook_sidecar_problems(written):
            yield Finding(machine.resource, at, message, hint)


def _check_others(context: Context) -> Iterator[Finding]:
    """Yield the problems of standalone DataVolumes, of networks, and of names in machines."""
    for kind, problems in (
        ("CronJob", cron_job_problems),
        (DATA_IMPORT_CRON, import_cron_problems),
        (DATA_VOLUME, data_volume_problems),
        (HYPERCONVERGED, hyperconverged_problems),
        (KUBEVIRT, kubevirt_problems),
        (KUBEVIRT, component_patch_problems),
        (NETWORK, _network_problems),
    ):
        for resource in context.of_kind(kind):
            for path, message, hint in problems(object_at(resource.content, "spec")):
                yield Finding(resource, FieldPath.of("spec", *path), message, hint)
    for kinds, problems_of_spec in (
        (INSTANCETYPES, instancetype_problems),
        (PREFERENCES, preference_problems),
        ((KUBEVIRT,), cluster_problems),
    ):
        for resource in context.of_kind(*kinds):
            spec = object_at(resource.content, "spec")
            for problem in problems_of_spec(spec):
                yield from _domain_finding(resource, FieldPath.of("spec"), spec, problem)
    yield from unlabelled_namespaces(context)
    for references in context.references.values():
        for reference in references:
            if reference.kind == NETWORK or dns_subdomain_errors(reference.name):
                yield from _name_problems(reference)


def _instance_problems(machine: VirtualMachineView) -> _Problems:
    yield from _missing_memory(machine)
    for field, value in machine.instance.items():
        check = _CHECKS.get(field)
        if check is not None:
            yield from check(value, machine)


def _missing_memory(machine: VirtualMachineView) -> _Problems:
    """Yield the domain of a machine without memory, or a request of 0; the schema reports a null."""
    if object_at(machine.domain).get("memory", {}) is None or not asks_for_no_memory(machine):
        return
    message = "the machine requests no memory: KubeVirt admits it, but rejects each of its instances"
    zeros = (key for key in ("requests", "limits") if "memory" in object_at(machine.domain, "resources", key))
    path = next((("domain", "resources", key, "memory") for key in zeros), ("domain",))
    yield path, message, "set domain.memory.guest, or name an instance type"


def _element_problems(
    field: str,
    problems: Callable[[tuple[Segment, ...], JsonObject], _Problems],
    listed: Json,
    _: VirtualMachineView,
) -> _Problems:
    for index, element in elements(listed):
        yield from problems((field, index), element)


def _credential_problems(path: tuple[Segment, ...], credential: JsonObject) -> _Problems:
    """Yield a Secret whose name cannot be that of the volume in the pod (``withAccessCredentials``)."""
    for field in CREDENTIAL_SECRETS:
        name = text_at(credential, *field)
        if "." in name and not dns_subdomain_errors(name):
            message = f"the pod gets a volume {name}-access-cred, and the name of a volume cannot have a '.'"
            hint = "give the Secret a name without one"
            yield (*path, *field), message, hint


def _toleration_problems(path: tuple[Segment, ...], toleration: JsonObject) -> _Problems:
    for below, message, hint in toleration_problems(toleration):
        yield (*path, *below), message, hint


def _label_problems(selector: JsonObject) -> _Problems:
    for below, message, hint in node_selector_problems(selector):
        yield ("nodeSelector", *below), message, hint


#: The selectors that many machines share are checked only once.
_problems_of_labels = once_for_same(lambda selector: tuple(_label_problems(selector)))


def _node_affinity_problems(affinity: Json, _: VirtualMachineView) -> _Problems:
    required = object_at(affinity, _NODE_AFFINITY, REQUIRED)
    terms = ("affinity", _NODE_AFFINITY, REQUIRED, "nodeSelectorTerms")
    for number, term in elements(required.get("nodeSelectorTerms")):
        for index, requirement in elements(term.get("matchExpressions")):
            operator = text_at(requirement, "operator")
            for place, value in enumerate(array_at(requirement, "values")):
                if not isinstance(value, str):
                    continue
                path = (*terms, number, "matchExpressions", index, "values", place)
                if operator in ("Gt", "Lt") and _INTEGER.fullmatch(value) is None:
                    yield path, f"the operator {operator} compares whole numbers, not {value!r}", None
                for error in label_value_errors(value) if operator in ("In", "NotIn") else ():
                    yield path, f"invalid value {value!r} of a node label: it {error}", None


def _spread_problems(path: tuple[Segment, ...], constraint: JsonObject) -> _Problems:
    """Yield what ``validateTopologySpreadConstraints`` rejects but KubeVirt accepts."""
    least, action = constraint.get("minDomains"), text_at(constraint, "whenUnsatisfiable")
    if isinstance(least, int) and (least < 1 or action == "ScheduleAnyway"):
        message = (
            "minDomains must be at least 1"
            if least < 1
            else "minDomains needs whenUnsatisfiable: DoNotSchedule"
        )
        yield (*path, "minDomains"), message, None


def _probe_problems(kind: str, written: Json, machine: VirtualMachineView) -> _Problems:
    probe = object_at(written)
    for handler in ("httpGet", "tcpSocket"):
        for message, hint in _port_problems(object_at(probe, handler).get("port"), machine):
            yield (kind, handler, "port"), message, hint
    for name in _PROBE_NUMBERS:
        value = probe.get(name)
        if isinstance(value, int) and value < 0:
            yield (kind, name), f"{name} of a probe cannot be negative", None
    success = probe.get("successThreshold")
    if kind == "livenessProbe" and isinstance(success, int) and success > 1:
        yield (kind, "successThreshold"), "successThreshold of a livenessProbe can only be 1", None


def _port_problems(port: Json, machine: VirtualMachineView) -> Iterator[tuple[str, str | None]]:
    """Yield the problems of a port number, or of a port name, which kubelet looks up in the pod."""
    if isinstance(port, int) and not isinstance(port, bool) and not 1 <= port <= _MOST_PORT:
        yield f"ports are from 1 to {_MOST_PORT}, not {port}", None
    if not isinstance(port, str):
        return
    names = {text_at(each, "name") for each in machine.ports} - {""}
    if not is_port_name(port):
        hint = "write it without quotes" if port.isdecimal() else None
        yield f"{port!r} is neither a number nor the name of a port", hint
    elif port not in names and not any(map(has_placeholder, names)):
        hint = did_you_mean(port, sorted(names), otherwise="write its number")
        yield f"no interface of the machine has a port with the name {port!r}", hint


def _volume_problems(volumes: Json, _: VirtualMachineView) -> _Problems:
    for index, volume in elements(volumes):
        if "containerDisk" in volume:
            image = object_at(volume, "containerDisk").get("image")
            problem = image_problem(image) if isinstance(image, str) else None
            if problem:
                yield ("volumes", index, "containerDisk", "image"), *problem


def _grace_period_problems(grace: Json, _: VirtualMachineView) -> _Problems:
    if isinstance(grace, int) and grace < 0:
        message = "terminationGracePeriodSeconds is negative"
        yield ("terminationGracePeriodSeconds",), message, "0 stops the guest at once"


def _priority_class_problems(priority: Json, _: VirtualMachineView) -> _Problems:
    for error in dns_subdomain_errors(priority) if isinstance(priority, str) and priority else ():
        yield ("priorityClassName",), f"invalid PriorityClass name {priority!r}: it {error}", None


def _domain_problems(domain: Json, machine: VirtualMachineView) -> _Problems:
    for index, interface in machine.interfaces:
        mac = text_at(interface, "macAddress")
        octets = mac.replace("-", ":").split(":") if mac[1:2] in _ODD_DIGITS else ()
        if [*map(len, octets)] == [2] * 6 and all(consists_of(octet, HEXADECIMAL) for octet in octets):
            yield (
                ("domain", "devices", "interfaces", index, "macAddress"),
                f"{mac} is a multicast MAC address, which no interface can have",
                "the first two digits must be an even number: 02 is for locally administered addresses",
            )
    firmware = object_at(domain, "firmware")
    if not firmware:
        return
    uuid = text_at(firmware, "uuid")
    digits = uuid.replace("-", "")
    if uuid and (len(digits) != _UUID_DIGITS or not consists_of(digits, HEXADECIMAL)):
        yield ("domain", "firmware", "uuid"), f"{uuid!r} is not a UUID", "a UUID has 32 hexadecimal digits"
    image = object_at(firmware, "kernelBoot", "container").get("image")
    problem = image_problem(image) if isinstance(image, str) else None
    if problem:
        yield ("domain", "firmware", "kernelBoot", "container", "image"), *problem


#: The checks of the fields of an instance; arguments are the value of the field, and the machine.
_CHECKS: Mapping[str, Callable[[Json, VirtualMachineView], Iterable[_Problem]]] = {
    "accessCredentials": partial(_element_problems, "accessCredentials", _credential_problems),
    "affinity": _node_affinity_problems,
    "domain": _domain_problems,
    "livenessProbe": partial(_probe_problems, "livenessProbe"),
    "nodeSelector": lambda selector, _: _problems_of_labels(object_at(selector)),
    "priorityClassName": _priority_class_problems,
    "readinessProbe": partial(_probe_problems, "readinessProbe"),
    "terminationGracePeriodSeconds": _grace_period_problems,
    "tolerations": partial(_element_problems, "tolerations", _toleration_problems),
    "topologySpreadConstraints": partial(_element_problems, "topologySpreadConstraints", _spread_problems),
    "volumes": _volume_problems,
}


def _name_problems(reference: ObjectReference) -> Iterator[Finding]:
    """Yield the findings for an invalid object name."""
    names = [(reference.kind, reference.name, dns_subdomain_errors(reference.name))]
    if reference.kind == NETWORK and reference.namespace:
        names.append(("Namespace", reference.namespace, dns_label_errors(reference.namespace)))
    for kind, name, errors in names:
        for error in () if has_placeholder(name) else errors:
            message = f"invalid {kind} name {name!r}: it {error}"
            yield Finding(reference.resource, reference.field, message)


def _network_problems(spec: JsonObject) -> _Problems:
    """Yield the problems of a NetworkAttachmentDefinition (Multus ``pkg/types/conf.go``)."""
    written = spec.get("config")
    if not isinstance(written, str) or not written or has_placeholder(written):
        return
    try:
        config: Json = json.loads(written)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno} of it)" if isinstance(error, json.JSONDecodeError) else ""
        yield ("config",), f"config is not JSON{where}, so no interface can be attached", None
        return
    if not text_at(config, "type") and object_at(config).get("plugins") is None:
        message = "config has neither type nor plugins, so no interface can be attached"
        yield ("config",), message, 'add the CNI plugin, such as "type": "bridge"'


RULE = Rule(Code.UNUSABLE_VALUE, Level.WARNING, MachineCheck(_check_machine, _check_others), __doc__)
