"""Values in the domain of a machine that KubeVirt copies for libvirt and QEMU, which reject them."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.cpu_models import (
    CPU_FEATURES,
    CPU_MODELS,
    FEATURE_ALIASES,
    HOST_MODEL,
    HOST_PASSTHROUGH,
    is_known_model,
)
from renderer.kubevirt.facts.huge_pages import intended_page_size, is_unavailable_page_size, page_sizes
from renderer.kubevirt.facts.kubernetes_names import ALPHANUMERIC, consists_of
from renderer.kubevirt.facts.machine_types import is_unknown_machine_type, without_version
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, elements
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from renderer.model.kube.sharing import Memo
from renderer.model.pattern import pattern
from renderer.model.placeholders import has_placeholder
from renderer.model.quantity import Quantity, lenient_quantity, nearest_whole_pages
from renderer.model.record import Record
from renderer.model.suggest import suggest

_NO_MEMORY = "memory.guest is 0: the machine asks for no memory, and never starts"
_NO_MEMORY_HINT = "write the guest's memory, such as memory: {guest: 2Gi}"

_SCSI, _SATA, _NO_CACHE = "scsi", "sata", "none"
#: The most characters of a serial that QEMU accepts on a bus (``hw/scsi/scsi-disk.c``, scsi_realize).
_LONGEST_SERIALS = {_SCSI: 36, "usb": 36}
#: The characters of a serial that the guest sees: VIRTIO_BLK_ID_BYTES of virtio, and the field of ATA.
VISIBLE = 20
_UUID = pattern(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_CUT_SERIALS = (_SATA, "virtio")
#: The characters of an alias that libvirt accepts (``docs/formatdomain.rst``, "Devices").
_ALIAS = f"{ALPHANUMERIC}_-"
_LONGEST_VENDOR_ID = 12
_CHECKED_IN_DISKS = frozenset({"cache", "lun", "serial"})
#: The machine types without a version.
_NEWEST = ("", "q35", "virt", "s390-ccw-virtio")
#: CPU models are only checked where libvirt's list of models for amd64 applies.
_AMD64 = ("", "amd64")
#: The beginnings of features that libvirt reads from the processor's registers, a long list.
_OPEN_FEATURES = ("vmx-", "hv-", "kvm-")
_SIMILAR = 0.8
#: A time zone as POSIX writes it: ``CET-1CEST``, ``<+03>-3``, or a file after a colon.
_POSIX_ZONE = pattern(r"[:</]|[A-Za-z]{3,}[-+]?[0-9]")
#: No guest that KubeVirt is used for boots with less.
_LEAST_MEMORY = Quantity.parse("16Mi")


class DomainProblem(Record):
    """What is wrong with the field at ``path``; ``right`` is its one right value, if there is one."""

    path: tuple[Segment, ...]
    message: str
    hint: str | None = None
    right: Json = None

    def below(self, *segments: Segment) -> DomainProblem:
        return self._replace(path=(*segments, *self.path))


def domain_problems(machine: VirtualMachineView) -> Iterator[DomainProblem]:
    """Yield what libvirt or QEMU rejects in the domain of a machine, with paths below the domain."""
    domain = machine.domain
    yield from _memory_problems(domain, machine)
    cpu = domain.get("cpu")
    if isinstance(cpu, dict) and text_at(machine.instance, "architecture") in _AMD64:
        yield from (problem.below("cpu") for problem in _cpu_problems(cpu))
    machine_type = text_at(domain, "machine", "type")
    if machine_type not in _NEWEST and is_unknown_machine_type(machine_type):
        message = f"no hypervisor has a machine type {machine_type}, so the machine never starts"
        right = without_version(machine_type)
        hint = f"write {right}" if right else "write q35, or a version such as pc-q35-rhel9.6.0"
        yield DomainProblem(("machine", "type"), message, hint, right)
    for index, disk in machine.disks:
        if _CHECKED_IN_DISKS.isdisjoint(disk):
            continue
        yield from (problem.below("devices", "disks", index) for problem in _disk_problems(disk, machine))
    for listed in ("gpus", "hostDevices"):
        if listed in machine.devices:
            problems = _host_device_problems(listed, machine.devices[listed])
            yield from (problem.below("devices", listed) for problem in problems)
    if "clock" in domain:
        yield from _clock_problems(text_at(domain, "clock", "timezone"))
    if "features" in domain:
        yield from _vendor_id_problems(object_at(domain, "features", "hyperv"))


def instancetype_problems(spec: JsonObject) -> Iterator[DomainProblem]:
    """Yield what no machine of an instance type can start with; the fields are below its spec."""
    if is_zero(object_at(spec, "memory").get("guest")):
        yield DomainProblem(("memory", "guest"), _NO_MEMORY, _NO_MEMORY_HINT)
    yield from _page_problems(object_at(spec, "memory"), {}, "")
    if object_at(spec, "cpu").get("guest") == 0:
        message = "cpu.guest is 0, and an instance type needs at least one vCPU"
        yield DomainProblem(("cpu", "guest"), message, "write the number of vCPUs")
    yield from (problem.below("cpu") for problem in _cpu_problems(object_at(spec, "cpu")))


def preference_problems(spec: JsonObject) -> Iterator[DomainProblem]:
    """Yield what no machine of a preference can start with; the fields are below its spec."""
    for problem in _feature_problems(object_at(spec, "cpu").get("preferredCPUFeatures")):
        yield problem.below("cpu", "preferredCPUFeatures")
    bus = text_at(spec, "devices", "preferredLunBus")
    if bus and bus != _SCSI:
        yield DomainProblem(("devices", "preferredLunBus"), _lun_message(bus), f"write {_SCSI}", _SCSI)


def _memory_problems(domain: JsonObject, machine: VirtualMachineView) -> Iterator[DomainProblem]:
    """Yield a guest of no memory.

    libvirt gets ``memory.guest`` whatever is requested (``GetVirtualMemory``), and KubeVirt fills it in from
    the request, from the limit, or else with one huge page (``setGuestMemory``).
    """
    memory = domain.get("memory")
    if not isinstance(memory, dict):
        return
    if is_zero(memory.get("guest")):
        yield DomainProblem(("memory", "guest"), _NO_MEMORY, _NO_MEMORY_HINT)
    elif any(
        page_problems := tuple(_page_problems(memory, domain, text_at(machine.instance, "architecture")))
    ):
        yield from page_problems
    elif "hugepages" in memory and "guest" not in memory and machine.spec.get("instancetype") is None:
        page = lenient_quantity(object_at(memory, "hugepages").get("pageSize"))
        resources = object_at(domain, "resources")
        amounts = [object_at(resources, key).get("memory") for key in ("requests", "limits")]
        if page and all(map(is_nothing, amounts)) and page.compare(_LEAST_MEMORY) < 0:
            message = f"without memory.guest the machine gets one huge page of memory, {page.json}"
            yield DomainProblem(("memory", "hugepages", "pageSize"), message, _NO_MEMORY_HINT)


def _page_problems(memory: JsonObject, domain: JsonObject, architecture: str) -> Iterator[DomainProblem]:
    """Yield a size of huge pages that no node has; the webhooks report memory that does not fill pages."""
    size = text_at(memory, "hugepages", "pageSize")
    page = lenient_quantity(size) if size else None
    if page is None or page.value() <= 0 or not is_unavailable_page_size(size, architecture):
        return
    written = (memory.get("guest"), object_at(domain, "resources", "requests").get("memory"))
    amounts = [amount for each in written if each and (amount := lenient_quantity(each)) is not None]
    if any(amount.value() % page.value() for amount in amounts):
        return
    message = f"no node has huge pages of {size}, so the machine is never scheduled"
    meant = intended_page_size(size, architecture)
    hint, at = f"write {page_sizes(architecture)}", ("memory", "hugepages", "pageSize")
    if meant is None:
        yield DomainProblem(at, message, hint)
        return
    right, hint = Quantity.parse(meant), f"did you mean {meant}?"
    partly = next((amount for amount in amounts if amount.value() % right.value()), None)
    if partly is not None:
        hint += f" then write {nearest_whole_pages(partly, right)} for the memory {partly.json}"
    yield DomainProblem(at, message, hint, None if partly is not None else meant)


def is_zero(amount: Json) -> bool:
    """Return True for the quantity 0."""
    return _IS_ZERO[amount] if isinstance(amount, str) else _is_zero(amount)


def _is_zero(amount: Json) -> bool:
    quantity = None if amount is None else lenient_quantity(amount)
    return quantity is not None and quantity.sign == 0


#: The answers for texts, which repeat in a fleet.
_IS_ZERO = Memo(_is_zero)


def is_nothing(amount: Json) -> bool:
    """Return True for a quantity that is missing or 0."""
    return amount is None or is_zero(amount)


def _cpu_problems(cpu: JsonObject) -> Iterator[DomainProblem]:
    """Yield models and features that no node has; the fields are below ``cpu``."""
    yield from _model_problems(cpu, "model")
    for problem in _feature_problems(cpu.get("features")):
        yield problem.below("features")


def _model_problems(settings: JsonObject, key: str) -> Iterator[DomainProblem]:
    """Yield a CPU model that no node has, at ``key``."""
    model = text_at(settings, key)
    if model and not is_known_model(model):
        near = suggest(model, (HOST_MODEL, HOST_PASSTHROUGH, *sorted(CPU_MODELS)))
        message = f"libvirt does not know the CPU model {model}: no node has it, so the pod stays pending"
        hint = _did_you_mean(near, f"write {HOST_MODEL}, or the name of a model")
        yield DomainProblem((key,), message, hint, _only(near))


def cluster_problems(spec: JsonObject) -> Iterator[DomainProblem]:
    """Yield the default CPU model of a KubeVirt object that no node has; the field is below its spec."""
    for problem in _model_problems(object_at(spec, "configuration"), "cpuModel"):
        yield problem.below("configuration")


def _feature_problems(features: Json) -> Iterator[DomainProblem]:
    for index, feature in elements(features):
        name = text_at(feature, "name")
        intended = _intended_feature(name)
        if intended is not None:
            message = f"libvirt does not know the CPU feature {name}, so the machine never starts"
            yield DomainProblem((index, "name"), message, f"did you mean {intended}?", intended)


def _intended_feature(name: str) -> str | None:
    """Return the feature that a name was probably meant for; None for a known or unrelated name."""
    if not name or name in CPU_FEATURES or name.startswith(_OPEN_FEATURES):
        return None
    alias = FEATURE_ALIASES.get(name)
    return alias or _only(suggest(name, CPU_FEATURES, most=1, cutoff=_SIMILAR))


def _only(names: tuple[str, ...]) -> str | None:
    return names[0] if len(names) == 1 else None


def _did_you_mean(names: tuple[str, ...], otherwise: str) -> str:
    return f"did you mean {' or '.join(names)}?" if names else otherwise


def _disk_problems(disk: JsonObject, machine: VirtualMachineView) -> Iterator[DomainProblem]:
    """Yield what QEMU rejects in a disk; the fields are below it."""
    if isinstance(disk.get("lun"), dict):
        yield from _lun_problems(object_at(disk, "lun"), machine)
    serial, bus, cache = text_at(disk, "serial"), text_at(disk, "disk", "bus"), text_at(disk, "cache")
    most = _LONGEST_SERIALS.get(bus)
    if most is not None and len(serial) > most:
        message = f"the serial has {len(serial)} characters: QEMU accepts {most} on the bus {bus}"
        yield DomainProblem(("serial",), message, f"shorten it to {most} characters")
    if bus in _CUT_SERIALS and len(serial) > VISIBLE and _is_read_whole(serial, machine):
        message = (
            f"the serial has {len(serial)} characters: the guest sees the first {VISIBLE} on the bus {bus}"
        )
        yield DomainProblem(("serial",), message, f"shorten it to {VISIBLE} characters")
    if cache in ("", _NO_CACHE):
        return
    for reason, is_so in (
        ("a shareable disk", disk.get("shareable") is True and "disk" in disk),
        ("io: native", text_at(disk, "io") == "native"),
    ):
        if is_so:
            message = f"{reason} needs the cache {_NO_CACHE}, not {cache}, so the machine never starts"
            yield DomainProblem(("cache",), message, f"write cache: {_NO_CACHE}", _NO_CACHE)
            return


def _is_read_whole(serial: str, machine: VirtualMachineView) -> bool:
    """Return True if somebody may look for the whole serial in the guest.

    A UUID is generated, by tools that import disks. Another rule reports a serial that the guest sees twice.
    """
    visible = [text_at(disk, "serial")[:VISIBLE] for _, disk in machine.disks]
    is_generated = _UUID.fullmatch(serial) is not None or has_placeholder(serial)
    return not is_generated and visible.count(serial[:VISIBLE]) == 1


def _lun_problems(lun: JsonObject, machine: VirtualMachineView) -> Iterator[DomainProblem]:
    """Yield a bus other than SCSI (libvirt ``qemu_validate.c``; QEMU's virtio-blk passes no commands on)."""
    bus = text_at(lun, "bus")
    hint = f"write lun: {{bus: {_SCSI}}}"
    if bus and bus != _SCSI:
        yield DomainProblem(("lun", "bus"), _lun_message(bus), hint, _SCSI)
    elif not bus and machine.spec.get("preference") is None:
        default = _SATA if text_at(machine.instance, "architecture") in _AMD64 else "virtio"
        message = f"KubeVirt puts a LUN without a bus on {default}, where it does not start"
        yield DomainProblem(("lun",), message, hint, {**lun, "bus": _SCSI})


def _lun_message(bus: str) -> str:
    return f"a LUN on the bus {bus} does not start: QEMU only passes SCSI commands through on scsi"


def _host_device_problems(listed: str, devices: Json) -> Iterator[DomainProblem]:
    """Yield names that libvirt does not accept as an alias, on which virt-launcher crashes."""
    names: set[str] = set()
    for index, device in elements(devices):
        name = text_at(device, "name")
        if not consists_of(name, _ALIAS):
            message = f"libvirt accepts letters, digits, '-' and '_' in a device's name, not {name!r}"
            right = "".join(letter if letter in _ALIAS else "-" for letter in name)
            yield DomainProblem((index, "name"), message, f"write {right}", right)
        elif name in names:
            message = f"two {listed} are called {name}, and libvirt accepts a name only once"
            yield DomainProblem((index, "name"), message, "rename one")
        names.add(name)


def _clock_problems(zone: str) -> Iterator[DomainProblem]:
    """Yield a time zone that the C library does not know, and reads as UTC; QEMU gets it as ``TZ``."""
    if not zone or _POSIX_ZONE.match(zone):
        return
    from renderer.kubevirt.facts.time_zones import TIME_ZONES  # noqa: PLC0415 - few machines set a time zone

    if zone not in TIME_ZONES:
        near = suggest(zone, sorted(TIME_ZONES))
        message = f"there is no time zone {zone}, so the guest's clock starts in UTC"
        hint = _did_you_mean(near, "write a name such as Europe/Paris")
        yield DomainProblem(("clock", "timezone"), message, hint, _only(near))


def _vendor_id_problems(hyperv: JsonObject) -> Iterator[DomainProblem]:
    vendor = hyperv.get("vendorid")
    if not isinstance(vendor, dict) or vendor.get("enabled") is False:
        return
    written, at = text_at(vendor, "vendorid"), ("features", "hyperv", "vendorid")
    if not written:
        message = "vendorid is enabled without a vendor id, which libvirt rejects"
        yield DomainProblem(at, message, "add vendorid: KVMKVMKVM")
    elif len(written) > _LONGEST_VENDOR_ID:
        message = f"the vendor id has {len(written)} characters: libvirt accepts {_LONGEST_VENDOR_ID}"
        yield DomainProblem((*at, "vendorid"), message, f"shorten it to {_LONGEST_VENDOR_ID} characters")
    elif "," in written:
        yield DomainProblem((*at, "vendorid"), "libvirt accepts no comma in a vendor id")
