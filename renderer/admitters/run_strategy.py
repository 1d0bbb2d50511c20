"""``runStrategy`` and its predecessor, ``running``."""

from __future__ import annotations

from renderer.admitters.cause import Causes, invalid
from renderer.admitters.cluster import Cluster
from renderer.admitters.feature_gates import Gate, needs_gate
from renderer.admitters.vmi_spec import has
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject

_STRATEGIES = ("Halted", "Manual", "Always", "RerunOnFailure", "Once")
_RECEIVER = "WaitAsReceiver"


def check_run_strategy(vm_spec: JsonObject, at: FieldPath, cluster: Cluster) -> Causes:
    strategy = vm_spec.get("runStrategy")
    if has(vm_spec, "running") and strategy is not None:
        yield invalid(at.child("running"), "running and runStrategy exclude each other", "drop running")
    if not has(vm_spec, "running") and strategy is None:
        yield invalid(
            at.child("runStrategy"),
            "runStrategy is missing",
            f"one of {', '.join(_STRATEGIES)}",
            reported=at.child("running"),
        )
    if strategy is None or strategy in _STRATEGIES:
        return
    if strategy != _RECEIVER or not cluster.behaviour.waits_as_receiver:
        hint = f"one of {', '.join(_STRATEGIES)}"
        yield invalid(at.child("runStrategy"), f"{strategy!r} is no runStrategy", hint)
    elif Gate.DECENTRALIZED_LIVE_MIGRATION not in cluster.gates:
        yield needs_gate(
            at.child("runStrategy"), f"runStrategy {_RECEIVER}", Gate.DECENTRALIZED_LIVE_MIGRATION
        )
