"""The checks of a VirtualMachineInstance's spec, in the order of ``ValidateVirtualMachineInstanceSpec``."""

from __future__ import annotations

from functools import partial

from renderer.admitters.access_credentials import (
    check_access_credentials,
    check_number_of_access_credentials,
)
from renderer.admitters.architectures import MACHINE_CHECKS, check_foreign_architecture
from renderer.admitters.boot_order import check_boot_order, check_disk_volumes
from renderer.admitters.check_table import Check, CheckTable, on, once_for_equal
from renderer.admitters.cluster import AdmittingCluster
from renderer.admitters.cpu import (
    check_cpu_features,
    check_cpu_limit,
    check_cpu_request,
    check_cpu_request_in_limit,
    check_dedicated_cpus,
    check_emulator_thread,
    check_max_sockets,
    check_numa,
    check_realtime,
)
from renderer.admitters.devices import (
    check_downward_metrics,
    check_filesystems_by_two_gates,
    check_gated_panic_devices,
    check_gated_video,
    check_gpus,
    check_host_devices,
    check_inputs,
    check_io_threads_policy,
    check_io_threads_pool,
    check_panic_devices,
    check_ram_framebuffers,
    check_reboot_policy,
    check_root_filesystems,
    check_sound,
    check_storage_filesystems,
    check_video,
    check_vsock,
)
from renderer.admitters.disks import check_disks, check_reservations, check_reservations_by_gate
from renderer.admitters.dns import check_dns_config, check_dns_policy
from renderer.admitters.firmware import (
    check_acpi,
    check_enabled_persistent_tpm,
    check_firmware,
    check_persistent_efi,
    check_persistent_tpm,
    check_secure_boot,
    check_secure_boot_without_tdx,
    check_serial,
    check_slic,
)
from renderer.admitters.grace import check_grace
from renderer.admitters.launch_security import (
    check_gated_launch_security,
    check_launch_security,
    check_secure_execution,
    check_sev_and_secure_execution,
)
from renderer.admitters.lifecycle import (
    check_eviction_strategy,
    check_probes,
    check_probes_have_pod_interface,
    check_probes_have_pod_network,
    check_start_strategy,
)
from renderer.admitters.memory import (
    check_guest_memory,
    check_guest_memory_unless_live,
    check_huge_pages,
    check_huge_pages_of_request,
    check_memory_limit,
    check_memory_request,
    check_page_size,
    check_reserved_overhead,
)
from renderer.admitters.metadata import check_hostname, check_service_account_name, check_subdomain
from renderer.admitters.network.before_1_3 import (
    NETWORK_CHECKS_AFTER_BOOT_ORDER,
    NETWORK_CHECKS_BEFORE_BOOT_ORDER,
    NUMBER_CHECKS,
)
from renderer.admitters.network.networks import check_networks
from renderer.admitters.resource_claims import CLAIM_CHECKS
from renderer.admitters.scheduling import check_affinity, check_topology_spread
from renderer.admitters.vmi_spec import VmiSpec
from renderer.admitters.volumes import check_container_disks, check_utility_volumes, check_volumes


def _disks_check(decides: int, *, since: str = "", until: str = "") -> Check[[VmiSpec, AdmittingCluster]]:
    check = once_for_equal(partial(check_disks, decides=decides), lambda vmi: vmi.disks)
    return on(check, "disks", upstream="ValidateDisks", since=since, until=until)


_PROBES = ("readinessProbe", "livenessProbe")

