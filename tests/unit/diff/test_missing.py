"""Objects that are removed while a machine still names them: it does not start again."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide, Resources
from renderer.kubevirt.impact.needs import CLUSTER_WIDE, NEEDED_KINDS
from renderer.model.difference import ChangeType, Effect, ResourceChange
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST
from tests.unit.kubevirt.impact.fake_engine import FakeEngine

KEPT = "Kustomization apps has no prune: true"
VERSIONS = {
    "NetworkAttachmentDefinition": "k8s.cni.cncf.io/v1",
    "DataVolume": "cdi.kubevirt.io/v1beta1",
    "PriorityClass": "scheduling.k8s.io/v1",
    "ResourceClaim": "resource.k8s.io/v1",
    "ResourceClaimTemplate": "resource.k8s.io/v1",
}
HOOK = 'metadata: {annotations: {hooks.kubevirt.io/hookSidecars: \'[{"configMap": {"name": "a"}}]\'}}'
CREDENTIAL = (
    "spec: {accessCredentials: [{sshPublicKey: {source: {secret: {secretName: a}},"
    " propagationMethod: {noCloud: {}}}}]}"
)


def volume(source: str) -> str:
    return f"spec: {{volumes: [{{name: v, {source}}}]}}"


NEEDED = [
    ("Secret", volume("cloudInitNoCloud: {secretRef: {name: a}}")),
    ("Secret", volume("cloudInitConfigDrive: {networkDataSecretRef: {name: a}}")),
    ("Secret", volume("sysprep: {secret: {name: a}}")),
    ("ConfigMap", volume("sysprep: {configMap: {name: a}}")),
    ("Secret", volume("secret: {secretName: a}")),
    ("ConfigMap", volume("configMap: {name: a}")),
    ("Secret", volume("containerDisk: {image: b, imagePullSecret: a}")),
    ("Secret", "spec: {domain: {firmware: {kernelBoot: {container: {imagePullSecret: a}}}}}"),
    ("Secret", CREDENTIAL),
    ("ConfigMap", HOOK),
    ("ServiceAccount", "spec: {serviceAccountName: a}"),
    ("ServiceAccount", volume("serviceAccount: {serviceAccountName: a}")),
    ("NetworkAttachmentDefinition", "spec: {networks: [{name: n, multus: {networkName: shop/a}}]}"),
    ("PriorityClass", "spec: {priorityClassName: a}"),
    ("PersistentVolumeClaim", volume("persistentVolumeClaim: {claimName: a}")),
    ("PersistentVolumeClaim", volume("ephemeral: {persistentVolumeClaim: {claimName: a}}")),
    ("PersistentVolumeClaim", volume("dataVolume: {name: a}")),
    ("DataVolume", volume("dataVolume: {name: a}")),
    ("DataVolume", volume("persistentVolumeClaim: {claimName: a}")),
    ("ResourceClaim", "spec: {resourceClaims: [{name: c, resourceClaimName: a}]}"),
    ("ResourceClaimTemplate", "spec: {resourceClaims: [{name: c, resourceClaimTemplateName: a}]}"),
]
NOT_NEEDED = [
    ("Secret", volume("secret: {secretName: a, optional: true}")),
    ("ConfigMap", volume("configMap: {name: a, optional: true}")),
    ("Secret", volume("configMap: {name: a}")),
    ("NetworkAttachmentDefinition", "spec: {networks: [{name: n, multus: {networkName: other/a}}]}"),
    ("PersistentVolumeClaim", volume("persistentVolumeClaim: {claimName: a, hotpluggable: true}")),
    ("DataVolume", volume("dataVolume: {name: b}")),
]


def object_(kind: str, name: str = "a", **fields: Any) -> Resource:  # noqa: ANN401 - any field
    metadata = {"name": name} if kind in CLUSTER_WIDE else {"name": name, "namespace": "shop"}
    content = {"apiVersion": VERSIONS.get(kind, "v1"), "kind": kind, "metadata": metadata, **fields}
    return Resource(content, Site("a.yaml"))


def machine(template: str, strategy: str = "Always", **spec: Any) -> Resource:  # noqa: ANN401 - any field
    spec = {"runStrategy": strategy, "template": yaml.safe_load(f"{{{template}}}"), **spec}
    return object_("VirtualMachine", "db", apiVersion="kubevirt.io/v1", spec=spec)


def changes_between(old: Resources, new: Resources) -> dict[str, ResourceChange]:
    compared = compare_overlay("a", "a", OverlaySide(LATEST, old), OverlaySide(LATEST, new))
    return {change.id.gvk.kind: change for change in compared.changes}


@pytest.mark.parametrize("strategy", ["Always", "Halted"])
@pytest.mark.parametrize(("kind", "template"), NEEDED)
def test_machine_does_not_start_without_the_object(kind: str, template: str, strategy: str) -> None:
    vm = machine(template, strategy)
    found = changes_between((object_(kind), vm), (vm,))["VirtualMachine"]
    (field,) = found.fields
    assert field.impact is not None
    assert field.impact.reason.startswith(f"{kind} a is removed: ")
    assert found.effects == (Effect.NO_START,)
    assert found.start_refusal == field.impact.reason


def test_each_kind_that_is_needed_has_a_pair() -> None:
    assert {kind for kind, _ in NEEDED} == {*NEEDED_KINDS}


@pytest.mark.parametrize(("kind", "template"), NOT_NEEDED)
def test_machine_that_starts_without_it_is_not_mentioned(kind: str, template: str) -> None:
    vm = machine(template)
    assert [*changes_between((object_(kind), vm), (vm,))] == [kind]


def test_account_that_kubernetes_makes_again_is_not_missed() -> None:
    vm = machine("spec: {serviceAccountName: default}")
    assert [*changes_between((object_("ServiceAccount", "default"), vm), (vm,))] == ["ServiceAccount"]


def test_renamed_object_is_missed_under_its_old_name() -> None:
    vm = machine(volume("secret: {secretName: a}"))
    old, new = (object_("Secret", name, data={"key": "YQ=="}) for name in ("a", "b"))
    found = changes_between((old, vm), (new, vm))
    assert found["Secret"].type is ChangeType.RENAMED
    assert found["VirtualMachine"].effects == (Effect.NO_START,)


def test_machine_that_follows_the_new_name_starts() -> None:
    old, new = (object_("Secret", name, data={"key": "YQ=="}) for name in ("a-5k7tb2", "a-9m2hd4"))
    vms = [machine(volume(f"secret: {{secretName: {each.name}}}")) for each in (old, new)]
    assert Effect.NO_START not in changes_between((old, vms[0]), (new, vms[1]))["VirtualMachine"].effects


@pytest.mark.parametrize(
    "maker",
    [
        object_("SealedSecret", apiVersion="bitnami.com/v1alpha1", spec={}),
        object_("ExternalSecret", "x", apiVersion="external-secrets.io/v1", spec={"target": {"name": "a"}}),
    ],
)
def test_operator_may_make_the_object_again(maker: Resource) -> None:
    vm = machine(volume("secret: {secretName: a}"))
    assert "VirtualMachine" not in changes_between((object_("Secret"), vm), (maker, vm))


@pytest.mark.parametrize("kinds", [("PersistentVolumeClaim", "DataVolume"), ("DataVolume",) * 2])
def test_disk_that_something_else_makes_is_not_missed(kinds: tuple[str, str]) -> None:
    template = volume("dataVolume: {name: a}")
    made = [{"metadata": {"name": "a"}, "spec": {}}] if kinds[0] == kinds[1] else []
    vm = machine(template, dataVolumeTemplates=made)
    left = () if made else (object_(kinds[1]),)
    assert "VirtualMachine" not in changes_between((object_(kinds[0]), vm), (*left, vm))


def test_machine_of_a_pool_needs_the_object_with_its_index() -> None:
    template = {"spec": {"volumes": [{"name": "v", "secret": {"secretName": "a"}}]}}
    pool = object_(
        "VirtualMachinePool",
        "ci",
        apiVersion="pool.kubevirt.io/v1beta1",
        spec={
            "nameGeneration": {"appendIndexToSecretRefs": True},
            "virtualMachineTemplate": {"spec": {"runStrategy": "Always", "template": template}},
        },
    )
    assert "VirtualMachinePool" in changes_between((object_("Secret", "a-3"), pool), (pool,))
    assert "VirtualMachinePool" not in changes_between((object_("Secret"), pool), (pool,))


@pytest.mark.parametrize("left", [(), (object_("Secret", "b", data={"key": "YQ=="}),)])
def test_object_that_nothing_deletes_is_still_there(left: Resources) -> None:
    vm, secret = machine(volume("secret: {secretName: a}")), object_("Secret", data={"key": "YQ=="})
    old, new = (OverlaySide(LATEST, each, engine=FakeEngine(KEPT)) for each in ((secret, vm), (*left, vm)))
    (change,) = compare_overlay("a", "a", old, new).changes
    assert change.impact is not None
    assert change.impact.effect is Effect.NONE
    assert change.impact.reason.endswith(f"stays in the cluster: {KEPT}")


ON_NETWORK = "spec: {networks: [{name: n, multus: {networkName: a}}]}"
OVN = "{apiVersion: k8s.ovn.org/v1, kind: %s, metadata: {name: a, namespace: shop}, spec: {%s}}"
SRIOV = (
    "{apiVersion: sriovnetwork.openshift.io/v1, kind: SriovNetwork, metadata: {name: a, namespace: op}, %s}"
)
IN_SHOP = SRIOV % "spec: {networkNamespace: shop, vlan: 1}"
SELECTING = (
    "namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [%s]}]}"
)
NAD = "{apiVersion: v1, kind: NetworkAttachmentDefinition, metadata: {name: a, namespace: shop}}"


@pytest.mark.parametrize(
    ("before", "after", "effect"),
    [
        (OVN % ("UserDefinedNetwork", "topology: Layer2"), "", Effect.NO_START),
        (OVN % ("ClusterUserDefinedNetwork", SELECTING % "shop"), "", Effect.NO_START),
        (
            OVN % ("ClusterUserDefinedNetwork", SELECTING % "shop, b"),
            OVN % ("ClusterUserDefinedNetwork", SELECTING % "b"),
            Effect.NO_START,
        ),
        (OVN % ("ClusterUserDefinedNetwork", SELECTING % "other"), "", None),
        (IN_SHOP, "", Effect.NO_START),
        (IN_SHOP, SRIOV % "spec: {networkNamespace: other, vlan: 1}", Effect.NO_START),
        (IN_SHOP, SRIOV % "spec: {networkNamespace: shop, vlan: 2}", Effect.NEXT_MIGRATION),
        (IN_SHOP, NAD, None),
        (NAD, IN_SHOP, None),
        (
            IN_SHOP,
            IN_SHOP.replace("sriovnetwork.openshift.io", "mellanox.com").replace("Sriov", "Macvlan"),
            None,
        ),
    ],
)
def test_machine_needs_the_network_that_an_operator_makes(
    before: str, after: str, effect: Effect | None
) -> None:
    vm = machine(ON_NETWORK)
    old, new = (
        (vm, Resource(yaml.safe_load(each), Site("b.yaml"))) if each else (vm,) for each in (before, after)
    )
    found = changes_between(old, new).get("VirtualMachine")
    assert (found.effects if found else ()) == ((effect,) if effect else ())
