"""The names that the machines of a VirtualMachinePool have of their own.

KubeVirt ``pkg/virt-controller/watch/pool/pool.go`` indexVMSpec: if ``spec.nameGeneration`` asks for it, the
index of each machine is appended to the ConfigMaps or Secrets that its volumes name. No other reference gets
one: neither ``sysprep`` nor ``accessCredentials``, and cloud-init only in later releases.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from renderer.kubevirt.facts.cloud_init import CLOUD_INIT_VOLUMES
from renderer.kubevirt.facts.kinds import VM_POOL
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.json import object_at
from renderer.model.pattern import pattern
from renderer.model.release import Release

_CONFIG_MAPS: Final = "appendIndexToConfigMapRefs"
_SECRETS: Final = "appendIndexToSecretRefs"
_SINCE_VOLUMES = Release(1, 5)
_SINCE_CLOUD_INIT = Release(1, 8)

#: The volumes whose references get an index, with the option that asks for it and the first such release.
_INDEXED_VOLUMES: Mapping[str, tuple[str, Release]] = {
    "configMap": (_CONFIG_MAPS, _SINCE_VOLUMES),
    "secret": (_SECRETS, _SINCE_VOLUMES),
    **dict.fromkeys(CLOUD_INIT_VOLUMES, (_SECRETS, _SINCE_CLOUD_INIT)),
}
_INDEXED_NAME = pattern(r"(?s)(.*)-(0|[1-9][0-9]{0,8})")


def index_option(volume: str) -> tuple[str, Release] | None:
    """Return the option that appends an index to the references of a volume, and the first such release.

    Return None for a volume whose references never get an index.
    """
    return _INDEXED_VOLUMES.get(volume)


def has_indexed_references(machine: VirtualMachineView, volume: str, release: Release) -> bool:
    """Return True if each machine of a pool refers to an object of its own in a volume of this type."""
    option = _INDEXED_VOLUMES.get(volume)
    if option is None or machine.kind != VM_POOL:
        return False
    name, since = option
    generation = object_at(machine.resource.content, "spec", "nameGeneration")
    return release >= since and generation.get(name) is True


def split_index(name: str) -> tuple[str, int] | None:
    """Return the name that an index was appended to, and the index; None for a name without an index."""
    match = _INDEXED_NAME.fullmatch(name)
    return (match[1], int(match[2])) if match else None
