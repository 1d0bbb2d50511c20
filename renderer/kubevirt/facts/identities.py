"""What identifies a machine on its networks, to its guest and in DNS, and no other machine may have.

Machines that are halted have none: a copy that is kept for later is never on at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.launcher_pod import host_name
from renderer.kubevirt.facts.virtual_machine import HALTED, VirtualMachineView
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at, text_at
from renderer.model.placeholders import has_placeholder
from renderer.model.record import Record

#: A serial that begins so is a parameter of cloud-init, which many machines may share
#: (``cloudinit/sources/DataSourceNoCloud.py``).
_CLOUD_INIT_SERIAL = "ds="
_UUID = ("domain", "firmware", "uuid")
_SERIAL = ("domain", "firmware", "serial")


class Identity(Record):
    """Something in ``field`` of ``machine`` that no other machine may have.

    Identities with an equal ``key`` are the same. ``text`` is its name in a sentence.
    """

    machine: VirtualMachineView
    field: FieldPath
    key: tuple[str, ...]
    text: str


def mac_addresses(machine: VirtualMachineView) -> Iterator[Identity]:
    """Yield the MAC addresses of a machine on Multus networks: every pod network is separate."""
    networks: dict[str, str] = {}
    for _, network in machine.networks:
        multus_name = object_at(network, "multus").get("networkName") if "multus" in network else None
        if isinstance(multus_name, str):
            qualified = multus_name if "/" in multus_name else f"{machine.namespace}/{multus_name}"
            networks[text_at(network, "name")] = qualified
    if not networks:
        return
    written = [
        (index, interface["macAddress"], text_at(interface, "name"))
        for index, interface in machine.interfaces
        if isinstance(interface.get("macAddress"), str)
    ]
    if not written or _is_kept_off(machine):
        return
    for index, value, name in written:
        on_network = networks.get(name)
        if on_network and not has_placeholder(value):
            field = machine.in_devices("interfaces", index, "macAddress")
            address = str(value).lower().replace("-", ":")
            yield Identity(machine, field, (address, on_network), f"the MAC address {address}")


def firmware_ids(machine: VirtualMachineView) -> Iterator[Identity]:
    """Yield the UUID and the serial that the guest reads from the firmware, and licences are bound to."""
    firmware = object_at(machine.domain, "firmware")
    uuid, serial = text_at(firmware, "uuid"), text_at(firmware, "serial")
    if not (uuid or serial) or _is_kept_off(machine):
        return
    if uuid and not has_placeholder(uuid):
        key = uuid.lower().replace("-", "")
        yield Identity(machine, machine.in_instance(*_UUID), ("uuid", key), f"the firmware UUID {uuid}")
    if serial and not has_placeholder(serial) and not serial.startswith(_CLOUD_INIT_SERIAL):
        field = machine.in_instance(*_SERIAL)
        yield Identity(machine, field, ("serial", serial), f"the firmware serial {serial}")


def host_names(machine: VirtualMachineView) -> Iterator[Identity]:
    """Yield the name of a machine's pod in DNS, which only a pod with a subdomain has."""
    subdomain = text_at(machine.instance, "subdomain")
    if not subdomain or not machine.is_one or _is_kept_off(machine):
        return
    hostname = host_name(machine.name, machine.instance)
    if not hostname or has_placeholder(f"{hostname}.{subdomain}.{machine.namespace}"):
        return
    field = machine.in_instance("hostname" if text_at(machine.instance, "hostname") else "subdomain")
    key = hostname, subdomain, machine.namespace
    yield Identity(machine, field, key, f"the host name {hostname}.{subdomain}")


def _is_kept_off(machine: VirtualMachineView) -> bool:
    strategy = machine.written_run_strategy
    return machine.replicas == 0 or (strategy is not None and strategy.strategy == HALTED)
