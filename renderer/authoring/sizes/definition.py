"""The values of an ``InstancetypeSeries``, and contradictions in the instance types that it generates.

A contradiction makes KubeVirt reject every VirtualMachine that uses the instance type
(``pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go``,
``pkg/liveupdate/memory/memory.go``); checks of the instance type itself are in
``instancetype/object_checks``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from renderer.authoring.sizes.memory import is_multiple, is_page_size
from renderer.authoring.sizes.names import NamePattern
from renderer.kubevirt.facts.kinds import INSTANCETYPE
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at
from renderer.model.kube.location import Site
from renderer.model.quantity import INT64_MAX, Quantity, QuantityFormat
from renderer.model.text_enum import TextEnum

_LARGEST = Quantity.of_integer(INT64_MAX, QuantityFormat.BINARY_SI)
_HOTPLUG_BLOCK = "2Mi"
_SUPPLEMENTAL_POOL = "supplementalPool"


class InstancetypeScope(TextEnum):
    """The scope of an instance type, in the words of a CustomResourceDefinition's scope."""

    CLUSTER = "Cluster"
    NAMESPACED = "Namespaced"

    @property
    def kind(self) -> str:
        return INSTANCETYPE.cluster_kind if self is InstancetypeScope.CLUSTER else INSTANCETYPE.kind


@dataclass(frozen=True, slots=True)
class Hugepages:
    """A variant of every size: page size, ``text`` in the spelling of nodes, and the suffix of its names."""

    page_size: Quantity
    text: str
    suffix: str


@dataclass(frozen=True, slots=True)
class SeriesSize:
    """One row of the table, completed by the ratios; memory is a quantity of bytes.

    None in ``vcpus`` or ``memory`` leaves it to the VirtualMachine.
    """

    site: Site
    name: str
    vcpus: int | None
    memory: str | None
    max_sockets: int | None

    @property
    def is_custom(self) -> bool:
        return self.vcpus is None or self.memory is None


@dataclass(frozen=True, slots=True)
class SeriesTemplate:
    """The parts that all instance types of a series share."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    spec: JsonObject


@dataclass(frozen=True, slots=True)
class Series:
    """A whole series; ``hugepages`` is empty if the series has no page size variants."""

    name_pattern: NamePattern
    scopes: tuple[InstancetypeScope, ...]
    template: SeriesTemplate
    hugepages: tuple[Hugepages, ...]
    sizes: tuple[SeriesSize, ...]


def contradictions(spec: JsonObject) -> tuple[Diagnostic, ...]:
    """Return the contradictions in an instance type's ``spec``, with the switches to use."""
    found = [*_cpu(spec), *_memory(spec), *_max_guest(spec)]
    threads = object_at(spec, "ioThreads").get("supplementalPoolThreadCount")
    if spec.get("ioThreadsPolicy") == _SUPPLEMENTAL_POOL and not threads:
        message = f"spec.ioThreadsPolicy {_SUPPLEMENTAL_POOL} needs the number of its threads"
        found.append(
            _contradiction("ioThreads", "supplementalPoolThreadCount", message, "add --io-threads 4")
        )
    return tuple(found)


