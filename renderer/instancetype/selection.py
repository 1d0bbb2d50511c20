"""What a VM's matchers selected."""

from __future__ import annotations

from dataclasses import dataclass

from renderer.instancetype.behaviour import Behaviour
from renderer.model.json import JsonObject


@dataclass(frozen=True, slots=True)
class Selection:
    """The ``spec`` of the instance type and of the preference, empty where there is none, and the release.

    With ``vm_gives_memory``, ``memory.guest`` of the instance type is what the VM says.
    """

    instancetype: JsonObject
    preference: JsonObject
    behaviour: Behaviour
    vm_gives_memory: bool = False
