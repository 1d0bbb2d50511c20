"""Disks: target, bus, address, serial, block size and names (KubeVirt ``pkg/storage/admitters/disks.go``)."""

from __future__ import annotations

from collections import Counter
from itertools import islice, repeat

from renderer.kubevirt.admission import devices
from renderer.kubevirt.admission.causes import Cause, Causes, invalid, needs_gate, not_supported
from renderer.kubevirt.admission.check_table import CheckTable, row
from renderer.kubevirt.admission.vmi_spec import VmiSpec, has, is_not_disabled, number, present, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.kubernetes_names import dns_label_errors
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import JsonObject
from renderer.model.pattern import pattern
from renderer.model.record import Record

TARGETS = ("disk", "lun", "cdrom")


class Disk(Record):
    """A disk; its ``target`` is the type that the guest sees: disk, lun, cdrom, or empty.

    ``namesakes`` are the disks of the same name before it.
    """

    vmi: VmiSpec
    position: int
    content: JsonObject
    name: str
    target: str
    bus: str
    cluster: Cluster
    namesakes: int

    @classmethod
    def of(cls, vmi: VmiSpec, position: int, cluster: Cluster, *, decides: int, namesakes: int = 0) -> Disk:
        """Return the disk; if it has several targets, use the first (``decides`` 0) or the last (-1)."""
        content = vmi.disks[position]
        targets = [target for target in TARGETS if content.get(target) is not None]
        target = targets[decides] if targets else ""
        bus = text(section(content, target), "bus")
        return cls(vmi, position, content, text(content, "name"), target, bus, cluster, namesakes)

    def at(self, *segments: Segment) -> FieldPath:
        """Return the path of a field of the disk."""
        return self.vmi.device("disks", self.position, *segments)

    def block_size(self, key: str) -> int:
        """Return the custom block size ``logical`` or ``physical`` in bytes; 0 if it is not set."""
        return number(section(section(self.content, "blockSize"), "custom"), key)

    def reported_path(self, *segments: Segment) -> FieldPath:
        """Return KubeVirt's name for some fields, which repeats the whole path."""
        return self.vmi.device("disks", "domain", "devices", "disks", *segments)


_SMALLEST, _LARGEST = 512, 2 * 1024 * 1024
_SERIAL = pattern(r"[A-Za-z0-9_.+-]+")
_LONGEST_SERIAL = 256
_BUSES = ("virtio", "scsi", "sata", "usb")
_CACHES = ("none", "writethrough", "writeback")
_IO_MODES = ("native", "threads")
_ERROR_POLICIES = ("stop", "ignore", "report", "enospace")


def _check_block_size(disk: Disk) -> Causes:
    """Check a custom block size."""
    yield from _mixed_block_size(disk) or _logical_block_problem(disk) or _block_size_problems(disk)


def _check_granular_block_size(disk: Disk) -> Causes:
    """Check a custom block size, with its granularity and the bus."""
    yield from (
        _mixed_block_size(disk)
        or _logical_block_problem(disk)
        or _granularity_problem(disk)
        or _block_size_problems(disk)
    )


def _mixed_block_size(disk: Disk) -> list[Cause]:
    block_size = section(disk.content, "blockSize")
    if has(block_size, "custom") and is_not_disabled(block_size, "matchVolume"):
        return [invalid(disk.at("blockSize"), "the block size is both custom and matched to the volume")]
    return []


def _logical_block_problem(disk: Disk) -> list[Cause]:
    logical, physical = disk.block_size("logical"), disk.block_size("physical")
    if logical <= physical:
        return []
    message = f"logical blocks of {logical} bytes are larger than physical ones"
    return [invalid(_block_size_at(disk, "logical"), message)]


def _granularity_problem(disk: Disk) -> list[Cause]:
    block_size = section(disk.content, "blockSize")
    if not has(block_size, "custom"):
        return []
    granularity = section(block_size, "custom").get("discardGranularity")
    logical = disk.block_size("logical")
    if disk.bus == "sata" and logical != _SMALLEST:
        message = f"on the bus sata a logical block must have {_SMALLEST} bytes, not {logical}"
        return [invalid(_block_size_at(disk, "logical"), message)]
    if isinstance(granularity, int) and logical and granularity % logical:
        message = f"discardGranularity {granularity} is not a multiple of the logical block size {logical}"
        return [invalid(_block_size_at(disk, "discardGranularity"), message)]
    return []


