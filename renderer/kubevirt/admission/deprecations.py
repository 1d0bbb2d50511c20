"""Deprecation warnings of webhooks about objects that they admit.

``spec.running`` has a rule of its own; warnings about instance types and preferences are where these are
checked.
"""

from __future__ import annotations

from renderer.kubevirt.admission.causes import Causes, invalid
from renderer.kubevirt.admission.check_table import CheckTable, row
from renderer.kubevirt.admission.vmi_spec import VmiSpec, elements, has, section, texts
from renderer.kubevirt.facts.admission_request import AdmissionRequest
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate, State, state_of
from renderer.kubevirt.facts.kinds import HYPERCONVERGED, KUBEVIRT
from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.model.field_edit import RemoveField, RemoveItem, RenameField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at

_CONFIGURATION = FieldPath.of("spec", "configuration")
_GATES = _CONFIGURATION.child("developerConfiguration", "featureGates")
_BINDINGS = {Gate.PASST: "passt", Gate.MACVTAP: "macvtap"}
_INTERFACES = frozenset({"interfaces"})
_ADVICE = {
    State.GA: "it is on without being listed",
    State.DEPRECATED: "it will be discontinued",
    State.DISCONTINUED: "its feature is discontinued",
}


def warnings_of(request: AdmissionRequest, cluster: Cluster) -> Causes:
    """Yield a webhook's warnings about an object that it admits."""
    if request.kind == KUBEVIRT:
        configuration = object_at(request.content, "spec", "configuration")
        fields = frozenset(configuration)
        yield from CONFIGURATION_WARNINGS.causes(cluster.release, fields, configuration, cluster)
    elif request.kind == HYPERCONVERGED:
        from renderer.kubevirt.admission.hyperconverged_object import warnings_of_hyperconverged  # noqa: PLC0415 - few repositories have any

        yield from warnings_of_hyperconverged(request.content, cluster)
    elif request.kind in PATHS and INSTANCE_WARNINGS.checks_for(cluster.release, _INTERFACES):
        path = PATHS[request.kind].instance
        vmi = VmiSpec.of(object_at(request.content, *path.keys), path)
        yield from INSTANCE_WARNINGS.causes(cluster.release, vmi.fields, vmi, cluster)


def _warn_of_bindings(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Warn about a binding that the next release discontinues; without its gate it is rejected."""
    for gate in cluster.config.feature_gates:
        for index, interface in enumerate(vmi.interfaces):
            binding = next((binding for known, binding in _BINDINGS.items() if known == gate), "")
            if binding and has(interface, binding):
                at = vmi.device("interfaces", index, binding)
                hint = "use bridge, masquerade or a binding plugin"
                yield invalid(at, f"KubeVirt {cluster.release} warns of the binding {binding}", hint)
                break


def _warn_of_gates(configuration: JsonObject, cluster: Cluster) -> Causes:
    """Warn about gates that need not be listed, or that will soon have no effect."""
    known = {str(gate): gate for gate in Gate}
    for index, name in enumerate(texts(section(configuration, "developerConfiguration"), "featureGates")):
        state = state_of(known[name], cluster.release) if name in known else None
        if state in _ADVICE:
            message = f"KubeVirt {cluster.release} warns of the feature gate {name}: {_ADVICE[state]}"
            yield invalid(_GATES.child(index), message, "drop it", fix=RemoveItem(_GATES.child(index)))


def _warn_of_mediated_devices(configuration: JsonObject, cluster: Cluster) -> Causes:
    devices = section(configuration, "mediatedDevicesConfiguration")
    at = _CONFIGURATION.child("mediatedDevicesConfiguration")
    places = [(at, devices)] + [
        (at.child("nodeMediatedDeviceTypes", index), element)
        for index, element in enumerate(elements(devices, "nodeMediatedDeviceTypes"))
    ]
    for place, content in places:
        if has(content, "mediatedDevicesTypes"):
            message = f"KubeVirt {cluster.release} warns of mediatedDevicesTypes"
            at, new = place.child("mediatedDevicesTypes"), "mediatedDeviceTypes"
            fix = None if has(content, new) else RenameField(at, new)
            yield invalid(at, message, f"use {new}", fix=fix)


def _warn_of_ppc64le(configuration: JsonObject, cluster: Cluster) -> Causes:
    if has(section(configuration, "architectureConfiguration"), "ppc64le"):
        at = _CONFIGURATION.child("architectureConfiguration", "ppc64le")
        message = f"KubeVirt {cluster.release} warns of ppc64le, which it does not know"
        yield invalid(at, message, "drop it", fix=RemoveField(at))


INSTANCE_WARNINGS: CheckTable[[VmiSpec, Cluster]] = CheckTable(
    row(_warn_of_bindings, "interfaces", upstream="warnDeprecatedAPIs", since="1.2", until="1.3"),
)

CONFIGURATION_WARNINGS: CheckTable[[JsonObject, Cluster]] = CheckTable(
    row(_warn_of_gates, "developerConfiguration", upstream="warnDeprecatedFeatureGates"),
    row(
        _warn_of_mediated_devices,
        "mediatedDevicesConfiguration",
        upstream="kubevirt-update-admitter.go Admit",
    ),
    row(_warn_of_ppc64le, "architectureConfiguration", upstream="warnDeprecatedArchitectures", since="1.7"),
)
