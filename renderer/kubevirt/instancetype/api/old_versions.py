"""The specs of v1alpha1 and v1alpha2, which KubeVirt 1.0 to 1.6 decode, and their conversion to v1beta1.

KubeVirt ``staging/src/kubevirt.io/api/instancetype``, ``v1alpha1`` and ``v1alpha2`` (``types.go``,
``conversion.go``).
"""

from __future__ import annotations

from renderer.kubevirt.instancetype.api.core import (
    GPUS,
    HOST_DEVICES,
    HUGEPAGES,
    LAUNCH_SECURITY,
    NUMA,
    REALTIME,
)
from renderer.kubevirt.instancetype.api.preference import (
    CLOCK,
    FEATURES,
    FIRST_DEVICES,
    FIRST_FIRMWARE,
    MACHINE,
    VOLUMES,
)
from renderer.kubevirt.instancetype.api.types import (
    BOOL,
    QUANTITY,
    STRING,
    UINT32,
    Struct,
    always_encoded,
    pointer,
)
from renderer.model.kube.json import JsonObject, object_at, text_at, with_value, without

_CPU = Struct(
    {
        "guest": always_encoded(UINT32),
        "model": STRING,
        "dedicatedCPUPlacement": BOOL,
        "numa": NUMA,
        "isolateEmulatorThread": BOOL,
        "realtime": REALTIME,
    },
    value=True,
)
_MEMORY = Struct({"guest": always_encoded(QUANTITY), "hugepages": HUGEPAGES}, value=True)

#: The same in both versions.
OLD_INSTANCETYPE_SPEC = Struct(
    {
        "cpu": _CPU,
        "memory": _MEMORY,
        "gpus": GPUS,
        "hostDevices": HOST_DEVICES,
        "ioThreadsPolicy": pointer(STRING),
        "launchSecurity": LAUNCH_SECURITY,
    },
    value=True,
)

V1ALPHA1_PREFERENCE_SPEC = Struct(
    {
        "clock": CLOCK,
        "cpu": Struct({"preferredCPUTopology": STRING}),
        "devices": Struct(FIRST_DEVICES),
        "features": FEATURES,
        "firmware": Struct(FIRST_FIRMWARE),
        "machine": MACHINE,
    },
    value=True,
)
V1ALPHA2_PREFERENCE_SPEC = Struct({**V1ALPHA1_PREFERENCE_SPEC.fields, "volumes": VOLUMES}, value=True)

#: Values in the old versions, pointers in v1beta1: an unset field becomes a zero value that is set.
_BECOMES_POINTER: JsonObject = {"model": "", "dedicatedCPUPlacement": False, "isolateEmulatorThread": False}


def upgraded_instancetype(spec: JsonObject) -> JsonObject:
    """Return a decoded v1alpha1 or v1alpha2 instance type spec as v1beta1."""
    return {**spec, "cpu": {**_BECOMES_POINTER, **object_at(spec, "cpu")}}


def upgraded_preference(spec: JsonObject) -> JsonObject:
    """Return a decoded v1alpha1 or v1alpha2 preference spec as v1beta1."""
    if spec.get("cpu") is not None and not text_at(spec, "cpu", "preferredCPUTopology"):
        return with_value(spec, ("cpu",), without(object_at(spec, "cpu"), "preferredCPUTopology"))
    return spec
