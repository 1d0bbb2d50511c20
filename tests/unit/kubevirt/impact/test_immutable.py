"""Updates that the API server, CDI and KubeVirt refuse, and similar ones that they admit.

``tests/data/updates/pairs.yaml`` has pairs of objects beside the function that refuses or admits the update.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.kubevirt.facts.lists import field_changes
from renderer.kubevirt.impact.immutable.refusals import READ_IN, ROWS, read_in, refusals_of
from renderer.kubevirt.impact.immutable.row import ObjectUpdate
from renderer.model.difference import Effect, Impact, ResourceChange
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST, Release
from tests.house import ROOT
from tests.unit.kubevirt.impact.fake_engine import FakeEngine

DISK = "{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataVolume, spec: {%s}}"
BACKUP = "{apiVersion: backup.kubevirt.io/v1alpha1, kind: VirtualMachineBackup, spec: {%s}}"
POOL = "{apiVersion: pool.kubevirt.io/v1beta1, kind: VirtualMachinePool, spec: {%s}}"
DEPLOYMENT = "{apiVersion: apps/v1, kind: Deployment, spec: {%s}}"
MACHINE = "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, spec: {%s}}"
OTHERS = (
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, allowVolumeExpansion: true}",
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: slow}}",
)


def resource(text: str) -> Resource:
    return resource_of(yaml.safe_load(text))


def resource_of(content: dict[str, Any]) -> Resource:
    metadata = {"name": "a", "namespace": "shop", **content.get("metadata", {})}
    return Resource({**content, "metadata": metadata}, Site("a.yaml"))


class Pair(NamedTuple):
    """An object before and after an update; ``status`` is None if the cluster is not known."""

    upstream: str
    before: Resource
    after: Resource
    release: Release
    status: dict[str, Any] | None
    field: str
    reason: str


@cache
def groups() -> list[dict[str, Any]]:
    text = (ROOT / "tests/data/updates/pairs.yaml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = yaml.load(text, yaml.CSafeLoader)
    return found


def pairs(side: str) -> Iterator[Pair]:
    for group in groups():
        for each in group.get(side, ()):
            yield Pair(
                group["upstream"],
                resource_of({**group["object"], **each["before"]}),
                resource_of({**group["object"], **each["after"]}),
                Release.parse(each["kubevirt"]) if "kubevirt" in each else LATEST,
                each.get("status"),
                each.get("field", ""),
                each.get("reason", ""),
            )


def name_of(pair: Pair) -> str:
    return f"{pair.after.kind}: {pair.upstream.rpartition(' ')[2]}"


def change_between(before: Resource, after: Resource, release: Release) -> ResourceChange | None:
    others = tuple(map(resource, OTHERS))
    old, new = (OverlaySide(release, (each, *others)) for each in (before, after))
    changes = compare_overlay("a", "a", old, new).changes
    return changes[0] if changes else None


def change_of(kind: str, before: str, after: str, release: Release = LATEST) -> ResourceChange | None:
    return change_between(resource(kind % before), resource(kind % after), release)


def refused_fields(pair: Pair) -> list[tuple[str, str, str]]:
    """Return the field, the reason and the function of each refused change of a pair."""
    if pair.status is None:
        change = change_between(pair.before, pair.after, pair.release)
        changes = change.fields if change else ()
    else:
        update = ObjectUpdate(pair.before, pair.after, {}, pair.status)
        found = field_changes(pair.before.content, pair.after.content)
        refusals = refusals_of(update, found, pair.release)
        changes = refusals.changes if refusals else ()
    return [
        (str(each.field), each.impact.reason, each.impact.source)
        for each in changes
        if each.impact and each.impact.effect is Effect.REFUSED
    ]


@pytest.mark.parametrize("pair", [*pairs("refused")], ids=name_of)
def test_update_is_refused(pair: Pair) -> None:
    refused = refused_fields(pair)
    fields, reasons, sources = zip(*refused, strict=True) if refused else ((), (), ())
    assert pair.upstream in sources
    assert not pair.field or pair.field in fields
    assert all("does not let it change: " in each and pair.reason in each for each in reasons)


@pytest.mark.parametrize("pair", [*pairs("admitted")], ids=name_of)
def test_update_is_admitted(pair: Pair) -> None:
    assert refused_fields(pair) == []


def test_each_row_has_pairs_on_both_sides() -> None:
    refused, admitted = (
        {(each.after.kind, each.upstream) for each in pairs(side)} for side in ("refused", "admitted")
    )
    rows = {row.source: [(kind, row.source) for kind in row.kinds] for row in ROWS}
    assert [source for source, keys in rows.items() if refused.isdisjoint(keys)] == []
    assert [source for source, keys in rows.items() if admitted.isdisjoint(keys)] == []


def test_each_row_says_who_refuses_and_where_that_was_read() -> None:
    for row in ROWS:
        assert row.refuser
        assert "/" in row.source
        assert read_in(row) in READ_IN.values()
        assert bool(row.condition) is bool(row.admitted)


def test_backups_are_immutable_since_they_exist() -> None:
    change = change_of(BACKUP, "pvcName: a", "pvcName: b", Release.parse("1.7"))
    assert change is not None
    assert change.impact is None


def test_other_fields_of_a_refused_update_have_no_effect_of_their_own() -> None:
    change = change_of(
        POOL,
        "selector: {matchLabels: {a: b}}, virtualMachineTemplate: {metadata: {labels: {a: b}}}",
        "selector: {matchLabels: {a: c}}, virtualMachineTemplate: {metadata: {labels: {a: c}}}",
    )
    assert change is not None
    assert [(str(each.field), each.impact is not None) for each in change.fields] == [
        ("spec.selector.matchLabels.a", True),
        ("spec.virtualMachineTemplate.metadata.labels.a", False),
    ]


FORCED = Impact(Effect.REPLACED, "Flux (spec.force) deletes it and creates it again")


def forced_change(before: Resource, after: Resource, refused: str = "") -> ResourceChange:
    others = tuple(map(resource, OTHERS))
    side = OverlaySide(
        LATEST,
        (before, *others),
        engine=FakeEngine(forced="Flux (spec.force)", recreated=FORCED),
    )
    rejected = {after.current_id: (refused,)} if refused else {}
    (change,) = compare_overlay(
        "a", "a", side, side._replace(written=(after, *others), refused=rejected)
    ).changes
    return change


def test_forced_objects_are_replaced_with_what_is_on_them() -> None:
    before, after = (resource(DISK % f"source: {{http: {{url: {url}}}}}") for url in "ab")
    change = forced_change(before, after)
    assert change.impact == FORCED
    assert [each.text for each in change.data] == ["deleted with what is on it, and created anew"]


@pytest.mark.parametrize("field", ["storageClassName: fast", "volumeName: pv-1"])
def test_claim_may_be_replaced_for_a_value_that_the_cluster_has_chosen(field: str) -> None:
    claim = "{apiVersion: v1, kind: PersistentVolumeClaim, spec: {resources: {}, %s}}"
    before, after = (resource(claim % each) for each in ("a: b", f"a: b, {field}"))
    change = forced_change(before, after)
    assert change.effects == (Effect.AT_RISK,)
    assert change.impact is not None
    name = field.partition(":")[0]
    assert change.impact.reason == (
        f"if the cluster has another spec.{name}, it refuses the update, and {FORCED.reason}"
    )


def test_claim_that_may_not_grow_is_not_replaced_by_force() -> None:
    """403 Forbidden is not 422 Invalid: kubectl ``patcher.go``, fluxcd/pkg ``IsImmutableError``."""
    claim = "{apiVersion: v1, kind: PersistentVolumeClaim, spec: {storageClassName: slow, %s}}"
    before, after = (
        resource(claim % f"resources: {{requests: {{storage: {size}}}}}") for size in ("1Gi", "2Gi")
    )
    change = forced_change(before, after)
    assert change.impact is not None
    assert change.impact.effect is Effect.REFUSED


def test_rejected_machine_may_be_deleted_by_force() -> None:
    before, after = (resource(MACHINE % f"runStrategy: {each}") for each in ("Always", "Sometimes"))
    change = forced_change(before, after, "invalid run strategy")
    assert change.effects == (Effect.REFUSED, Effect.AT_RISK)
    assert change.impact is not None
    assert change.impact.reason == (
        "invalid run strategy; Flux (spec.force) may delete it first, and then cannot create it again"
    )


def refusal_in_cluster(kind: str, before: str, after: str, status: str, release: Release = LATEST) -> str:
    """Return the reason why the update of an object in a cluster is refused; empty if it is admitted."""
    old, new = (resource(kind % text) for text in (before, after))
    update = ObjectUpdate(old, new, {}, yaml.safe_load(status))
    refusals = refusals_of(update, field_changes(old.content, new.content), release)
    changes = refusals.changes if refusals else ()
    return next((each.impact.reason for each in changes if each.impact), "")


@pytest.mark.parametrize(
    ("release", "before", "after", "status", "is_refused"),
    [
        ("1.3", "runStrategy: Always", "runStrategy: Always, dataVolumeTemplates: [{}]", "snapshot", True),
        ("1.4", "runStrategy: Always", "runStrategy: Always, dataVolumeTemplates: [{}]", "snapshot", False),
        ("1.5.1", "runStrategy: Always", "runStrategy: Always, dataVolumeTemplates: [{}]", "restore", True),
        ("1.5.2", "runStrategy: Always", "runStrategy: Always, dataVolumeTemplates: [{}]", "restore", False),
        ("1.5.1", "runStrategy: Always", "runStrategy: Halted", "restore", False),
        ("1.5.2", "runStrategy: Always", "runStrategy: Halted", "restore", True),
    ],
)
def test_machine_in_a_snapshot_or_restore(
    release: str, before: str, after: str, status: str, *, is_refused: bool
) -> None:
    """KubeVirt ``vm-storage-status.go`` and before it ``vms-admitter.go``: validateSnapshotStatus."""
    reason = refusal_in_cluster(MACHINE, before, after, f"{{{status}InProgress: a}}", Release.parse(release))
    assert bool(reason) is is_refused


def test_field_that_a_sync_keeps_is_not_refused() -> None:
    old, new = (resource(DEPLOYMENT % f"selector: {{matchLabels: {{a: {each}}}}}") for each in "bc")
    changes = [each._replace(kept=True) for each in field_changes(old.content, new.content)]
    assert refusals_of(ObjectUpdate(old, new), changes, LATEST) is None
