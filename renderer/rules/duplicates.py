"""Rules about what two virtual machines must not share."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.virtual_machine import HALTED, VirtualMachineView
from renderer.model.codes import Code
from renderer.model.field_path import FieldPath
from renderer.model.json import text_at
from renderer.model.record import Record
from renderer.model.rule_settings import Level
from renderer.rules.context import Context
from renderer.rules.rule import Finding, Rule, related_to


def _duplicate_data_volumes(context: Context) -> Iterator[Finding]:
    first: dict[tuple[str, str], tuple[VirtualMachineView, FieldPath]] = {}
    for machine in context.machines:
        if machine.is_one:
            for index, template in machine.data_volume_templates:
                name = text_at(template, "metadata", "name")
                field = machine.in_spec("dataVolumeTemplates", index, "metadata", "name")
                other, other_field = first.setdefault((machine.namespace, name), (machine, field))
                if name and other is not machine:
                    related = related_to(other.resource, f"{other.name} makes it here", other_field)
                    message = f"{other.name} makes a DataVolume {name} as well"
                    yield Finding(machine.resource, field, message, "name it after its machine", (related,))


DUPLICATE_DATA_VOLUME = Rule(Code.DUPLICATE_DATA_VOLUME, Level.WARNING, _duplicate_data_volumes)


class _Interface(Record):
    machine: VirtualMachineView
    field: FieldPath
    address: str
    network: str


def _duplicate_mac_addresses(context: Context) -> Iterator[Finding]:
    first: dict[tuple[str, str], _Interface] = {}
    for machine in context.machines:
        if machine.is_one:
            for interface in _interfaces(machine):
                key = interface.address, interface.network
                other = first.setdefault(key, interface)
                if other is not interface:
                    yield _duplicate_address(interface, other)


def _interfaces(machine: VirtualMachineView) -> Iterator[_Interface]:
    written = [
        (index, interface["macAddress"], text_at(interface, "name"))
        for index, interface in machine.interfaces
        if isinstance(interface.get("macAddress"), str)
    ]
    if not written or _is_halted(machine):
        return
    networks = {
        text_at(network, "name"): _network(network.get("multus"), machine) for _, network in machine.networks
    }
    for index, address, name in written:
        network = networks.get(name)
        if network:
            field = machine.in_devices("interfaces", index, "macAddress")
            yield _Interface(machine, field, str(address).lower().replace("-", ":"), network)


def _is_halted(machine: VirtualMachineView) -> bool:
    strategy = machine.written_run_strategy
    return strategy is not None and strategy.strategy == HALTED


def _network(multus: object, machine: VirtualMachineView) -> str | None:
    name = multus.get("networkName") if isinstance(multus, dict) else None
    if not isinstance(name, str):
        return None
    return name if "/" in name else f"{machine.namespace}/{name}"


def _duplicate_address(interface: _Interface, other: _Interface) -> Finding:
    resource, other_resource = interface.machine.resource, other.machine.resource
    message = f"{other.machine.name} has the MAC address {interface.address} on the same network"
    related = related_to(other_resource, f"{other.machine.name} has it here", other.field)
    return Finding(
        resource, interface.field, message, "leave macAddress out to get one of its own", (related,)
    )


DUPLICATE_MAC_ADDRESS = Rule(Code.DUPLICATE_MAC_ADDRESS, Level.WARNING, _duplicate_mac_addresses)

RULES = (DUPLICATE_DATA_VOLUME, DUPLICATE_MAC_ADDRESS)
