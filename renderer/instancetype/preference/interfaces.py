"""Preferences for network interfaces (KubeVirt ``pkg/instancetype/preference/apply/interface.go``)."""

from __future__ import annotations

from renderer.instancetype.apply.applier import AppliedSpecs
from renderer.instancetype.preference.set_when_absent import filled, wanted
from renderer.instancetype.vmi_template import with_each_device
from renderer.model.json import JsonObject, array_at, object_at, text_at

_MODEL = {"preferredInterfaceModel": "model"}
_MASQUERADE = {"preferredInterfaceMasquerade": "masquerade"}
_BINDINGS = ("bridge", "slirp", "masquerade", "sriov", "macvtap", "passt", "passtBinding", "binding")


def apply(selection: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Fills in the model, and masquerade where an interface of the pod network has no binding."""
    preferred = object_at(selection.preference, "devices")
    model, masquerade = wanted(preferred, _MODEL), wanted(preferred, _MASQUERADE)
    if not model and not masquerade:
        return template
    anywhere = not selection.behaviour.masquerade_needs_pod_network

    def with_preferences(interface: JsonObject) -> JsonObject:
        interface = filled(interface, model)
        if not masquerade:
            return interface
        if anywhere or (not _is_bound(interface) and _is_on_pod_network(interface, template)):
            return filled(interface, masquerade)
        return interface

    return with_each_device(template, "interfaces", with_preferences)


def _is_bound(interface: JsonObject) -> bool:
    return any(interface.get(binding) is not None for binding in _BINDINGS)


def _is_on_pod_network(interface: JsonObject, template: JsonObject) -> bool:
    name = text_at(interface, "name")
    networks = array_at(template, "spec", "networks")
    network = next((network for network in networks if text_at(network, "name") == name), None)
    return object_at(network).get("pod") is not None
