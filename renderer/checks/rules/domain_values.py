"""Values in the domain of a machine that KubeVirt copies for libvirt and QEMU, which reject them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from renderer.kubevirt.facts.cpu_models import (
    CPU_FEATURES,
    CPU_MODELS,
    FEATURE_ALIASES,
    HOST_MODEL,
    HOST_PASSTHROUGH,
    is_known_model,
)
from renderer.kubevirt.facts.kubernetes_names import ALPHANUMERIC, consists_of
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, elements
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from renderer.model.pattern import pattern
from renderer.model.quantity import Quantity, lenient_quantity
from renderer.model.suggest import did_you_mean, suggest

_NO_MEMORY = "memory.guest is 0: the machine asks for no memory, and never starts"
_NO_MEMORY_HINT = "write the guest's memory, such as memory: {guest: 2Gi}"

#: A field below the domain, the problem, and a hint.
DomainProblem: TypeAlias = tuple[tuple[Segment, ...], str, str | None]

_SCSI, _SATA = "scsi", "sata"
#: The most characters of a serial that QEMU accepts on a bus (``hw/scsi/scsi-disk.c``, scsi_realize).
_LONGEST_SERIALS = {_SCSI: 36, "usb": 36}
#: The characters of an alias that libvirt accepts (``docs/formatdomain.rst``, "Devices").
_ALIAS = f"{ALPHANUMERIC}_-"
_LONGEST_VENDOR_ID = 12
#: CPU models are only checked where libvirt's list of models for amd64 applies.
_AMD64 = ("", "amd64")
#: The beginnings of features that libvirt reads from the processor's registers, a long list.
_OPEN_FEATURES = ("vmx-", "hv-", "kvm-")
_SIMILAR = 0.8
#: A time zone as POSIX writes it: ``CET-1CEST``, ``<+03>-3``, or a file after a colon.
_POSIX_ZONE = pattern(r"[:</]|[A-Za-z]{3,}[-+]?[0-9]")
#: No guest that KubeVirt is used for boots with less.
_LEAST_MEMORY = Quantity.parse("16Mi")


def domain_problems(domain: JsonObject, machine: VirtualMachineView) -> Iterator[DomainProblem]:
    """Yield what libvirt or QEMU rejects in a domain."""
    yield from _memory_problems(domain, machine)
    cpu = domain.get("cpu")
    if isinstance(cpu, dict) and text_at(machine.instance, "architecture") in _AMD64:
        yield from ((("cpu", *path), message, hint) for path, message, hint in _cpu_problems(cpu))
    for index, disk in machine.disks:
        yield from _disk_problems(index, disk, machine)
    for listed in ("gpus", "hostDevices"):
        if listed in machine.devices:
            yield from _host_device_problems(listed, machine.devices[listed])
    if "clock" in domain:
        yield from _clock_problems(text_at(domain, "clock", "timezone"))
    if "features" in domain:
        yield from _vendor_id_problems(object_at(domain, "features", "hyperv"))


def instancetype_problems(spec: JsonObject) -> Iterator[DomainProblem]:
    """Yield what no machine of an instance type can start with; the fields are below its spec."""
    if is_zero(object_at(spec, "memory").get("guest")):
        yield ("memory", "guest"), _NO_MEMORY, _NO_MEMORY_HINT
    for path, message, hint in _cpu_problems(object_at(spec, "cpu")):
        yield ("cpu", *path), message, hint


def preference_problems(spec: JsonObject) -> Iterator[DomainProblem]:
    """Yield what no machine of a preference can start with; the fields are below its spec."""
    for path, message, hint in _feature_problems(object_at(spec, "cpu").get("preferredCPUFeatures")):
        yield ("cpu", "preferredCPUFeatures", *path), message, hint
    bus = text_at(spec, "devices", "preferredLunBus")
    if bus and bus != _SCSI:
        yield ("devices", "preferredLunBus"), _lun_message(bus), f"write {_SCSI}"


def _memory_problems(domain: JsonObject, machine: VirtualMachineView) -> Iterator[DomainProblem]:
    """Yield a guest of no memory.

    libvirt gets ``memory.guest`` whatever is requested (``GetVirtualMemory``), and KubeVirt fills it in from
    the request, from the limit, or else with one huge page (``setGuestMemory``).
    """
    memory = domain.get("memory")
    if not isinstance(memory, dict):
        return
    page = lenient_quantity(object_at(memory, "hugepages").get("pageSize"))
    if is_zero(memory.get("guest")):
        yield ("memory", "guest"), _NO_MEMORY, _NO_MEMORY_HINT
    elif page is not None and "guest" not in memory and machine.spec.get("instancetype") is None:
        resources = object_at(domain, "resources")
        amounts = [object_at(resources, key).get("memory") for key in ("requests", "limits")]
        if all(map(is_nothing, amounts)) and page.compare(_LEAST_MEMORY) < 0:
            message = f"without memory.guest the machine gets one huge page of memory, {page.json}"
            yield ("memory", "hugepages", "pageSize"), message, _NO_MEMORY_HINT


def is_zero(amount: Json) -> bool:
    """Return True for the quantity 0."""
    quantity = None if amount is None else lenient_quantity(amount)
    return quantity is not None and quantity.sign == 0


def is_nothing(amount: Json) -> bool:
    """Return True for a quantity that is missing or 0."""
    return amount is None or is_zero(amount)


def _cpu_problems(cpu: JsonObject) -> Iterator[DomainProblem]:
    """Yield models and features that no node has; the fields are below ``cpu``."""
    model = text_at(cpu, "model")
    if model and not is_known_model(model):
        known = (HOST_MODEL, HOST_PASSTHROUGH, *sorted(CPU_MODELS))
        message = f"libvirt does not know the CPU model {model}: no node has it, so the pod stays pending"
        yield (
            ("model",),
            message,
            did_you_mean(model, known, otherwise=f"write {HOST_MODEL}, or a model's name"),
        )
    for path, message, hint in _feature_problems(cpu.get("features")):
        yield ("features", *path), message, hint


def _feature_problems(features: Json) -> Iterator[DomainProblem]:
    for index, feature in elements(features):
        name = text_at(feature, "name")
        intended = _intended_feature(name)
        if intended is not None:
            message = f"libvirt does not know the CPU feature {name}, so the machine never starts"
            yield (index, "name"), message, f"did you mean {intended}?"


def _intended_feature(name: str) -> str | None:
    """Return the feature that a name was probably meant for; None for a known or unrelated name."""
    if not name or name in CPU_FEATURES or name.startswith(_OPEN_FEATURES):
        return None
    alias = FEATURE_ALIASES.get(name)
    return alias or next(iter(suggest(name, CPU_FEATURES, most=1, cutoff=_SIMILAR)), None)


def _disk_problems(index: int, disk: JsonObject, machine: VirtualMachineView) -> Iterator[DomainProblem]:
    at = ("devices", "disks", index)
    lun = disk.get("lun")
    if isinstance(lun, dict):
        yield from (((*at, *path), message, hint) for path, message, hint in _lun_problems(lun, machine))
    serial, bus = text_at(disk, "serial"), text_at(disk, "disk", "bus")
    most = _LONGEST_SERIALS.get(bus)
    if most is not None and len(serial) > most:
        message = f"the serial has {len(serial)} characters: QEMU accepts {most} on the bus {bus}"
        yield (*at, "serial"), message, f"shorten it to {most} characters"


def _lun_problems(lun: JsonObject, machine: VirtualMachineView) -> Iterator[DomainProblem]:
    """Yield a bus other than SCSI (libvirt ``qemu_validate.c``; QEMU's virtio-blk passes no commands on)."""
    bus = text_at(lun, "bus")
    hint = f"write lun: {{bus: {_SCSI}}}"
    if bus and bus != _SCSI:
        yield ("lun", "bus"), _lun_message(bus), hint
    elif not bus and machine.spec.get("preference") is None:
        default = _SATA if text_at(machine.instance, "architecture") in _AMD64 else "virtio"
        message = f"KubeVirt puts a LUN without a bus on {default}, where it does not start"
        yield ("lun",), message, hint


def _lun_message(bus: str) -> str:
    return f"a LUN on the bus {bus} does not start: QEMU passes SCSI commands through on scsi alone"


def _host_device_problems(listed: str, devices: Json) -> Iterator[DomainProblem]:
    """Yield names that libvirt does not accept as an alias, on which virt-launcher crashes."""
    names: set[str] = set()
    for index, device in elements(devices):
        name = text_at(device, "name")
        at = ("devices", listed, index, "name")
        if not consists_of(name, _ALIAS):
            message = f"libvirt accepts letters, digits, '-' and '_' in a device's name, not {name!r}"
            corrected = "".join(letter if letter in _ALIAS else "-" for letter in name)
            yield at, message, f"write {corrected}"
        elif name in names:
            message = f"two {listed} are called {name}, and libvirt accepts a name only once"
            yield at, message, "rename one"
        names.add(name)


def _clock_problems(zone: str) -> Iterator[DomainProblem]:
    """Yield a time zone that the C library does not know, which then takes UTC; QEMU gets it as ``TZ``."""
    if not zone or _POSIX_ZONE.match(zone):
        return
    from renderer.kubevirt.facts.time_zones import TIME_ZONES  # noqa: PLC0415 - few machines set a time zone

    if zone not in TIME_ZONES:
        message = f"there is no time zone {zone}, so the guest's clock starts in UTC"
        hint = did_you_mean(zone, sorted(TIME_ZONES), otherwise="write a name such as Europe/Paris")
        yield ("clock", "timezone"), message, hint


def _vendor_id_problems(hyperv: JsonObject) -> Iterator[DomainProblem]:
    vendor = hyperv.get("vendorid")
    if not isinstance(vendor, dict) or vendor.get("enabled") is False:
        return
    written, at = text_at(vendor, "vendorid"), ("features", "hyperv", "vendorid")
    if not written:
        yield at, "vendorid is enabled without a vendor id, which libvirt rejects", "add vendorid: KVMKVMKVM"
    elif len(written) > _LONGEST_VENDOR_ID:
        message = f"the vendor id has {len(written)} characters: libvirt accepts {_LONGEST_VENDOR_ID}"
        yield (*at, "vendorid"), message, f"shorten it to {_LONGEST_VENDOR_ID} characters"
    elif "," in written:
        yield (*at, "vendorid"), "libvirt accepts no comma in a vendor id", None
