"""What is applied to a VM: the specs of its instance type and preference, and the error of what cannot be."""

from __future__ import annotations

from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.json import JsonObject
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum


class FieldOwner(TextEnum):
    """The object in whose document a field is counted."""

    VM = "VM"
    INSTANCETYPE = "instance type"
    PREFERENCE = "preference"


class ApplyError(DiagnosticError):
    """Something cannot be applied; ``diagnostic.field`` is counted in the document of ``owner``."""

    def __init__(self, owner: FieldOwner, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.owner = owner


class AppliedSpecs(Record):
    """The ``spec`` of the instance type and of the preference, empty where there is none, and the release.

    With ``vm_gives_memory``, the VM itself gave ``memory.guest`` of the instance type.
    """

    instancetype: JsonObject
    preference: JsonObject
    behaviour: Behaviour
    vm_gives_memory: bool = False
