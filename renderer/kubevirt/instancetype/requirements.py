"""Check that a VirtualMachine has what its preference requires.

KubeVirt ``pkg/instancetype/preference/requirements``.
"""

from __future__ import annotations

from math import prod

from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE
from renderer.kubevirt.instancetype.behaviour import Behaviour, VmMemory, behaviour_of
from renderer.kubevirt.instancetype.catalog import Catalog, Scope
from renderer.kubevirt.instancetype.cause import CrashError, ExpansionCause
from renderer.kubevirt.instancetype.custom_size import MEMORY, NO_CUSTOM_SIZE, VCPUS
from renderer.kubevirt.instancetype.find import MatchedObject, decode_object
from renderer.kubevirt.instancetype.resolve import ResolvedMatchers
from renderer.kubevirt.instancetype.topology import (
    Across,
    Topology,
    count_of_vcpus,
    preferred_topology,
    spread_options,
)
from renderer.kubevirt.instancetype.vmi_template import VMI_SPEC
from renderer.model.codes import Code
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.misspelt_quantity import with_probable_unit
from renderer.model.plural import plural
from renderer.model.quantity import Quantity
from renderer.model.release import Release

_CPU = VMI_SPEC.child("domain", "cpu")
_MEMORY = VMI_SPEC.child("domain", "memory")
_ARCHITECTURE = VMI_SPEC.child("architecture")
_REQUIREMENTS = FieldPath.of("spec", "requirements")
_REQUIRED_VCPUS = _REQUIREMENTS.child("cpu", "guest")
_REQUIRED_MEMORY = _REQUIREMENTS.child("memory", "guest")
_ONE_FIELD = {Topology.SOCKETS: ("sockets",), Topology.CORES: ("cores",), Topology.THREADS: ("threads",)}
_ALL_FIELDS = ("cores", "sockets", "threads")
_SPREAD_FIELDS = {
    Across.SOCKETS_CORES: ("sockets", "cores"),
    Across.CORES_THREADS: ("cores", "threads"),
    Across.SOCKETS_CORES_THREADS: ("sockets", "cores", "threads"),
    None: (),
}
_UINT32 = 2**32
#: A smaller amount of memory is one whose unit was forgotten.
_FORGOTTEN_UNIT = Quantity.parse("1Mi")


def check_requirements(
    selected: ResolvedMatchers, vmi_spec: JsonObject, scope: Scope, behaviour: Behaviour
) -> ExpansionCause | None:
    """Return the first requirement that is not met: CPU, memory, architecture.

    ``vmi_spec`` is the template's spec with everything applied and defaulted. Raises ``CrashError`` where
    KubeVirt crashes.
    """
    instancetype, preference = selected.instancetype, selected.preference
    if preference is None or preference.spec.get("requirements") is None:
        return None
    if instancetype is not None and selected.custom_size is NO_CUSTOM_SIZE:
        unmet = _check_sizes_of_pair(instancetype, preference, behaviour)
    else:
        unmet = _check_sizes(selected, preference, vmi_spec, behaviour)
    if unmet is not None and instancetype is not None and unmet.hint is None:
        return unmet._replace(hint=_larger(instancetype, preference, scope))
    return unmet or _check_architecture(preference, vmi_spec)


def _check_sizes(
    selected: ResolvedMatchers, preference: MatchedObject, vmi_spec: JsonObject, behaviour: Behaviour
) -> ExpansionCause | None:
    return _check_cpu(selected, preference, vmi_spec, behaviour) or _check_memory(
        selected, preference, vmi_spec, behaviour
    )


@once_for_same
def _check_sizes_of_pair(
    instancetype: MatchedObject, preference: MatchedObject, behaviour: Behaviour
) -> ExpansionCause | None:
    """Check the sizes of an instance type, which all machines with this pair share."""
    return _check_sizes(ResolvedMatchers(instancetype, preference), preference, EMPTY, behaviour)


def satisfies(instancetype: Resource, preference: Resource, release: Release) -> bool:
    """Return True if an instance type has the CPU and memory that a preference requires.

    The architecture is not checked, because it belongs to the VM. Raises ``CauseError`` for an object that
    the release cannot decode.
    """
    behaviour = behaviour_of(release)
    selected = ResolvedMatchers(
        decode_object(instancetype, INSTANCETYPE, behaviour), decode_object(preference, PREFERENCE, behaviour)
    )
    architecture = object_at(preference.content, "spec", "requirements").get("architecture")
    cause = check_requirements(selected, {"architecture": architecture}, Scope(Catalog(), ""), behaviour)
    return cause is None


def _check_cpu(
    selected: ResolvedMatchers, preference: MatchedObject, vmi_spec: JsonObject, behaviour: Behaviour
) -> ExpansionCause | None:
    instancetype = selected.instancetype
    requirement = object_at(preference.spec, "requirements").get("cpu")
    if requirement is None:
        return None
    required = _uint(object_at(requirement), "guest")
    custom = selected.custom_size.vcpus
    if custom is not None:
        if custom >= required:
            return None
        message = f"{preference} requires {count_of_vcpus(required)}, the VM has {custom}"
        return _cause(preference, (VCPUS,), message, f"set {VCPUS} to at least {required}", _REQUIRED_VCPUS)
    if instancetype is not None:
        provided = _uint(object_at(instancetype.spec, "cpu"), "guest")
        if provided >= required:
            return None
        return _instancetype_too_small(instancetype, preference, "cpu", count_of_vcpus(required), provided)
    fields = _provided_as(preference, behaviour)
    if fields is None:
        return None
    cpu = object_at(vmi_spec, "domain", "cpu")
    # KubeVirt multiplies in 32 bits; without fields the product is 0.
    provided = prod(_uint(cpu, count) for count in fields) % _UINT32 if fields else 0
    if provided >= required:
        return None
    as_what = " times ".join(fields) or "no field that KubeVirt knows"
    message = f"{preference} requires {count_of_vcpus(required)} as {as_what}, the VM provides {provided}"
    paths = tuple(_CPU.child(field) for field in fields)
    hint = f"set {INSTANCETYPE.path}, or {' and '.join(str(path) for path in paths) or _CPU}"
    return _cause(preference, paths, message, hint, _REQUIRED_VCPUS)


