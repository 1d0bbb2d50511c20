"""Preferred firmware (KubeVirt ``pkg/instancetype/preference/apply/firmware.go``)."""

from __future__ import annotations

from renderer.instancetype.apply.applier import AppliedSpecs
from renderer.instancetype.preference.set_when_absent import wanted, with_filled
from renderer.instancetype.vmi_template import domain_of, with_domain_section
from renderer.model.json import EMPTY, JsonObject, object_at

_BIOS_FIELDS = {"preferredUseBiosSerial": "useSerial"}
_EFI_FIELDS = {"preferredUseSecureBoot": "secureBoot"}


def apply(selection: AppliedSpecs, template: JsonObject) -> JsonObject:
    """BIOS or EFI where the VM has neither, and their options; a boot loader there is in any case."""
    preferred = selection.preference.get("firmware")
    if not isinstance(preferred, dict):
        return template
    firmware = object_at(domain_of(template), "firmware")
    present = firmware.get("bootloader")
    if present is not None and not isinstance(present, dict):
        return template
    bootloader = _with_efi(_with_bios(EMPTY if present is None else present, preferred), preferred)
    if bootloader is present:
        return template
    return with_domain_section(template, "firmware", {**firmware, "bootloader": bootloader})


def _with_bios(bootloader: JsonObject, preferred: JsonObject) -> JsonObject:
    if preferred.get("preferredUseBios") is True and _is_open(bootloader):
        bootloader = {**bootloader, "bios": {}}
    return _with_options(bootloader, "bios", preferred, _BIOS_FIELDS)


def _with_efi(bootloader: JsonObject, preferred: JsonObject) -> JsonObject:
    """With ``preferredEfi`` the older ``preferredUseEfi`` and ``preferredUseSecureBoot`` do not count."""
    if preferred.get("preferredEfi") is not None and _is_open(bootloader):
        return {**bootloader, "efi": preferred["preferredEfi"]}
    if preferred.get("preferredUseEfi") is True and _is_open(bootloader):
        bootloader = {**bootloader, "efi": {}}
    return _with_options(bootloader, "efi", preferred, _EFI_FIELDS)


def _is_open(bootloader: JsonObject) -> bool:
    return bootloader.get("bios") is None and bootloader.get("efi") is None


def _with_options(
    bootloader: JsonObject, kind: str, preferred: JsonObject, fields: dict[str, str]
) -> JsonObject:
    if bootloader.get(kind) is None:
        return bootloader
    return with_filled(bootloader, kind, wanted(preferred, fields))
