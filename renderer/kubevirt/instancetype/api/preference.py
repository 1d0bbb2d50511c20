"""``VirtualMachinePreferenceSpec`` of v1beta1.

KubeVirt ``staging/src/kubevirt.io/api/instancetype/v1beta1/types.go``.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.kubevirt.instancetype.api.core import (
    APIC,
    BLOCK_SIZE,
    CLOCK_OFFSET,
    CPU_FEATURES,
    EFI,
    FEATURE_STATE,
    HYPERV,
    KVM,
    LAUNCH_SECURITY,
    TIMER,
    TPM,
    VIRTUAL_GPU_OPTIONS,
)
from renderer.kubevirt.instancetype.api.types import (
    BOOL,
    EMPTY_STRUCT,
    INT64,
    QUANTITY,
    STRING,
    STRING_MAP,
    UINT32,
    GoType,
    Struct,
    always_encoded,
    pointer,
)
from renderer.model.release import Release

CLOCK = Struct({"preferredClockOffset": CLOCK_OFFSET, "preferredTimer": TIMER})
_SPREAD_OPTIONS = Struct({"across": pointer(STRING), "ratio": pointer(UINT32)})
_CPU = Struct(
    {
        "preferredCPUTopology": pointer(STRING),
        "spreadOptions": _SPREAD_OPTIONS,
        "preferredCPUFeatures": CPU_FEATURES,
    },
    later={"spreadOptions": Release(1, 3)},
)
#: The fields that v1alpha1 and v1alpha2 already had.
FIRST_DEVICES: Mapping[str, GoType] = {
    "preferredAutoattachGraphicsDevice": pointer(BOOL),
    "preferredAutoattachMemBalloon": pointer(BOOL),
    "preferredAutoattachPodInterface": pointer(BOOL),
    "preferredAutoattachSerialConsole": pointer(BOOL),
    "preferredAutoattachInputDevice": pointer(BOOL),
    "preferredDisableHotplug": pointer(BOOL),
    "preferredVirtualGPUOptions": VIRTUAL_GPU_OPTIONS,
    "preferredSoundModel": STRING,
    "preferredUseVirtioTransitional": pointer(BOOL),
    "preferredInputBus": STRING,
    "preferredInputType": STRING,
    "preferredDiskBus": STRING,
    "preferredLunBus": STRING,
    "preferredCdromBus": STRING,
    "preferredDiskDedicatedIoThread": pointer(BOOL),
    "preferredDiskCache": STRING,
    "preferredDiskIO": STRING,
    "preferredDiskBlockSize": BLOCK_SIZE,
    "preferredInterfaceModel": STRING,
    "preferredRng": EMPTY_STRUCT,
    "preferredBlockMultiQueue": pointer(BOOL),
    "preferredNetworkInterfaceMultiQueue": pointer(BOOL),
    "preferredTPM": TPM,
}
_DEVICES = Struct(
    {
        **FIRST_DEVICES,
        "preferredInterfaceMasquerade": EMPTY_STRUCT,
        "preferredPanicDeviceModel": pointer(STRING),
        "preferredVideoType": pointer(STRING),
    },
    later={"preferredPanicDeviceModel": Release(1, 6), "preferredVideoType": Release(1, 9)},
)
FEATURES = Struct(
    {
        "preferredAcpi": FEATURE_STATE,
        "preferredApic": APIC,
        "preferredHyperv": HYPERV,
        "preferredKvm": KVM,
        "preferredPvspinlock": FEATURE_STATE,
        "preferredSmm": FEATURE_STATE,
    }
)
FIRST_FIRMWARE: Mapping[str, GoType] = {
    "preferredUseBios": pointer(BOOL),
    "preferredUseBiosSerial": pointer(BOOL),
    "preferredUseEfi": pointer(BOOL),
    "preferredUseSecureBoot": pointer(BOOL),
}
_FIRMWARE = Struct({**FIRST_FIRMWARE, "preferredEfi": EFI}, later={"preferredEfi": Release(1, 4)})
MACHINE = Struct({"preferredMachineType": STRING})
VOLUMES = Struct({"preferredStorageClassName": STRING})
_REQUIREMENTS = Struct(
    {
        "cpu": Struct({"guest": always_encoded(UINT32)}),
        "memory": Struct({"guest": always_encoded(QUANTITY)}),
        "architecture": pointer(STRING),
    },
    later={"architecture": Release(1, 7)},
)

PREFERENCE_SPEC = Struct(
    {
        "clock": CLOCK,
        "cpu": _CPU,
        "devices": _DEVICES,
        "features": FEATURES,
        "firmware": _FIRMWARE,
        "machine": MACHINE,
        "volumes": VOLUMES,
        "preferredSubdomain": pointer(STRING),
        "preferredTerminationGracePeriodSeconds": pointer(INT64),
        "requirements": _REQUIREMENTS,
        "annotations": STRING_MAP,
        "preferSpreadSocketToCoreRatio": UINT32,
        "preferredArchitecture": pointer(STRING),
        "preferredLaunchSecurity": LAUNCH_SECURITY,
    },
    later={
        "annotations": Release(1, 1),
        "preferSpreadSocketToCoreRatio": Release(1, 1),
        "preferredArchitecture": Release(1, 7),
        "preferredLaunchSecurity": Release(1, 9),
    },
    value=True,
)
