"""Matchers that another tool has yet to fill in: what they name is not known, and nothing is expanded."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.instancetype.matcher import INSTANCETYPE, PREFERENCE
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.json import object_at
from renderer.model.placeholder import placeholder_in


def unresolved_matchers(vm: VirtualMachine) -> Iterator[Diagnostic]:
    """A warning for each text in the matchers of ``vm`` that holds a placeholder."""
    for matcher_type in (INSTANCETYPE, PREFERENCE):
        for key, value in object_at(vm.spec, matcher_type.key).items():
            placeholder = placeholder_in(value)
            if placeholder:
                at = vm.field(matcher_type.path.child(key))
                yield Diagnostic(
                    code=Code.PLACEHOLDER,
                    severity=Severity.WARNING,
                    message=f"{at} holds the placeholder {placeholder}, so that the VM is not expanded",
                    sites=vm.resource.sites(at),
                    resource=vm.resource.current_id,
                    field=at,
                )
