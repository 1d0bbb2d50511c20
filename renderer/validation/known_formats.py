"""Formats KubeVirt asks of fields whose schema upstream is any text or any number.

Sources: the Go types of the fields, and what the webhooks refuse in every release from 0.56 on
(kubevirt ``pkg/virt-api/webhooks``, ``pkg/network/admitter``, ``pkg/storage/admitters``).
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.validation.kubernetes_formats import (
    QUANTITY_PATTERN,
    Schema,
    dns_label,
    dns_subdomain,
    whole_number,
)

_HEX = "[0-9a-fA-F]"
_PAIR = f"{_HEX}{{2}}"
#: The forms of six bytes that Go's ``net.ParseMAC`` takes.
_MAC_ADDRESS = f"^({_PAIR}(:{_PAIR}){{5}}|{_PAIR}(-{_PAIR}){{5}}|{_HEX}{{4}}(\\.{_HEX}{{4}}){{2}})?$"
_PCI_ADDRESS = f"^({_HEX}{{4}}:{_PAIR}:{_PAIR}\\.[0-7])?$"


def _text(title: str, pattern: str, **others: object) -> Schema:
    return {"title": title, "type": "string", "pattern": pattern, **others}


_SERIAL = _text("serial number", "^[A-Za-z0-9_.+-]*$", maxLength=256)
_BLOCK_SIZE: Schema = {"title": "block size", "type": "integer", "minimum": 512, "maximum": 2097152}
_BOOT_ORDER: Schema = {"title": "boot order", "type": "integer", "minimum": 1}

#: By the end of the field's path, list indices left out.
KNOWN_FORMATS: Mapping[str, Schema] = {
    "disks.name": dns_label(),
    "disks.serial": _SERIAL,
    "disks.bootOrder": _BOOT_ORDER,
    "disks.disk.pciAddress": _text("PCI address", _PCI_ADDRESS),
    "disks.blockSize.custom.logical": _BLOCK_SIZE,
    "disks.blockSize.custom.physical": _BLOCK_SIZE,
    "devices.interfaces.name": _text("interface name", "^[A-Za-z0-9_-]+$"),
    "devices.interfaces.bootOrder": _BOOT_ORDER,
    "devices.interfaces.macAddress": _text("MAC address", _MAC_ADDRESS),
    "devices.interfaces.pciAddress": _text("PCI address", _PCI_ADDRESS),
    "domain.firmware.serial": _SERIAL,
    "domain.memory.hugepages.pageSize": _text("quantity", QUANTITY_PATTERN),
    "spec.hostname": dns_label(empty=True),
    "spec.subdomain": dns_subdomain(empty=True),
    "spec.serviceAccountName": dns_subdomain(empty=True),
}

#: Fields that are unsigned in Go, by name, and their width in bits.
UNSIGNED: Mapping[str, int] = {
    "bootOrder": 64,
    "cores": 32,
    "discardGranularity": 64,
    "guest": 32,
    "logical": 64,
    "maxCpuSockets": 32,
    "maxDowntimeMs": 64,
    "maxHotplugRatio": 32,
    "maxSockets": 32,
    "memBalloonStatsPeriod": 32,
    "minimumReservePVCBytes": 64,
    "parallelMigrationsPerCluster": 32,
    "parallelOutboundMigrationsPerNode": 32,
    "physical": 64,
    "preferSpreadSocketToCoreRatio": 32,
    "ratio": 32,
    "sockets": 32,
    "spinlocks": 32,
    "startUpFailureThreshold": 32,
    "supplementalPoolThreadCount": 32,
    "threads": 32,
}


def number_format(field: str, width: str) -> Schema:
    """A whole number as ``field`` holds it in Go; ``width`` is upstream's format: int32, int64 or empty."""
    if field in UNSIGNED:
        return whole_number(UNSIGNED[field], signed=False)
    return whole_number(32 if width == "int32" else 64, signed=True)