SPEC_CHECKS: CheckTable[[VmiSpec, AdmittingCluster]] = CheckTable(
    *NUMBER_CHECKS,
    on(check_hostname, "hostname", upstream="validateHostNameNotConformingToDNSLabelRules"),
    on(check_subdomain, "subdomain", upstream="validateSubdomainDNSSubdomainRules"),
    on(check_memory_request, "requests", upstream="validateMemoryRequestsNegativeOrNull"),
    on(check_memory_limit, "limits", upstream="validateMemoryLimitsNegativeOrNull"),
    on(
        partial(check_page_size, reported=("domain", "hugepages", "size")),
        "hugepages",
        upstream="validateHugepagesMemoryRequests",
        until="1.8",
    ),
    on(
        partial(check_page_size, reported=("domain", "memory", "hugepages", "pageSize")),
        "hugepages",
        upstream="validateHugepagesMemoryRequests",
        since="1.8",
    ),
    on(check_huge_pages_of_request, "hugepages", upstream="validateHugepagesMemoryRequests", until="1.6"),
    on(check_huge_pages, "hugepages", upstream="validateHugepagesMemoryRequests", since="1.6"),
    on(check_guest_memory, "limits", upstream="validateGuestMemoryLimit", until="1.2"),
    on(check_guest_memory_unless_live, "limits", upstream="validateGuestMemoryLimit", since="1.2"),
    *MACHINE_CHECKS,
    on(check_serial, "firmware", upstream="validateFirmwareSerial", until="1.5"),
    on(check_slic, "firmware", upstream="validateFirmwareACPI", since="1.5", until="1.6"),
    on(check_acpi, "firmware", upstream="validateFirmwareACPI", since="1.6"),
    on(check_cpu_request, "requests", upstream="validateCPURequestNotNegative"),
    on(check_cpu_limit, "limits", upstream="validateCPULimitNotNegative"),
    on(check_cpu_request_in_limit, "limits", upstream="validateCpuRequestDoesNotExceedLimit"),
    on(check_dedicated_cpus, "dedicatedCpuPlacement", upstream="validateCpuPinning"),
    on(check_numa, "numa", upstream="validateNUMA"),
    on(check_emulator_thread, "isolateEmulatorThread", upstream="validateCPUIsolatorThread"),
    on(check_cpu_features, "features", upstream="validateCPUFeaturePolicies"),
    on(check_max_sockets, "maxSockets", upstream="validateCPUHotplug"),
    on(check_start_strategy, "startStrategy", upstream="validateStartStrategy"),
    on(check_realtime, "realtime", upstream="validateRealtime"),
    on(check_affinity, "affinity", upstream="validateSpecAffinity"),
    on(
        check_topology_spread,
        "topologySpreadConstraints",
        upstream="validateSpecTopologySpreadConstraints",
    ),
    on(check_foreign_architecture, "architecture", upstream="validateArchitecture", until="1.8"),
    *NETWORK_CHECKS_BEFORE_BOOT_ORDER,
    on(check_disk_volumes, "disks", upstream="validateBootOrder", until="1.3"),
    *NETWORK_CHECKS_AFTER_BOOT_ORDER,
    on(check_networks, "networks", "interfaces", upstream="netadmitter.Validate", since="1.3"),
    *CLAIM_CHECKS,
    on(check_boot_order, "disks", "interfaces", upstream="validateBootOrder", since="1.3"),
    on(check_inputs, "inputs", upstream="validateInputDevices"),
    on(
        partial(check_io_threads_policy, policies=("shared", "auto")),
        "ioThreadsPolicy",
        upstream="validateIOThreadsPolicy",
        until="1.5",
    ),
    on(
        partial(check_io_threads_policy, policies=("shared", "auto", "supplementalPool")),
        "ioThreadsPolicy",
        upstream="validateIOThreadsPolicy",
        since="1.5",
    ),
    on(check_io_threads_pool, "ioThreadsPolicy", upstream="validateIOThreadsPolicy", since="1.5"),
    on(check_probes, *_PROBES, upstream="validateProbe"),
    on(check_probes_have_pod_interface, *_PROBES, upstream="getNumberOfPodInterfaces", until="1.5"),
    on(check_probes_have_pod_network, *_PROBES, upstream="vmispec.LookupPodNetwork", since="1.5"),
    _disks_check(-1, until="1.3"),
    _disks_check(0, since="1.3"),
    on(check_firmware, "firmware", upstream="validateFirmware"),
    on(check_secure_boot, "firmware", upstream="validateDomainSpec", until="1.9"),
    on(check_secure_boot_without_tdx, "firmware", upstream="validateDomainSpec", since="1.9"),
    on(check_volumes, "volumes", upstream="validateVolumes"),
    on(check_container_disks, "volumes", upstream="ValidateContainerDisks"),
    on(
        check_utility_volumes,
        "utilityVolumes",
        upstream="ValidateUtilityVolumesNotPresentOnCreation",
        since="1.8",
    ),
    on(
        check_number_of_access_credentials,
        "accessCredentials",
        upstream="validateAccessCredentials",
        until="1.3",
    ),
    on(check_access_credentials, "accessCredentials", upstream="validateAccessCredentials", since="1.3"),
    on(check_dns_policy, "dnsPolicy", upstream="validateDNSPolicy"),
    on(check_dns_config, "dnsPolicy", "dnsConfig", upstream="validatePodDNSConfig"),
    on(check_eviction_strategy, upstream="validateLiveMigration"),
    on(check_gpus, "gpus", upstream="validateGPUsWithPassthroughEnabled", until="1.4"),
    on(
        partial(check_ram_framebuffers, counts_silent=False),
        "gpus",
        upstream="countConfiguredMDEVRamFBs",
        since="1.3",
        until="1.9",
    ),
    on(
        partial(check_ram_framebuffers, counts_silent=True),
        "gpus",
        upstream="countConfiguredMDEVRamFBs",
        since="1.9",
    ),
    on(
        check_root_filesystems,
        "filesystems",
        upstream="validateFilesystemsWithVirtIOFSEnabled",
        until="1.2",
    ),
    on(check_host_devices, "hostDevices", upstream="validateHostDevicesWithPassthroughEnabled"),
    on(check_grace, "gpus", "hostDevices", upstream="validateGraceIOVirtualization", since="1.9"),
    on(check_sound, "sound", upstream="validateSoundDevices"),
    on(check_gated_launch_security, "launchSecurity", upstream="validateLaunchSecurity", until="1.6"),
    on(
        check_sev_and_secure_execution,
        "launchSecurity",
        upstream="validateLaunchSecurity",
        since="1.6",
        until="1.7",
    ),
    on(
        check_secure_execution,
        "launchSecurity",
        upstream="webhooks/s390x.go ValidateLaunchSecurityS390x",
        since="1.7",
        until="1.9",
    ),
    on(
        check_launch_security,
        "launchSecurity",
        upstream="webhooks/amd64.go ValidateLaunchSecurityAmd64",
        since="1.7",
    ),
    on(check_vsock, "autoattachVSOCK", upstream="validateVSOCK"),
    on(check_reservations_by_gate, "disks", upstream="validatePersistentReservation", until="1.9"),
    on(check_reservations, "disks", upstream="validatePersistentReservation", since="1.9"),
    on(check_persistent_tpm, "tpm", upstream="validatePersistentState", until="1.4"),
    on(check_enabled_persistent_tpm, "tpm", upstream="validatePersistentState", since="1.4", until="1.6"),
    on(check_persistent_efi, "firmware", upstream="validatePersistentState", since="1.1", until="1.6"),
    on(check_downward_metrics, "downwardMetrics", upstream="validateDownwardMetrics", since="1.1"),
    on(
        check_filesystems_by_two_gates,
        "filesystems",
        upstream="validateFilesystemsWithVirtIOFSEnabled",
        since="1.5",
        until="1.8",
    ),
    on(
        check_storage_filesystems,
        "filesystems",
        upstream="validateFilesystemsWithVirtIOFSEnabled",
        since="1.8",
    ),
    on(check_gated_video, "video", upstream="validateVideoConfig", since="1.6", until="1.9"),
    on(check_video, "video", upstream="validateVideoConfig", since="1.9"),
    on(
        partial(check_gated_panic_devices, without=("s390x", "ppc64le")),
        "panicDevices",
        upstream="validatePanicDevices",
        since="1.6",
        until="1.7",
    ),
    on(
        partial(check_gated_panic_devices, without=("s390x",)),
        "panicDevices",
        upstream="validatePanicDevices",
        since="1.7",
        until="1.9",
    ),
    on(
        partial(check_panic_devices, without=("s390x",)),
        "panicDevices",
        upstream="validatePanicDevices",
        since="1.9",
    ),
    on(check_reboot_policy, "rebootPolicy", upstream="validateRebootPolicy", since="1.8"),
    on(check_reserved_overhead, "reservedOverhead", upstream="validateReservedOverheadMemlock", since="1.8"),
    on(check_service_account_name, "serviceAccountName", upstream="validateServiceAccountName", since="1.9"),
)