def _cpu(spec: JsonObject) -> Iterator[Diagnostic]:
    cpu = object_at(spec, "cpu")
    dedicated = cpu.get("dedicatedCPUPlacement") is True
    passthrough = _passes_numa_through(cpu)
    needs_cores = {
        "isolateEmulatorThread": cpu.get("isolateEmulatorThread") is True,
        "numa": passthrough,
        "realtime": cpu.get("realtime") is not None,
    }
    switches = {"isolateEmulatorThread": "isolate-emulator-thread", "numa": "numa-passthrough"}
    for key, is_on in needs_cores.items():
        if is_on and not dedicated:
            hint = f"add --dedicated-cpus, or --no-{switches.get(key, key)}"
            yield _contradiction("cpu", key, f"spec.cpu.{key} needs spec.cpu.dedicatedCPUPlacement", hint)
    if passthrough and object_at(spec, "memory").get("hugepages") is None:
        hint = "add --hugepages 2Mi, or --no-numa-passthrough"
        yield _contradiction("cpu", "numa", "spec.cpu.numa needs spec.memory.hugepages", hint)
    if cpu.get("realtime") is not None and not passthrough:
        hint = "add --numa-passthrough, or --no-realtime"
        yield _contradiction("cpu", "realtime", "spec.cpu.realtime needs spec.cpu.numa", hint)
    vcpus, sockets = cpu.get("guest"), cpu.get("maxSockets")
    if isinstance(vcpus, int) and isinstance(sockets, int) and sockets < vcpus:
        message = f"spec.cpu.maxSockets is {sockets}, less than the {vcpus} vCPUs, each of which is a socket"
        hint = f"add --max-sockets {vcpus} or more, or --no-max-sockets"
        yield _contradiction("cpu", "maxSockets", message, hint)


def _memory(spec: JsonObject) -> Iterator[Diagnostic]:
    memory = object_at(spec, "memory")
    guest, page_size = _quantity(memory, "guest"), _quantity(object_at(memory, "hugepages"), "pageSize")
    if page_size is None:
        return
    pages = object_at(memory, "hugepages").get("pageSize")
    if not is_page_size(page_size):
        hint = "their sizes are powers of two, such as 2Mi and 1Gi"
        yield _contradiction("memory", "hugepages", f"huge pages cannot have the size {pages}", hint)
    elif guest is not None and not is_multiple(guest, page_size):
        message = f"{guest.canonical} of memory are not a multiple of huge pages of {pages}"
        yield _contradiction(
            "memory", "guest", message, "give --memory or --hugepages another size, or --no-hugepages"
        )


def _max_guest(spec: JsonObject) -> Iterator[Diagnostic]:
    """Yield the contradictions that KubeVirt's ``ValidateLiveUpdateMemory`` refuses."""
    memory, cpu = object_at(spec, "memory"), object_at(spec, "cpu")
    guest, most = _quantity(memory, "guest"), _quantity(memory, "maxGuest")
    if guest is None or most is None:
        return
    field, hint = "maxGuest", "give another --max-guest-memory, or --no-max-guest-memory"
    page_size = object_at(memory, "hugepages").get("pageSize")
    block = Quantity.parse("1Gi" if page_size == "1Gi" else _HOTPLUG_BLOCK)
    fixed = {"realtime": cpu.get("realtime") is not None, "numa": _passes_numa_through(cpu)}
    for key, is_on in fixed.items():
        if is_on:
            yield _contradiction("memory", field, f"memory cannot be hot-plugged with spec.cpu.{key}", hint)
    if most.compare(guest) < 0:
        message = f"spec.memory.maxGuest is {most.canonical}, less than the {guest.canonical} of memory"
        yield _contradiction("memory", field, message, hint)
    for key, amount in (("guest", guest), ("maxGuest", most)):
        if not is_multiple(amount, block):
            message = (
                f"spec.memory.{key} must be a multiple of {block.canonical}, as memory can be hot-plugged"
            )
            yield _contradiction("memory", key, message, hint)
    if guest.compare(Quantity.parse("1Gi")) < 0:
        yield _contradiction("memory", field, "memory can be hot-plugged from 1Gi of memory on", hint)


def _passes_numa_through(cpu: JsonObject) -> bool:
    return object_at(cpu, "numa").get("guestMappingPassthrough") is not None


def _quantity(content: JsonObject, key: str) -> Quantity | None:
    """Return the amount of memory if it is valid; the schema stage reports an invalid one."""
    value = content.get(key)
    try:
        amount = Quantity.of(value)
    except DiagnosticError:
        return None
    return amount if amount.sign > 0 and amount.compare(_LARGEST) < 0 else None


def _contradiction(section: str, key: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(Code.RESOURCE_INVALID, message, hint=hint, field=FieldPath.of("spec", section, key))
