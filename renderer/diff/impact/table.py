"""What KubeVirt does with a change, by group of fields: the first row that a field is in counts.

Read in the source of v1.0.1, v1.1.1, v1.2.2, v1.3.1, v1.4.1, v1.5.3, v1.6.6, v1.7.4, v1.8.4 and v1.9.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from renderer.diff.impact.copies import judge_pool_template, judge_replica_template
from renderer.diff.impact.matchers import judge_matcher
from renderer.diff.impact.network import judge_interface
from renderer.diff.impact.placement import judge_nodes, judge_tolerations
from renderer.diff.impact.run import judge_replicas, judge_run_strategy
from renderer.diff.impact.size import judge_memory, judge_sockets
from renderer.diff.impact.storage import judge_volume
from renderer.diff.impact.update import Judge, Update, Verdict, restart
from renderer.model.difference import Effect, FieldChange
from renderer.model.field_path import FieldPath
from renderer.model.release import Release

_CONTROLLER = "pkg/virt-controller/watch/vm/vm.go"
_POOL = "pkg/virt-controller/watch/pool/pool.go"


class Base(Enum):
    """Where the fields of a row begin."""

    RESOURCE = "resource"
    SPEC = "spec"  # the VirtualMachine's
    INSTANCE = "instance"  # spec.template.spec of the VirtualMachine


class Row(NamedTuple):
    """A group of fields and who judges them.

    ``yields``: in a VM that needs a restart for something else as well, these wait for it, too.
    """

    base: Base
    fields: tuple[str, ...]
    judge: Judge
    source: str
    yields: bool = False


def _always(effect: Effect, reason: str) -> Judge:
    def judge(_update: Update, _change: FieldChange) -> Verdict:
        return Verdict(effect, reason)

    return judge


def _judge_live_update_features(update: Update, _change: FieldChange) -> Verdict:
    if update.cluster.release >= Release(1, 2):
        return Verdict(Effect.NONE, "KubeVirt 1.2 and later do not know it")
    return Verdict(Effect.REFUSED, "it cannot change while the VM runs")


def _judge_annotations(update: Update, change: FieldChange) -> Verdict:
    name = str(change.field.segments[-1])
    if update.cluster.release >= Release(1, 6) and name.startswith("descheduler.alpha.kubernetes.io/"):
        return Verdict(Effect.LIVE, "the descheduler's annotations are kept up to date")
    return Verdict(Effect.NEXT_START, "labels and annotations get to the instance when it starts")


def _restart(_update: Update, _change: FieldChange) -> Verdict:
    return restart("a field that KubeVirt does not update while the VM runs")


#: Of a VirtualMachine.
_MACHINE: Sequence[Row] = (
    Row(
        Base.INSTANCE,
        ("domain.cpu.sockets",),
        judge_sockets,
        f"{_CONTROLLER} handleCPUChangeRequest",
        yields=True,
    ),
    Row(
        Base.INSTANCE,
        ("domain.memory.guest",),
        judge_memory,
        f"{_CONTROLLER} handleMemoryHotplugRequest",
        yields=True,
    ),
    Row(
        Base.INSTANCE,
        ("nodeSelector", "affinity"),
        judge_nodes,
        f"{_CONTROLLER} handleAffinityChangeRequest",
        yields=True,
    ),
    Row(
        Base.INSTANCE,
        ("tolerations",),
        judge_tolerations,
        f"{_CONTROLLER} handleTolerationsChangeRequest",
        yields=True,
    ),
    Row(
        Base.INSTANCE,
        ("volumes", "domain.devices.disks"),
        judge_volume,
        f"{_CONTROLLER} validLiveUpdateVolumes",
    ),
    Row(
        Base.INSTANCE,
        ("networks", "domain.devices.interfaces"),
        judge_interface,
        "pkg/network/vmliveupdate/restart.go IsRestartRequired",
    ),
    Row(Base.INSTANCE, ("",), _restart, f"{_CONTROLLER} syncRestartRequired"),
    Row(
        Base.SPEC,
        ("template.metadata",),
        _judge_annotations,
        f"{_CONTROLLER} syncDynamicAnnotationsAndLabelsToVMI",
    ),
    Row(Base.SPEC, ("template",), _restart, f"{_CONTROLLER} syncRestartRequired"),
    Row(Base.SPEC, ("running", "runStrategy"), judge_run_strategy, f"{_CONTROLLER} syncRunStrategy"),
    Row(
        Base.SPEC,
        ("instancetype", "preference"),
        judge_matcher,
        "pkg/instancetype/webhooks/vm/mutator.go validateMatcherUpdate",
    ),
    Row(
        Base.SPEC,
        ("dataVolumeTemplates",),
        _always(Effect.NONE, "DataVolumes are made from it, and those that are there stay as they are"),
        f"{_CONTROLLER} handleDataVolumes",
    ),
    Row(
        Base.SPEC,
        ("liveUpdateFeatures",),
        _judge_live_update_features,
        "pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go validateVMUpdate",
    ),
    Row(
        Base.RESOURCE,
        ("",),
        _always(Effect.NONE, "nothing of it gets to what runs"),
        f"{_CONTROLLER} syncRestartRequired",
    ),
)

_OTHERS = _always(Effect.NONE, "nothing of it gets to what runs")
ROWS: Mapping[str, Sequence[Row]] = {
    "VirtualMachine": _MACHINE,
    "VirtualMachinePool": (
        Row(Base.RESOURCE, ("spec.replicas",), judge_replicas, f"{_POOL} scale"),
        Row(Base.SPEC, ("running", "runStrategy"), judge_run_strategy, f"{_CONTROLLER} syncRunStrategy"),
        Row(Base.SPEC, ("template", "dataVolumeTemplates"), judge_pool_template, f"{_POOL} isOutdatedVMI"),
        Row(Base.SPEC, ("instancetype", "preference"), judge_pool_template, f"{_POOL} isOutdatedVM"),
        Row(Base.RESOURCE, ("",), _OTHERS, f"{_POOL} isOutdatedVMI"),
    ),
    "VirtualMachineInstance": (
        Row(
            Base.INSTANCE,
            ("",),
            _always(Effect.REFUSED, "only KubeVirt itself may change an instance"),
            "pkg/virt-api/webhooks/validating-webhook/admitters/vmi-update-admitter.go",
        ),
        Row(Base.RESOURCE, ("",), _OTHERS, ""),
    ),
    "VirtualMachineInstanceReplicaSet": (
        Row(Base.RESOURCE, ("spec.replicas",), judge_replicas, "pkg/virt-controller/watch/replicaset"),
        Row(
            Base.RESOURCE, ("spec.template",), judge_replica_template, "pkg/virt-controller/watch/replicaset"
        ),
        Row(Base.RESOURCE, ("",), _OTHERS, ""),
    ),
}


def row_of(update: Update, field: FieldPath) -> Row:
    """The row of a field of the resource; the last one of its kind has them all."""
    rows = ROWS[update.after.kind]
    return next(row for row in rows if any(_is_in(field, way) for way in _ways(row, update)))


def _ways(row: Row, update: Update) -> Sequence[tuple[str, ...]]:
    base = {
        Base.RESOURCE: FieldPath(),
        Base.SPEC: update.after.spec_path,
        Base.INSTANCE: update.after.instance_path,
    }[row.base]
    start = tuple(map(str, base.segments))
    return [start + tuple(filter(None, field.split("."))) for field in row.fields]


def _is_in(field: FieldPath, way: tuple[str, ...]) -> bool:
    return field.segments[: len(way)] == way
