"""The pin that keeps a VirtualMachine at the current state of its instance type and preference."""

from __future__ import annotations

from dataclasses import dataclass, field

from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import JsonObject
from renderer.model.kube.resource import Resource


@dataclass(frozen=True, slots=True)
class Pinnable:
    """A VirtualMachine or VirtualMachinePool of an overlay, and its proposed pin.

    ``patch`` is a strategic merge patch of the VirtualMachine's ``spec``, empty if there is nothing to pin;
    ``findings`` say why it cannot be pinned. ``target`` is the resource at the point of the build at which
    the overlay's components are applied.
    """

    resource: Resource
    target: Resource
    patch: JsonObject = field(default_factory=dict)
    revisions: tuple[JsonObject, ...] = ()
    findings: tuple[Diagnostic, ...] = ()

    @property
    def label(self) -> str:
        """``VirtualMachine prod/db``."""
        return str(self.resource.current_id)
