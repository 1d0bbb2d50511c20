"""The creation of a VirtualMachineInstance (``vmi-create-admitter.go``)."""

from __future__ import annotations

from renderer.kubevirt.admission.architectures import ARCHITECTURE_CHECKS
from renderer.kubevirt.admission.causes import Causes, invalid, required
from renderer.kubevirt.admission.check_table import CheckTable, row
from renderer.kubevirt.admission.memory import check_memory_is_given
from renderer.kubevirt.admission.metadata import Metadata
from renderer.kubevirt.admission.network.bindings import DISCONTINUED_BINDING_CHECKS, check_discontinued_gates
from renderer.kubevirt.admission.vmi_checks import SPEC_CHECKS
from renderer.kubevirt.admission.vmi_spec import VmiSpec, elements, has, is_not_disabled, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject

#: The features that an enabled feature requires.
_NEEDS = {
    "evmcs": "vapic",
    "ipi": "vpindex",
    "tlbflush": "vpindex",
    "synictimer": "synic",
    "synic": "vpindex",
}
_RESERVED_PATHS = ("/var/run/kubevirt", "/var/run/libvirt")


def check_hyperv_at_spec(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that Hyper-V features have the features that they require."""
    yield from _check_hyperv_features(vmi, vmi.at("domain", "features", "hyperv"))


def check_hyperv(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check Hyper-V features, which KubeVirt reports with a repeated path."""
    features, at = section(vmi.domain, "features"), vmi.at("domain", "features", "hyperv")
    yield from _check_hyperv_features(vmi, at.child("domain", "features", "hyperv"))
    if has(features, "hyperv") and has(features, "hypervPassthrough"):
        yield invalid(at, "hyperv and hypervPassthrough exclude each other", "drop one of them")


def _check_hyperv_features(vmi: VmiSpec, reported: FieldPath) -> Causes:
    hyperv = section(section(vmi.domain, "features"), "hyperv")
    at = vmi.at("domain", "features", "hyperv")
    for name, needed in _NEEDS.items():
        if section(hyperv, name).get("enabled") and not section(hyperv, needed).get("enabled"):
            message = f"hyperv.{name} needs hyperv.{needed}"
            yield invalid(at.child(name), message, reported=reported.child(name))
    if is_not_disabled(hyperv, "evmcs"):
        yield from _check_vmx(vmi)


def _check_vmx(vmi: VmiSpec) -> Causes:
    features = elements(vmi.cpu, "features")
    at, reported = vmi.at("domain", "cpu", "features"), FieldPath.of("spec", "domain", "cpu", "features")
    if not features:
        yield required(at, "hyperv.evmcs needs the CPU feature vmx", reported=reported)
    for index, feature in enumerate(features):
        if text(feature, "name") == "vmx" and text(feature, "policy") != "require":
            message = "hyperv.evmcs needs the CPU feature vmx with the policy require"
            yield invalid(at.child(index, "policy"), message, reported=reported.child(index, "policy"))


def check_volume_devices(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that each volume belongs to a disk or a file system."""
    disks = {text(disk, "name") for disk in vmi.disks}
    filesystems = {text(filesystem, "name") for filesystem in elements(vmi.devices, "filesystems")}
    for index, volume in enumerate(vmi.volumes):
        name = text(volume, "name")
        if has(volume, "memoryDump"):
            continue
        if name not in disks and name not in filesystems:
            yield invalid(
                vmi.at("volumes", index, "name"),
                f"the volume {name} is neither a disk nor a file system",
                f"add a disk {name} to {vmi.device('disks')}",
                reported=vmi.at("domain", "volumes", index, "name"),
            )
        if has(volume, "containerPath"):
            is_filesystem = name in filesystems
            yield from _check_container_path(
                vmi, index, volume, is_disk=name in disks, is_filesystem=is_filesystem
            )


def _check_container_path(
    vmi: VmiSpec, index: int, volume: JsonObject, *, is_disk: bool, is_filesystem: bool
) -> Causes:
    name, at = text(volume, "name"), vmi.at("volumes", index)
    reported = vmi.at("domain", "volumes", index)
    if is_disk:
        yield invalid(at, f"the containerPath volume {name} cannot be a disk", reported=reported)
    if not is_filesystem:
        yield invalid(at, f"the containerPath volume {name} needs a file system", reported=reported)
    path = text(section(volume, "containerPath"), "path")
    if path.startswith(_RESERVED_PATHS):
        yield invalid(
            at.child("containerPath", "path"),
            f"KubeVirt reserves {path}",
            reported=reported.child("containerPath", "path"),
        )


#: The checks that a VirtualMachine's template does not get.
VMI_CHECKS: CheckTable[[VmiSpec, Cluster]] = CheckTable(
    row(check_discontinued_gates, "interfaces", upstream="validator.go ValidateFeatureGates", since="1.3"),
    *DISCONTINUED_BINDING_CHECKS,
    row(check_volume_devices, "volumes", upstream="validateVirtualMachineInstanceSpecVolumeDisks"),
    row(check_memory_is_given, upstream="ValidateVirtualMachineInstanceMandatoryFields"),
    row(check_hyperv_at_spec, "features", upstream="hyperv.go", until="1.3"),
    row(check_hyperv, "features", upstream="hyperv.go", since="1.3"),
    *ARCHITECTURE_CHECKS,
)


def check_vmi(vmi: JsonObject, cluster: Cluster) -> Causes:
    """Yield all causes for which the VirtualMachineInstance, with its defaults, is rejected."""
    spec = VmiSpec.of(section(vmi, "spec"), FieldPath.of("spec"))
    metadata = Metadata(section(vmi, "metadata"), FieldPath.of("metadata"), spec)
    release = cluster.release
    yield from SPEC_CHECKS.causes(release, spec.fields, spec, cluster)
    yield from VMI_CHECKS.causes(release, spec.fields, spec, cluster)
    yield from metadata.causes(cluster)
