"""Replica sets that adopt instances which run already."""

from __future__ import annotations

import pytest
import yaml

from renderer.diff.adoptions import Adoptions
from renderer.model.difference import ChangeType, Effect, ResourceChange
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

INSTANCE = (
    "{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, metadata: {name: bare, namespace: shop,"
    " labels: {app: a}}, spec: {domain: {devices: {}}}}"
)
SET = (
    "{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstanceReplicaSet, metadata: {name: set, namespace:"
    " shop}, spec: {replicas: 0, selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}},"
    " spec: {domain: {devices: {}}}}}}"
)
OF_SET = (
    "ownerReferences: [{kind: VirtualMachineInstanceReplicaSet, name: other, uid: '1', controller: true}]"
)
OTHER = SET.replace("app: a", "app: b")
ONE = SET.replace("replicas: 0", "replicas: 1")


@pytest.mark.parametrize(
    ("instance", "before", "after", "deletes"),
    [
        (INSTANCE, "", SET, True),
        (INSTANCE, "", SET.replace("{matchLabels: {app: a}}", "{}"), True),
        (INSTANCE, OTHER, SET, True),
        (INSTANCE, OTHER.replace("replicas: 0", "replicas: 1"), ONE, True),  # one of two
        (INSTANCE, SET.replace("spec: {r", "spec: {paused: true, r"), SET, True),
        (INSTANCE, "", ONE, False),
        (INSTANCE, "", SET.replace("spec: {r", "spec: {paused: true, r"), False),
        (INSTANCE, "", SET.replace("template: {metadata: {labels: {app: a}}, ", "template: {"), False),
        (INSTANCE, SET, SET.replace("domain: {", "domain: {memory: {guest: 1Gi}, "), False),
        (INSTANCE, "", OTHER, False),
        (INSTANCE.replace("labels:", f"{OF_SET}, labels:"), "", SET, False),
        (INSTANCE.replace("shop", "other"), "", SET, False),
    ],
)
def test_replica_set_deletes_instances_that_it_adopts(
    instance: str, before: str, after: str, *, deletes: bool
) -> None:
    run, old, new = (
        [Resource(yaml.safe_load(each), Site("a"))] if each else [] for each in (instance, before, after)
    )
    adoptions = Adoptions()
    adoptions.add("sets", old, new)
    adoptions.add("machines", run, run)
    id_ = new[0].current_id
    change = ResourceChange(
        ChangeType.CHANGED if old else ChangeType.ADDED, old[0].current_id if old else None, id_
    )
    found = adoptions.judged(change, "sets", lambda *_: True)
    assert (found.impact is not None and found.impact.effect is Effect.MAY_DELETE) is deletes
    assert adoptions.judged(change, "sets", lambda *_: False) == change
