"""Firmware: bootloader, kernel boot, ACPI tables, secure boot."""

from __future__ import annotations

import re

from renderer.admitters.causes import Causes, invalid, required
from renderer.admitters.cluster import Cluster
from renderer.admitters.feature_gates import Gate, needs_gate
from renderer.admitters.vmi_spec import VmiSpec, has, section, text, unless_disabled
from renderer.admitters.volumes import check_path
from renderer.model.json import JsonObject

_FIRMWARE = ("domain", "firmware")
_SERIAL = re.compile(r"[A-Za-z0-9_.+-]+")
_LONGEST_SERIAL = 256
_KERNEL_BOOT = (*_FIRMWARE, "kernelBoot")


def check_acpi(vmi: VmiSpec, _: Cluster) -> Causes:
    firmware = section(vmi.domain, "firmware")
    if not has(firmware, "acpi"):
        return
    acpi = section(firmware, "acpi")
    at = vmi.at(*_FIRMWARE, "acpi")
    reported = vmi.at("acpi")
    names = {key: text(acpi, key) for key in ("slicNameRef", "msdmNameRef")}
    if not any(names.values()):
        yield invalid(at, "acpi refers to no volume", "set slicNameRef or msdmNameRef", reported=reported)
    for key, name in names.items():
        volume = next((volume for volume in vmi.volumes if text(volume, "name") == name), None)
        if not name or (volume is not None and has(volume, "secret")):
            continue
        problem = "which does not exist" if volume is None else "which is not of a Secret"
        message = f"{key} refers to the volume {name}, {problem}"
        yield invalid(at.child(key), message, reported=reported.child(key))


def check_firmware(vmi: VmiSpec, _: Cluster) -> Causes:
    firmware = section(vmi.domain, "firmware")
    if not firmware:
        return
    bootloader = section(firmware, "bootloader")
    if has(bootloader, "efi") and has(bootloader, "bios"):
        at = vmi.at(*_FIRMWARE, "bootloader")
        yield invalid(at, "the bootloader is both efi and bios", "keep one of them")
    yield from _check_kernel_boot(vmi, section(firmware, "kernelBoot"))


def check_serial(vmi: VmiSpec, _: Cluster) -> Causes:
    serial = text(section(vmi.domain, "firmware"), "serial")
    at = vmi.at(*_FIRMWARE, "serial")
    if len(serial.encode(errors="replace")) > _LONGEST_SERIAL:
        yield invalid(at, f"the serial is longer than {_LONGEST_SERIAL} characters")
    if serial and _SERIAL.fullmatch(serial) is None:
        yield invalid(at, "the serial is of letters, digits, '_', '.', '+' and '-'")


def check_persistent_state(vmi: VmiSpec, cluster: Cluster) -> Causes:
    if Gate.VM_PERSISTENT_STATE in cluster.gates:
        return
    efi = _efi(vmi)
    if section(vmi.devices, "tpm").get("persistent"):
        yield needs_gate(vmi.device("tpm", "persistent"), "a persistent TPM", Gate.VM_PERSISTENT_STATE)
    if efi.get("persistent"):
        at = vmi.at(*_FIRMWARE, "bootloader", "efi", "persistent")
        yield needs_gate(at, "persistent EFI variables", Gate.VM_PERSISTENT_STATE)


def check_secure_boot(vmi: VmiSpec, cluster: Cluster) -> Causes:
    if not boots_securely(vmi) or unless_disabled(section(vmi.domain, "features"), "smm"):
        return
    if cluster.behaviour.tdx_needs_no_smm and has(section(vmi.domain, "launchSecurity"), "tdx"):
        return
    efi, at = _efi(vmi), vmi.at(*_FIRMWARE, "bootloader", "efi")
    is_written = has(efi, "secureBoot")
    yield invalid(
        at.child("secureBoot") if is_written else at,
        f"secure boot{'' if is_written else ', which efi has on unless told otherwise,'} needs features.smm",
        "enable domain.features.smm, or set efi.secureBoot: false",
        reported=vmi.at("domain"),
    )


def _efi(vmi: VmiSpec) -> JsonObject:
    return section(section(section(vmi.domain, "firmware"), "bootloader"), "efi")


def boots_securely(vmi: VmiSpec) -> bool:
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
                at, "kernelArgs are for an external kernel, and there is none", "set kernelBoot.container"
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