def _provided_as(preference: MatchedObject, behaviour: Behaviour) -> tuple[str, ...] | None:
    """Return the fields whose product is the VM's vCPUs; None (no check) for an unknown topology."""
    topology = preferred_topology(preference.spec, behaviour.topologies)
    if topology is None:
        return None
    if topology is Topology.ANY:
        return _ALL_FIELDS
    if topology is not Topology.SPREAD:
        return _ONE_FIELD[topology]
    fields = _SPREAD_FIELDS[spread_options(preference.spec).across]
    return fields if behaviour.spread_requirement_names_sockets_first else tuple(sorted(fields))


def _check_memory(
    selected: ResolvedMatchers, preference: MatchedObject, vmi_spec: JsonObject, behaviour: Behaviour
) -> ExpansionCause | None:
    instancetype = selected.instancetype
    requirement = object_at(preference.spec, "requirements").get("memory")
    if requirement is None:
        return None
    required = Quantity.of(object_at(requirement).get("guest"))
    if selected.custom_size.memory is not None:
        provided = Quantity.of(selected.custom_size.memory)
        if provided.compare(required) >= 0:
            return None
        message = f"{preference} requires {required.json} of memory, the VM has {provided.json}"
        hint = f"set {MEMORY} to at least {required.json}"
        return _cause(preference, (MEMORY,), message, hint, _REQUIRED_MEMORY)
    if instancetype is not None:
        provided = Quantity.of(object_at(instancetype.spec, "memory").get("guest"))
        if provided.compare(required) >= 0:
            return None
        return _instancetype_too_small(instancetype, preference, "memory", required.json, provided.json)
    memory = object_at(vmi_spec, "domain").get("memory")
    if memory is None and behaviour.vm_memory is VmMemory.AS_WRITTEN:
        return None
    guest = object_at(memory).get("guest")
    hint = f"set {INSTANCETYPE.path}, or {_MEMORY}.guest"
    if guest is None and behaviour.vm_memory is not VmMemory.DEFAULTED_OR_ZERO:
        message = (
            f"{preference} requires {required.json} of memory, and the VM sets none,"
            f" which crashes KubeVirt {behaviour.release}"
        )
        raise CrashError(_cause(preference, (_MEMORY,), message, hint, _REQUIRED_MEMORY))
    provided = Quantity.of(guest)
    if provided.compare(required) >= 0:
        return None
    message = f"{preference} requires {required.json} of memory, the VM provides {provided.json}"
    if isinstance(guest, str | int) and str(guest).isdecimal() and provided.compare(_FORGOTTEN_UNIT) < 0:
        message += f", which is {plural(provided.value(), 'byte')}"
        hint = f"write a unit: did you mean {with_probable_unit(str(guest))}?"
    return _cause(preference, (_MEMORY,), message, hint, _REQUIRED_MEMORY)


def _check_architecture(preference: MatchedObject, vmi_spec: JsonObject) -> ExpansionCause | None:
    required = object_at(preference.spec, "requirements").get("architecture")
    provided = vmi_spec.get("architecture")
    if required is None or required == (provided or ""):
        return None
    return _cause(
        preference,
        (_ARCHITECTURE,),
        f'{preference} requires architecture "{required}", the VM has "{provided or ""}"',
        f"set {_ARCHITECTURE}: {required}" if required else None,
        _REQUIREMENTS.child("architecture"),
    )


def _instancetype_too_small(
    instancetype: MatchedObject, preference: MatchedObject, resource: str, required: str, provided: Json
) -> ExpansionCause:
    message = f"{preference} requires {required}, {instancetype} provides {provided}"
    cause = _cause(preference, (INSTANCETYPE.path,), message, None, _REQUIREMENTS.child(resource, "guest"))
    provided_by = instancetype.related(FieldPath.of("spec", resource, "guest"))
    return cause._replace(related=(*cause.related, provided_by))


def _larger(instancetype: MatchedObject, preference: MatchedObject, scope: Scope) -> str:
    from renderer.kubevirt.instancetype.sizes import instancetypes_of_at_least  # noqa: PLC0415 - only for what is too small

    requirements = object_at(preference.spec, "requirements")
    vcpus = _uint(object_at(requirements, "cpu"), "guest")
    memory = Quantity.of(object_at(requirements, "memory").get("guest"))
    sizes = instancetypes_of_at_least(instancetype, scope, vcpus=vcpus, memory=memory.value())
    names = " or ".join(str(size) for size in sizes)
    return f"use {names or 'a larger instance type'}"


def _cause(
    preference: MatchedObject,
    fields: tuple[FieldPath, ...],
    message: str,
    hint: str | None,
    requirement: FieldPath,
) -> ExpansionCause:
    return ExpansionCause.at_field(
        fields[0] if fields else _CPU,
        Code.REQUIREMENT,
        message,
        hint,
        reported=", ".join(str(field) for field in fields),
        related=(preference.related(requirement),),
    )


def _uint(value: JsonObject, key: str) -> int:
    number = value.get(key)
    return number if isinstance(number, int) else 0
