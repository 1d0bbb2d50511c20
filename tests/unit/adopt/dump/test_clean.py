"""The user's part of an object stays; what a controller makes is named with its reason."""

from __future__ import annotations

import json

import pytest

from renderer.adopt.dump.consistency import Consistency
from renderer.adopt.dump.user_objects import clean, reason_left_out
from renderer.kubevirt.facts.server_fields import SERVER_FIELDS
from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.kube.json import Json, JsonObject, object_at, with_value
from renderer.model.kube.live_object import LiveObject
from renderer.model.kube.location import Location

MACHINE: JsonObject = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "db", "namespace": "prod", "labels": {"app": "db"}, "annotations": {"mine": "x"}},
    "spec": {
        "runStrategy": "Always",
        "dataVolumeTemplates": [{"metadata": {"name": "db-root"}, "spec": {"storage": {}}}],
        "template": {
            "metadata": {"labels": {"app": "db"}},
            "spec": {
                "architecture": "amd64",
                "domain": {
                    "machine": {"type": "pc-q35-rhel9.4.0"},
                    "firmware": {"uuid": "5d307ca9-b3ef-428c-8861-06e72d69f223", "serial": "1234"},
                    "devices": {"interfaces": [{"name": "default", "macAddress": "02:00:00:00:00:01"}]},
                },
            },
        },
    },
}


def live(content: JsonObject, line: int = 1) -> LiveObject:
    return LiveObject(content, Location("dump.yaml", line))


def made(kind: str, api_version: str = "v1", **metadata: Json) -> LiveObject:
    return live(
        {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a", "namespace": "b", **metadata}}
    )


def as_printed(content: JsonObject) -> JsonObject:
    for path, _ in SERVER_FIELDS:
        content = with_value(content, (*path[:-1], path[-1].replace("*", "some")), {"by": "the cluster"})
    for path in (("metadata",), ("spec", "template", "metadata")):
        content = with_value(content, (*path, "creationTimestamp"), None)
    return with_value(content, ("status",), {})


def test_machine_identity_is_kept_and_other_cluster_fields_are_removed() -> None:
    printed = with_value(as_printed(MACHINE), ("apiVersion",), "kubevirt.io/v1alpha3")

    assert clean(printed).content == MACHINE
    assert clean(MACHINE) == (MACHINE, ())


def test_empty_timestamps_are_removed_from_all_templates() -> None:
    printed = with_value(
        MACHINE,
        ("spec", "dataVolumeTemplates"),
        [{"metadata": {"name": "db-root", "creationTimestamp": None}, "spec": {"storage": {}}}],
    )
    assert clean(printed).content == MACHINE
    pool: JsonObject = {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "p"},
        "spec": {
            "virtualMachineTemplate": {"metadata": {"creationTimestamp": None}, "spec": printed["spec"]}
        },
    }
    assert clean(pool).content == {**pool, "spec": {"virtualMachineTemplate": {"spec": MACHINE["spec"]}}}


def test_every_removed_field_is_counted() -> None:
    printed = with_value(MACHINE, ("metadata", "generateName"), "db-")
    printed = with_value(printed, ("metadata", "uid"), "1")
    printed = with_value(printed, ("spec", "template", "metadata", "creationTimestamp"), None)
    printed = with_value(printed, ("status",), {})
    cleaned = clean(printed)
    assert cleaned.content == MACHINE
    assert sorted(map(str, cleaned.removed)) == [
        "metadata.generateName",
        "metadata.uid",
        "spec.template.metadata.creationTimestamp",
        "status",
    ]


def test_fields_allocated_by_the_user_are_kept() -> None:
    headless: JsonObject = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "a"},
        "spec": {"clusterIP": "None", "clusterIPs": ["None"]},
    }
    claim: JsonObject = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "a"},
        "spec": {"volumeName": "chosen-by-hand"},
    }
    for content in (headless, claim):
        assert clean(content).content == content


