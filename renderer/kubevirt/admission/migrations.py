"""Migration policies and migrations (``migrationpolicy-admitter.go``, ``migration-create-admitter.go``).

Rules that depend on objects in the cluster are not checked: the migrating machine, and its other migrations.
"""

from __future__ import annotations

from functools import partial

from renderer.golang.template.strconv import NumError, parse_float
from renderer.kubevirt.admission.causes import (
    NOT_TURNED_ON,
    Cause,
    Causes,
    CauseType,
    gate_hint,
    invalid,
    needs_gate,
    required,
)
from renderer.kubevirt.admission.check_table import CheckTable, row
from renderer.kubevirt.admission.vmi_spec import has, number, quantity, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_edit import RemoveField
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.quantity import Quantity
from renderer.model.record import Record

_SPEC = FieldPath.of("spec")
_ONE = Quantity.parse("1")


class _Factor(Record):
    """The bounds of a factor of the stall detector: the minimum is 0 or 1, the maximum 1 or unlimited."""

    name: str
    from_one: bool = False
    to_one: bool = False
    positive: bool = False


_FACTORS = (
    _Factor("ewmaAlpha", to_one=True, positive=True),
    _Factor("precopyPossibleFactor", from_one=True),
    _Factor("patienceWindowDecayFactor", to_one=True),
    _Factor("completionTimeoutFactor", from_one=True),
)


def _check_timeout(spec: JsonObject, _: Cluster) -> Causes:
    if number(spec, "completionTimeoutPerGiB") < 0:
        yield invalid(_SPEC.child("completionTimeoutPerGiB"), "completionTimeoutPerGiB is negative")


def _check_bandwidth(spec: JsonObject, _: Cluster) -> Causes:
    if quantity(spec, "bandwidthPerMigration").sign < 0:
        yield invalid(_SPEC.child("bandwidthPerMigration"), "bandwidthPerMigration is negative")


def _check_downtime(spec: JsonObject, cluster: Cluster) -> Causes:
    gates = (Gate.MIGRATION_STALL_DETECTION, Gate.MIGRATION_DOWNTIME_TUNING)
    if has(spec, "maxDowntimeMs") and cluster.gates.isdisjoint(gates):
        yield needs_gate(_SPEC.child("maxDowntimeMs"), "maxDowntimeMs", gates[0])


def _check_downtime_tuning(spec: JsonObject, cluster: Cluster) -> Causes:
    """Check the gate of ``downtimeTuning``, and that it is not combined with ``stallDetector``."""
    options, at = section(spec, "experimental"), _SPEC.child("experimental")
    if has(options, "downtimeTuning") and Gate.MIGRATION_DOWNTIME_TUNING not in cluster.gates:
        yield needs_gate(at.child("downtimeTuning"), "downtimeTuning", Gate.MIGRATION_DOWNTIME_TUNING)
    if has(options, "downtimeTuning") and has(options, "stallDetector"):
        yield invalid(at, "downtimeTuning and stallDetector exclude each other", "drop one of them")


def _check_stall_detector_gate(spec: JsonObject, cluster: Cluster) -> Causes:
    options, at = section(spec, "experimental"), _SPEC.child("experimental")
    if has(options, "stallDetector") and Gate.MIGRATION_STALL_DETECTION not in cluster.gates:
        yield needs_gate(at.child("stallDetector"), "stallDetector", Gate.MIGRATION_STALL_DETECTION)


def _check_stall_detector(spec: JsonObject, _: Cluster, *, as_quantities: bool) -> Causes:
    """Check the factors, which are quantities since 1.10, ``400m``, and were numbers in text before."""
    detector = section(section(spec, "experimental"), "stallDetector")
    for factor in _FACTORS:
        value = detector.get(factor.name)
        problem = None if value is None else _factor_problem(factor, value, as_quantities=as_quantities)
        if problem is not None:
            yield invalid(_SPEC.child("experimental", "stallDetector", factor.name), problem)


