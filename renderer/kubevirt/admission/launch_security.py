"""Confidential virtual machines (``validateLaunchSecurity``, ``webhooks/amd64.go``)."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.admission.causes import Cause, Causes, CauseType, invalid, needs_gate
from renderer.kubevirt.admission.firmware import boots_securely
from renderer.kubevirt.admission.vmi_spec import VmiSpec, has, is_not_disabled, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate

#: The kinds on amd64, with the name and the gate of each.
_KINDS = {
    "sev": ("SEV", Gate.WORKLOAD_ENCRYPTION_SEV),
    "snp": ("SEV-SNP", Gate.WORKLOAD_ENCRYPTION_SEV),
    "tdx": ("TDX", Gate.WORKLOAD_ENCRYPTION_TDX),
}


def check_gated_launch_security(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check SEV; all launch security needs its gate."""
    if not has(vmi.domain, "launchSecurity"):
        return
    if Gate.WORKLOAD_ENCRYPTION_SEV not in cluster.gates:
        yield from _check_gate(vmi, cluster, "launchSecurity", Gate.WORKLOAD_ENCRYPTION_SEV)
    else:
        yield from _check_sev(vmi, cluster)


def check_sev_and_secure_execution(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check SEV on any architecture, and the gate of s390x."""
    yield from check_secure_execution(vmi, cluster)
    yield from _check_sev(vmi, cluster)


def check_secure_execution(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check the gate of launch security on s390x."""
    if has(vmi.domain, "launchSecurity") and vmi.architecture == "s390x":
        yield from _check_gate(vmi, cluster, "launchSecurity on s390x", Gate.SECURE_EXECUTION)


def check_launch_security(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check launch security by architecture."""
    if not has(vmi.domain, "launchSecurity"):
        return
    if vmi.architecture == "amd64":
        yield from _check_amd64(vmi, cluster)
    elif vmi.architecture != "s390x":
        message = f"there is no launchSecurity on {vmi.architecture or 'a VM without architecture'}"
        yield invalid(vmi.at("domain", "launchSecurity"), message, reported=vmi.at("architecture"))


def _check_amd64(vmi: VmiSpec, cluster: Cluster) -> Causes:
    at, reported = vmi.at("domain", "launchSecurity"), vmi.at("launchSecurity")
    kinds = [kind for kind in _KINDS if has(section(vmi.domain, "launchSecurity"), kind)]
    if len(kinds) != 1:
        found = " and ".join(kinds) or "nothing"
        message = f"launchSecurity needs one of {', '.join(_KINDS)}; it has {found}"
        yield Cause(CauseType.FORBIDDEN, at, message, reported=reported)
        return
    kind = kinds[0]
    name, gate = _KINDS[kind]
    if gate not in cluster.gates:
        yield needs_gate(at.child(kind), f"{name}", gate, reported=reported)
        return
    for message, hint in _problems(vmi, kind, name):
        yield invalid(at.child(kind), message, hint, reported=reported)


def _check_sev(vmi: VmiSpec, cluster: Cluster) -> Causes:
    if not has(section(vmi.domain, "launchSecurity"), "sev"):
        return
    name, gate = _KINDS["sev"]
    if gate not in cluster.gates:
        yield from _check_gate(vmi, cluster, "launchSecurity", gate)
        return
    for message, hint in _problems(vmi, "sev", name):
        at = vmi.at("domain", "launchSecurity", "sev")
        yield invalid(at, message, hint, reported=vmi.at("launchSecurity"))


def _check_gate(vmi: VmiSpec, cluster: Cluster, what: str, gate: Gate) -> Causes:
    if gate not in cluster.gates:
        at = vmi.at("domain", "launchSecurity")
        yield needs_gate(at, what, gate, reported=vmi.at("launchSecurity"))


def _problems(vmi: VmiSpec, kind: str, name: str) -> Iterator[tuple[str, str]]:
    if kind == "tdx" and is_not_disabled(section(vmi.domain, "features"), "smm"):
        yield "TDX cannot be combined with features.smm", "set domain.features.smm.enabled: false"
    yield from _firmware_problems(vmi, kind, name)
    attests = has(section(section(vmi.domain, "launchSecurity"), "sev"), "attestation")
    if attests and text(vmi.content, "startStrategy") != "Paused":
        yield "the attestation of SEV needs a VM that starts paused", "set startStrategy: Paused"
    for interface in vmi.interfaces:
        if has(interface, "bootOrder"):
            message = f"{name} cannot be combined with booting from the interface {text(interface, 'name')}"
            yield message, "drop its bootOrder"


def _firmware_problems(vmi: VmiSpec, kind: str, name: str) -> Iterator[tuple[str, str]]:
    bootloader = section(section(vmi.domain, "firmware"), "bootloader")
    if not has(bootloader, "efi"):
        yield f"{name} needs firmware.bootloader.efi", "add efi: {secureBoot: false}"
        return
    if kind != "tdx" and boots_securely(vmi):
        yield f"{name} cannot be combined with secure boot", "set firmware.bootloader.efi.secureBoot: false"
    if kind != "sev" and section(bootloader, "efi").get("persistent"):
        yield (
            f"{name} cannot be combined with persistent EFI variables",
            "drop firmware.bootloader.efi.persistent",
        )
