"""What KubeVirt's releases check differently, one row each.

A check that a release does not make at all has ``since`` or ``until`` in its table; here stands what differs
inside a check. Read in KubeVirt's source at the tags v1.0.0 to v1.9.0, and at ``d923fdb815`` for 1.9.
"""

from __future__ import annotations

from functools import lru_cache

from renderer.model.record import Record
from renderer.model.release import Release


class Behaviour(Record):
    """How one release behaves; a newer one is taken to behave as the newest known."""

    release: Release

    # Networks.

    @property
    def needs_one_binding(self) -> bool:
        """Before, an interface may have none, or several but for a plugin. binding.go"""
        return self.release >= (1, 9)

    @property
    def refuses_port_65536(self) -> bool:
        """netiface.go (validateForwardPortInRange)"""
        return self.release >= (1, 9)

    @property
    def reads_bare_mac_addresses(self) -> bool:
        """Without separators, as Go does since 1.26. go.mod"""
        return self.release >= (1, 9)

    @property
    def discontinued_bindings(self) -> tuple[str, ...]:
        """That no VM is created with. slirp.go, discontinued.go"""
        if self.release >= (1, 8):
            return ("slirp", "passt", "macvtap")
        return ("slirp",) if self.release >= (1, 3) else ()

    @property
    def interface_states(self) -> tuple[str, ...]:
        """admit.go (validateInterfaceStateValue)"""
        return ("absent", "down", "up") if self.release >= (1, 5) else ("absent",)

    # Memory.

    @property
    def updates_live_by_default(self) -> bool:
        """Before, only where the cluster says so. virt-config.go (DefaultVMRolloutStrategy)"""
        return self.release >= (1, 6)

    @property
    def updates_live_by_gate(self) -> bool:
        """And only where VMLiveUpdateFeatures is on. virt-config.go (IsVMRolloutStrategyLiveUpdate)"""
        return self.release < (1, 5)

    @property
    def memory_hot_plug_architectures(self) -> tuple[str, ...]:
        """pkg/liveupdate/memory/memory.go"""
        return ("amd64",) if self.release >= (1, 7) else ("amd64", "arm64")

    @property
    def hot_plugs_from_1gi(self) -> bool:
        """Before, a smaller guest is admitted too. pkg/liveupdate/memory/memory.go"""
        return self.release >= (1, 4)

    # Devices and disks.

    @property
    def machines_are_regular_expressions(self) -> bool:
        """What emulatedMachines holds; later, patterns of files. validateEmulatedMachine"""
        return self.release < (1, 6)

    @property
    def knows_empty_cdroms(self) -> bool:
        """Before, each needs a volume. validateBootOrder"""
        return self.release >= (1, 6)

    @property
    def luns_need_claims(self) -> bool:
        """validateBootOrder"""
        return self.release >= (1, 1)

    @property
    def arm64_has_single_threads(self) -> bool:
        """Where CPUs are dedicated. validateThreadCountOnArchitecture"""
        return self.release >= (1, 1)

    @property
    def checks_block_granularity(self) -> bool:
        """And the logical block size on the bus sata. disks.go (validateBlockSize)"""
        return self.release >= (1, 7)

    @property
    def checks_claims_fully(self) -> bool:
        """Before, not their names and sources, nor what several kinds of devices share. dra_admitter.go"""
        return self.release >= (1, 9)

    @property
    def counts_silent_ram_framebuffers(self) -> bool:
        """Before, an empty ramFB counts as off. countConfiguredMDEVRamFBs"""
        return self.release >= (1, 9)

    @property
    def gates_config_filesystems(self) -> bool:
        """And takes ExperimentalVirtiofsSupport for both. validateFilesystemsWithVirtIOFSEnabled"""
        return self.release < (1, 8)

    @property
    def gates_panic_devices(self) -> bool:
        return self.release < (1, 9)

    @property
    def gates_video(self) -> bool:
        return self.release < (1, 9)

    # Firmware and launch security.

    @property
    def tdx_needs_no_smm(self) -> bool:
        """validateDomainSpec"""
        return self.release >= (1, 9)

    @property
    def gates_secure_execution(self) -> bool:
        """launchSecurity on s390x. webhooks/s390x.go"""
        return (1, 6) <= self.release < (1, 9)

    @property
    def checks_sev_only(self) -> bool:
        """Of launch security, whatever the architecture. validateLaunchSecurity"""
        return self.release < (1, 7)

    @property
    def gates_all_launch_security(self) -> bool:
        """By WorkloadEncryptionSEV. validateLaunchSecurity"""
        return self.release < (1, 6)

    @property
    def arm64_boots_securely(self) -> bool:
        """webhooks/arm64.go (validateBootOptions)"""
        return self.release >= (1, 9)

    # Virtual machines.

    @property
    def waits_as_receiver(self) -> bool:
        """Where DecentralizedLiveMigration is on. validateRunStrategy"""
        return self.release >= (1, 6)

    @property
    def checks_data_volume_sources(self) -> bool:
        """Before, only the name of a dataVolumeTemplate, and that it is used. validateDataVolume"""
        return self.release >= (1, 4)

    @property
    def admits_populated_data_volumes(self) -> bool:
        """By dataSource or dataSourceRef alone. validateDataVolume"""
        return self.release >= (1, 5)

    @property
    def checks_every_architecture(self) -> bool:
        """Of a VirtualMachineInstance; before, only arm64, and less of it. webhooks/amd64.go, s390x.go"""
        return self.release >= (1, 6)

    @property
    def knows_ppc64le(self) -> bool:
        """webhooks/ppc64le.go"""
        return self.release < (1, 7)


@lru_cache
def behaviour_of(release: Release) -> Behaviour:
    return Behaviour(release)