def _factor_problem(factor: _Factor, value: object, *, as_quantities: bool) -> str | None:
    text = str(value)
    try:
        amount = Quantity.parse(text if as_quantities else f"{parse_float(text.strip()):.9f}")
    except (DiagnosticError, NumError):
        return f"{value!r} is not a number"
    if amount.sign < 0:
        return f"{factor.name} is negative"
    if amount.compare(Quantity.parse(f"{amount.milli_value()}m")):
        return f"{factor.name} has more than 3 decimal places"
    if factor.positive and not amount.sign:
        return f"{factor.name} must be greater than 0"
    if factor.from_one and amount.compare(_ONE) < 0:
        return f"{factor.name} must be at least 1"
    return f"{factor.name} must be at most 1" if factor.to_one and amount.compare(_ONE) > 0 else None


def _check_machine(spec: JsonObject, _: Cluster) -> Causes:
    if not text(spec, "vmiName"):
        yield required(_SPEC.child("vmiName"), "the migration does not name a VirtualMachineInstance")


def _check_priority(spec: JsonObject, _: Cluster) -> Causes:
    if has(spec, "priority"):
        at, reported = _SPEC.child("priority"), _SPEC.child("migrationPriority")
        message = "only KubeVirt itself gives a migration a priority"
        yield Cause(CauseType.FORBIDDEN, at, message, "drop it", reported, fix=RemoveField(at))


def _check_ends(spec: JsonObject, cluster: Cluster) -> Causes:
    """Check a migration from or to another cluster or namespace."""
    sends, receives = has(spec, "sendTo"), has(spec, "receive")
    if not sends and not receives:
        return
    at = _SPEC.child("sendTo" if sends else "receive")
    gate = Gate.DECENTRALIZED_LIVE_MIGRATION
    if gate not in cluster.gates:
        message = f"{at.segments[-1]} needs the feature gate {gate}, {NOT_TURNED_ON}"
        yield Cause(CauseType.NOT_SUPPORTED, at, message, gate_hint(gate), ROOT, gate=gate)
        return
    ids = {text(section(spec, end), "migrationID") for end in ("sendTo", "receive")}
    if sends and receives and len(ids) > 1:
        yield invalid(at, "sendTo and receive have different migrationIDs", reported=ROOT)


def _always(_: JsonObject, __: Cluster) -> bool:
    return True


POLICY_CHECKS: CheckTable[[JsonObject, Cluster]] = CheckTable(
    row(_check_timeout, "completionTimeoutPerGiB", upstream="migrationpolicy-admitter.go Admit"),
    row(_check_downtime, "maxDowntimeMs", upstream="migrationpolicy-admitter.go Admit", since="1.9"),
    row(_check_downtime_tuning, "experimental", upstream="migrationpolicy-admitter.go Admit", since="1.10"),
    row(
        _check_stall_detector_gate, "experimental", upstream="migrationpolicy-admitter.go Admit", since="1.9"
    ),
    row(
        partial(_check_stall_detector, as_quantities=False),
        "experimental",
        upstream="validateStallDetectorFactor",
        since="1.9",
        until="1.10",
    ),
    row(
        partial(_check_stall_detector, as_quantities=True),
        "experimental",
        upstream="validateStallDetectorFactor",
        since="1.10",
    ),
    row(_check_bandwidth, "bandwidthPerMigration", upstream="migrationpolicy-admitter.go Admit"),
)

MIGRATION_CHECKS: CheckTable[[JsonObject, Cluster]] = CheckTable(
    row(_check_machine, upstream="ValidateVirtualMachineInstanceMigrationSpec", ends=_always),
    row(
        _check_priority,
        "priority",
        upstream="migration-create-admitter.go Admit",
        since="1.7",
        ends=_always,
    ),
    row(_check_ends, "sendTo", "receive", upstream="migration-create-admitter.go Admit", since="1.6"),
)
