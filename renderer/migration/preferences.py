"""Deprecated fields of preferences: CPU topology, spread ratio and firmware."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.migration.change import Change, Finding, NotMigrated, Subject, new_value, shown
from renderer.model.field_edit import AddField, FieldEdit, RemoveField, RenameField, SetField
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, JsonObject, object_at, text_at
from renderer.model.release import Release

_TOPOLOGY = FieldPath.of("spec", "cpu", "preferredCPUTopology")
_TOPOLOGY_SINCE = Release(1, 4)
_TOPOLOGIES = {
    "preferSockets": "sockets",
    "preferCores": "cores",
    "preferThreads": "threads",
    "preferSpread": "spread",
    "preferAny": "any",
}

_OLD_RATIO = "preferSpreadSocketToCoreRatio"
_RATIO = FieldPath.of("spec", _OLD_RATIO)
_CPU = FieldPath.of("spec", "cpu")
_RATIO_SINCE = Release(1, 3)

_FIRMWARE = FieldPath.of("spec", "firmware")
_USE_EFI, _SECURE_BOOT, _PREFERRED_EFI = "preferredUseEfi", "preferredUseSecureBoot", "preferredEfi"
_FIRMWARE_SINCE = Release(1, 5)


def topology_findings(content: JsonObject) -> Iterator[Finding]:
    """Find ``preferSockets`` and the like, which are ``sockets`` since KubeVirt 1.4.

    KubeVirt ``pkg/instancetype/preference/webhooks/admitter.go`` warns of the old names; a release that does
    not know the new ones takes them silently and makes one socket, core and thread of them.
    """
    old = text_at(content, "spec", "cpu", "preferredCPUTopology")
    if old in _TOPOLOGIES:
        yield new_value(Subject.TOPOLOGY, _TOPOLOGY, old, _TOPOLOGIES[old], _TOPOLOGY_SINCE)


def spread_ratio_findings(content: JsonObject) -> Iterator[Finding]:
    """Find ``preferSpreadSocketToCoreRatio``, which is ``cpu.spreadOptions.ratio`` since KubeVirt 1.3.

    KubeVirt ``pkg/instancetype/preference/apply/cpu.go`` (GetSpreadOptions): of both the new one counts.
    """
    spec = object_at(content, "spec")
    if _OLD_RATIO not in spec:
        return
    ratio = spec[_OLD_RATIO]
    if isinstance(ratio, bool) or not isinstance(ratio, int) or ratio <= 0:
        hint = "write a number, or remove it" if ratio != 0 else "remove it, as 0 means the default of 2"
        yield NotMigrated(
            _RATIO,
            f"{_OLD_RATIO} has no ratio that could be written as cpu.spreadOptions.ratio",
            hint,
            _RATIO_SINCE,
        )
        return
    edits = tuple(_ratio_edits(spec, ratio))
    after = "removed, as cpu.spreadOptions.ratio counts"
    if len(edits) > 1:
        after = f"cpu.spreadOptions.ratio: {ratio}"
    yield Change(Subject.SPREAD_RATIO, _RATIO, f"{_OLD_RATIO}: {ratio}", after, edits, _RATIO_SINCE)


def _ratio_edits(spec: JsonObject, ratio: int) -> Iterator[FieldEdit]:
    options = object_at(spec, "cpu", "spreadOptions")
    if "cpu" not in spec:
        yield RenameField(_RATIO, "cpu")
        yield SetField(_CPU, {"spreadOptions": {"ratio": ratio}})
        return
    yield RemoveField(_RATIO)
    if options.get("ratio") is not None:
        return
    if "spreadOptions" not in object_at(spec, "cpu"):
        yield AddField(_CPU, "spreadOptions", {"ratio": ratio})
    else:
        yield AddField(_CPU.child("spreadOptions"), "ratio", ratio)


def firmware_findings(content: JsonObject) -> Iterator[Finding]:
    """Find ``preferredUseEfi`` and ``preferredUseSecureBoot``, which are ``preferredEfi`` since KubeVirt 1.5.

    KubeVirt ``pkg/instancetype/preference/apply/firmware.go``: ``preferredEfi`` goes to VMs without a boot
    loader of their own, and then the old fields do not count. It cannot express secure boot for VMs that
    have ``efi`` themselves: such a field stays.
    """
    firmware = object_at(content, "spec", "firmware")
    written = [name for name in (_USE_EFI, _SECURE_BOOT) if name in firmware]
    if not written:
        return
    before = ", ".join(f"{name}: {shown(firmware[name])}" for name in written)
    field = _FIRMWARE.child(written[0])
    if not all(isinstance(firmware[name], bool) for name in written):
        yield NotMigrated(
            field,
            f"{before} is deprecated, and not all of it is true or false",
            f"write {_PREFERRED_EFI}",
            _FIRMWARE_SINCE,
        )
    elif isinstance(firmware.get(_PREFERRED_EFI), dict):
        edits = tuple(RemoveField(_FIRMWARE.child(name)) for name in written)
        yield Change(
            Subject.FIRMWARE, field, before, f"removed, as {_PREFERRED_EFI} counts", edits, _FIRMWARE_SINCE
        )
    elif firmware.get(_USE_EFI) is True and _PREFERRED_EFI not in firmware:
        yield _firmware_change(firmware, field, before)
    else:
        yield NotMigrated(
            field,
            f"{before} is deprecated, and {_PREFERRED_EFI} does not mean the same without {_USE_EFI}: true",
            f"write {_PREFERRED_EFI}, or remove it",
            _FIRMWARE_SINCE,
        )


def _firmware_change(firmware: JsonObject, field: FieldPath, before: str) -> Change:
    value: dict[str, Json] = {}
    edits: list[FieldEdit] = []
    if _SECURE_BOOT in firmware:
        value = {"secureBoot": firmware[_SECURE_BOOT]}
        edits.append(RemoveField(_FIRMWARE.child(_SECURE_BOOT)))
    edits += RenameField(field, _PREFERRED_EFI), SetField(_FIRMWARE.child(_PREFERRED_EFI), value)
    after = ", ".join(f"secureBoot: {shown(secure)}" for secure in value.values())
    return Change(
        Subject.FIRMWARE, field, before, f"{_PREFERRED_EFI}: {{{after}}}", tuple(edits), _FIRMWARE_SINCE
    )
