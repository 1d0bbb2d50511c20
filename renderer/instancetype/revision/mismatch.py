"""A matcher that names one object, and a revision of another."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.instancetype.find import Found
from renderer.instancetype.matcher import Matcher
from renderer.instancetype.resolve import Matchers, Selected
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.json import text_at


def mismatches(vm: VirtualMachine, matchers: Matchers, selected: Selected) -> Iterator[Diagnostic]:
    """A warning for each matcher whose name has no effect, as its ``revisionName`` holds something else.

    KubeVirt takes the revision, but refuses the change of a VirtualMachine that leads there
    (``pkg/instancetype/webhooks/vm``, #9132).
    """
    pairs = ((matchers.instancetype, selected.instancetype), (matchers.preference, selected.preference))
    for matcher, found in pairs:
        if matcher is not None and found is not None and found.is_revision:
            held = text_at(found.resource.content, "data", "metadata", "name")
            if held and held != matcher.name:
                yield _mismatch(vm, matcher, found, held)


def _mismatch(vm: VirtualMachine, matcher: Matcher, found: Found, held: str) -> Diagnostic:
    noun, name = found.matcher_type.noun, vm.field(found.matcher_type.path.child("name"))
    return Diagnostic(
        code=Code.REVISION_MISMATCH,
        severity=Severity.WARNING,
        message=f"{noun} {matcher.name} has no effect: the revision that counts holds {held}",
        sites=vm.resource.sites(name),
        resource=vm.resource.current_id,
        field=name,
        hint="pin it anew (vmrender pin --update), or take revisionName away",
        related=(Related(f"the revision: {found.resource.name}", found.resource.sites(found.field)),),
    )
