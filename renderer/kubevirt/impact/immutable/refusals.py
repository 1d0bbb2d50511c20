"""The changes of an update that the cluster refuses, by the first row that does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from renderer.kubevirt.impact.immutable.claims import CLAIM_ROWS
from renderer.kubevirt.impact.immutable.kubernetes import KUBERNETES_ROWS
from renderer.kubevirt.impact.immutable.kubevirt import KUBEVIRT_ROWS
from renderer.kubevirt.impact.immutable.row import (
    NEW_NAME,
    ImmutableRow,
    ObjectUpdate,
    concerns,
    is_filled_in,
)
from renderer.kubevirt.impact.immutable.workloads import WORKLOAD_ROWS
from renderer.model.difference import Effect, FieldChange, Impact
from renderer.model.kube.json import Json
from renderer.model.release import Release

ROWS: tuple[ImmutableRow, ...] = (*KUBEVIRT_ROWS, *CLAIM_ROWS, *WORKLOAD_ROWS, *KUBERNETES_ROWS)
#: Fields that the API server fills in, by their last name: writing this value is no change.
_DEFAULTS: Mapping[str, Json] = {
    "apiGroup": "rbac.authorization.k8s.io",
    "completionMode": "NonIndexed",
    "iscsiInterface": "default",
    "podManagementPolicy": "OrderedReady",
    "preemptionPolicy": "PreemptLowerPriority",
    "reclaimPolicy": "Delete",
    "status": "True",  # of a pod's condition in the failure policy of a Job
    "volumeBindingMode": "Immediate",
    "volumeMode": "Filesystem",
}
#: The release or commit in which the function of a row was read, by the beginning of its name.
READ_IN: Mapping[str, str] = {
    "apiextensions-apiserver": "0.37.0-beta.0",
    "containerized-data-importer": "c07cdb6fbd",
    "external-snapshotter": "8.6.0",
    "kubernetes pkg/apis/apps": "1.36",
    "kubernetes pkg/apis/batch": "1.36",
    "kubernetes pkg/apis/core": "1.35.4",
    "kubernetes pkg/apis/discovery": "1.22",
    "kubernetes pkg/apis/networking": "1.32",
    "kubernetes pkg/apis/node": "1.28",
    "kubernetes pkg/apis/rbac": "1.34.1",
    "kubernetes pkg/apis/resource": "1.36",
    "kubernetes pkg/apis/scheduling": "1.36",
    "kubernetes pkg/apis/storage": "1.36",
    "kubernetes plugin/": "1.10",
    "ovn-kubernetes": "8871cd9cec",
    "pkg/": "1.0.1 to 1.9, d923fdb815",
    "staging/": "1.9, d923fdb815",
}


def read_in(row: ImmutableRow) -> str:
    """Return the release or commit in which the function of a row was read."""
    return next(release for name, release in READ_IN.items() if row.source.startswith(name))


class Refusals(NamedTuple):
    """The changes of an update that the cluster refuses, with the impact of those that it refuses.

    ``is_forbidden``: no engine takes the answer for a reason to recreate the object (``ImmutableRow``).
    """

    changes: tuple[FieldChange, ...]
    is_forbidden: bool


def refusals_of(update: ObjectUpdate, changes: Iterable[FieldChange], release: Release) -> Refusals | None:
    """Return the refusals of an update; None if the cluster may admit it."""
    gvk = update.after.gvk
    rows = [row for row in ROWS if row.group == gvk.group and gvk.kind in row.kinds and row.holds_in(release)]
    if not rows:
        return None
    judged: list[FieldChange] = []
    refusing: list[ImmutableRow] = []
    for change in changes:
        row, reason = _refusal(rows, update, change)
        if row is None:
            judged.append(change._replace(impact=None))
            continue
        refusing.append(row)
        text = f"{row.refuser} does not let it change: {reason}"
        judged.append(change._replace(impact=Impact(Effect.REFUSED, text, row.source)))
    return Refusals(tuple(judged), all(row.is_forbidden for row in refusing)) if refusing else None


def uncertain_refusal(update: ObjectUpdate, changes: Iterable[FieldChange], release: Release) -> str:
    """Return the field whose first value in Git may differ from what the cluster has chosen; empty without.

    Of an object that is known as the cluster has it, nothing is uncertain.
    """
    if update.status is not None:
        return ""
    gvk = update.after.gvk
    rows = [row for row in ROWS if row.is_chosen and row.group == gvk.group and gvk.kind in row.kinds]
    for change in changes if rows else ():
        if change.kept or is_filled_in(change, _DEFAULTS):
            continue
        for field in (field for row in rows if row.holds_in(release) for field in row.fields):
            before, after = update.values(*field.split("."))
            if not before and after and concerns(change, field, update):
                return field
    return ""


def _refusal(
    rows: Iterable[ImmutableRow], update: ObjectUpdate, change: FieldChange
) -> tuple[ImmutableRow | None, str]:
    """Return the first row that refuses a change, with its reason; a sync does not send what it keeps."""
    if change.kept or is_filled_in(change, _DEFAULTS):
        return None, ""
    for row in rows:
        if any(concerns(change, field, update) for field in row.fields):
            reason = NEW_NAME if row.condition is None else row.condition(update, change)
            if reason:
                return row, reason
    return None, ""
