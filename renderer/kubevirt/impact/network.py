"""Interfaces and their networks.

KubeVirt ``pkg/network/vmliveupdate/restart.go`` and ``pkg/network/controllers/vm.go``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.stored_values import with_part
from renderer.kubevirt.facts.virtual_machine import elements_by_name
from renderer.kubevirt.impact.migratable import migration_obstacle
from renderer.kubevirt.impact.state import InstanceState, Update
from renderer.model.difference import Effect
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at, text_at, without
from renderer.model.release import Release

_INTERFACES = ("domain", "devices", "interfaces")
_NETWORKS = ("networks",)
_PLUGGED_BINDINGS = ("bridge", "sriov")
_ABSENT, _DOWN = "absent", "down"
UNPLUGGED = "the interface is unplugged: the guest loses the network adapter"
_CUT = "the link goes down: the guest is cut off from the network"
_SINCE_LINK_STATE = Release(1, 5)
_SINCE_POD_NETWORK_AT_START = Release(1, 8)
_SINCE_NAD_REF = Release(1, 8)
_SINCE_NAD_REF_OF_MIGRATABLE = Release(1, 10)


def network_needs_restart(update: Update, state: InstanceState, *, migratable: bool) -> bool:
    """Return True if interfaces or networks of the instance changed or are gone (``IsRestartRequired``)."""
    desired, current = update.after.applied, state.spec
    if _are_changed(array_at(current, *_INTERFACES), array_at(desired, *_INTERFACES), "state"):
        return True
    networks = array_at(current, *_NETWORKS), array_at(desired, *_NETWORKS)
    release = update.cluster.release
    if release >= _SINCE_POD_NETWORK_AT_START and not _has_pod(networks[0]) and _has_pod(networks[1]):
        return True
    ignores_name = update.cluster.has_gate(Gate.LIVE_UPDATE_NAD_REF) and release >= _SINCE_NAD_REF
    if release >= _SINCE_NAD_REF_OF_MIGRATABLE:
        ignores_name = migratable
    return _are_changed(*networks, *(("multus", "networkName") if ignores_name else ()))


def sync_interfaces(update: Update, state: InstanceState) -> InstanceState:
    """Plug in interfaces, set their states, and connect them to other networks (``Sync``)."""
    if not update.cluster.has_gate(Gate.HOTPLUG_NICS):
        return state
    migratable = not migration_obstacle(update, state)
    state = _plug_in(update, state, migratable=migratable)
    state = _with_states(update, state)
    release = update.cluster.release
    if release < _SINCE_NAD_REF or not update.cluster.has_gate(Gate.LIVE_UPDATE_NAD_REF):
        return state
    if release >= _SINCE_NAD_REF_OF_MIGRATABLE and not migratable:
        return state
    return _reconnect(update, state, migratable=migratable)


def with_cleared_interfaces(spec: JsonObject, present: Iterable[str]) -> JsonObject:
    """Return a template's spec after virt-controller has cleaned it up (``clearDetachedIfacesFromVM``).

    Absent interfaces are removed unless the instance has them (``present``). The networks are then the
    networks of the remaining interfaces, in their order (``FilterNetworksByInterfaces``).
    """
    names = frozenset(present)
    interfaces = [
        each
        for each in map(object_at, array_at(spec, *_INTERFACES))
        if text_at(each, "state") != _ABSENT or text_at(each, "name") in names
    ]
    networks = elements_by_name(array_at(spec, *_NETWORKS))
    kept = [networks[name] for each in interfaces if (name := text_at(each, "name")) in networks]
    return with_part(with_part(spec, _INTERFACES, interfaces), _NETWORKS, kept)


def with_network_of(spec: JsonObject, other: JsonObject) -> JsonObject:
    """Return the spec of an instance with the interfaces and networks of another spec."""
    for path in (_INTERFACES, _NETWORKS):
        spec = with_part(spec, path, array_at(other, *path))
    return spec


def interface_names(spec: JsonObject) -> tuple[str, ...]:
    """Return the names of the interfaces in the spec of an instance."""
    return tuple(elements_by_name(array_at(spec, *_INTERFACES)))


def _plug_in(update: Update, state: InstanceState, *, migratable: bool) -> InstanceState:
    template = update.after.template
    known = elements_by_name(state.items(*_INTERFACES))
    networks = elements_by_name(array_at(template, *_NETWORKS))
    new = [
        each
        for each in map(object_at, array_at(template, *_INTERFACES))
        if text_at(each, "name") not in known
        and text_at(each, "state") != _ABSENT
        and any(each.get(binding) is not None for binding in _PLUGGED_BINDINGS)
    ]
    if not new:
        return state
    effect, reason = Effect.NEXT_MIGRATION, "the interface is plugged in by a live migration"
    if not migratable:
        effect, reason = Effect.BLOCKED, "the interface would be plugged in by a live migration"
    added = [networks.get(text_at(each, "name"), EMPTY) for each in new]
    return state.with_patch(
        {_INTERFACES: [*state.items(*_INTERFACES), *new], _NETWORKS: [*state.items(*_NETWORKS), *added]},
        effect,
        reason,
    )


def _with_states(update: Update, state: InstanceState) -> InstanceState:
    """Set the link states; an interface that was unplugged stays unplugged.

    libvirt sets the link of the running guest at once, and detaches the interface (KubeVirt
    ``pkg/virt-launcher/virtwrap/network/nichotplug.go`` ``updateDomainLinkState``,
    ``hotUnplugVirtualInterface``).
    """
    desired = elements_by_name(array_at(update.after.template, *_INTERFACES))
    links = update.cluster.release >= _SINCE_LINK_STATE
    for states, effect, reason in (
        (("", "up"), Effect.LIVE, "the link goes up"),
        ((_DOWN,), Effect.DISCONNECTED, _CUT),
        ((_ABSENT,), Effect.DISCONNECTED, UNPLUGGED),
    ):
        changed = []
        for present in state.items(*_INTERFACES):
            interface, name = present, text_at(present, "name")
            link = text_at(desired[name], "state") if name in desired else ""
            if (
                name in desired
                and text_at(interface, "state") != _ABSENT
                and (links or link == _ABSENT)
                and link in states
            ):
                interface = without(interface, "state")
                interface = {**interface, "state": link} if link else interface
            changed.append(interface)
        state = state.with_patch({_INTERFACES: changed}, effect, reason)
    return state


def _reconnect(update: Update, state: InstanceState, *, migratable: bool) -> InstanceState:
    """Connect interfaces to other Multus networks (``syncNetworks``)."""
    desired = elements_by_name(array_at(update.after.template, *_NETWORKS))
    networks = []
    for present in state.items(*_NETWORKS):
        network = present
        wanted = object_at(desired.get(text_at(network, "name"), EMPTY)).get("multus")
        if wanted is not None and network.get("multus") is not None:
            name = text_at(wanted, "networkName")
            network = {**network, "multus": {**object_at(network, "multus"), "networkName": name}}
        networks.append(network)
    if migratable:
        return state.with_patch(
            {_NETWORKS: networks}, Effect.MIGRATION, "a live migration connects the VM to the other network"
        )
    return state.with_patch(
        {_NETWORKS: networks}, Effect.BLOCKED, "a live migration would connect the VM to the other network"
    )


def _are_changed(current: Sequence[Json], desired: Sequence[Json], *ignored: str) -> bool:
    old, new = elements_by_name(current), elements_by_name(desired)
    return any(
        name not in new or without(element, *ignored) != without(new[name], *ignored)
        if ignored
        else new.get(name) != element
        for name, element in old.items()
    )


def _has_pod(networks: Sequence[Json]) -> bool:
    return any(isinstance(each, dict) and each.get("pod") is not None for each in networks)
