"""The differences between KubeVirt's releases, one row each.

The rows are the properties of ``Behaviour``; ``behaviour_of`` returns it for a release. The paths are in
KubeVirt's ``pkg/instancetype``, the numbers are its pull requests.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from renderer.kubevirt.instancetype.topology import Topology
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.text_enum import TextEnum

_OTHER_WATCHDOGS = {"arm64": "", "s390x": "diag288"}
_V1BETA1 = frozenset({"v1beta1"})
_V1ALPHA = frozenset({"v1alpha1", "v1alpha2"})

_TOPOLOGIES_1_0 = {
    "preferSockets": Topology.SOCKETS,
    "preferCores": Topology.CORES,
    "preferThreads": Topology.THREADS,
}
_TOPOLOGIES_1_1 = _TOPOLOGIES_1_0 | {"preferSpread": Topology.SPREAD, "preferAny": Topology.ANY}
_TOPOLOGIES_1_4 = _TOPOLOGIES_1_1 | {topology.value: topology for topology in Topology}


class SpreadCheck(TextEnum):
    """The check at admission that vCPUs can be spread evenly."""

    NONE = "none"
    NEEDS_INSTANCETYPE = "needs-instancetype"  # KubeVirt crashes without one
    WITH_INSTANCETYPE = "with-instancetype"


class VmMemory(TextEnum):
    """The memory that a requirement is compared with if there is no instance type."""

    AS_WRITTEN = "as-written"  # without domain.memory the check passes; without its guest KubeVirt crashes
    DEFAULTED_OR_CRASH = "defaulted-or-crash"
    DEFAULTED_OR_ZERO = "defaulted-or-zero"


class ExpandDefaults(TextEnum):
    """The defaults that expand-spec adds to a VirtualMachine."""

    NONE = "none"
    OBJECT = "object"  # as if the VirtualMachineInstance were created
    SPEC = "spec"


class PciTopology(TextEnum):
    """The VMs that get an annotation with the version of their PCI topology."""

    NONE = "none"
    OF_ALL = "of-all"
    OF_ARCHITECTURES = "of-architectures"  # the architectures with PCIe
    OF_MACHINE_TYPES = "of-machine-types"  # the machine types with PCIe on these architectures


class SpecRevisions(TextEnum):
    """The ways to read a revision that contains only a spec in base64."""

    BY_MATCHER = "by-matcher"  # decoded as the matcher's type; unknown fields are ignored
    BY_CONTENT = "by-content"  # decoded by its fields; unknown fields are an error
    NONE = "none"


class Behaviour(Record):
    """The behaviour of one release, 1.0.0 to 1.9.0; a newer one behaves like the newest known."""

    release: Release

    # Application.

    @property
    def topologies(self) -> Mapping[str, Topology]:
        """Valid names of preferredCPUTopology; others give 1/1/1. v1beta1/types.go, #10454, #10547, #11927"""
        if self.release >= (1, 4):
            return _TOPOLOGIES_1_4
        return _TOPOLOGIES_1_1 if self.release >= (1, 1) else _TOPOLOGIES_1_0

    @property
    def single_vcpu_skips_topology(self) -> bool:
        """A single vCPU gives 1/1/1; before, preferSpread gave 2 cores and no socket. apply/cpu.go, #11729"""
        return self.release >= (1, 3)

    @property
    def memory_conflicts_by_field(self) -> bool:
        """Before, domain.memory conflicts as a whole, even if it is empty. apply/memory.go, #14685"""
        return self.release >= (1, 7)

    @property
    def dedicated_io_thread_needs_virtio(self) -> bool:
        """Before, preferredDiskDedicatedIoThread applies to every disk. preference/apply/disk.go, #12169"""
        return self.release >= (1, 3)

    @property
    def keeps_firmware_options_of_vm(self) -> bool:
        """Before, the preferred options of BIOS and EFI override the VM's. instancetype.go, #10314"""
        return self.release >= (1, 0, 1)

    @property
    def masquerade_needs_pod_network(self) -> bool:
        """Before, every interface without masquerade gets it. preference/apply/interface.go, #10174"""
        return self.release >= (1, 1)

    @property
    def machine_needs_type(self) -> bool:
        """Before, a section without a type results in an empty one. preference/apply/machine.go, #13036"""
        return self.release >= (1, 5)

    @property
    def panic_device_is_created(self) -> bool:
        """Before, only existing panic devices get their model. preference/apply/device.go, #18343"""
        return self.release >= (1, 9)

    # Admission.

    @property
    def fills_in_matcher_kind(self) -> bool:
        """An empty kind becomes the cluster-wide kind. mutators/vm-mutator.go, until #15009"""
        return self.release < (1, 7)

    @property
    def infers_from_volume_snapshots(self) -> bool:
        """Before, nothing can be inferred from a VolumeSnapshot. infer/volume.go, #18337"""
        return self.release >= (1, 9)

    @property
    def admits_missing_objects(self) -> bool:
        """Before, a VM whose objects are missing or unusable is rejected. webhooks/vm/admitter.go, #14219"""
        return self.release >= (1, 6)

    @property
    def spread_check(self) -> SpreadCheck:
        """vCPUs must be spread evenly. preference/validation/cpu.go, #10454, #11060"""
        if self.release >= (1, 2):
            return SpreadCheck.WITH_INSTANCETYPE
        return SpreadCheck.NEEDS_INSTANCETYPE if self.release >= (1, 1) else SpreadCheck.NONE

    @property
    def spread_requirement_names_sockets_first(self) -> bool:
        """Before, a spread requirement names cores, sockets. preference/requirements/cpu.go, #11729"""
        return self.release >= (1, 3)

    @property
    def vm_memory(self) -> VmMemory:
        """The memory that is checked without an instance type. requirements/memory.go, #12128, #14557"""
        if self.release >= (1, 5, 1):
            return VmMemory.DEFAULTED_OR_ZERO
        return VmMemory.DEFAULTED_OR_CRASH if self.release >= (1, 3) else VmMemory.AS_WRITTEN

    @property
    def checks_topology_names(self) -> bool:
        """Before, any preferredCPUTopology is admitted. preference/webhooks/admitter.go, #11927"""
        return self.release >= (1, 4)

    @property
    def checks_spread_options(self) -> bool:
        """Before, any spreadOptions are admitted. preference/webhooks/admitter.go, #11729"""
        return self.release >= (1, 3)

    @property
    def warns_of_launch_security(self) -> bool:
        """launchSecurity of instance types has moved to preferences. webhooks/admitter.go, #17551"""
        return self.release >= (1, 9)

    @property
    def mutates_architecture(self) -> bool:
        """Before, preferredArchitecture is not written into the VM. webhooks/vm/mutator.go, #15398"""
        return self.release >= (1, 7)

    @property
    def reads_data_source_architecture(self) -> bool:
        """Before, the label of a DataSource is not the VM's architecture. pkg/defaults/defaults.go, #15388"""
        return self.release >= (1, 6, 4)

    @property
    def fills_in_storage_class_of_storage(self) -> bool:
        """Before, preferredStorageClassName is only written into ``pvc``. vm-mutator.go, #10052"""
        return self.release >= (1, 0, 1)

    @property
    def assigns_firmware_uuid(self) -> bool:
        """A new VM gets a random one. mutating-webhook/mutators/vm-mutator.go, #14130"""
        return self.release >= (1, 6)

    @property
    def assigns_firmware_serial(self) -> bool:
        """Assigned like the UUID. mutating-webhook/mutators/vm-mutator.go, #15357, #15543"""
        return self.release.includes((1, 5, 3), (1, 6, 1))

    @property
    def pci_topology(self) -> PciTopology:
        """The VMs that are annotated on creation. mutators/vm-mutator.go, #17029, #16915, #17729"""
        if self.release.includes((1, 6, 6), (1, 7, 4), (1, 8, 3)):
            return PciTopology.OF_MACHINE_TYPES
        if self.release.includes((1, 6, 5), (1, 7, 3), (1, 8, 2)):
            return PciTopology.OF_ARCHITECTURES
        has_any = self.release.includes((1, 6, 4), (1, 7, 2), (1, 8, 0))
        return PciTopology.OF_ALL if has_any else PciTopology.NONE

    # Defaults.

    @property
    def expand_defaults(self) -> ExpandDefaults:
        """The defaults of expand-spec. pkg/virt-api/rest/expand.go, #12491, #13086"""
        if self.release >= (1, 4):
            return ExpandDefaults.SPEC
        return ExpandDefaults.OBJECT if self.release >= (1, 3, 1) else ExpandDefaults.NONE

    @property
    def defaults_template_as_instance(self) -> bool:
        """A VM is admitted with the defaults of a new instance. webhooks/defaults.go, until 1.4"""
        return self.release < (1, 4)

    @property
    def knows_s390x(self) -> bool:
        """Before, it gets the defaults of amd64. webhooks/defaults.go (setDefaultCPUArch)"""
        return self.release >= (1, 3)

    @property
    def defaults_guest_memory(self) -> bool:
        """Set it from request, limit or huge page. webhooks/defaults.go (setGuestMemory)"""
        return self.release >= (1, 3)

    @property
    def defaults_memory_request(self) -> bool:
        """Compute the request from guest memory and the cluster's overcommit. pkg/defaults/defaults.go"""
        return self.release < (1, 6, 4)

    @property
    def overcommits_memory(self) -> bool:
        """Only 1.6.2 requests all of the guest's memory. pkg/defaults/defaults.go, #15736"""
        return self.release[:3] != (1, 6, 2)

    @property
    def defaults_eviction_strategy(self) -> bool:
        """Before, the cluster's strategy is not written into the VM. webhooks/defaults.go, #10255"""
        return self.release >= (1, 0, 1)

    @property
    def other_watchdogs(self) -> Mapping[str, str]:
        """A watchdog without a device is an i6300esb, except on these architectures. pkg/defaults/s390x.go"""
        return _OTHER_WATCHDOGS if self.release >= (1, 5, 1) else {}

    @property
    def defaults_secure_boot_of_efi(self) -> bool:
        """On arm64 secureBoot is false; before, only in a VM without a boot loader. pkg/defaults/arm64.go"""
        return self.release >= (1, 8, 3)

    @property
    def permits_slirp(self) -> bool:
        """slirp may be the default interface, if allowed. pkg/virt-config/virt-config.go, #11701"""
        return self.release < (1, 3)

    # Versions and revisions.

    @property
    def served_versions(self) -> frozenset[str]:
        """The versions of instance types and preferences. pkg/virt-operator/…/components/crds.go, #14048"""
        return _V1BETA1 if self.release >= (1, 6) else _V1BETA1 | _V1ALPHA

    @property
    def spec_revisions(self) -> SpecRevisions:
        """Revisions of 0.56 and 0.57 hold a spec in base64. compatibility/compatibility.go, #10545, #15400"""
        if self.release >= (1, 7):
            return SpecRevisions.NONE
        return SpecRevisions.BY_CONTENT if self.release >= (1, 3) else SpecRevisions.BY_MATCHER

    @property
    def decodes_alpha_revisions(self) -> bool:
        """Decode whole objects of v1alpha1 and v1alpha2. compatibility/compatibility.go, until #15400"""
        return self.release < (1, 7)

    @property
    def revision_name_has_version(self) -> bool:
        """Before, it consists only of VM, object, UID and generation. revision/store.go, #10545"""
        return self.release >= (1, 3)

    @property
    def uses_revision_by_name(self) -> bool:
        """Before, a revision in the status counts, whatever the VM names now. find/revision.go, #14726"""
        return self.release >= (1, 5, 2)

    @property
    def records_revision_in_status(self) -> bool:
        """Before, it is recorded in revisionName of the matcher. revision/store.go, #13916"""
        return self.release >= (1, 5)


@lru_cache
def behaviour_of(release: Release) -> Behaviour:
    """Return the behaviour of ``release``; one object for each release."""
    return Behaviour(release)
