"""The checks of a VirtualMachineInstance's spec, in the order of ``ValidateVirtualMachineInstanceSpec``."""

from __future__ import annotations

from renderer.admitters.access_credentials import check_access_credentials
from renderer.admitters.architectures import check_machine_type
from renderer.admitters.boot_order import check_boot_order
from renderer.admitters.check_table import CheckTable, on, once_for_equal
from renderer.admitters.cluster import Cluster
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
    check_filesystems,
    check_gpus,
    check_host_devices,
    check_inputs,
    check_io_threads,
    check_panic_devices,
    check_persistent_reservation,
    check_ram_framebuffers,
    check_reboot_policy,
    check_sound,
    check_video,
    check_vsock,
)
from renderer.admitters.disks import check_disks
from renderer.admitters.dns import check_dns_config, check_dns_policy
from renderer.admitters.firmware import (
    check_acpi,
    check_firmware,
    check_persistent_state,
    check_secure_boot,
    check_serial,
)
from renderer.admitters.grace import check_grace
from renderer.admitters.launch_security import check_launch_security
from renderer.admitters.lifecycle import (
    check_eviction_strategy,
    check_probes,
    check_probes_have_pod_network,
    check_start_strategy,
)
from renderer.admitters.memory import (
    check_guest_memory,
    check_huge_pages,
    check_memory_limit,
    check_memory_request,
    check_reserved_overhead,
)
from renderer.admitters.metadata import check_hostname, check_service_account_name, check_subdomain
from renderer.admitters.network.checks import check_networks
from renderer.admitters.resource_claims import check_claimed_devices
from renderer.admitters.scheduling import check_affinity, check_topology_spread
from renderer.admitters.vmi_spec import VmiSpec
from renderer.admitters.volumes import check_container_disks, check_utility_volumes, check_volumes
from renderer.model.release import Release


def _machine(vmi: VmiSpec) -> object:
    return vmi.architecture, vmi.domain.get("machine")


SPEC_CHECKS: CheckTable[[VmiSpec, Cluster]] = CheckTable(
    on(check_hostname, "hostname"),
    on(check_subdomain, "subdomain"),
    on(check_memory_request, "requests"),
    on(check_memory_limit, "limits"),
    on(check_huge_pages, "hugepages"),
    on(check_guest_memory, "limits"),
    on(once_for_equal(check_machine_type, _machine), "machine"),
    on(check_serial, "firmware", until=Release(1, 6)),
    on(check_acpi, "firmware", since=Release(1, 6)),
    on(check_cpu_request, "requests"),
    on(check_cpu_limit, "limits"),
    on(check_cpu_request_in_limit, "limits"),
    on(check_dedicated_cpus, "dedicatedCpuPlacement"),
    on(check_numa, "numa"),
    on(check_emulator_thread, "isolateEmulatorThread"),
    on(check_cpu_features, "features"),
    on(check_max_sockets, "maxSockets"),
    on(check_start_strategy, "startStrategy"),
    on(check_realtime, "realtime"),
    on(check_affinity, "affinity"),
    on(check_topology_spread, "topologySpreadConstraints"),
    on(check_networks, "networks", "interfaces"),
    on(check_claimed_devices, "gpus", "hostDevices", "resourceClaims", since=Release(1, 8)),
    on(check_boot_order, "disks", "interfaces"),
    on(check_inputs, "inputs"),
    on(check_io_threads, "ioThreadsPolicy"),
    on(check_probes, "readinessProbe", "livenessProbe"),
    on(check_probes_have_pod_network, "readinessProbe", "livenessProbe"),
    on(once_for_equal(check_disks, lambda vmi: vmi.disks), "disks"),
    on(check_firmware, "firmware"),
    on(check_secure_boot, "firmware"),
    on(check_volumes, "volumes"),
    on(check_container_disks, "volumes"),
    on(check_utility_volumes, "utilityVolumes", since=Release(1, 8)),
    on(check_access_credentials, "accessCredentials"),
    on(check_dns_policy, "dnsPolicy"),
    on(check_dns_config, "dnsPolicy", "dnsConfig"),
    on(check_eviction_strategy),
    on(check_ram_framebuffers, "gpus", since=Release(1, 3)),
    on(check_gpus, "gpus", until=Release(1, 4)),
    on(check_host_devices, "hostDevices"),
    on(check_grace, "gpus", "hostDevices", since=Release(1, 9)),
    on(check_sound, "sound"),
    on(check_launch_security, "launchSecurity"),
    on(check_vsock, "autoattachVSOCK"),
    on(check_persistent_reservation, "disks"),
    on(check_persistent_state, "tpm", "firmware", until=Release(1, 6)),
    on(check_downward_metrics, "downwardMetrics"),
    on(check_filesystems, "filesystems", since=Release(1, 5)),
    on(check_video, "video", since=Release(1, 6)),
    on(check_panic_devices, "panicDevices", since=Release(1, 6)),
    on(check_reboot_policy, "rebootPolicy", since=Release(1, 8)),
    on(check_reserved_overhead, "reservedOverhead", since=Release(1, 8)),
    on(check_service_account_name, "serviceAccountName", since=Release(1, 9)),
)