@pytest.mark.parametrize("kind", ["DataVolume", "PersistentVolumeClaim"])
@pytest.mark.parametrize(
    ("written", "is_kept"), [("true", False), ("1", False), ("false", True), ("0", True)]
)
def test_a_decision_against_populators_is_kept(written: str, kind: str, *, is_kept: bool) -> None:
    annotations = {"cdi.kubevirt.io/storage.usePopulator": written, "mine": "x"}
    volume: JsonObject = {
        "apiVersion": "cdi.kubevirt.io/v1beta1" if kind == "DataVolume" else "v1",
        "kind": kind,
        "metadata": {"name": "a", "annotations": annotations},
        "spec": {"source": {"blank": {}}},
    }
    kept = annotations if is_kept else {"mine": "x"}
    assert clean(volume).content == with_value(volume, ("metadata", "annotations"), kept)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("DataVolume", "storage.usePopulator"),
        ("DataVolume", "storage.prePopulated"),
        ("PersistentVolumeClaim", "storage.usePopulator"),
        ("PersistentVolumeClaim", "storage.populatedFor"),
    ],
)
@pytest.mark.parametrize("manager", ["kustomize-controller", "kubectl-edit", "cdi-controller", ""])
def test_annotations_that_direct_cdi_are_kept_where_somebody_applied_them(
    kind: str, name: str, manager: str
) -> None:
    key = f"cdi.kubevirt.io/{name}"
    sent = {"metadata": {"annotations": {key: "true"}}}
    fields: JsonObject = {"f:metadata": {"f:annotations": {".": {}, f"f:{key}": {}}}}
    entry: JsonObject = {
        "manager": manager,
        "operation": "Update",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    last_applied = {} if manager else {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(sent)}
    live: JsonObject = {
        "apiVersion": "cdi.kubevirt.io/v1beta1" if kind == "DataVolume" else "v1",
        "kind": kind,
        "metadata": {
            "name": "a",
            "annotations": {key: "true", "mine": "x", **last_applied},
            "managedFields": [entry] if manager else [],
        },
    }

    kept = object_at(clean(live).content, "metadata", "annotations")
    assert kept == ({"mine": "x"} if manager == "cdi-controller" else {key: "true", "mine": "x"})


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (
            made(
                "VirtualMachineInstance",
                "kubevirt.io/v1",
                ownerReferences=[{"kind": "VirtualMachine", "controller": True}],
            ),
            "its VirtualMachine creates it",
        ),
        (
            made(
                "DataVolume",
                "cdi.kubevirt.io/v1beta1",
                ownerReferences=[{"kind": "VirtualMachine", "controller": True}],
            ),
            "its VirtualMachine creates it",
        ),
        (
            made("PersistentVolumeClaim", ownerReferences=[{"kind": "DataVolume", "controller": True}]),
            "its DataVolume creates it",
        ),
        (made("ControllerRevision", "apps/v1"), "the cluster creates it"),
        (made("Pod"), "the cluster creates it"),
        (
            made("VirtualMachineInstanceMigration", "kubevirt.io/v1"),
            "an action that would be repeated",
        ),
        (made("ConfigMap", name="kube-root-ca.crt"), "every namespace has it"),
        (made("ServiceAccount", name="default"), "every namespace has it"),
        (made("Namespace", name="kube-system"), "every cluster has it"),
        (
            made("PersistentVolumeClaim", name="prime-0b1d9f0e-6c3f-4e0b-8d53-8f2d1e1c2a3b"),
            "CDI fills a volume through it",
        ),
        (
            made("Secret", annotations={"kubernetes.io/service-account.name": "a"}),
            "the token of a ServiceAccount",
        ),
        (
            made(
                "VirtualMachineClusterInstancetype",
                "instancetype.kubevirt.io/v1beta1",
                labels={"app.kubernetes.io/managed-by": "virt-operator"},
            ),
            "virt-operator installs it",
        ),
        (
            made("VirtualMachine", "kubevirt.io/v1", deletionTimestamp="2026-01-01T00:00:00Z"),
            "it is being deleted",
        ),
        (
            made("DataSource", "cdi.kubevirt.io/v1beta1", labels={"cdi.kubevirt.io/dataImportCron": "a"}),
            "its DataImportCron creates it",
        ),
        (made("ConfigMap", ownerReferences=[{"kind": "VirtualMachine", "uid": "1"}]), None),
        (made("VirtualMachine", "kubevirt.io/v1"), None),
        (made("DataVolume", "cdi.kubevirt.io/v1beta1"), None),
        (made("PersistentVolumeClaim", name="prime-time"), None),
        (made("Secret", type="Opaque"), None),
        (made("Node", "inventory.example.com/v1"), None),
        (made("Namespace", name="prod"), None),
    ],
)
def test_objects_not_written_by_users_are_omitted_with_a_reason(
    found: LiveObject, reason: str | None
) -> None:
    assert reason_left_out(found) == reason


def test_newer_of_two_copies_of_an_object_wins() -> None:
    seen = Consistency()
    prints = [made("ConfigMap", uid="1", resourceVersion=version) for version in ("9", "10", "8")]

    assert [seen.add(each) for each in prints] == [True, True, False]
    assert list(seen.findings()) == []


