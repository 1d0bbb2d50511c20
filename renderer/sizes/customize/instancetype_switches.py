"""The switches for instance types.

The fields are those of ``VirtualMachineInstancetypeSpec`` (KubeVirt
``staging/src/kubevirt.io/api/instancetype/v1beta1/types.go``); names that ``virtctl create instancetype`` has
for them are taken as well.
"""

from __future__ import annotations

from renderer.model.json import EMPTY
from renderer.sizes.customize.switch import Switch
from renderer.sizes.customize.values import Constant, Count, Devices, Memory, PageSize, Pairs, Text

_ON, _PRESENT = Constant(), Constant(EMPTY)
_PERCENT = Count(0, 100)

INSTANCETYPE_SWITCHES = (
    Switch("vcpus", "cpu.guest", Count(), "vCPUs of the guest.", alias="cpu", is_optional=False),
    Switch("memory", "memory.guest", Memory(), "Memory of the guest.", is_optional=False),
    Switch("max-sockets", "cpu.maxSockets", Count(), "How many sockets can be hot-plugged to."),
    Switch("cpu-model", "cpu.model", Text("MODEL"), "CPU model, such as host-passthrough."),
    Switch("dedicated-cpus", "cpu.dedicatedCPUPlacement", _ON, "A physical core for each vCPU."),
    Switch("isolate-emulator-thread", "cpu.isolateEmulatorThread", _ON, "One more core, for the emulator."),
    Switch(
        "numa-passthrough", "cpu.numa.guestMappingPassthrough", _PRESENT, "The host's NUMA nodes, to be seen."
    ),
    Switch("realtime", "cpu.realtime", _PRESENT, "vCPUs that run with realtime priority."),
    Switch("hugepages", "memory.hugepages.pageSize", PageSize(), "Memory in huge pages: 2Mi, 1Gi."),
    Switch(
        "max-guest-memory",
        "memory.maxGuest",
        Memory(),
        "How far memory can be hot-plugged.",
        alias="max-guest",
    ),
    Switch(
        "overcommit-percent",
        "memory.overcommitPercent",
        _PERCENT,
        "How much less memory is requested of the node.",
        alias="overcommit",
    ),
    Switch(
        "io-threads-policy",
        "ioThreadsPolicy",
        Text("POLICY"),
        "auto, shared or supplementalPool.",
        alias="iothreadspolicy",
    ),
    Switch("io-threads", "ioThreads.supplementalPoolThreadCount", Count(), "Threads of a supplementalPool."),
    Switch("gpu", "gpus", Devices(), "A GPU to pass through, beside or instead of one of that name."),
    Switch("host-device", "hostDevices", Devices(), "Any other device, likewise.", alias="hostdevice"),
    Switch("node-selector", "nodeSelector", Pairs(are_labels=True), "A label that the node must have."),
    Switch("scheduler-name", "schedulerName", Text("NAME"), "Scheduler of the pods."),
    Switch("vm-annotation", "annotations", Pairs(are_labels=False), "An annotation of the VM that uses it."),
)
