"""A volume has no disk, so KubeVirt adds one with its own defaults.

KubeVirt attaches a volume that no disk and no filesystem names as a disk (`SetDefaultVolumeDisk` in its
`pkg/util/util.go`), with the bus of the preference, or SATA without a preference. A machine that lists no
disks at all does so on purpose. If other disks are listed, the missing one was probably forgotten or has
another name, and nobody has chosen its bus and boot order.

Wrong:

```yaml
domain:
  devices:
    disks:
      - name: root
        bootOrder: 1
        disk: {bus: virtio}
volumes:
  - name: root
    dataVolume: {name: web-root}
  - name: cloudinit
    cloudInitNoCloud: {secretRef: {name: web-init}}
```

Right:

```yaml
domain:
  devices:
    disks:
      - name: root
        bootOrder: 1
        disk: {bus: virtio}
      - name: cloudinit
        disk: {bus: virtio}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding, MachineCheck, Rule
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, elements
from renderer.model.codes import Code
from renderer.model.field_edit import AddItem
from renderer.model.kube.json import object_at, text_at
from renderer.model.rule_settings import Level

#: Volumes that are not disks of the guest, or that KubeVirt rejects without settings that it would not add.
_WITHOUT_DISK = frozenset({"memoryDump", "downwardMetrics", "containerPath"})


def _check_machine(_: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    if not len(machine.volumes) > len(machine.disks) > 0:
        return
    devices = object_at(machine.domain, "devices")
    attached = {text_at(disk, "name") for _, disk in (*machine.disks, *elements(devices.get("filesystems")))}
    for index, volume in machine.volumes:
        name = volume.get("name")
        if isinstance(name, str) and name not in attached and _WITHOUT_DISK.isdisjoint(volume):
            yield Finding(
                machine.resource,
                machine.in_instance("volumes", index, "name"),
                f"the volume {name} has no disk, and KubeVirt attaches it as one with its own defaults",
                f"add {{name: {name}, disk: {{}}}} to the disks, as the other volumes have",
                fix=AddItem(machine.in_devices("disks"), {"name": name, "disk": {}}),
            )


RULE = Rule(Code.VOLUME_WITHOUT_DISK, Level.INFO, MachineCheck(_check_machine), __doc__)
