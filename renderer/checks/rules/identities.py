"""Rules about what identifies a machine: its MAC addresses, the ids of its firmware, its name in DNS.

A machine that was copied keeps them, and then two machines have the same. Machines that are halted are not
compared: a copy that is kept for later is never on at the same time. Machines of several overlays are
compared only if one entry of Flux or Argo CD applies them to one cluster: other overlays may be for different
clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding, Rule, related_to
from renderer.kubevirt.facts.identities import Identity, firmware_ids, host_names, mac_addresses
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.res_id import namespaced_name
from renderer.model.record import Record
from renderer.model.rule_settings import Level

_LEVEL = Level.WARNING
#: An identity that an earlier machine has, and the first one.
_Pair: TypeAlias = tuple[Identity, Identity]


class IdentityKind(Record):
    """One kind of identity: what a machine has of it, and the findings about machines that have the same."""

    code: Code
    of_machine: Callable[[VirtualMachineView], Iterator[Identity]]
    findings: Callable[[Iterable[_Pair]], Iterator[Finding]]

    @property
    def rule(self) -> Rule:
        """The rule that compares the machines of an overlay."""
        return Rule(self.code, _LEVEL, self._check)

    def _check(self, context: Context) -> Iterator[Finding]:
        return self.findings(_duplicates(context, self))


def shared_identities(
    overlays: Iterable[Iterable[VirtualMachineView]],
) -> Iterator[tuple[int, Diagnostic]]:
    """Yield findings about machines in several overlays of one cluster, each with the index of its overlay.

    The rules themselves compare the machines of one overlay.
    """
    machines = [list(each) for each in overlays]
    for kind in KINDS:
        first: dict[tuple[str, ...], tuple[int, Identity]] = {}
        pairs: dict[int, list[_Pair]] = {}
        for index, of_overlay in enumerate(machines):
            for identity in (each for machine in of_overlay for each in kind.of_machine(machine)):
                at, other = first.setdefault(identity.key, (index, identity))
                is_other_machine = identity.machine.resource.current_id != other.machine.resource.current_id
                if at != index and is_other_machine:
                    pairs.setdefault(index, []).append((identity, other))
        for index, of_overlay_pairs in pairs.items():
            for finding in kind.findings(of_overlay_pairs):
                yield index, finding.diagnostic(kind.code, Severity(_LEVEL))


def _duplicates(context: Context, kind: IdentityKind) -> Iterator[_Pair]:
    """Yield the pairs of an overlay; if all machines of a pool get an identity, it is paired with itself."""
    same: dict[tuple[str, ...], list[Identity]] = {}
    for machine in context.machines:
        for identity in kind.of_machine(machine):
            same.setdefault(identity.key, []).append(identity)
    for identities in same.values():
        # Whose finding it is does not depend on the order of the files.
        first, *others = sorted(identities, key=lambda each: each.machine.resource.current_id)
        if first.machine.replicas > 1:
            yield first, first
        yield from ((other, first) for other in others)


def _names(identity: Identity, other: Identity) -> tuple[str, str]:
    """Return the names of the other machine and of the later one, with their namespaces if need be."""
    machines = other.machine, identity.machine
    first, later = machines[0].name, machines[1].name
    if first == later:
        first, later = (namespaced_name(each.namespace, each.name) for each in machines)
    return first, later


def _finding(identity: Identity, other: Identity, text: str, message: str, hint: str) -> Finding:
    """Return the finding about two machines with ``text``, or about all machines of a pool."""
    if identity is other:
        pool = identity.machine
        message = f"all {pool.replicas} machines of {pool.name} get {text}"
        return Finding(pool.resource, identity.field, message, hint)
    first, _ = _names(identity, other)
    related = related_to(other.machine.resource, f"{first} has it here", other.field)
    return Finding(identity.machine.resource, identity.field, message, hint, (related,))


def _about_mac_addresses(pairs: Iterable[_Pair]) -> Iterator[Finding]:
    for interface, other in pairs:
        first, _ = _names(interface, other)
        message = f"{first} has {interface.text} on the same network"
        hint = "leave macAddress out to get a generated one"
        yield _finding(interface, other, interface.text, message, hint)


def _about_firmware_ids(pairs: Iterable[_Pair]) -> Iterator[Finding]:
    """Yield one finding for two machines: a copy mostly has both ids of the other."""
    found: dict[tuple[int, int], list[_Pair]] = {}
    for identity, other in pairs:
        found.setdefault((id(identity.machine), id(other.machine)), []).append((identity, other))
    for both in found.values():
        identity, other = both[0]
        text = " and ".join(each.text for each, _ in both)
        fields = " and ".join(f"firmware.{each.field.segments[-1]}" for each, _ in both)
        first, later = _names(identity, other)
        message = f"{first} and {later} both have {text}"
        yield _finding(identity, other, text, message, f"leave {fields} out, so that no copy has it")


def _about_host_names(pairs: Iterable[_Pair]) -> Iterator[Finding]:
    for name, other in pairs:
        first, later = _names(name, other)
        both = f"{first} and {later} both have {name.text} in their namespace"
        message = f"{both}, so DNS answers with either of them"
        hint = "write a hostname that no other machine of the subdomain has"
        yield _finding(name, other, name.text, message, hint)


KINDS = (
    IdentityKind(Code.DUPLICATE_FIRMWARE_ID, firmware_ids, _about_firmware_ids),
    IdentityKind(Code.DUPLICATE_HOST_NAME, host_names, _about_host_names),
    IdentityKind(Code.DUPLICATE_MAC_ADDRESS, mac_addresses, _about_mac_addresses),
)
RULES = tuple(kind.rule for kind in KINDS)
