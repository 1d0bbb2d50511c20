"""Bindings of interfaces and their states (KubeVirt ``pkg/network/admitter``)."""

from __future__ import annotations

from functools import partial

from renderer.kubevirt.admission.causes import Causes, invalid, needs_gate, not_supported
from renderer.kubevirt.admission.check_table import Check, CheckTable, row
from renderer.kubevirt.admission.network.interface import Interface, interfaces
from renderer.kubevirt.admission.vmi_spec import VmiSpec, has, present, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.model.field_edit import RenameField
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import EMPTY, JsonObject

_DISCONTINUED: dict[str, str] = {Gate.PASST: "passt", Gate.MACVTAP: "macvtap"}
#: Fields that cannot be combined with a binding plugin.
_METHODS_1_1 = ("bridge", "slirp", "masquerade", "sriov", "macvtap", "passt")
_METHODS_1_8 = ("bridge", "masquerade", "sriov", "passtBinding")
_BINDINGS_1_9 = (*_METHODS_1_8, "binding")
#: The address of the bridge inside the pod.
RESERVED_ADDRESS = "02:00:00:00:00:00"
MASQUERADE_OFF_POD = ("masquerade needs the pod network", "use bridge, or make the network pod")
RESERVED = f"{RESERVED_ADDRESS} is the address of the pod's own bridge"
BRIDGE_ON_POD = ("the cluster does not permit a bridge on the pod network", "use masquerade")


