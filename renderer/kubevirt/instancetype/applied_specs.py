"""The specs of instance type and preference to apply to a VM, and the error if that is impossible."""

from __future__ import annotations

from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import JsonObject
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum


class FieldOwner(TextEnum):
    """The object whose document a field belongs to."""

    VM = "VM"
    INSTANCETYPE = "instance type"
    PREFERENCE = "preference"


class ApplyError(DiagnosticError):
    """A spec cannot be applied; ``diagnostic.field`` is relative to the document of ``owner``."""

    def __init__(self, owner: FieldOwner, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.owner = owner


class AppliedSpecs(Record):
    """The ``spec`` of the instance type and of the preference, empty if missing, and the release.

    With ``vm_sets_memory``, the VM itself set ``memory.guest`` of the instance type.
    """

    instancetype: JsonObject
    preference: JsonObject
    behaviour: Behaviour
    vm_sets_memory: bool = False
