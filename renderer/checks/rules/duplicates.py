"""Rules about resources that two virtual machines must not share."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding, Rule, related_to
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.facts.written_claims import WrittenClaim, mode_of_one_node, written_claims
from renderer.model.codes import Code
from renderer.model.kube.json import text_at
from renderer.model.rule_settings import Level


def _duplicate_data_volumes(context: Context) -> Iterator[Finding]:
    first: dict[tuple[str, str], tuple[VirtualMachineView, int]] = {}
    for machine in context.machines:
        if machine.is_one:
            for index, template in machine.data_volume_templates:
                name = text_at(template, "metadata", "name")
                other, other_index = first.setdefault((machine.namespace, name), (machine, index))
                if name and other is not machine:
                    other_field = other.in_spec("dataVolumeTemplates", other_index, "metadata", "name")
                    related = related_to(other.resource, f"{other.name} creates it here", other_field)
                    message = f"{other.name} also creates a DataVolume {name}"
                    field = machine.in_spec("dataVolumeTemplates", index, "metadata", "name")
                    yield Finding(machine.resource, field, message, "name it after its machine", (related,))


DUPLICATE_DATA_VOLUME = Rule(Code.DUPLICATE_DATA_VOLUME, Level.WARNING, _duplicate_data_volumes)


def _shared_claims(context: Context) -> Iterator[Finding]:
    one_node = {
        (name, namespace): mode
        for namespace, claims in context.access_modes.items()
        for name, modes in claims.items()
        if (mode := mode_of_one_node(modes))
    }
    first: dict[tuple[str, str], WrittenClaim] = {}
    for machine in context.machines if one_node else ():
        if machine.is_one and not machine.is_halted:
            for volume in written_claims(machine):
                claim = volume.name, machine.namespace
                other = first.setdefault(claim, volume)
                if other.machine is not machine and claim in one_node:
                    message = f"{other.machine.name} also writes to {volume.name}, which is {one_node[claim]}"
                    hint = "give each virtual machine its own claim, or make the claim ReadWriteMany"
                    related = related_to(
                        other.machine.resource, f"{other.machine.name} has it here", other.field
                    )
                    yield Finding(machine.resource, volume.field, message, hint, (related,))


SHARED_CLAIM = Rule(Code.SHARED_CLAIM, Level.WARNING, _shared_claims)

RULES = (DUPLICATE_DATA_VOLUME, SHARED_CLAIM)