def check_discontinued_gates(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Reject a discontinued binding if its gate is still listed."""
    for gate in cluster.config.feature_gates:
        binding = _DISCONTINUED.get(gate)
        if binding is None:
            continue
        users = [index for index, interface in enumerate(vmi.interfaces) if has(interface, binding)]
        if users:
            at = vmi.device("interfaces", users[0], binding)
            yield not_supported(at, *_discontinued_message_and_hint(binding), reported=ROOT)


def check_discontinued_bindings(vmi: VmiSpec, _: Cluster, *, bindings: tuple[str, ...]) -> Causes:
    """Reject bindings that new objects cannot use; KubeVirt reports them below ``spec``."""
    for index, interface in enumerate(vmi.interfaces):
        for binding in bindings:
            if has(interface, binding):
                reported = FieldPath.of("spec", "domain", "devices", "interfaces", index, binding)
                at = vmi.device("interfaces", index, binding)
                yield invalid(at, *_discontinued_message_and_hint(binding), reported=reported)


#: Bindings that new objects cannot use; an object that already has one may be changed.
DISCONTINUED_BINDING_CHECKS: tuple[Check[[VmiSpec, Cluster]], ...] = (
    row(
        partial(check_discontinued_bindings, bindings=("slirp",)),
        "interfaces",
        upstream="slirp.go validateCreationSlirpBinding",
        since="1.3",
        until="1.8",
    ),
    row(
        partial(check_discontinued_bindings, bindings=("slirp", "passt", "macvtap")),
        "interfaces",
        upstream="discontinued.go validateDiscontinuedBindings",
        since="1.8",
    ),
)


def _discontinued_message_and_hint(binding: str) -> tuple[str, str]:
    message = f"the binding {binding} is discontinued since KubeVirt 1.3"
    return message, "use bridge, masquerade or a binding plugin"


def check_interface_states(
    vmi: VmiSpec, _: Cluster, *, states: tuple[str, ...], typeless_is_default: bool
) -> Causes:
    """Check ``state`` against ``states``; ``typeless_is_default``: no source means the default network."""
    default = _default_network(vmi, typeless_is_default=typeless_is_default)
    for index, interface in enumerate(vmi.interfaces):
        state = text(interface, "state")
        if not state:
            continue
        at = vmi.device("interfaces", index, "state")
        if state not in states:
            yield invalid(at, f"{state!r} is not an interface state", f"one of {', '.join(states)}")
        elif has(interface, "sriov") and state != "absent":
            yield invalid(at, f"an SR-IOV interface cannot be {state}")
        if state == "absent" and not has(interface, "bridge"):
            yield invalid(at, "only an interface with the binding bridge can be absent")
        if state == "absent" and default is not None and text(default, "name") == text(interface, "name"):
            yield invalid(at, "the interface of the default network cannot be absent")


def _default_network(vmi: VmiSpec, *, typeless_is_default: bool) -> JsonObject | None:
    """Return the pod network, or the Multus network that replaces it (``LookUpDefaultNetwork``)."""
    for network in vmi.networks:
        is_default_multus = bool(section(network, "multus").get("default"))
        has_default_source = not has(network, "multus") if typeless_is_default else has(network, "pod")
        if is_default_multus or has_default_source:
            return network
    return None


def check_bindings(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Run the checks of the table below for each interface."""
    for interface in interfaces(vmi, cluster):
        yield from BINDING_CHECKS.causes(cluster.release, frozenset(interface.content), interface)


def check_slirp(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check slirp; only objects other than a VirtualMachine get here with it."""
    for interface in interfaces(vmi, cluster):
        if has(interface.content, "slirp") and interface.network is not EMPTY:
            yield from slirp_problems(interface)


def slirp_problems(interface: Interface) -> Causes:
    """Yield the missing requirements of slirp: the pod network, or the cluster's permission."""
    if not interface.on_pod:
        yield invalid(interface.at("slirp"), "slirp needs the pod network", reported=interface.at("name"))
    elif not interface.cluster.config.permits_slirp:
        message = "the cluster does not permit slirp"
        at, reported = interface.at("slirp"), interface.at("name")
        fix = RenameField(at, "masquerade")
        yield invalid(at, message, "use masquerade", reported=reported, fix=fix)


def check_plugins_are_alone(interface: Interface, *, methods: tuple[str, ...]) -> Causes:
    """Reject a binding plugin combined with one of ``methods``."""
    others = present(interface.content, methods)
    if has(interface.content, "binding") and others:
        message = f"the interface {interface.name} has a binding plugin and more: {', '.join(others)}"
        yield invalid(interface.at("binding"), message, "keep one of them")


def _check_number(interface: Interface) -> Causes:
    bindings = present(interface.content, _BINDINGS_1_9)
    if len(bindings) == 1:
        return
    name = interface.name
    if bindings:
        message = f"the interface {name} has more than one binding: {', '.join(bindings)}"
        yield invalid(interface.at(), message, "keep one of them")
    else:
        hint = "add masquerade, bridge, sriov or a plugin"
        yield invalid(interface.at(), f"the interface {name} has no binding", hint)


def _check_masquerade(interface: Interface) -> Causes:
    if not has(interface.content, "masquerade"):
        return
    if not interface.on_pod:
        yield invalid(interface.at("name"), *MASQUERADE_OFF_POD)
    if text(interface.content, "macAddress") == RESERVED_ADDRESS:
        yield invalid(interface.at("macAddress"), RESERVED)


def check_bridge(interface: Interface) -> Causes:
    """Check that the cluster permits bridge binding on the pod network."""
    if has(interface.content, "bridge") and interface.on_pod and not interface.cluster.config.permits_bridge:
        fix = RenameField(interface.at("bridge"), "masquerade")
        yield invalid(interface.at("name"), *BRIDGE_ON_POD, fix=fix)


def _check_gated(interface: Interface, *, binding: str, gate: Gate, network: str = "") -> Causes:
    """Check the feature gate of a binding, and that it is on a network of its kind."""
    if not has(interface.content, binding):
        return
    at, reported = interface.at(binding), interface.at("name")
    if gate not in interface.cluster.gates:
        yield needs_gate(at, binding, gate, reported=reported)
    if network and not has(interface.network, network):
        yield invalid(at, f"{binding} needs a {network} network", reported=reported)


#: ``validateInterfaceBinding``; 1.0 to 1.2 have another version (``before_1_3``).
BINDING_CHECKS: CheckTable[[Interface]] = CheckTable(
    row(
        partial(check_plugins_are_alone, methods=_METHODS_1_1),
        "binding",
        upstream="binding.go validateInterfaceBindingExists",
        since="1.3",
        until="1.8",
    ),
    row(
        partial(check_plugins_are_alone, methods=_METHODS_1_8),
        "binding",
        upstream="binding.go validateInterfaceBindingExists",
        since="1.8",
        until="1.9",
    ),
    row(_check_number, upstream="binding.go validateInterfaceBindingExists", since="1.9"),
    row(_check_masquerade, "masquerade", upstream="binding.go validateMasqueradeBinding", since="1.3"),
    row(check_bridge, "bridge", upstream="binding.go validateBridgeBinding", since="1.3"),
    row(
        partial(_check_gated, binding="binding", gate=Gate.NETWORK_BINDING_PLUGINS),
        "binding",
        upstream="binding.go validateBindingPlugin",
        since="1.3",
        until="1.5",
    ),
    row(
        partial(_check_gated, binding="macvtap", gate=Gate.MACVTAP, network="multus"),
        "macvtap",
        upstream="macvtap.go validateMacvtapBinding",
        since="1.3",
        until="1.8",
    ),
    row(
        partial(_check_gated, binding="passt", gate=Gate.PASST, network="pod"),
        "passt",
        upstream="passt.go validatePasstBinding",
        since="1.3",
        until="1.8",
    ),
    row(
        partial(_check_gated, binding="passtBinding", gate=Gate.PASST_BINDING, network="pod"),
        "passtBinding",
        upstream="passt.go validatePasstBinding",
        since="1.8",
    ),
)
