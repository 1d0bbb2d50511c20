"""Firmware: bootloader, kernel boot, ACPI tables, secure boot."""

from __future__ import annotations

from renderer.kubevirt.admission.causes import Causes, invalid, needs_gate, required
from renderer.kubevirt.admission.vmi_spec import VmiSpec, has, is_not_disabled, section, text
from renderer.kubevirt.admission.volumes import check_path
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.pattern import pattern

_FIRMWARE = ("domain", "firmware")
_SERIAL = pattern(r"[A-Za-z0-9_.+-]+")
_LONGEST_SERIAL = 256
_KERNEL_BOOT = (*_FIRMWARE, "kernelBoot")


def check_slic(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check the volume of the SLIC table, the only ACPI table that 1.5 knows."""
    firmware = section(vmi.domain, "firmware")
    if not has(firmware, "acpi"):
        return
    name = text(section(firmware, "acpi"), "slicNameRef")
    at = vmi.at(*_FIRMWARE, "acpi", "slicNameRef")
    volume = _volume(vmi, name)
    if volume is None:
        message = f"slicNameRef refers to the volume {name}, which does not exist"
        yield invalid(at, message, reported=vmi.at("acpi"))
    elif not has(volume, "secret"):
        message = f"slicNameRef refers to the volume {name}, which is not of a Secret"
        yield invalid(at, message, reported=vmi.at("acpi", "slicNameRef"))


def check_acpi(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check the volumes of ACPI tables."""
    firmware = section(vmi.domain, "firmware")
    if not has(firmware, "acpi"):
        return
    acpi = section(firmware, "acpi")
    at, reported = vmi.at(*_FIRMWARE, "acpi"), vmi.at("acpi")
    names = {key: text(acpi, key) for key in ("slicNameRef", "msdmNameRef")}
    if not any(names.values()):
        yield invalid(at, "acpi refers to no volume", "set slicNameRef or msdmNameRef", reported=reported)
    for key, name in names.items():
        volume = _volume(vmi, name)
        if not name or (volume is not None and has(volume, "secret")):
            continue
        problem = "which does not exist" if volume is None else "which is not of a Secret"
        message = f"{key} refers to the volume {name}, {problem}"
        yield invalid(at.child(key), message, reported=reported.child(key))


def _volume(vmi: VmiSpec, name: str) -> JsonObject | None:
    return next((volume for volume in vmi.volumes if text(volume, "name") == name), None)


def check_firmware(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject two bootloaders, and an incomplete kernel boot."""
    firmware = section(vmi.domain, "firmware")
    if not firmware:
        return
    bootloader = section(firmware, "bootloader")
    if has(bootloader, "efi") and has(bootloader, "bios"):
        at = vmi.at(*_FIRMWARE, "bootloader")
        yield invalid(at, "the bootloader is both efi and bios", "keep one of them")
    yield from _check_kernel_boot(vmi, section(firmware, "kernelBoot"))


def check_serial(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check the length and the characters of the serial."""
    serial = text(section(vmi.domain, "firmware"), "serial")
    at = vmi.at(*_FIRMWARE, "serial")
    if len(serial.encode(errors="replace")) > _LONGEST_SERIAL:
        yield invalid(at, f"the serial is longer than {_LONGEST_SERIAL} characters")
    if serial and _SERIAL.fullmatch(serial) is None:
        yield invalid(at, "the serial must consist of letters, digits, '_', '.', '+' and '-'")


def check_persistent_tpm(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check the gate of a persistent TPM, whether it is enabled or not."""
    if section(vmi.devices, "tpm").get("persistent"):
        yield from _check_persistence(cluster, vmi.device("tpm", "persistent"), "a persistent TPM")


def check_enabled_persistent_tpm(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check the gate of a persistent TPM that is not disabled."""
    if is_not_disabled(vmi.devices, "tpm"):
        yield from check_persistent_tpm(vmi, cluster)


def check_persistent_efi(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check the gate of persistent EFI variables."""
    if _efi(vmi).get("persistent"):
        at = vmi.at(*_FIRMWARE, "bootloader", "efi", "persistent")
        yield from _check_persistence(cluster, at, "persistent EFI variables")


def _check_persistence(cluster: Cluster, at: FieldPath, what: str) -> Causes:
    if Gate.VM_PERSISTENT_STATE not in cluster.gates:
        yield needs_gate(at, what, Gate.VM_PERSISTENT_STATE)


def check_secure_boot(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that secure boot has SMM."""
    if not boots_securely(vmi) or is_not_disabled(section(vmi.domain, "features"), "smm"):
        return
    efi, at = _efi(vmi), vmi.at(*_FIRMWARE, "bootloader", "efi")
    is_written = has(efi, "secureBoot")
    yield invalid(
        at.child("secureBoot") if is_written else at,
        f"secure boot{'' if is_written else ', which efi enables by default,'} needs features.smm",
        "enable domain.features.smm, or set efi.secureBoot: false",
        reported=vmi.at("domain"),
    )


def check_secure_boot_without_tdx(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check that secure boot has SMM; TDX keeps its keys in a ROM and does not need SMM."""
    if not has(section(vmi.domain, "launchSecurity"), "tdx"):
        yield from check_secure_boot(vmi, cluster)


def _efi(vmi: VmiSpec) -> JsonObject:
    return section(section(section(vmi.domain, "firmware"), "bootloader"), "efi")


def boots_securely(vmi: VmiSpec) -> bool:
    """Return True if secure boot is on, which is the default with EFI."""
    bootloader = section(section(vmi.domain, "firmware"), "bootloader")
    efi = bootloader.get("efi")
    return isinstance(efi, dict) and efi.get("secureBoot") is not False


def _check_kernel_boot(vmi: VmiSpec, kernel_boot: JsonObject) -> Causes:
    if not kernel_boot:
        return
    if not has(kernel_boot, "container"):
        if text(kernel_boot, "kernelArgs"):
            at = vmi.at(*_KERNEL_BOOT, "kernelArgs")
            yield invalid(
                at, "kernelArgs need an external kernel, and there is none", "set kernelBoot.container"
            )
        return
    container = section(kernel_boot, "container")
    at = vmi.at(*_KERNEL_BOOT, "container")
    if not text(container, "image"):
        yield required(at.child("image"), "the kernel's container has no image")
    paths = {key: text(container, key) for key in ("kernelPath", "initrdPath")}
    if not any(paths.values()):
        yield required(at, "the kernel's container has neither kernelPath nor initrdPath")
    for key, path in paths.items():
        if path:
            yield from check_path(at.child(key), path)
