"""``VirtualMachineInstancetypeSpec`` of v1beta1, and of v1beta2 in the customisation proposal.

KubeVirt ``staging/src/kubevirt.io/api/instancetype/v1beta1/types.go``.
"""

from __future__ import annotations

from renderer.kubevirt.instancetype.api.core import (
    GPUS,
    HOST_DEVICES,
    HUGEPAGES,
    IO_THREADS,
    LAUNCH_SECURITY,
    NUMA,
    REALTIME,
)
from renderer.kubevirt.instancetype.api.types import (
    BOOL,
    INT64,
    QUANTITY,
    STRING,
    STRING_MAP,
    UINT32,
    Scalar,
    Struct,
    always_encoded,
    pointer,
)
from renderer.model.kube.json import JsonObject, object_at
from renderer.model.release import Release


def instancetype_spec(*, guest_vcpus: Scalar, guest_memory: Scalar) -> Struct:
    """Return the spec with these types of ``cpu.guest`` and ``memory.guest``, which differ by API version."""
    cpu = Struct(
        {
            "guest": guest_vcpus,
            "model": pointer(STRING),
            "dedicatedCPUPlacement": pointer(BOOL),
            "numa": NUMA,
            "isolateEmulatorThread": pointer(BOOL),
            "realtime": REALTIME,
            "maxSockets": pointer(UINT32),
        },
        later={"maxSockets": Release(1, 3)},
        value=True,
    )
    memory = Struct(
        {
            "guest": guest_memory,
            "hugepages": HUGEPAGES,
            "overcommitPercent": INT64,
            "maxGuest": pointer(QUANTITY),
        },
        later={"maxGuest": Release(1, 3)},
        value=True,
    )
    return Struct(
        {
            "nodeSelector": STRING_MAP,
            "schedulerName": STRING,
            "cpu": cpu,
            "memory": memory,
            "gpus": GPUS,
            "hostDevices": HOST_DEVICES,
            "ioThreadsPolicy": pointer(STRING),
            "ioThreads": IO_THREADS,
            "launchSecurity": LAUNCH_SECURITY,
            "annotations": STRING_MAP,
        },
        later={
            "nodeSelector": Release(1, 1),
            "schedulerName": Release(1, 1),
            "annotations": Release(1, 1),
            "ioThreads": Release(1, 7),
        },
        value=True,
    )


INSTANCETYPE_SPEC = instancetype_spec(
    guest_vcpus=always_encoded(UINT32), guest_memory=always_encoded(QUANTITY)
)
#: Has ``cpu.guest`` and ``memory.guest`` only if they were written: the size may be left to the VM.
#: No release serves v1beta2: it belongs to the customisation proposal ("Make ``spec.cpu.guest`` and
#: ``spec.memory.guest`` optional"). It is read and never written; everything else is as in v1beta1.
V1BETA2_INSTANCETYPE_SPEC = instancetype_spec(guest_vcpus=pointer(UINT32), guest_memory=pointer(QUANTITY))


def leaves_vcpus_to_vm(spec: JsonObject) -> bool:
    """Return True if an instance type with that spec has no ``cpu.guest``."""
    return object_at(spec, "cpu").get("guest") is None


def leaves_memory_to_vm(spec: JsonObject) -> bool:
    """Return True if an instance type with that spec has no ``memory.guest``."""
    return object_at(spec, "memory").get("guest") is None


def is_incomplete(spec: JsonObject) -> bool:
    """Return True if an instance type with that spec leaves vCPUs or memory to the VM."""
    return leaves_vcpus_to_vm(spec) or leaves_memory_to_vm(spec)
