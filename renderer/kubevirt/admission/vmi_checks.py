"""The checks of a VirtualMachineInstance's spec, in the order of ``ValidateVirtualMachineInstanceSpec``."""

from __future__ import annotations

from functools import partial

from renderer.kubevirt.admission import (
    access_credentials,
    cpu,
    devices,
    dns,
    firmware,
    launch_security,
    memory,
    scheduling,
)
from renderer.kubevirt.admission.architectures import MACHINE_CHECKS, check_foreign_architecture
from renderer.kubevirt.admission.boot_order import check_boot_order, check_disk_volumes
from renderer.kubevirt.admission.check_table import CheckTable, row
from renderer.kubevirt.admission.disks import check_disks, check_reservations, check_reservations_by_gate
from renderer.kubevirt.admission.grace import check_grace
from renderer.kubevirt.admission.lifecycle import (
    check_eviction_strategy,
    check_probes,
    check_probes_have_pod_interface,
    check_probes_have_pod_network,
    check_start_strategy,
)
from renderer.kubevirt.admission.metadata import check_service_account_name
from renderer.kubevirt.admission.network.before_1_3 import (
    NETWORK_CHECKS_AFTER_BOOT_ORDER,
    NETWORK_CHECKS_BEFORE_BOOT_ORDER,
    NUMBER_CHECKS,
)
from renderer.kubevirt.admission.network.networks import check_networks
from renderer.kubevirt.admission.resource_claims import CLAIM_CHECKS
from renderer.kubevirt.admission.vmi_spec import VmiSpec
from renderer.kubevirt.admission.volumes import check_container_disks, check_utility_volumes, check_volumes
from renderer.kubevirt.facts.cluster import Cluster

_NETWORK = ("networks", "interfaces")
_PROBES = ("readinessProbe", "livenessProbe")

