"""The run, start and eviction strategies, and the probes."""

from __future__ import annotations

from renderer.kubevirt.admission.causes import Causes, invalid, needs_gate, required
from renderer.kubevirt.admission.network.interface import pod_interfaces
from renderer.kubevirt.admission.vmi_spec import VmiSpec, VmSpec, has, section
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.virtual_machine import (
    ALWAYS,
    HALTED,
    MANUAL,
    ONCE,
    RERUN_ON_FAILURE,
    WAIT_AS_RECEIVER,
)
from renderer.model.field_edit import RemoveField

_RUN_STRATEGIES = (HALTED, MANUAL, ALWAYS, RERUN_ON_FAILURE, ONCE)
_EVICTION_STRATEGIES = ("LiveMigrate", "LiveMigrateIfPossible", "None", "External")
_PROBES = ("readinessProbe", "livenessProbe")
_HANDLERS = ("httpGet", "tcpSocket", "exec", "guestAgentPing")
_NEEDS_POD_NETWORK = ("httpGet", "tcpSocket")


def check_running(vm: VmSpec, _: Cluster) -> Causes:
    """Check that exactly one of ``running`` and ``runStrategy`` is set."""
    strategy = vm.content.get("runStrategy")
    if has(vm.content, "running") and strategy is not None:
        message, says = "running and runStrategy exclude each other", vm.content.get("running")
        is_same = strategy == (ALWAYS if says is True else HALTED if says is False else None)
        fix = RemoveField(vm.at("running")) if is_same else None
        yield invalid(vm.at("running"), message, "drop running", fix=fix)
    if not has(vm.content, "running") and strategy is None:
        yield invalid(
            vm.at("runStrategy"),
            "runStrategy is missing",
            f"one of {', '.join(_RUN_STRATEGIES)}",
            reported=vm.at("running"),
        )


def check_run_strategy_name(vm: VmSpec, _: Cluster) -> Causes:
    """Check that ``runStrategy`` is a valid strategy."""
    strategy = vm.content.get("runStrategy")
    if strategy is not None and strategy not in _RUN_STRATEGIES:
        hint = f"one of {', '.join(_RUN_STRATEGIES)}"
        yield invalid(vm.at("runStrategy"), f"{strategy!r} is not a runStrategy", hint)


def check_run_strategy_or_receiver(vm: VmSpec, cluster: Cluster) -> Causes:
    """Check that ``runStrategy`` is a valid strategy; one of them needs a gate."""
    at = vm.at("runStrategy")
    if vm.content.get("runStrategy") != WAIT_AS_RECEIVER:
        yield from check_run_strategy_name(vm, cluster)
    elif Gate.DECENTRALIZED_LIVE_MIGRATION not in cluster.gates:
        yield needs_gate(at, f"runStrategy {WAIT_AS_RECEIVER}", Gate.DECENTRALIZED_LIVE_MIGRATION)


def check_start_strategy(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject start strategies other than Paused, and Paused with a liveness probe."""
    strategy = vmi.content.get("startStrategy")
    if strategy is None:
        return
    at = vmi.at("startStrategy")
    if strategy != "Paused":
        yield invalid(at, f"{strategy!r} is not a startStrategy", "use Paused, or drop it")
    elif has(vmi.content, "livenessProbe"):
        yield invalid(at, "a VM with a livenessProbe cannot start paused", "drop one of the two")


def check_eviction_strategy(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Reject unknown eviction strategies, including the cluster's."""
    strategy = vmi.content.get("evictionStrategy")
    if strategy is None:
        strategy = cluster.config.eviction_strategy
    if strategy not in _EVICTION_STRATEGIES:
        hint = f"one of {', '.join(_EVICTION_STRATEGIES)}"
        yield invalid(vmi.at("evictionStrategy"), f"{strategy!r} is not an evictionStrategy", hint)


def check_probes(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that each probe has exactly one handler."""
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


def check_probes_have_pod_interface(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Reject network probes of a VM without an interface on the pod network."""
    if not pod_interfaces(vmi):
        yield from _check_probes_without_pod(vmi, cluster)


def check_probes_have_pod_network(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Reject network probes of a VM without the pod network."""
    if not any(has(network, "pod") for network in vmi.networks):
        yield from _check_probes_without_pod(vmi, cluster)


def _check_probes_without_pod(vmi: VmiSpec, _: Cluster) -> Causes:
    for name in _PROBES:
        for handler in _NEEDS_POD_NETWORK:
            if has(section(vmi.content, name), handler):
                at = vmi.at(name, handler)
                yield invalid(at, f"{handler} needs the pod network, which the VM is not on", "use exec")
