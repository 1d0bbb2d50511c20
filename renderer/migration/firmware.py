"""``preferredUseEfi`` and ``preferredUseSecureBoot`` of preferences: ``preferredEfi`` since KubeVirt 1.5.

KubeVirt ``pkg/instancetype/preference/apply/firmware.go``: ``preferredEfi`` goes to VMs without a boot loader
of their own, and then the old fields do not count. What it cannot say stays: secure boot for VMs that have
``efi`` themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.migration.change import Change, Finding, NotMigrated, Subject, shown
from renderer.model.field_edit import FieldEdit, RemoveField, RenameField, SetField
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, JsonObject, object_at
from renderer.model.release import Release

_PLACE = FieldPath.of("spec", "firmware")
_EFI, _SECURE_BOOT, _NEW = "preferredUseEfi", "preferredUseSecureBoot", "preferredEfi"
_SINCE = Release(1, 5)


def in_preference(content: JsonObject) -> Iterator[Finding]:
    firmware = object_at(content, "spec", "firmware")
    written = [name for name in (_EFI, _SECURE_BOOT) if name in firmware]
    if not written:
        return
    before = ", ".join(f"{name}: {shown(firmware[name])}" for name in written)
    field = _PLACE.child(written[0])
    if not all(isinstance(firmware[name], bool) for name in written):
        yield NotMigrated(
            field, f"{before} is deprecated, and not all of it is true or false", f"write {_NEW}", _SINCE
        )
    elif isinstance(firmware.get(_NEW), dict):
        edits = tuple(RemoveField(_PLACE.child(name)) for name in written)
        yield Change(Subject.FIRMWARE, field, before, f"removed, as {_NEW} counts", edits, _SINCE)
    elif firmware.get(_EFI) is True and _NEW not in firmware:
        yield _change(firmware, field, before)
    else:
        yield NotMigrated(
            field,
            f"{before} is deprecated, and {_NEW} does not mean the same without {_EFI}: true",
            f"write {_NEW}, or remove it",
            _SINCE,
        )


def _change(firmware: JsonObject, field: FieldPath, before: str) -> Change:
    value: dict[str, Json] = {}
    edits: list[FieldEdit] = []
    if _SECURE_BOOT in firmware:
        value = {"secureBoot": firmware[_SECURE_BOOT]}
        edits.append(RemoveField(_PLACE.child(_SECURE_BOOT)))
    edits += RenameField(field, _NEW), SetField(_PLACE.child(_NEW), value)
    after = ", ".join(f"secureBoot: {shown(secure)}" for secure in value.values())
    return Change(Subject.FIRMWARE, field, before, f"{_NEW}: {{{after}}}", tuple(edits), _SINCE)