SPEC_CHECKS: CheckTable[[VmiSpec, Cluster]] = CheckTable(
    *NUMBER_CHECKS,
    row(dns.check_hostname, "hostname", upstream="validateHostNameNotConformingToDNSLabelRules"),
    row(dns.check_subdomain, "subdomain", upstream="validateSubdomainDNSSubdomainRules"),
    row(memory.check_memory_request, "requests", upstream="validateMemoryRequestsNegativeOrNull"),
    row(memory.check_memory_limit, "limits", upstream="validateMemoryLimitsNegativeOrNull"),
    row(
        partial(memory.check_page_size, reported=("domain", "hugepages", "size")),
        "hugepages",
        upstream="validateHugepagesMemoryRequests",
        until="1.8",
    ),
    row(
        partial(memory.check_page_size, reported=("domain", "memory", "hugepages", "pageSize")),
        "hugepages",
        upstream="validateHugepagesMemoryRequests",
        since="1.8",
    ),
    row(
        memory.check_huge_pages_of_request,
        "hugepages",
        upstream="validateHugepagesMemoryRequests",
        until="1.6.4",
    ),
    row(memory.check_huge_pages, "hugepages", upstream="validateHugepagesMemoryRequests", since="1.6.4"),
    row(memory.check_guest_memory, "limits", upstream="validateGuestMemoryLimit", until="1.2.1"),
    row(memory.check_guest_memory_unless_live, "limits", upstream="validateGuestMemoryLimit", since="1.2.1"),
    *MACHINE_CHECKS,
    row(firmware.check_serial, "firmware", upstream="validateFirmwareSerial", until="1.5.3 1.6"),
    row(firmware.check_slic, "firmware", upstream="validateFirmwareACPI", since="1.5", until="1.6"),
    row(firmware.check_acpi, "firmware", upstream="validateFirmwareACPI", since="1.6"),
    row(cpu.check_cpu_request, "requests", upstream="validateCPURequestNotNegative"),
    row(cpu.check_cpu_limit, "limits", upstream="validateCPULimitNotNegative"),
    row(cpu.check_cpu_request_in_limit, "limits", upstream="validateCpuRequestDoesNotExceedLimit"),
    row(cpu.check_dedicated_cpus, "dedicatedCpuPlacement", upstream="validateCpuPinning"),
    row(cpu.check_numa, "numa", upstream="validateNUMA"),
    row(cpu.check_emulator_thread, "isolateEmulatorThread", upstream="validateCPUIsolatorThread"),
    row(cpu.check_cpu_features, "features", upstream="validateCPUFeaturePolicies"),
    row(cpu.check_max_sockets, "maxSockets", upstream="validateCPUHotplug"),
    row(check_start_strategy, "startStrategy", upstream="validateStartStrategy"),
    row(cpu.check_realtime, "realtime", upstream="validateRealtime"),
    row(scheduling.check_affinity, "affinity", upstream="validateSpecAffinity"),
    row(
        scheduling.check_topology_spread,
        "topologySpreadConstraints",
        upstream="validateSpecTopologySpreadConstraints",
    ),
    row(check_foreign_architecture, "architecture", upstream="validateArchitecture", until="1.8"),
    *NETWORK_CHECKS_BEFORE_BOOT_ORDER,
    row(check_disk_volumes, "disks", upstream="validateBootOrder", until="1.3"),
    *NETWORK_CHECKS_AFTER_BOOT_ORDER,
    row(check_networks, *_NETWORK, upstream="netadmitter.Validate", since="1.3"),
    *CLAIM_CHECKS,
    row(check_boot_order, "disks", "interfaces", upstream="validateBootOrder", since="1.3"),
    row(devices.check_inputs, "inputs", upstream="validateInputDevices"),
    row(
        partial(devices.check_io_threads_policy, policies=("shared", "auto")),
        "ioThreadsPolicy",
        upstream="validateIOThreadsPolicy",
        until="1.5",
    ),
    row(
        partial(devices.check_io_threads_policy, policies=("shared", "auto", "supplementalPool")),
        "ioThreadsPolicy",
        upstream="validateIOThreadsPolicy",
        since="1.5",
    ),
    row(devices.check_io_threads_pool, "ioThreadsPolicy", upstream="validateIOThreadsPolicy", since="1.5"),
    row(check_probes, *_PROBES, upstream="validateProbe"),
    row(check_probes_have_pod_interface, *_PROBES, upstream="getNumberOfPodInterfaces", until="1.5"),
    row(check_probes_have_pod_network, *_PROBES, upstream="vmispec.LookupPodNetwork", since="1.5"),
    row(partial(check_disks, decides=-1), "disks", upstream="ValidateDisks", until="1.3"),
    row(partial(check_disks, decides=0), "disks", upstream="ValidateDisks", since="1.3"),
    row(firmware.check_firmware, "firmware", upstream="validateFirmware"),
    row(firmware.check_secure_boot, "firmware", upstream="validateDomainSpec", until="1.9"),
    row(firmware.check_secure_boot_without_tdx, "firmware", upstream="validateDomainSpec", since="1.9"),
    row(check_volumes, "volumes", upstream="validateVolumes"),
    row(check_container_disks, "volumes", upstream="ValidateContainerDisks"),
    row(
        check_utility_volumes,
        "utilityVolumes",
        upstream="ValidateUtilityVolumesNotPresentOnCreation",
        since="1.8",
    ),
    row(
        access_credentials.check_number_of_access_credentials,
        "accessCredentials",
        upstream="validateAccessCredentials",
        until="1.3",
    ),
    row(
        access_credentials.check_access_credentials,
        "accessCredentials",
        upstream="validateAccessCredentials",
        since="1.3",
    ),
    row(dns.check_dns_policy, "dnsPolicy", upstream="validateDNSPolicy"),
    row(dns.check_dns_config, "dnsPolicy", "dnsConfig", upstream="validatePodDNSConfig"),
    row(check_eviction_strategy, upstream="validateLiveMigration"),
    row(devices.check_gpus, "gpus", upstream="validateGPUsWithPassthroughEnabled", until="1.4"),
    row(
        partial(devices.check_ram_framebuffers, counts_silent=False),
        "gpus",
        upstream="countConfiguredMDEVRamFBs",
        since="1.3",
        until="1.10",
    ),
    row(
        partial(devices.check_ram_framebuffers, counts_silent=True),
        "gpus",
        upstream="countConfiguredMDEVRamFBs",
        since="1.10",
    ),
    row(
        devices.check_root_filesystems,
        "filesystems",
        upstream="validateFilesystemsWithVirtIOFSEnabled",
        until="1.2",
    ),
    row(devices.check_host_devices, "hostDevices", upstream="validateHostDevicesWithPassthroughEnabled"),
    row(check_grace, "gpus", "hostDevices", upstream="validateGraceIOVirtualization", since="1.9"),
    row(devices.check_sound, "sound", upstream="validateSoundDevices"),
    row(
        launch_security.check_gated_launch_security,
        "launchSecurity",
        upstream="validateLaunchSecurity",
        until="1.6",
    ),
    row(
        launch_security.check_sev_and_secure_execution,
        "launchSecurity",
        upstream="validateLaunchSecurity",
        since="1.6",
        until="1.7",
    ),
    row(
        launch_security.check_secure_execution,
        "launchSecurity",
        upstream="webhooks/s390x.go ValidateLaunchSecurityS390x",
        since="1.7",
        until="1.9",
    ),
    row(
        launch_security.check_launch_security,
        "launchSecurity",
        upstream="webhooks/amd64.go ValidateLaunchSecurityAmd64",
        since="1.7",
    ),
    row(devices.check_vsock, "autoattachVSOCK", upstream="validateVSOCK"),
    row(check_reservations_by_gate, "disks", upstream="validatePersistentReservation", until="1.9"),
    row(check_reservations, "disks", upstream="validatePersistentReservation", since="1.9"),
    row(firmware.check_persistent_tpm, "tpm", upstream="validatePersistentState", until="1.4.1 1.5.1"),
    row(
        firmware.check_enabled_persistent_tpm,
        "tpm",
        upstream="validatePersistentState",
        since="1.4.1 1.5.1",
        until="1.6",
    ),
    row(
        firmware.check_persistent_efi,
        "firmware",
        upstream="validatePersistentState",
        since="1.1",
        until="1.6",
    ),
    row(devices.check_downward_metrics, "downwardMetrics", upstream="validateDownwardMetrics", since="1.1"),
    row(
        devices.check_filesystems_by_two_gates,
        "filesystems",
        upstream="validateFilesystemsWithVirtIOFSEnabled",
        since="1.5",
        until="1.8",
    ),
    row(
        devices.check_storage_filesystems,
        "filesystems",
        upstream="validateFilesystemsWithVirtIOFSEnabled",
        since="1.8",
    ),
    row(devices.check_gated_video, "video", upstream="validateVideoConfig", since="1.6", until="1.9"),
    row(devices.check_video, "video", upstream="validateVideoConfig", since="1.9"),
    row(
        partial(devices.check_gated_panic_devices, without=("s390x", "ppc64le")),
        "panicDevices",
        upstream="validatePanicDevices",
        since="1.6",
        until="1.7",
    ),
    row(
        partial(devices.check_gated_panic_devices, without=("s390x",)),
        "panicDevices",
        upstream="validatePanicDevices",
        since="1.7",
        until="1.9",
    ),
    row(
        partial(devices.check_panic_devices, without=("s390x",)),
        "panicDevices",
        upstream="validatePanicDevices",
        since="1.9",
    ),
    row(devices.check_reboot_policy, "rebootPolicy", upstream="validateRebootPolicy", since="1.8"),
    row(
        memory.check_reserved_overhead,
        "reservedOverhead",
        upstream="validateReservedOverheadMemlock",
        since="1.8",
    ),
    row(check_service_account_name, "serviceAccountName", upstream="validateServiceAccountName", since="1.9"),
)
