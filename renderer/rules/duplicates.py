"""Rules about what two virtual machines must not share."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.virtual_machine import HALTED, VirtualMachineView
from renderer.model.codes import Code
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject, array_at, object_at, text_at
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


class _Use(Record):
    """A volume by which a virtual machine writes to a claim."""

    machine: VirtualMachineView
    field: FieldPath


def _shared_claims(context: Context) -> Iterator[Finding]:
    modes = {(name, namespace): each for name, namespace, each in _access_modes(context)}
    first: dict[tuple[str, str], _Use] = {}
    for machine in context.machines:
        if machine.is_one and not machine.is_halted:
            for name, use in _written_claims(machine):
                claim = name, machine.namespace
                other = first.setdefault(claim, use)
                if other.machine is not machine and modes.get(claim, "") in _ONE_NODE:
                    message = f"{other.machine.name} writes to {name} as well, which is {modes[claim]}"
                    hint = "give each virtual machine a claim of its own, or make the claim ReadWriteMany"
                    related = related_to(
                        other.machine.resource, f"{other.machine.name} has it here", other.field
                    )
                    yield Finding(machine.resource, use.field, message, hint, (related,))


def _written_claims(machine: VirtualMachineView) -> Iterator[tuple[str, _Use]]:
    read_only = {text_at(disk, "name") for _, disk in machine.disks if _is_read_only(disk)}
    for index, volume in machine.volumes:
        for source, key in (("persistentVolumeClaim", "claimName"), ("dataVolume", "name")):
            name = text_at(volume, source, key)
            is_written = object_at(volume, source).get("readOnly") is not True
            if name and is_written and text_at(volume, "name") not in read_only:
                yield name, _Use(machine, machine.in_instance("volumes", index, source, key))


def _is_read_only(disk: JsonObject) -> bool:
    devices = (object_at(disk, device) for device in ("disk", "lun"))
    return "cdrom" in disk or any(device.get("readonly") is True for device in devices)


def _access_modes(context: Context) -> Iterator[tuple[str, str, str]]:
    """Yield the name and namespace of each claim of the overlay that has one access mode, and the mode."""
    specs = [
        (resource.name, resource.namespace, object_at(resource.content, "spec"))
        for resource in context.of_kind("PersistentVolumeClaim", "DataVolume")
    ]
    specs += [
        (text_at(template, "metadata", "name"), machine.namespace, object_at(template, "spec"))
        for machine in context.machines
        for _, template in machine.data_volume_templates
    ]
    for name, namespace, spec in specs:
        for section in (spec, object_at(spec, "pvc"), object_at(spec, "storage")):
            modes = array_at(section, "accessModes")
            if len(modes) == 1 and isinstance(modes[0], str):
                yield name, namespace, modes[0]


_ONE_NODE = ("ReadWriteOnce", "ReadWriteOncePod")
SHARED_CLAIM = Rule(Code.SHARED_CLAIM, Level.WARNING, _shared_claims)

RULES = (DUPLICATE_DATA_VOLUME, DUPLICATE_MAC_ADDRESS, SHARED_CLAIM)
