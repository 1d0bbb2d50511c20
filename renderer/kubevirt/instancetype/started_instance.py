"""The VirtualMachineInstance that virt-controller creates from a VirtualMachine.

KubeVirt ``pkg/virt-controller/watch/vm/vm.go`` (``startVMI``), and the instance's mutating webhook,
``pkg/virt-api/webhooks/mutating-webhook/mutators/vmi-mutator.go`` and ``pkg/defaults``.
"""

from __future__ import annotations

from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.firmware_uuid import FROM_NAME
from renderer.kubevirt.facts.hotplug import planned_max_memory, planned_max_sockets
from renderer.kubevirt.facts.sizes import positive
from renderer.kubevirt.instancetype.added_devices import with_added_devices
from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs
from renderer.kubevirt.instancetype.apply_to_vm import apply
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.kubevirt.instancetype.catalog import Scope
from renderer.kubevirt.instancetype.defaults import (
    default_vmi_spec,
    with_default,
)
from renderer.kubevirt.instancetype.preference.devices import apply_autoattach
from renderer.kubevirt.instancetype.resolve import ResolvedMatchers
from renderer.kubevirt.instancetype.vmi_object_defaults import default_vmi_object
from renderer.kubevirt.instancetype.vmi_template import with_section
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at
from renderer.model.release import Release

_DEVICES = ("domain", "devices")
_NODE_LABELS_UNTIL = Release(1, 5)
#: Before, virt-controller plans hot plug itself, before it applies the instance type, which is not modelled.
_HOTPLUG_IS_PLANNED_BY_WEBHOOK_SINCE = Release(1, 3)


def started_instance(
    template: JsonObject, selected: ResolvedMatchers, scope: Scope, cluster: Cluster
) -> JsonObject:
    """Return ``metadata`` and ``spec`` of the instance of a VirtualMachine with that ``spec.template``.

    The template is the one that the VirtualMachine's own webhook has returned. A firmware UUID that KubeVirt
    generates is a fixed text. Raises ``CauseError`` if an instance type, a preference or the default network
    cannot be applied.
    """
    behaviour, config = behaviour_of(cluster.release), cluster.config
    if selected.preference is not None:  # it may decide if an input device or a network is added
        specs = AppliedSpecs(EMPTY, selected.preference.spec, behaviour)
        template = apply_autoattach(specs, template)
    template = apply(selected, with_added_devices(template, cluster), scope, behaviour)
    spec = default_vmi_spec(object_at(template, "spec"), config, behaviour)
    if object_at(spec, "domain").get("features") is None:
        spec = with_section(spec, ("domain", "features"), {})
    spec = default_vmi_object(_with_input_defaults(spec), config.cpu_model, behaviour)
    spec = _with_hotplug_plan(spec, cluster)
    if behaviour.release < _NODE_LABELS_UNTIL:
        spec = _with_node_labels(spec)
    return {**template, "spec": with_default(spec, ("domain", "firmware", "uuid"), FROM_NAME)}


def _with_hotplug_plan(spec: JsonObject, cluster: Cluster) -> JsonObject:
    """Set the maximums of sockets and guest memory that can be plugged in (``setupHotplug``)."""
    if not cluster.updates_live or cluster.release < _HOTPLUG_IS_PLANNED_BY_WEBHOOK_SINCE:
        return spec
    if not positive(object_at(spec, "domain", "cpu").get("maxSockets")):
        sockets = planned_max_sockets(cluster, spec)
        spec = with_section(spec, ("domain", "cpu", "maxSockets"), sockets) if sockets else spec
    if object_at(spec, "domain", "memory").get("maxGuest") is None:
        most = planned_max_memory(cluster, spec)
        spec = spec if most is None else with_section(spec, ("domain", "memory", "maxGuest"), most.canonical)
    return spec


def _with_node_labels(spec: JsonObject) -> JsonObject:
    """Add the labels of nodes that can run the instance, as selected by the webhook (``addNodeSelector``)."""
    domain = object_at(spec, "domain")
    sev = object_at(domain, "launchSecurity").get("sev")
    features = {
        "kubevirt.io/realtime": object_at(domain, "cpu").get("realtime") is not None,
        "kubevirt.io/sev": sev is not None,
        "kubevirt.io/sev-es": object_at(sev, "policy").get("encryptedState") is True,
    }
    labels: dict[str, Json] = {label: "" for label, is_used in features.items() if is_used}
    return {**spec, "nodeSelector": {**object_at(spec, "nodeSelector"), **labels}} if labels else spec


def _with_input_defaults(spec: JsonObject) -> JsonObject:
    """Set bus and type of input devices (``setDefaults_Input``)."""
    inputs: list[Json] = [
        with_default(with_default(object_at(each), ("bus",), "usb"), ("type",), "tablet")
        for each in array_at(spec, *_DEVICES, "inputs")
    ]
    return with_section(spec, (*_DEVICES, "inputs"), inputs) if inputs else spec
