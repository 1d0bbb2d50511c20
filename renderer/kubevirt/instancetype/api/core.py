"""The types of ``kubevirt.io/api/core/v1`` that instance types and preferences share with VirtualMachines.

KubeVirt ``staging/src/kubevirt.io/api/core/v1/schema.go``.
"""

from __future__ import annotations

from renderer.kubevirt.instancetype.api.types import (
    BOOL,
    EMPTY_STRUCT,
    INT64,
    STRING,
    UINT,
    UINT32,
    ListOf,
    Struct,
    always_encoded,
    pointer,
)
from renderer.model.release import Release

FEATURE_STATE = Struct({"enabled": pointer(BOOL)})

CPU_FEATURES = ListOf(Struct({"name": always_encoded(STRING), "policy": STRING}))
NUMA = Struct({"guestMappingPassthrough": EMPTY_STRUCT})
REALTIME = Struct({"mask": STRING})
HUGEPAGES = Struct({"pageSize": STRING})
IO_THREADS = Struct({"supplementalPoolThreadCount": pointer(UINT32)})

_SEV = Struct(
    {
        "policy": Struct({"encryptedState": pointer(BOOL)}),
        "attestation": EMPTY_STRUCT,
        "session": STRING,
        "dhCert": STRING,
    },
    later={"attestation": Release(1, 1), "session": Release(1, 1), "dhCert": Release(1, 1)},
)
LAUNCH_SECURITY = Struct(
    {"sev": _SEV, "snp": EMPTY_STRUCT, "tdx": EMPTY_STRUCT},
    later={"snp": Release(1, 7), "tdx": Release(1, 7)},
)

VIRTUAL_GPU_OPTIONS = Struct({"display": Struct({"enabled": pointer(BOOL), "ramFB": FEATURE_STATE})})
_CLAIM_REQUEST = {"claimName": STRING, "requestName": STRING}
_CLAIM_REQUEST_LATER = {"claimName": Release(1, 6), "requestName": Release(1, 6)}
_HOST_DEVICE = {"name": always_encoded(STRING), "deviceName": STRING, "tag": STRING, **_CLAIM_REQUEST}
HOST_DEVICES = ListOf(Struct(_HOST_DEVICE, later=_CLAIM_REQUEST_LATER))
GPUS = ListOf(Struct({**_HOST_DEVICE, "virtualGPUOptions": VIRTUAL_GPU_OPTIONS}, later=_CLAIM_REQUEST_LATER))

BLOCK_SIZE = Struct(
    {
        "custom": Struct(
            {"logical": UINT, "physical": UINT, "discardGranularity": pointer(UINT)},
            later={"discardGranularity": Release(1, 7)},
        ),
        "matchVolume": FEATURE_STATE,
    }
)
TPM = Struct({"enabled": pointer(BOOL), "persistent": pointer(BOOL)}, later={"enabled": Release(1, 4, 1)})
EFI = Struct({"secureBoot": pointer(BOOL), "persistent": pointer(BOOL)}, later={"persistent": Release(1, 1)})

APIC = Struct({**FEATURE_STATE.fields, "endOfInterrupt": BOOL})
KVM = Struct({"hidden": BOOL})
_TLB_FLUSH = Struct(
    {**FEATURE_STATE.fields, "direct": FEATURE_STATE, "extended": FEATURE_STATE},
    later={"direct": Release(1, 8), "extended": Release(1, 8)},
)
HYPERV = Struct(
    {
        "relaxed": FEATURE_STATE,
        "vapic": FEATURE_STATE,
        "spinlocks": Struct({**FEATURE_STATE.fields, "spinlocks": pointer(UINT32)}),
        "vpindex": FEATURE_STATE,
        "runtime": FEATURE_STATE,
        "synic": FEATURE_STATE,
        "synictimer": Struct({**FEATURE_STATE.fields, "direct": FEATURE_STATE}),
        "reset": FEATURE_STATE,
        "vendorid": Struct({**FEATURE_STATE.fields, "vendorid": STRING}),
        "frequencies": FEATURE_STATE,
        "reenlightenment": FEATURE_STATE,
        "tlbflush": _TLB_FLUSH,
        "ipi": FEATURE_STATE,
        "evmcs": FEATURE_STATE,
    }
)

CLOCK_OFFSET = Struct({"utc": Struct({"offsetSeconds": pointer(INT64)}), "timezone": pointer(STRING)})
_TIMER = {"present": pointer(BOOL)}
TIMER = Struct(
    {
        "hpet": Struct({**_TIMER, "tickPolicy": STRING}),
        "kvm": Struct(_TIMER),
        "pit": Struct({**_TIMER, "tickPolicy": STRING}),
        "rtc": Struct({**_TIMER, "tickPolicy": STRING, "track": STRING}),
        "hyperv": Struct(_TIMER),
    }
)
