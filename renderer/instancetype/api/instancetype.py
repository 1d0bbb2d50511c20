"""``VirtualMachineInstancetypeSpec`` of v1beta1.

KubeVirt ``staging/src/kubevirt.io/api/instancetype/v1beta1/types.go``.
"""

from __future__ import annotations

from renderer.instancetype.api.core import (
    GPUS,
    HOST_DEVICES,
    HUGEPAGES,
    IO_THREADS,
    LAUNCH_SECURITY,
    NUMA,
    REALTIME,
)
from renderer.instancetype.api.types import (
    BOOL,
    INT64,
    QUANTITY,
    STRING,
    STRING_MAP,
    UINT32,
    Struct,
    pointer,
    written,
)

_CPU = Struct(
    {
        "guest": written(UINT32),
        "model": pointer(STRING),
        "dedicatedCPUPlacement": pointer(BOOL),
        "numa": NUMA,
        "isolateEmulatorThread": pointer(BOOL),
        "realtime": REALTIME,
        "maxSockets": pointer(UINT32),
    },
    value=True,
)
_MEMORY = Struct(
    {
        "guest": written(QUANTITY),
        "hugepages": HUGEPAGES,
        "overcommitPercent": INT64,
        "maxGuest": pointer(QUANTITY),
    },
    value=True,
)

INSTANCETYPE_SPEC = Struct(
    {
        "nodeSelector": STRING_MAP,
        "schedulerName": STRING,
        "cpu": _CPU,
        "memory": _MEMORY,
        "gpus": GPUS,
        "hostDevices": HOST_DEVICES,
        "ioThreadsPolicy": pointer(STRING),
        "ioThreads": IO_THREADS,
        "launchSecurity": LAUNCH_SECURITY,
        "annotations": STRING_MAP,
    },
    value=True,
)
