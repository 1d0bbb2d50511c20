"""The values and formats that KubeVirt knows for text and number fields, by release.

They come from KubeVirt's API types (``staging/src/kubevirt.io/api``) and from the checks of its webhooks
(``pkg/virt-api/webhooks``, ``pkg/network/admitter``, ``pkg/storage/admitters``,
``pkg/instancetype/preference/webhooks``), read at the tag of every release.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from renderer.checks.schemas.kubernetes_formats import (
    INTERFACE_NAME,
    MAC_ADDRESS,
    PCI_ADDRESS,
    QUANTITY_PATTERN,
    Schema,
    dns_label,
    dns_subdomain,
    whole_number,
)
from renderer.checks.schemas.kubevirt_kinds import OLDEST
from renderer.model.record import Record
from renderer.model.release import Release

_VALUE = re.compile(r"([A-Za-z0-9_]+)(?:(>=|<=)([\d.]+))?")
#: The largest whole number that go-openapi accepts as an integer: ``IsFloat64AJSONInteger`` of its ``swag``.
_MOST_EXACT = 2**53 - 1
_MOST_INT32 = 2**31 - 1


class KnownValues(Record):
    """The values known for the fields whose path ends in ``field`` (list indices left out).

    ``values`` are words; a bound limits a word to some releases: ``igb>=1.4``, ``default<=0.58``. KubeVirt
    rejects other values from the release ``refused`` on. Before it, or in every release for a ``refused`` of
    None, KubeVirt accepts them without knowing them. ``empty``: the empty text means no value.
    ``enumerated``: the first release whose webhooks' OpenAPI schema has the values as an ``enum``, which
    rejects the empty text as well.
    """

    field: str
    values: str
    refused: Release | None = OLDEST
    empty: bool = True
    enumerated: Release | None = None

    def at(self, release: Release, *, by_webhook: bool = True) -> tuple[str, ...]:
        """Return the values known at ``release``, in alphabetical order.

        ``by_webhook``: the webhooks' OpenAPI schema applies to the kind.
        """
        known = [value for value in map(_VALUE.fullmatch, self.values.split()) if value]
        names = sorted(value[1] for value in known if _includes(value[2], value[3], release))
        empty = self.empty and not (by_webhook and self._enumerated_at(release))
        return ("", *names) if names and empty else tuple(names)

    def refused_at(self, release: Release, *, by_webhook: bool = True) -> bool:
        """Return True if KubeVirt rejects other values; ``by_webhook`` is as in ``at``."""
        if by_webhook and self._enumerated_at(release):
            return True
        return self.refused is not None and self.refused <= release

    def _enumerated_at(self, release: Release) -> bool:
        return self.enumerated is not None and self.enumerated <= release


_BUSES = "sata scsi usb>=0.57 virtio"
_CDROM_BUSES = "sata scsi usb>=0.57"
_CACHES = "none writeback writethrough"
_IO_MODES = "default<=0.58 native threads"
_INTERFACE_MODELS = "e1000 e1000e igb>=1.4 ne2k_pci pcnet rtl8139 virtio"
_SOUND_MODELS = "ac97 ich9"
_ARCHITECTURES = "amd64>=1.5 arm64>=1.5 s390x>=1.5"
_VIDEO_TYPES = "bochs cirrus ramfb vga virtio"
_PANIC_MODELS = "hyperv isa pvpanic"
_IO_THREADS = "auto shared supplementalPool>=1.5"
_EVICTION = "External LiveMigrate LiveMigrateIfPossible>=1.0 None"
_FEATURE_POLICIES = "disable forbid force optional require"
_PULL_POLICIES = "Always IfNotPresent Never"
_WATCHDOG_ACTIONS = "poweroff reset shutdown"
_TOPOLOGIES = (
    "preferCores preferSockets preferThreads preferAny>=1.1 preferSpread>=1.1 "
    "any>=1.4 cores>=1.4 sockets>=1.4 spread>=1.4 threads>=1.4"
)
_OPERATORS = "DoesNotExist Exists In NotIn"
_ACCESS_MODES = "ReadOnlyMany ReadWriteMany ReadWriteOnce ReadWriteOncePod"
_VOLUME_MODES = "Block Filesystem FromStorageProfile>=1.5"
_SPREAD_POLICIES = "Honor Ignore"
_AFFINITY_CHECKED = Release(0, 57)

_REFUSED = (
    KnownValues(
        "spec.runStrategy", "Always Halted Manual Once RerunOnFailure WaitAsReceiver>=1.6", empty=False
    ),
    KnownValues("inferFromVolumeFailurePolicy", "Ignore Reject", empty=False),
    KnownValues("disks.disk.bus", _BUSES),
    KnownValues("disks.lun.bus", _BUSES),
    KnownValues("disks.cdrom.bus", _CDROM_BUSES),
    KnownValues("disks.cache", _CACHES),
    KnownValues("disks.io", _IO_MODES),
    KnownValues("disks.errorPolicy", "enospace ignore report stop", empty=False),
    KnownValues("interfaces.model", _INTERFACE_MODELS),
    KnownValues("devices.interfaces.state", "absent down>=1.5 up>=1.5"),
    KnownValues("inputs.bus", "usb virtio"),
    KnownValues("inputs.type", "tablet"),
    KnownValues("devices.sound.model", _SOUND_MODELS),
    KnownValues("devices.video.type", _VIDEO_TYPES),
    KnownValues("panicDevices.model", _PANIC_MODELS, empty=False),
    KnownValues("domain.cpu.features.policy", _FEATURE_POLICIES),
    KnownValues("domain.ioThreadsPolicy", _IO_THREADS, empty=False),
    KnownValues("spec.evictionStrategy", _EVICTION, empty=False),
    KnownValues("spec.startStrategy", "Paused", empty=False),
    KnownValues("spec.architecture", _ARCHITECTURES),
    KnownValues("hostDisk.type", "Disk DiskOrCreate", empty=False),
    KnownValues("cpu.preferredCPUTopology", _TOPOLOGIES, Release(1, 4), empty=False),
    KnownValues("labelSelector.matchExpressions.operator", _OPERATORS, _AFFINITY_CHECKED, empty=False),
    KnownValues("namespaceSelector.matchExpressions.operator", _OPERATORS, _AFFINITY_CHECKED, empty=False),
)

#: The first release whose webhooks have an OpenAPI schema with Kubernetes' enumerations and with defaults
#: (``api/openapi-spec/swagger.json``). ``ValidateSchema`` of ``pkg/util/webhooks/webhooks.go`` applies it
#: before the request is decoded, so the empty text is rejected if it is not enumerated.
WEBHOOK_SCHEMA = Release(1, 0)
_ENUMERATED = (
    KnownValues(
        "spec.dnsPolicy", "ClusterFirst ClusterFirstWithHostNet Default None", enumerated=WEBHOOK_SCHEMA
    ),
    KnownValues("containerDisk.imagePullPolicy", _PULL_POLICIES, None, enumerated=WEBHOOK_SCHEMA),
    KnownValues("kernelBoot.container.imagePullPolicy", _PULL_POLICIES, None, enumerated=WEBHOOK_SCHEMA),
    KnownValues("httpGet.scheme", "HTTP HTTPS", None, enumerated=WEBHOOK_SCHEMA),
    KnownValues(
        "tolerations.effect", "NoExecute NoSchedule PreferNoSchedule", None, enumerated=WEBHOOK_SCHEMA
    ),
    KnownValues("tolerations.operator", "Equal Exists", None, enumerated=WEBHOOK_SCHEMA),
    KnownValues(
        "topologySpreadConstraints.nodeAffinityPolicy", _SPREAD_POLICIES, None, enumerated=WEBHOOK_SCHEMA
    ),
    KnownValues(
        "topologySpreadConstraints.nodeTaintsPolicy", _SPREAD_POLICIES, None, enumerated=WEBHOOK_SCHEMA
    ),
    KnownValues(
        "topologySpreadConstraints.whenUnsatisfiable",
        "DoNotSchedule ScheduleAnyway",
        _AFFINITY_CHECKED,
        empty=False,
        enumerated=WEBHOOK_SCHEMA,
    ),
    *(
        KnownValues(
            f"{term}.{match}.operator",
            f"{_OPERATORS} Gt Lt",
            _AFFINITY_CHECKED,
            empty=False,
            enumerated=WEBHOOK_SCHEMA,
        )
        for term in ("nodeSelectorTerms", "preference")
        for match in ("matchExpressions", "matchFields")
    ),
    *(
        KnownValues(f"{claim}.volumeMode", _VOLUME_MODES, None, enumerated=WEBHOOK_SCHEMA)
        for claim in ("pvc", "storage")
    ),
    *(
        KnownValues(f"{claim}.accessModes", _ACCESS_MODES, None, empty=False, enumerated=Release(1, 4))
        for claim in ("pvc", "storage")
    ),
)

#: A virtual machine with one of these is admitted, but fails later.
_ADMITTED = (
    KnownValues("template.spec.domain.devices.video.type", _VIDEO_TYPES, None),
    KnownValues("template.spec.architecture", _ARCHITECTURES, None),
    KnownValues("spec.updateVolumesStrategy", "Migration Replacement", None, empty=False),
    KnownValues("disks.cdrom.tray", "closed open", None),
    KnownValues("hpet.tickPolicy", "catchup delay discard merge", None),
    KnownValues("pit.tickPolicy", "catchup delay discard", None),
    KnownValues("rtc.tickPolicy", "catchup delay", None),
    KnownValues("rtc.track", "guest wall", None),
    KnownValues("i6300esb.action", _WATCHDOG_ACTIONS, None),
    KnownValues("diag288.action", _WATCHDOG_ACTIONS, None),
    KnownValues("interfaces.ports.protocol", "TCP UDP", None),
    KnownValues("interfaces.portRanges.protocol", "TCP UDP", None),
    KnownValues("spec.ioThreadsPolicy", _IO_THREADS, None, empty=False),
    KnownValues("spreadOptions.across", "CoresThreads SocketsCores SocketsCoresThreads", None, empty=False),
    KnownValues("preferredCPUFeatures.policy", _FEATURE_POLICIES, None),
    KnownValues("preferredDiskBus", _BUSES, None),
    KnownValues("preferredLunBus", _BUSES, None),
    KnownValues("preferredCdromBus", _CDROM_BUSES, None),
    KnownValues("preferredDiskCache", _CACHES, None),
    KnownValues("preferredDiskIO", _IO_MODES, None),
    KnownValues("preferredInputBus", "usb virtio", None),
    KnownValues("preferredInputType", "tablet", None),
    KnownValues("preferredInterfaceModel", _INTERFACE_MODELS, None),
    KnownValues("preferredSoundModel", _SOUND_MODELS, None),
    KnownValues("preferredVideoType", _VIDEO_TYPES, None),
    KnownValues("preferredPanicDeviceModel", _PANIC_MODELS, None, empty=False),
    KnownValues("preferredArchitecture", _ARCHITECTURES, None),
    KnownValues("configuration.evictionStrategy", _EVICTION, None, empty=False),
    KnownValues("workloadUpdateStrategy.workloadUpdateMethods", "Evict LiveMigrate", None, empty=False),
    KnownValues("spec.uninstallStrategy", "BlockUninstallIfWorkloadsExist RemoveWorkloads", None),
)

#: The first entry whose field matches is used.
KNOWN_VALUES = _ADMITTED + _REFUSED + _ENUMERATED


def _text(title: str, pattern: str, **others: object) -> Schema:
    return {"title": title, "type": "string", "pattern": pattern, **others}


_SERIAL = _text("serial number", "^[A-Za-z0-9_.+-]*$", maxLength=256)
_BLOCK_SIZE: Schema = {"title": "block size", "type": "integer", "minimum": 512, "maximum": 2097152}
_BOOT_ORDER: Schema = {"title": "boot order", "type": "integer", "minimum": 1}

#: The formats by the end of the field's path (list indices left out).
KNOWN_FORMATS: Mapping[str, Schema] = {
    "disks.name": dns_label(),
    "disks.serial": _SERIAL,
    "disks.bootOrder": _BOOT_ORDER,
    "disks.disk.pciAddress": _text("PCI address", PCI_ADDRESS),
    "disks.blockSize.custom.logical": _BLOCK_SIZE,
    "disks.blockSize.custom.physical": _BLOCK_SIZE,
    "devices.interfaces.name": _text("interface name", INTERFACE_NAME),
    "devices.interfaces.bootOrder": _BOOT_ORDER,
    "devices.interfaces.macAddress": _text("MAC address", MAC_ADDRESS),
    "devices.interfaces.pciAddress": _text("PCI address", PCI_ADDRESS),
    "domain.memory.hugepages.pageSize": _text("quantity", QUANTITY_PATTERN),
    "spec.hostname": dns_label(empty=True),
    "spec.subdomain": dns_subdomain(empty=True),
    "spec.serviceAccountName": dns_subdomain(empty=True),
}

#: Texts with an ``enum`` in the CRD, by the end of the path, that Go omits if they are empty.
OMITTED_WHEN_EMPTY = ("dataVolumeTemplates.spec.contentType",)

#: Pointers that Go writes as null if they are missing, by the end of the path. The webhooks' OpenAPI schema
#: rejects the null after the mutating webhook has rewritten the machine.
NULL_WHEN_MISSING = ("dataSource.apiGroup", "dataSourceRef.apiGroup")

#: Required fields that may be left out, by the end of the path (list indices left out): a missing namespace
#: is the machine's (``pkg/storage/types/dv.go``), and a header may have no value.
VALID_WHEN_MISSING = ("source.pvc.namespace", "source.snapshot.namespace", "httpHeaders.value")

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


def number_format(field: str, width: str, *, by_webhook: bool) -> Schema:
    """Return a whole number as Go stores ``field``; ``width`` is upstream's format: int32, int64 or empty.

    The API server enforces the bounds of an int32 even if Go's type is unsigned. ``by_webhook``: the
    webhooks' OpenAPI schema does the same for numbers that a JSON number cannot represent exactly.
    """
    if field in UNSIGNED:
        schema = whole_number(UNSIGNED[field], signed=False)
    else:
        schema = whole_number(32 if width == "int32" else 64, signed=True)
    low, high = int(str(schema["minimum"])), int(str(schema["maximum"]))
    if width == "int32":
        high = min(high, _MOST_INT32)
    if by_webhook:
        low, high = max(low, -_MOST_EXACT), min(high, _MOST_EXACT)
    return {**schema, "minimum": low, "maximum": high}


def _includes(relation: str | None, bound: str, release: Release) -> bool:
    """Return True if a release is within a bound, such as ``>=`` and ``1.4``."""
    if relation is None:
        return True
    return Release.bound(bound) <= release if relation == ">=" else release <= Release.parse(bound)