def test_two_uids_of_an_object_mean_two_clusters() -> None:
    seen = Consistency()
    for uid in ("1", "2"):
        seen.add(made("ConfigMap", uid=uid))
        seen.add(
            live({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": uid}})
        )

    found = list(seen.findings())

    assert [each.code for each in found] == [Code.DUMP_MIXED] * 2
    assert [each.severity for each in found] == [Severity.ERROR] * 2
    assert "two clusters" in found[1].message


def test_several_versions_of_a_kind_are_named() -> None:
    seen = Consistency()
    for version in ("v1alpha3", "v1"):
        seen.add(made("VirtualMachine", f"kubevirt.io/{version}", name=version))

    [found] = seen.findings()

    assert found.message == "this dump has objects of the kind VirtualMachine in the versions v1alpha3 and v1"
    assert found.severity is Severity.WARNING


_OWNER: JsonObject = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "name": "db", "uid": "1"}


def _managed(manager: str, operation: str, finalizer: str) -> JsonObject:
    fields: JsonObject = {"f:metadata": {"f:finalizers": {f'v:"{finalizer}"': {}}}}
    return {"manager": manager, "operation": operation, "fieldsV1": fields}


def test_owners_by_uid_are_left_out() -> None:
    for owner in (_OWNER, {**_OWNER, "controller": True}):
        cleaned = clean(with_value(MACHINE, ("metadata", "ownerReferences"), [owner]))
        assert cleaned.content == MACHINE
        assert list(map(str, cleaned.removed)) == ["metadata.ownerReferences"]


@pytest.mark.parametrize(
    ("manager", "operation", "is_kept"),
    [
        ("argocd-controller", "Apply", True),
        ("kubectl-edit", "Update", True),
        ("kustomize-controller", "Apply", True),
        ("backup-operator", "Update", False),
        ("", "", False),
    ],
)
def test_only_an_applied_finalizer_is_kept(manager: str, operation: str, *, is_kept: bool) -> None:
    content = with_value(MACHINE, ("metadata", "finalizers"), ["acme.io/keep"])
    managed: Json = [_managed(manager, operation, "acme.io/keep")] if manager else []
    cleaned = clean(with_value(content, ("metadata", "managedFields"), managed))
    assert cleaned.content == (content if is_kept else MACHINE)


def test_finalizer_that_kubectl_applied_is_kept() -> None:
    content = with_value(MACHINE, ("metadata", "finalizers"), ["acme.io/keep", "acme.io/added"])
    sent = '{"metadata": {"finalizers": ["acme.io/keep"]}}'
    annotation = ("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
    cleaned = clean(with_value(content, annotation, sent))
    assert cleaned.content == with_value(MACHINE, ("metadata", "finalizers"), ["acme.io/keep"])


def test_marks_of_a_migration_are_left_out_and_equal_words_of_others_stay() -> None:
    uid = "5d307ca9-b3ef-428c-8861-06e72d69f223"
    migrated = {"migration": uid, "plan": uid, "vmID": "vm-1", "app": "db"}
    claim: JsonObject = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "a"}}
    printed = with_value(claim, ("metadata", "labels"), migrated)
    printed = with_value(
        printed, ("metadata", "annotations"), {"cdi.kubevirt.io/storage.import.backingFile": "[ds] a.vmdk"}
    )
    assert clean(printed).content == with_value(claim, ("metadata", "labels"), {"app": "db"})
    others = with_value(claim, ("metadata", "labels"), {"migration": "2026", "plan": "gold", "vmID": "7"})
    assert clean(others).content == others


@pytest.mark.parametrize(
    ("labels", "maintainer"),
    [
        ({"harvesterhci.io/creator": "docker-machine-driver-harvester"}, "Rancher"),
        ({"harvesterhci.io/creator": "harvester"}, ""),
        ({"guestcluster.harvesterhci.io/name": "gc8"}, "Rancher"),
        ({"cluster.x-k8s.io/cluster-name": "c"}, "Cluster API"),
        ({}, ""),
    ],
)
def test_nodes_of_other_clusters_are_left_out(labels: dict[str, Json], maintainer: str) -> None:
    reason = reason_left_out(made("VirtualMachine", "kubevirt.io/v1", labels=labels))
    assert reason == (f"it is a node that {maintainer} makes and replaces" if maintainer else None)
    assert reason_left_out(made("ConfigMap", labels=labels)) is None


def test_finalizers_of_another_type_are_left_out() -> None:
    live = made("VirtualMachine", "kubevirt.io/v1", finalizers=[["a"], {}, 1])
    content = clean(live.content).content
    assert not object_at(content, "metadata").get("finalizers")
