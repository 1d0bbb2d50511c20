"""The firmware UUID and serial of a VirtualMachine that sets none.

Until KubeVirt 1.5 the UUID is made of the machine's name when it starts (``pkg/virt-controller/watch/vm``
``setupStableFirmwareUUID``), later it is chosen at random when the machine is created, as the serial is.
"""

from __future__ import annotations

from renderer.model.kube.json import JsonObject, text_at, without

#: Stands for a value that KubeVirt chooses at random, once for each VirtualMachine.
AT_RANDOM = "chosen by KubeVirt"
#: Stands for the UUID that KubeVirt makes of the name.
FROM_NAME = "made of the name"

_NAME_SPACE = "6a1a24a1-4061-4607-8bf4-a3963d0c5895"


def uuid_of_name(name: str) -> str:
    """Return the UUID that KubeVirt makes of a name (``CalculateLegacyUUID``)."""
    from uuid import UUID, uuid5  # noqa: PLC0415 - few machines have such a UUID

    return str(uuid5(UUID(_NAME_SPACE), name))


def without_random_values(instance_spec: JsonObject) -> JsonObject:
    """Return the spec of an instance without the values that KubeVirt chooses, which it always admits."""
    for key in ("uuid", "serial"):
        if text_at(instance_spec, "domain", "firmware", key) == AT_RANDOM:
            instance_spec = without(instance_spec, "domain", "firmware", key)
    return instance_spec
