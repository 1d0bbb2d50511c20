"""How a comparison learns what the cluster has of a VirtualMachine before and after a change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from renderer.kubevirt.impact.state import VmChange, vm_state
from renderer.model.kube.json import EMPTY
from renderer.model.kube.resource import Resource


class VmChangeOf(Protocol):
    """Returns the VirtualMachine in the cluster before and after a change; None if that is unknown."""

    @property
    def clusters(self) -> tuple[object, ...]:
        """The settings of the clusters on both sides; empty if they are unknown."""

    def access_modes(self, namespace: str) -> Mapping[str, tuple[str, ...]]:
        """Return the access modes of the claims and DataVolumes of a namespace by name."""

    def found_by(self, old: Resource, new: Resource) -> tuple[object, ...] | None:
        """Return, in plain values, what the machine finds in the cluster; None if that is unknown."""

    def __call__(self, old: Resource, new: Resource) -> VmChange | None: ...


class _AsWritten:
    """Takes a VirtualMachine exactly as its manifests say, without the defaults of any webhook."""

    clusters: tuple[object, ...] = ("as written",)

    def access_modes(self, _namespace: str) -> Mapping[str, tuple[str, ...]]:
        return EMPTY

    def found_by(self, _old: Resource, _new: Resource) -> tuple[object, ...]:
        return ()

    def __call__(self, old: Resource, new: Resource) -> VmChange:
        return VmChange(vm_state(old.content), vm_state(new.content))


change_as_written = _AsWritten()
