"""Rules about resources that two virtual machines must not share."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding, Rule, related_to
from renderer.kubevirt.facts.virtual_machine import HALTED, VirtualMachineView
from renderer.model.codes import Code
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject, object_at, text_at
from renderer.model.record import Record
from renderer.model.rule_settings import Level


def _duplicate_data_volumes(context: Context) -> Iterator[Finding]:
    first: dict[tuple[str, str], VirtualMachineView] = {}
    for machine in context.machines:
        if machine.is_one:
            for index, template in machine.data_volume_templates:
                name = text_at(template, "metadata", "name")
                other = first.setdefault((machine.namespace, name), machine)
                if name and other is not machine:
                    templates = other.data_volume_templates
                    there = next(at for at, each in templates if text_at(each, "metadata", "name") == name)
                    made_here = _name_of_template(other, there)
                    related = related_to(other.resource, f"{other.name} makes it here", made_here)
                    message = f"{other.name} makes a DataVolume {name} as well"
                    field = _name_of_template(machine, index)
                    yield Finding(machine.resource, field, message, "name it after its machine", (related,))


def _name_of_template(machine: VirtualMachineView, index: int) -> FieldPath:
    return machine.in_spec("dataVolumeTemplates", index, "metadata", "name")


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
    networks = {
        text_at(network, "name"): _network(network["multus"], machine)
        for _, network in machine.networks
        if "multus" in network
    }
    if not networks:
        return
    written = [
        (index, interface["macAddress"], text_at(interface, "name"))
        for index, interface in machine.interfaces
        if isinstance(interface.get("macAddress"), str)
    ]
    if not written or _is_halted(machine):
        return
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
        resource, interface.field, message, "leave macAddress out to get a generated one", (related,)
    )


DUPLICATE_MAC_ADDRESS = Rule(Code.DUPLICATE_MAC_ADDRESS, Level.WARNING, _duplicate_mac_addresses)


class _Use(Record):
    """A volume through which a virtual machine writes to a claim."""

    machine: VirtualMachineView
    volume: int
    source: str
    key: str

    @property
    def field(self) -> FieldPath:
        return self.machine.in_instance("volumes", self.volume, self.source, self.key)


def _shared_claims(context: Context) -> Iterator[Finding]:
    modes = {(name, namespace): each for name, namespace, each in _access_modes(context)}
    one_node = {claim for claim, mode in modes.items() if mode in _ONE_NODE}
    first: dict[tuple[str, str], _Use] = {}
    for machine in context.machines if one_node else ():
        if machine.is_one and not machine.is_halted:
            for name, use in _written_claims(machine):
                claim = name, machine.namespace
                other = first.setdefault(claim, use)
                if other.machine is not machine and claim in one_node:
                    message = f"{other.machine.name} writes to {name} as well, which is {modes[claim]}"
                    hint = "give each virtual machine its own claim, or make the claim ReadWriteMany"
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
                yield name, _Use(machine, index, source, key)


def _is_read_only(disk: JsonObject) -> bool:
    devices = (object_at(disk, device) for device in ("disk", "lun"))
    return "cdrom" in disk or any(device.get("readonly") is True for device in devices)


def _access_modes(context: Context) -> Iterator[tuple[str, str, str]]:
    """Yield name, namespace and mode of each claim of the overlay that has a single access mode."""
    for resource in context.of_kind("PersistentVolumeClaim", "DataVolume"):
        for mode in _single_modes(resource.content):
            yield resource.name, resource.namespace, mode
    for machine in context.machines:
        for _, template in machine.data_volume_templates:
            for mode in _single_modes(template):
                yield text_at(template, "metadata", "name"), machine.namespace, mode


def _single_modes(claim: JsonObject) -> Iterator[str]:
    spec = object_at(claim, "spec")
    for section in (spec, object_at(spec, "pvc"), object_at(spec, "storage")):
        modes = section.get("accessModes")
        if isinstance(modes, list) and len(modes) == 1 and isinstance(modes[0], str):
            yield modes[0]


_ONE_NODE = ("ReadWriteOnce", "ReadWriteOncePod")
SHARED_CLAIM = Rule(Code.SHARED_CLAIM, Level.WARNING, _shared_claims)

RULES = (DUPLICATE_DATA_VOLUME, DUPLICATE_MAC_ADDRESS, SHARED_CLAIM)