def _block_size_problems(disk: Disk) -> Causes:
    if has(section(disk.content, "blockSize"), "custom"):
        for key in ("logical", "physical"):
            yield from _check_size(disk, key, disk.block_size(key))


def _check_size(disk: Disk, key: str, size: int) -> Causes:
    if size < _SMALLEST or size > _LARGEST:
        yield invalid(
            _block_size_at(disk, key), f"a block must have from {_SMALLEST} to {_LARGEST} bytes, not {size}"
        )
    elif size & (size - 1):
        yield invalid(_block_size_at(disk, key), f"a block size must be a power of 2, not {size}")


def _block_size_at(disk: Disk, key: str) -> FieldPath:
    return disk.at("blockSize", "custom", key)


def check_disks(vmi: VmiSpec, cluster: Cluster, *, decides: int) -> Causes:
    """Run the checks of the table below for each disk; ``decides`` as for ``Disk.of``."""
    names: Counter[str] = Counter()
    for position, content in enumerate(vmi.disks):
        name = text(content, "name")
        disk = Disk.of(vmi, position, cluster, decides=decides, namesakes=names[name])
        names[name] += 1
        yield from DISK_CHECKS.causes(cluster.release, frozenset(content), disk)


def _check_unique(disk: Disk) -> Causes:
    """Reject a name that another disk has; report it once."""
    yield from islice(_check_unique_to_each(disk), 1)


def _check_unique_to_each(disk: Disk) -> Causes:
    """Reject a name once for each earlier disk that has it."""
    if disk.namesakes:
        message, hint = f"two disks are called {disk.name}", "rename one and give it a volume, or remove it"
        yield from repeat(invalid(disk.at("name"), message, hint), disk.namesakes)


def _check_target(disk: Disk) -> Causes:
    targets = present(disk.content, TARGETS)
    if len(targets) > 1:
        yield invalid(
            disk.at(), f"the disk {disk.name} is {' and '.join(targets)} at once", "keep one of them"
        )


def _check_pci_address(disk: Disk) -> Causes:
    address = text(section(disk.content, "disk"), "pciAddress")
    if not address:
        return
    at = disk.at("disk", "pciAddress")
    reported = disk.reported_path("disk", disk.position, "pciAddress")
    if text(section(disk.content, "disk"), "bus") != "virtio":
        yield invalid(at, "a disk with a pciAddress needs the bus virtio", reported=reported)
    if not devices.is_pci_address(address):
        yield invalid(at, f"{address!r} is not a PCI address", "write it as 0000:81:01.0", reported=reported)


def _check_boot_order(disk: Disk) -> Causes:
    order = disk.content.get("bootOrder")
    if isinstance(order, int) and order < 1:
        yield invalid(disk.at("bootOrder"), f"boot orders start at 1, not {order}")


def _check_bus(disk: Disk) -> Causes:
    bus = disk.bus
    if not bus:
        return
    at = disk.at(disk.target, "bus")
    if bus not in _BUSES:
        yield invalid(at, f"a {disk.target} cannot be on a bus {bus}", f"one of {', '.join(_BUSES)}")
    elif bus == "virtio" and disk.target == "cdrom":
        yield invalid(at, "a cdrom cannot be on the bus virtio", "use sata, scsi or usb")
    elif bus == "sata" and section(disk.content, "disk").get("readonly"):
        at = disk.at("disk", "bus")
        yield invalid(at, "a disk on the bus sata cannot be read-only", "use virtio, or make it a cdrom")


def _check_io_thread_on_sata(disk: Disk) -> Causes:
    if disk.bus and text(section(disk.content, "disk"), "bus") == "sata":
        yield from _refuse_io_thread(disk, "sata")


def _check_io_thread(disk: Disk) -> Causes:
    if disk.bus not in ("", "virtio"):
        yield from _refuse_io_thread(disk, disk.bus)


def _refuse_io_thread(disk: Disk, bus: str) -> Causes:
    if disk.content.get("dedicatedIOThread"):
        yield not_supported(
            disk.at("dedicatedIOThread"),
            f"a disk on the bus {bus} cannot have a dedicated I/O thread",
            "use the bus virtio, or drop dedicatedIOThread",
            reported=disk.reported_path(disk.position),
        )


