"""Interfaces and their networks (KubeVirt ``pkg/network/vmliveupdate``, ``pkg/network/controllers``)."""

from __future__ import annotations

from renderer.diff.impact.cluster import Gate
from renderer.diff.impact.update import Update, Verdict, element_of, restart
from renderer.diff.machine import Machine, named
from renderer.model.difference import Effect, FieldChange
from renderer.model.json import JsonObject, text_at, without
from renderer.model.release import Release

_PLUGGED = ("bridge", "sriov")
_ABSENT = "absent"
_GENERAL = Release(1, 4)
_LINK_STATE = Release(1, 5)
_POD_NETWORK_RESTARTS = Release(1, 8)
_NAD_REF = Release(1, 8)
_STATE = "state"


def judge_interface(update: Update, change: FieldChange) -> Verdict:
    """A change in ``interfaces`` or in ``networks``, which go together by their names."""
    if change.reordered:
        return Verdict(Effect.NEXT_START, "the order counts when the VM starts")
    name = element_of(change, "interfaces") or element_of(change, "networks")
    before, after = _interface(update.before, name), _interface(update.after, name)
    if name and not before and after:
        return _added(update, name, after)
    if update.cluster.release < _GENERAL:
        return restart(f"before KubeVirt {_GENERAL} an interface that is there is not changed")
    if not after:
        return restart("an interface is unplugged by state: absent, not by leaving it out")
    if element_of(change, "interfaces"):
        return _changed_interface(update, before, after)
    return _changed_network(update, name)


def _added(update: Update, name: str, interface: JsonObject) -> Verdict:
    release = update.cluster.release
    if not update.cluster.has_on(Gate.HOTPLUG_NICS):
        return restart(f"before KubeVirt {_GENERAL} it needs the feature gate {Gate.HOTPLUG_NICS}")
    if "pod" in _network(update.after, name) and release >= _POD_NETWORK_RESTARTS:
        return restart("the pod network is only there from the start")
    if text_at(interface, _STATE) == _ABSENT:
        return Verdict(Effect.NONE, "its state is absent")
    if any(interface.get(binding) is not None for binding in _PLUGGED):
        return Verdict(Effect.HOT_PLUG, "plugged in by a live migration")
    return Verdict(Effect.NEXT_START, "only interfaces with a bridge or SR-IOV binding are plugged in")


def _changed_interface(update: Update, before: JsonObject, after: JsonObject) -> Verdict:
    if without(before, _STATE) != without(after, _STATE):
        return restart("of an interface only its state changes while the VM runs")
    if text_at(after, _STATE) == _ABSENT:
        return Verdict(Effect.HOT_PLUG, "unplugged")
    if update.cluster.release < _LINK_STATE:
        return Verdict(Effect.NEXT_START, f"before KubeVirt {_LINK_STATE} links have no state")
    return Verdict(Effect.LIVE, "the link goes up or down")


def _changed_network(update: Update, name: str) -> Verdict:
    before, after = _network(update.before, name), _network(update.after, name)
    is_other = without(before, "multus", "networkName") != without(after, "multus", "networkName")
    cluster = update.cluster
    if is_other or cluster.release < _NAD_REF or not cluster.has_on(Gate.LIVE_UPDATE_NAD_REF):
        return restart("a VM is on its networks from the start")
    return Verdict(Effect.MIGRATION, "connected to the other network by a live migration")


def _interface(machine: Machine, name: str) -> JsonObject:
    return named(machine.devices.get("interfaces"), name)


def _network(machine: Machine, name: str) -> JsonObject:
    return named(machine.instance.get("networks"), name)
