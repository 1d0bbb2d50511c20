"""A machine has a GPU or host device that the cluster's KubeVirt object does not permit, so it gets no pod.

virt-controller creates a pod only if the `deviceName` of each GPU and host device is the `resourceName` of a
device in `permittedHostDevices` (`validatePermittedHostDevices` in its `pkg/virt-controller/services`). It
does so also for devices of an external plugin, which are listed with `externalResourceProvider: true`.

Wrong, as the names differ:

```yaml
kind: KubeVirt
spec:
  configuration:
    permittedHostDevices:
      pciHostDevices:
        - {pciVendorSelector: "10DE:1EB8", resourceName: nvidia.com/TU104GL_Tesla_T4}
```

```yaml
kind: VirtualMachine
spec:
  template:
    spec:
      domain:
        devices:
          gpus:
            - {name: gpu1, deviceName: nvidia.com/T4}
```

Right:

```yaml
gpus:
  - {name: gpu1, deviceName: nvidia.com/TU104GL_Tesla_T4}
```

The rule looks at clusters whose KubeVirt or HyperConverged object is in the repository, and has
`permittedHostDevices`: a cluster without that list permits every device. Devices of a resource claim are not
checked.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import INSTANCETYPES, Context, comes_from_overlay
from renderer.checks.rules.rule import Finding, MachineCheck, Rule
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, elements
from renderer.model.codes import Code
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.near_miss import is_near_miss
from renderer.model.placeholders import has_placeholder
from renderer.model.rule_settings import Level
from renderer.model.run.work import spend

_STEPS_PER_NAME = 4
_LISTS = {"gpus": "GPU", "hostDevices": "host device"}


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    devices = machine.devices
    if "gpus" not in devices and "hostDevices" not in devices:
        return
    for path, message, near in _problems(context, devices):
        if not comes_from_overlay(context, machine, ("domain", "devices", *path)):
            yield _finding(context, machine.resource, machine.in_devices(*path), message, near)


def _check_instancetypes(context: Context) -> Iterator[Finding]:
    for instancetype in context.of_kind(*INSTANCETYPES):
        for path, message, near in _problems(context, object_at(instancetype.content, "spec")):
            yield _finding(context, instancetype, FieldPath.of("spec", *path), message, near)


def _finding(context: Context, resource: Resource, at: FieldPath, message: str, near: str | None) -> Finding:
    if near is None:
        return Finding(
            resource, at, message, f"add it to permittedHostDevices of {context.cluster.config.set_by}"
        )
    return Finding(resource, at, message, f"did you mean {near}?", fix=SetField(at, near))


def _problems(
    context: Context, devices: JsonObject
) -> Iterator[tuple[tuple[str, int, str], str, str | None]]:
    """Yield the field of each device that is not permitted, a message, and the device it was meant for."""
    for listed, kind in _LISTS.items():
        for index, device in elements(devices.get(listed)):
            config = context.cluster.config
            permitted = config.permitted_devices
            name = text_at(device, "deviceName")
            if permitted is None or not name or name in _permitted(permitted).names or has_placeholder(name):
                continue
            message = (
                f"{config.set_by} does not permit the {kind} {name}: permittedHostDevices lacks it,"
                " so the machine gets no pod"
            )
            yield (listed, index, "deviceName"), message, _permitted(permitted).near(name)


class _Permitted:
    """The names of the devices that a cluster permits; aliases of YAML repeat a device in many machines."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = frozenset(names)
        self._names = names
        self._near: dict[str, str | None] = {}

    def near(self, name: str) -> str | None:
        """Return the device that was probably meant."""
        if name not in self._near:
            spend(_STEPS_PER_NAME * len(self._names), "comparing names that may be mistyped")
            self._near[name] = next((each for each in self._names if is_near_miss(name, each)), None)
        return self._near[name]


_permitted = once_for_same(_Permitted)


RULE = Rule(
    Code.DEVICE_NOT_PERMITTED, Level.WARNING, MachineCheck(_check_machine, _check_instancetypes), __doc__
)
