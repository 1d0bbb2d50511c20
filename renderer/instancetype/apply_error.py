"""What makes an instance type or a preference impossible to apply."""

from __future__ import annotations

from enum import StrEnum

from renderer.model.diagnostic import Diagnostic, DiagnosticError


class Party(StrEnum):
    """Whose document a field is counted in."""

    VM = "VM"
    INSTANCETYPE = "instance type"
    PREFERENCE = "preference"


class ApplyError(DiagnosticError):
    """``diagnostic.field`` is a field of the document of ``party``; whoever knows its file adds the sites."""

    def __init__(self, party: Party, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.party = party