def _check_serial(disk: Disk) -> Causes:
    serial = text(disk.content, "serial")
    if not serial:
        return
    at = disk.at("serial")
    if _SERIAL.fullmatch(serial) is None:
        yield invalid(
            at, f"the serial {serial!r} has characters other than letters, digits, '_', '.', '+' and '-'"
        )
    if len(serial) > _LONGEST_SERIAL:
        yield invalid(at, f"the serial is longer than {_LONGEST_SERIAL} characters")


def _check_cache(disk: Disk) -> Causes:
    cache = text(disk.content, "cache")
    if cache and cache not in _CACHES:
        yield invalid(disk.at("cache"), f"{cache!r} is not a cache mode", f"one of {', '.join(_CACHES)}")


def _check_io(disk: Disk) -> Causes:
    mode = text(disk.content, "io")
    if mode and mode not in _IO_MODES:
        hint = f"one of {', '.join(_IO_MODES)}"
        reported = disk.reported_path(disk.position, "io")
        yield not_supported(disk.at("io"), f"{mode!r} is not an I/O mode", hint, reported=reported)


def _check_error_policy(disk: Disk) -> Causes:
    policy = disk.content.get("errorPolicy")
    if policy is not None and policy not in _ERROR_POLICIES:
        yield invalid(
            disk.at("errorPolicy"),
            f"{policy!r} is not an errorPolicy",
            f"one of {', '.join(_ERROR_POLICIES)}",
        )


def _check_name(disk: Disk) -> Causes:
    """Check the name of a disk, which may become the name of a container."""
    for error in dns_label_errors(disk.name):
        message = f"the disk's name {disk.name!r} {error}"
        yield invalid(disk.at("name"), message, reported=disk.reported_path(disk.position, "name"))


def check_reservations_by_gate(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Reject a persistent reservation unless the gate is listed."""
    if Gate.PERSISTENT_RESERVATION not in cluster.gates:
        yield from _reservation(vmi)


def check_reservations(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Reject a persistent reservation unless the cluster's setting, or else the gate, allows it."""
    allowed = cluster.config.persistent_reservation
    if not (Gate.PERSISTENT_RESERVATION in cluster.gates if allowed is None else allowed):
        yield from _reservation(vmi)


def _reservation(vmi: VmiSpec) -> Causes:
    for index, disk in enumerate(vmi.disks):
        if section(disk, "lun").get("reservation"):
            yield needs_gate(
                vmi.device("disks", index, "lun", "reservation"),
                "a persistent reservation",
                Gate.PERSISTENT_RESERVATION,
                reported=vmi.device("disks", "luns", "reservation"),
            )
            return


#: ``ValidateDisks``; before 1.3 one function, ``validateDisks``.
DISK_CHECKS: CheckTable[[Disk]] = CheckTable(
    row(_check_unique, upstream="validateDisks", until="1.3"),
    row(_check_unique_to_each, upstream="validateDiskName", since="1.3"),
    row(_check_target, "disk", "lun", "cdrom", upstream="validateDeviceTarget"),
    row(_check_pci_address, "disk", upstream="validatePciAddress"),
    row(_check_boot_order, "bootOrder", upstream="validateBootOrderValue"),
    row(_check_bus, "disk", "lun", "cdrom", upstream="validateBusSupport"),
    row(_check_io_thread_on_sata, "dedicatedIOThread", upstream="validateDisks", until="1.2.1"),
    row(_check_io_thread, "dedicatedIOThread", upstream="validateBusSupport", since="1.2.1"),
    row(_check_serial, "serial", upstream="validateSerialNumValue, validateSerialNumLength"),
    row(_check_cache, "cache", upstream="validateCacheMode"),
    row(_check_io, "io", upstream="validateIOMode"),
    row(_check_error_policy, "errorPolicy", upstream="validateErrorPolicy", since="1.1"),
    row(_check_name, upstream="validateDiskNameAsContainerName"),
    row(_check_block_size, "blockSize", upstream="validateBlockSize", until="1.7"),
    row(_check_granular_block_size, "blockSize", upstream="validateBlockSize", since="1.7"),
)
