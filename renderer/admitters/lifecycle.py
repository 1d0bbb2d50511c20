"""The run, start and eviction strategies, and the probes."""

from __future__ import annotations

from renderer.admitters.causes import Causes, invalid, required
from renderer.admitters.cluster import Cluster
from renderer.admitters.feature_gates import Gate, needs_gate
from renderer.admitters.vmi_spec import VmiSpec, has, section
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject

_RUN_STRATEGIES = ("Halted", "Manual", "Always", "RerunOnFailure", "Once")
_RECEIVER = "WaitAsReceiver"


def check_run_strategy(vm_spec: JsonObject, at: FieldPath, cluster: Cluster) -> Causes:
    strategy = vm_spec.get("runStrategy")
    if has(vm_spec, "running") and strategy is not None:
        yield invalid(at.child("running"), "running and runStrategy exclude each other", "drop running")
    if not has(vm_spec, "running") and strategy is None:
        yield invalid(
            at.child("runStrategy"),
            "runStrategy is missing",
            f"one of {', '.join(_RUN_STRATEGIES)}",
            reported=at.child("running"),
        )
    if strategy is None or strategy in _RUN_STRATEGIES:
        return
    if strategy != _RECEIVER or not cluster.behaviour.waits_as_receiver:
        hint = f"one of {', '.join(_RUN_STRATEGIES)}"
        yield invalid(at.child("runStrategy"), f"{strategy!r} is no runStrategy", hint)
    elif Gate.DECENTRALIZED_LIVE_MIGRATION not in cluster.gates:
        yield needs_gate(
            at.child("runStrategy"), f"runStrategy {_RECEIVER}", Gate.DECENTRALIZED_LIVE_MIGRATION
        )


_EVICTION_STRATEGIES = ("LiveMigrate", "LiveMigrateIfPossible", "None", "External")


def check_start_strategy(vmi: VmiSpec, _: Cluster) -> Causes:
    strategy = vmi.content.get("startStrategy")
    if strategy is None:
        return
    at = vmi.at("startStrategy")
    if strategy != "Paused":
        yield invalid(at, f"{strategy!r} is no startStrategy", "use Paused, or drop it")
    elif has(vmi.content, "livenessProbe"):
        yield invalid(at, "a VM with a livenessProbe cannot start paused", "drop one of the two")


def check_eviction_strategy(vmi: VmiSpec, cluster: Cluster) -> Causes:
    strategy = vmi.content.get("evictionStrategy")
    if strategy is None:
        strategy = cluster.config.eviction_strategy
    if strategy not in _EVICTION_STRATEGIES:
        hint = f"one of {', '.join(_EVICTION_STRATEGIES)}"
        yield invalid(vmi.at("evictionStrategy"), f"{strategy!r} is no evictionStrategy", hint)


_PROBES = ("readinessProbe", "livenessProbe")
_HANDLERS = ("httpGet", "tcpSocket", "exec", "guestAgentPing")
_NEEDS_POD_NETWORK = ("httpGet", "tcpSocket")


def check_probes(vmi: VmiSpec, _: Cluster) -> Causes:
    for name in _PROBES:
        if not has(vmi.content, name):
            continue
        probe = section(vmi.content, name)
        handlers = [handler for handler in _HANDLERS if has(probe, handler)]
        if len(handlers) > 1:
            message = f"{name} probes in more than one way: {', '.join(handlers)}"
            yield invalid(vmi.at(name), message, "keep one of them")
        elif not handlers:
            yield required(
                vmi.at(name), f"{name} does not say how to probe", f"add one of {', '.join(_HANDLERS)}"
            )


def check_probes_have_pod_network(vmi: VmiSpec, _: Cluster) -> Causes:
    probes = [name for name in _PROBES if has(vmi.content, name)]
    if not probes or any(has(network, "pod") for network in vmi.networks):
        return
    for name in probes:
        for handler in _NEEDS_POD_NETWORK:
            if has(section(vmi.content, name), handler):
                at = vmi.at(name, handler)
                yield invalid(at, f"{handler} needs the pod network, which the VM is not on", "use exec")
