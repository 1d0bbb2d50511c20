"""``instancetype:`` and ``preference:`` with nothing after them, which expansion removes like the others."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.instancetype.matcher import INSTANCETYPE, PREFERENCE
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity


def empty_matchers(vm: VirtualMachine) -> Iterator[Diagnostic]:
    """A warning for each matcher of ``vm`` that is null, which no schema sees once the VM is expanded."""
    for matcher_type in (INSTANCETYPE, PREFERENCE):
        if matcher_type.key in vm.spec and vm.spec[matcher_type.key] is None:
            at = vm.field(matcher_type.path)
            yield Diagnostic(
                code=Code.SCHEMA,
                severity=Severity.WARNING,
                message=f"{at} has nothing after it",
                sites=vm.resource.sites(at),
                resource=vm.resource.current_id,
                field=at,
                hint=f"set {at}.name, or leave {at} out; the API server drops it as it is",
            )
