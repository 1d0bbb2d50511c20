"""Apply the parts of a preference for the domain itself: CPU features, features, firmware, machine and clock.

KubeVirt ``pkg/instancetype/preference/apply``: ``cpu.go``, ``features.go``, ``firmware.go``, ``machine.go``,
``clock.go``.
"""

from __future__ import annotations

from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs, ApplyError, FieldOwner
from renderer.kubevirt.instancetype.preference.set_when_absent import (
    fill_in,
    fill_in_section,
    preferred_values,
)
from renderer.kubevirt.instancetype.vmi_template import domain_of, with_domain_section
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.sharing import once_for_same, share_part

_FEATURES = {
    "preferredApic": "apic",
    "preferredKvm": "kvm",
    "preferredPvspinlock": "pvspinlock",
    "preferredSmm": "smm",
}
_HYPERV_FEATURES = (
    "evmcs",
    "frequencies",
    "ipi",
    "reenlightenment",
    "relaxed",
    "reset",
    "runtime",
    "spinlocks",
    "synic",
    "synictimer",
    "tlbflush",
    "vapic",
    "vendorid",
    "vpindex",
)
_HYPERV_FIELDS = {name: name for name in _HYPERV_FEATURES}
_BIOS_FIELDS = {"preferredUseBiosSerial": "useSerial"}
_EFI_FIELDS = {"preferredUseSecureBoot": "secureBoot"}
_MACHINE_FIELDS = {"preferredMachineType": "type"}
_TIMER = {"preferredTimer": "timer"}
_CLOCK_OFFSETS = ("utc", "timezone")


def apply_cpu_features(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Add the CPU features that the VM does not name.

    Raises ``ApplyError`` if the VM has no ``domain.cpu``, which only an instance type could have added:
    KubeVirt crashes there.
    """
    preferred = array_at(specs.preference, "cpu", "preferredCPUFeatures")
    if not preferred:
        return template
    domain = domain_of(template)
    if domain.get("cpu") is None:
        raise ApplyError(
            FieldOwner.PREFERENCE,
            Diagnostic(
                Code.APPLY_FAILED,
                "the preference adds CPU features, but the VM has no instance type and no domain.cpu",
                hint="name an instance type, or set spec.template.spec.domain.cpu, if only to {}",
                field=FieldPath.of("spec", "cpu", "preferredCPUFeatures"),
            ),
        )
    cpu = object_at(domain, "cpu")
    present = array_at(cpu, "features")
    names = {text_at(feature, "name") for feature in present}
    added = [feature for feature in preferred if text_at(feature, "name") not in names]
    if not added:
        return template
    return with_domain_section(template, "cpu", share_part({**cpu, "features": [*present, *added]}))


def apply_features(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Fill in features and Hyper-V features; only the preference's ACPI overrides the VM."""
    preferred = specs.preference.get("features")
    if not isinstance(preferred, dict):
        return template
    present = domain_of(template).get("features")
    features = _features(preferred, present)
    return template if features is present else with_domain_section(template, "features", features)


@once_for_same
def _features(preferred: JsonObject, present: Json) -> JsonObject:
    """Return the section that replaces the ``present`` one; ``present`` itself if nothing changes."""
    before = object_at(present)
    # When Go creates the features, it always writes acpi.
    features = {"acpi": EMPTY} if present is None else before
    if preferred.get("preferredAcpi") is not None:
        features = {**features, "acpi": preferred["preferredAcpi"]}
    features = fill_in(features, preferred_values(preferred, _FEATURES))
    if preferred.get("preferredHyperv") is not None:
        hyperv = preferred_values(object_at(preferred, "preferredHyperv"), _HYPERV_FIELDS)
        features = fill_in_section(features, "hyperv", hyperv)
    return features if features is before else share_part(features)


def apply_firmware(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Set BIOS or EFI if the VM has neither, and their options; the result always has a boot loader."""
    preferred = specs.preference.get("firmware")
    if not isinstance(preferred, dict):
        return template
    firmware = object_at(domain_of(template), "firmware")
    present = firmware.get("bootloader")
    if present is not None and not isinstance(present, dict):
        return template
    bootloader = _bootloader(
        preferred, EMPTY if present is None else present, specs.behaviour.keeps_firmware_options_of_vm
    )
    if bootloader is present:
        return template
    return with_domain_section(template, "firmware", share_part({**firmware, "bootloader": bootloader}))


@once_for_same
def _bootloader(preferred: JsonObject, present: JsonObject, keep_existing: bool) -> JsonObject:  # noqa: FBT001 - once_for_same takes no keywords
    bootloader = _with_efi(
        _with_bios(present, preferred, keep_existing=keep_existing), preferred, keep_existing=keep_existing
    )
    return bootloader if bootloader is present else share_part(bootloader)


def _with_bios(bootloader: JsonObject, preferred: JsonObject, *, keep_existing: bool) -> JsonObject:
    if preferred.get("preferredUseBios") is True and _is_open(bootloader):
        bootloader = {**bootloader, "bios": EMPTY}
    return _with_options(
        bootloader, "bios", preferred_values(preferred, _BIOS_FIELDS), keep_existing=keep_existing
    )


def _with_efi(bootloader: JsonObject, preferred: JsonObject, *, keep_existing: bool) -> JsonObject:
    """Set EFI from ``preferredEfi``, else from ``preferredUseEfi`` and ``preferredUseSecureBoot``."""
    if preferred.get("preferredEfi") is not None and _is_open(bootloader):
        return {**bootloader, "efi": preferred["preferredEfi"]}
    if preferred.get("preferredUseEfi") is True and _is_open(bootloader):
        bootloader = {**bootloader, "efi": EMPTY}
    return _with_options(
        bootloader, "efi", preferred_values(preferred, _EFI_FIELDS), keep_existing=keep_existing
    )


def _is_open(bootloader: JsonObject) -> bool:
    return bootloader.get("bios") is None and bootloader.get("efi") is None


def _with_options(
    bootloader: JsonObject, kind: str, options: JsonObject, *, keep_existing: bool
) -> JsonObject:
    """Set the options of a boot loader of that ``kind``; with ``keep_existing`` the VM's values stay."""
    if bootloader.get(kind) is None:
        return bootloader
    if keep_existing:
        return fill_in_section(bootloader, kind, options)
    return {**bootloader, kind: {**object_at(bootloader, kind), **options}} if options else bootloader


def apply_machine(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Fill in the machine type; some releases write an empty one for a section without a type."""
    preferred = specs.preference.get("machine")
    if not isinstance(preferred, dict):
        return template
    present = domain_of(template).get("machine")
    machine = fill_in(object_at(present), preferred_values(preferred, _MACHINE_FIELDS))
    if not machine and present is None and not specs.behaviour.machine_needs_type:
        machine = {"type": ""}
    if not machine or machine is present:
        return template
    return with_domain_section(template, "machine", share_part(machine))


def apply_clock(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Set the offset and the timers, each as a whole and only if the VM does not set it."""
    preferred = specs.preference.get("clock")
    if not isinstance(preferred, dict):
        return template
    present = domain_of(template).get("clock")
    clock = object_at(present)
    if all(clock.get(offset) is None for offset in _CLOCK_OFFSETS):
        offsets = object_at(preferred, "preferredClockOffset")
        chosen = {offset: offsets[offset] for offset in _CLOCK_OFFSETS if offsets.get(offset) is not None}
        clock = {**clock, **chosen} if chosen else clock
    clock = fill_in(clock, preferred_values(preferred, _TIMER))
    return template if clock is present else with_domain_section(template, "clock", share_part(clock))
