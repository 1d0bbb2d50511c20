"""Find virtual machines in files: as objects, as patches, and inside other objects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from renderer.kubevirt.facts.kinds import MACHINES
from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.model.kube.json import Json, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.project.stray_patch import is_named_as_patch

_MACHINE = re.compile(
    rb"(?:^[ \t-]*|[{,][ \t]*)[\"']?kind[\"']?:[ \t]*[\"']?(?:%b)[\"']?[ \t]*(?:[,}]|(?:#.*)?\r?$)"
    % "|".join(MACHINES).encode(),
    re.MULTILINE,
)
#: Kinds whose virtual machines are patches, or are rendered through other entries.
_SKIPPED_KINDS = frozenset(
    {"Application", "ApplicationSet", "Component", "Kustomization", "Template", "VirtualMachineTemplate"}
)


class ContainingObject(NamedTuple):
    """An object that contains virtual machines, such as a Policy or a HelmRelease."""

    name: str
    machines: int

    @property
    def reason(self) -> str:
        """Return the reason why its virtual machines are not rendered."""
        return f"{'it is' if self.machines == 1 else 'they are'} inside {self.name}"


def count_mentions(content: bytes) -> int:
    """Return the likely number of virtual machines in the text of a file; references count, too."""
    return len(_MACHINE.findall(content))


def machine_ids(resources: Iterable[Resource]) -> set[tuple[str, str]]:
    """Return kind and name of each virtual machine; a patch has the kind and name of its target."""
    return {(each.kind, each.name) for each in resources if each.kind in MACHINES}


def are_patches(path: str, resources: Iterable[Resource]) -> bool:
    """Return True if all virtual machines lack the parts of a guest, and so are probably patches.

    In a file with the name of a patch, the devices, which every machine has, suffice.
    """
    machines = [each for each in resources if each.kind in MACHINES]
    return bool(machines) and not any(_is_whole(path, each) for each in machines)


def _is_whole(path: str, machine: Resource) -> bool:
    paths = PATHS[machine.kind]
    if is_named_as_patch(path, machine.name):
        return "devices" in object_at(machine.content, *paths.instance.keys, "domain")
    return bool(object_at(machine.content, *paths.template.keys))


def containing_objects(resources: Iterable[Resource]) -> Iterator[ContainingObject]:
    """Yield the objects that contain virtual machines."""
    for each in resources:
        if each.kind not in _SKIPPED_KINDS and each.kind not in MACHINES:
            count = _count_machines(each.content)
            if count:
                yield ContainingObject(f"{each.kind} {each.name}", count)


def _count_machines(value: Json) -> int:
    """Return the number of virtual machines in a value, including texts; references do not count."""
    if isinstance(value, str):
        return count_mentions(value.encode(errors="replace")) if "\n" in value else 0
    if isinstance(value, list):
        return sum(map(_count_machines, value))
    if not isinstance(value, dict):
        return 0
    if text_at(value, "kind") in MACHINES and not value.keys().isdisjoint(("metadata", "spec")):
        return 1
    return sum(map(_count_machines, value.values()))
