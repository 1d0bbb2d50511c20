"""Two disks of a machine have the same serial in the guest, which finds only one of them by it.

Guests name disks after their serials, such as `/dev/disk/by-id/virtio-SERIAL`. KubeVirt accepts serials of up
to 256 characters, but a virtio or SATA disk has room for 20, and QEMU cuts the others off. Serials that
differ only after that are the same in the guest, and the link leads to either disk.

Wrong:

```yaml
disks:
  - {name: logs, serial: warehouse-production-logs, disk: {bus: virtio}}
  - {name: data, serial: warehouse-production-data, disk: {bus: virtio}}
```

Right:

```yaml
disks:
  - {name: logs, serial: logs-warehouse, disk: {bus: virtio}}
  - {name: data, serial: data-warehouse, disk: {bus: virtio}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.domain_values import VISIBLE
from renderer.checks.rules.rule import Finding, MachineCheck, Rule, related_to
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.kube.json import JsonObject, text_at
from renderer.model.placeholders import has_placeholder
from renderer.model.rule_settings import Level

_UNCUT = ("scsi", "usb")


def _check_machine(_: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    seen: dict[tuple[str, str], tuple[int, JsonObject]] = {}
    for index, disk in machine.disks:
        serial, bus = text_at(disk, "serial"), text_at(disk, "disk", "bus")
        if not serial or "disk" not in disk or has_placeholder(serial):
            continue
        visible = serial if bus in _UNCUT else serial[:VISIBLE]
        first, other = seen.setdefault((bus, visible), (index, disk))
        if first == index:
            continue
        written = text_at(other, "serial")
        cut = f": the guest sees {visible}, the first {VISIBLE} characters" if written != serial else ""
        at = machine.in_devices("disks", first, "serial")
        yield Finding(
            machine.resource,
            machine.in_devices("disks", index, "serial"),
            f"the disk {text_at(disk, 'name')} has the serial of the disk {text_at(other, 'name')}{cut}",
            f"choose serials that differ within {VISIBLE} characters" if cut else "choose another serial",
            (related_to(machine.resource, f"serial: {written}", at),),
        )


RULE = Rule(Code.DUPLICATE_DISK_SERIAL, Level.WARNING, MachineCheck(_check_machine), __doc__)
