"""Two machines have the same MAC address on the same network.

A machine copied with its `macAddress` takes the other's packets: both drop in and out of the network. Only
networks that a NetworkAttachmentDefinition describes are compared, as each pod network is one of its own,
and only machines that are not halted.

Wrong:

```yaml
# web-1.yaml and web-2.yaml
interfaces:
  - name: plant
    bridge: {}
    macAddress: 02:00:00:00:00:01
```

Right: an address for each, or none, so that each gets one of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.codes import Code
from renderer.model.field_path import FieldPath
from renderer.model.json import text_at
from renderer.model.record import Record
from renderer.model.rule_settings import Level
from renderer.rules.context import Context
from renderer.rules.machine import Machine
from renderer.rules.power import HALTED, power_of
from renderer.rules.rule import Finding, Rule, related_to


class _Interface(Record):
    machine: Machine
    field: FieldPath
    address: str
    network: str


def _check(context: Context) -> Iterator[Finding]:
    first: dict[tuple[str, str], _Interface] = {}
    for machine in context.machines:
        if machine.is_one:
            for interface in _interfaces(machine):
                key = interface.address, interface.network
                other = first.setdefault(key, interface)
                if other is not interface:
                    yield _finding(interface, other)


def _interfaces(machine: Machine) -> Iterator[_Interface]:
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


def _is_halted(machine: Machine) -> bool:
    power = power_of(machine)
    return power is not None and power.strategy == HALTED


def _network(multus: object, machine: Machine) -> str | None:
    name = multus.get("networkName") if isinstance(multus, dict) else None
    if not isinstance(name, str):
        return None
    return name if "/" in name else f"{machine.namespace}/{name}"


def _finding(interface: _Interface, other: _Interface) -> Finding:
    resource, other_resource = interface.machine.resource, other.machine.resource
    message = f"{other.machine.name} has the MAC address {interface.address} on the same network"
    related = related_to(other_resource, f"{other.machine.name} has it here", other.field)
    return Finding(
        resource, interface.field, message, "leave macAddress out to get one of its own", (related,)
    )


RULE = Rule(Code.DUPLICATE_MAC_ADDRESS, Level.WARNING, _check, __doc__)
