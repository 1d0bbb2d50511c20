"""The binding of an interface does not fit the attachment of its network, so the machine does not start.

An `sriov` interface is a device, which the pod gets from a device plugin: virt-controller requests the
resource in the attachment's annotation `k8s.v1.cni.cncf.io/resourceName` (`pkg/network/multus` in KubeVirt).
An attachment to a Linux bridge has none, and virt-launcher finds no device for the guest. The attachment of
an SR-IOV network in turn gives the pod a device, and not the network interface that `bridge` connects the
guest to.

Wrong:

```yaml
interfaces:
  - {name: plant, sriov: {}}
networks:
  - {name: plant, multus: {networkName: plant}}
```

```yaml
kind: NetworkAttachmentDefinition
metadata: {name: plant}
spec:
  config: '{"cniVersion": "0.3.1", "type": "bridge", "bridge": "br1"}'
```

Right:

```yaml
interfaces:
  - {name: plant, bridge: {}}
```

The rule looks at attachments in the overlay, and at networks whose operators create them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.inventory import Item
from renderer.checks.rules.rule import Finding, MachineCheck, Rule, related_to
from renderer.kubevirt.facts.kinds import NETWORK
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, elements_by_name
from renderer.model.codes import Code
from renderer.model.field_edit import RenameField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, array_at, object_at, text_at
from renderer.model.placeholders import has_placeholder
from renderer.model.record import Record
from renderer.model.rule_settings import Level

_SRIOV, _BRIDGE, _MASQUERADE = "sriov", "bridge", "masquerade"
_RESOURCE_NAME = "k8s.v1.cni.cncf.io/resourceName"
_SRIOV_TYPES = ("sriov", "ib-sriov")
_SRIOV_KINDS = ("SriovNetwork", "SriovIBNetwork")
_OVN_KINDS = ("UserDefinedNetwork", "ClusterUserDefinedNetwork")


class _Attachment(Record):
    """What a pod gets from a NetworkAttachmentDefinition: a CNI plugin, and maybe a device of the node."""

    cni_type: str
    has_device: bool
    field: FieldPath


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    listed = [network for _, network in machine.networks if "multus" in network]
    if not listed:
        return
    networks = elements_by_name(listed)
    for index, interface in machine.interfaces:
        binding = next((each for each in (_SRIOV, _BRIDGE, _MASQUERADE) if each in interface), None)
        written = text_at(networks.get(text_at(interface, "name"), {}), "multus", "networkName")
        item = _item(context, machine, written) if binding and written else None
        attachment = None if item is None else _attachment(item)
        if item is None or attachment is None or binding is None:
            continue
        at = machine.in_devices("interfaces", index, binding)
        related = related_to(item.resource, f"{item.resource.kind} {item.name}", attachment.field)
        if binding == _SRIOV and not attachment.has_device:
            is_sriov = attachment.cni_type in _SRIOV_TYPES
            lack = f"lacks the annotation {_RESOURCE_NAME}"
            problem = lack if is_sriov else f"is of type {attachment.cni_type}"
            yield Finding(
                machine.resource,
                at,
                f"the interface is sriov, but its attachment {item.name} {problem}: the pod gets no device",
                "add the annotation" if is_sriov else f"write {_BRIDGE}: {{}}",
                (related,),
                None if is_sriov else RenameField(at, _BRIDGE),
            )
        elif binding != _SRIOV and attachment.cni_type in _SRIOV_TYPES:
            message = (
                f"the interface is {binding}, but its attachment {item.name} is of type"
                f" {attachment.cni_type}: the pod gets a device that only an sriov interface passes on"
            )
            fix = RenameField(at, _SRIOV)
            yield Finding(machine.resource, at, message, "write sriov: {}", (related,), fix)


def _item(context: Context, machine: VirtualMachineView, written: str) -> Item | None:
    """Return the attachment with the name that Multus looks up, unless several may be meant."""
    namespace, slash, name = written.rpartition("/")
    found = context.inventory.named_in(NETWORK, name, namespace if slash else machine.namespace)
    return found[0] if len(found) == 1 else None


def _attachment(item: Item) -> _Attachment | None:
    """Return the CNI plugin and device of an attachment; None if its configuration cannot be read."""
    resource = item.resource
    if resource.kind in _SRIOV_KINDS:
        return _Attachment(_SRIOV_TYPES[0], has_device=True, field=FieldPath.of("spec"))
    if resource.kind in _OVN_KINDS:
        return _Attachment("ovn-k8s-cni-overlay", has_device=False, field=FieldPath.of("spec"))
    config = text_at(resource.content, "spec", "config")
    if resource.kind != NETWORK or not config or has_placeholder(config):
        return None
    try:
        parsed: Json = json.loads(config)
    except (ValueError, RecursionError):  # another rule reports it
        return None
    plugins = array_at(parsed, "plugins")
    cni_type = text_at(parsed, "type") or (text_at(plugins[0], "type") if plugins else "")
    annotations = object_at(resource.content, "metadata", "annotations")
    if not cni_type:
        return None
    return _Attachment(cni_type, _RESOURCE_NAME in annotations, FieldPath.of("spec", "config"))


RULE = Rule(Code.BINDING_MISMATCH, Level.WARNING, MachineCheck(_check_machine), __doc__)
