"""Secrets, ConfigMaps and others that change in place: which machines read them, and when."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.kubevirt.impact.reads import RULES
from renderer.model.difference import Effect, ResourceChange
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

MACHINE = "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, spec: {runStrategy: %s, template: {%s}}}"
POOL = (
    "{apiVersion: pool.kubevirt.io/v1beta1, kind: VirtualMachinePool, spec: {"
    "nameGeneration: {appendIndexToSecretRefs: true},"
    " virtualMachineTemplate: {spec: {runStrategy: Always, template: {%s}}}}}"
)
NAMED = {
    "Secret": "{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {%s}}",
    "ConfigMap": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {%s}}",
    "ServiceAccount": (
        "{apiVersion: v1, kind: ServiceAccount, metadata: {name: a}, imagePullSecrets: [{name: '%s'}]}"
    ),
    "NetworkAttachmentDefinition": (
        "{apiVersion: k8s.cni.cncf.io/v1, kind: NetworkAttachmentDefinition, metadata: {name: a},"
        " spec: {config: '%s'}}"
    ),
}
USER = "userdata: %s"
NETWORK = "networkdata: %s"
HOOK = 'metadata: {annotations: {hooks.kubevirt.io/hookSidecars: \'[{"configMap": {"name": "a"}}]\'}}'
SHARED = "spec: {domain: {devices: {filesystems: [{name: v, virtiofs: {}}]}}, volumes: [{name: v, %s}]}"
KERNEL = "spec: {domain: {firmware: {kernelBoot: {container: {imagePullSecret: a}}}}}"
CREDENTIAL = (
    "spec: {accessCredentials: [{%s: {source: {secret: {secretName: a}}, propagationMethod: {%s: {}}}}]}"
)


def volume(source: str) -> str:
    return f"spec: {{volumes: [{{name: v, {source}}}]}}"


READ = [
    ("Secret", USER, volume("cloudInitNoCloud: {secretRef: {name: a}}"), Effect.PENDING),
    ("Secret", NETWORK, volume("cloudInitNoCloud: {networkDataSecretRef: {name: a}}"), Effect.PENDING),
    ("Secret", USER, volume("cloudInitConfigDrive: {secretRef: {name: a}}"), Effect.PENDING),
    ("Secret", NETWORK, volume("cloudInitConfigDrive: {networkDataSecretRef: {name: a}}"), Effect.PENDING),
    ("Secret", "autounattend.xml: %s", volume("sysprep: {secret: {name: a}}"), Effect.PENDING),
    ("ConfigMap", "autounattend.xml: %s", volume("sysprep: {configMap: {name: a}}"), Effect.PENDING),
    ("Secret", "key: %s", volume("secret: {secretName: a}"), Effect.PENDING),
    ("ConfigMap", "key: %s", volume("configMap: {name: a}"), Effect.PENDING),
    ("Secret", "key: %s", SHARED % "secret: {secretName: a}", Effect.LIVE),
    ("ConfigMap", "key: %s", SHARED % "configMap: {name: a}", Effect.LIVE),
    ("Secret", "key: %s", CREDENTIAL % ("sshPublicKey", "qemuGuestAgent"), Effect.LIVE),
    ("Secret", "key: %s", CREDENTIAL % ("sshPublicKey", "noCloud"), Effect.PENDING),
    ("Secret", "key: %s", CREDENTIAL % ("sshPublicKey", "configDrive"), Effect.PENDING),
    ("Secret", "key: %s", CREDENTIAL % ("userPassword", "qemuGuestAgent"), Effect.LIVE),
    ("Secret", "key: %s", volume("containerDisk: {image: b, imagePullSecret: a}"), Effect.PENDING),
    ("Secret", "key: %s", KERNEL, Effect.PENDING),
    ("ConfigMap", "key: %s", HOOK, Effect.PENDING),
    ("ServiceAccount", "%s", "spec: {serviceAccountName: a}", Effect.PENDING),
    (
        "NetworkAttachmentDefinition",
        "%s",
        "spec: {networks: [{name: n, multus: {networkName: shop/a}}]}",
        Effect.NEXT_MIGRATION,
    ),
]
NOT_READ = [
    ("Secret", NETWORK, volume("cloudInitNoCloud: {secretRef: {name: a}}")),  # only userdata is read
    ("Secret", USER, volume("cloudInitNoCloud: {secretRef: {name: other}}")),
    ("Secret", "key: %s", volume("configMap: {name: a}")),
    ("NetworkAttachmentDefinition", "%s", "spec: {networks: [{name: n, multus: {networkName: other/a}}]}"),
    ("ConfigMap", "key: %s", "metadata: {annotations: {hooks.kubevirt.io/hookSidecars: '['}}"),
]


def resource(text: str, name: str = "a") -> Resource:
    content: dict[str, Any] = yaml.safe_load(text)
    return Resource({**content, "metadata": {"name": name, "namespace": "shop"}}, Site("a.yaml"))


def changes_of(
    kind: str, values: str, others: tuple[Resource, ...], name: str = "a"
) -> dict[str, ResourceChange]:
    """Return the changes by kind when the values of an object change from one to another."""
    old, new = (
        OverlaySide(LATEST, (resource(NAMED[kind] % values.replace("%s", value), name), *others))
        for value in ("Zmlyc3Q=", "b3RoZXI=")
    )
    return {change.id.gvk.kind: change for change in compare_overlay("a", "a", old, new).changes}


@pytest.mark.parametrize(("kind", "values", "template", "effect"), READ)
def test_machine_says_when_it_reads_the_object(kind: str, values: str, template: str, effect: Effect) -> None:
    found = changes_of(kind, values, (resource(MACHINE % ("Always", template), "db"),))
    (field,) = found["VirtualMachine"].fields
    assert field.impact is not None
    assert field.impact.effect is effect
    assert field.impact.reason.startswith(f"{kind} a changes: ")
    assert effect in found["VirtualMachine"].effects
    assert found[kind].impact is None


@pytest.mark.parametrize(("kind", "values", "template"), NOT_READ)
def test_machine_that_does_not_read_it_is_not_mentioned(kind: str, values: str, template: str) -> None:
    assert [*changes_of(kind, values, (resource(MACHINE % ("Always", template), "db"),))] == [kind]


def test_each_rule_has_a_pair() -> None:
    reasons = {
        (field.impact.source, kind)
        for kind, values, template, _ in READ
        for field in changes_of(kind, values, (resource(MACHINE % ("Always", template), "db"),))[
            "VirtualMachine"
        ].fields
        if field.impact
    }
    assert {(rule.impact.source, rule.kind) for rule in RULES} == reasons


def test_halted_machine_reads_it_at_its_start() -> None:
    template = SHARED % "secret: {secretName: a}"
    found = changes_of("Secret", "key: %s", (resource(MACHINE % ("Halted", template), "db"),))
    assert found["VirtualMachine"].effects == (Effect.NEXT_START,)


def test_machine_of_a_pool_reads_the_object_with_its_index() -> None:
    pool = resource(POOL % volume("secret: {secretName: a}"), "ci")
    assert "VirtualMachinePool" in changes_of("Secret", "key: %s", (pool,), name="a-3")
    assert "VirtualMachinePool" not in changes_of("Secret", "key: %s", (pool,), name="a")


def test_labels_of_a_secret_are_not_read() -> None:
    machine = resource(MACHINE % ("Always", volume("secret: {secretName: a}")), "db")
    old, new = (
        Resource(
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": "a", "namespace": "shop", "labels": {"a": label}},
            },
            Site("a.yaml"),
        )
        for label in "bc"
    )
    changes = compare_overlay(
        "a", "a", OverlaySide(LATEST, (old, machine)), OverlaySide(LATEST, (new, machine))
    ).changes
    assert [change.id.gvk.kind for change in changes] == ["Secret"]


def test_refused_secret_is_not_read() -> None:
    machine = resource(MACHINE % ("Always", volume("secret: {secretName: a}")), "db")
    text = "{apiVersion: v1, kind: Secret, immutable: true, data: {key: %s}}"
    old, new = (resource(text % value) for value in ("YQ==", "Yg=="))
    changes = compare_overlay(
        "a", "a", OverlaySide(LATEST, (old, machine)), OverlaySide(LATEST, (new, machine))
    ).changes
    assert [change.id.gvk.kind for change in changes] == ["Secret"]


READS_SECRET = resource(MACHINE % ("Always", volume("secret: {secretName: a}")), "db")
CERTIFICATE = "{apiVersion: cert-manager.io/v1, kind: Certificate, spec: {secretName: %s}}"
EXTERNAL = "{apiVersion: external-secrets.io/v1, kind: ExternalSecret, spec: {refreshInterval: %s, %s}}"


def change_of_machine(old: Resource, *new: Resource) -> ResourceChange | None:
    before, after = (OverlaySide(LATEST, (*objects, READS_SECRET)) for objects in ((old,), new))
    changes = {each.id.gvk.kind: each for each in compare_overlay("a", "a", before, after).changes}
    return changes.get("VirtualMachine")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a", "{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, spec: {encryptedData: {b: %s}}}"),
        (
            "a",
            "{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, spec: {encryptedData: {interval: %s}}}",
        ),
        ("x", EXTERNAL % ("1h", "target: {name: a}, dataFrom: [{extract: {key: %s}}]")),
        ("a", EXTERNAL % ("1h", "target: {creationPolicy: Merge}, dataFrom: [{extract: {key: %s}}]")),
        (
            "x",
            "{apiVersion: a.io/v1, kind: VaultPKISecret, spec: {a: %s, destination: {name: a}}}",
        ),
        ("x", "{apiVersion: cert-manager.io/v1, kind: Certificate, spec: {secretName: a, commonName: %s}}"),
        (
            "x",
            "{apiVersion: a.io/v1, kind: SopsSecret, spec: {secretTemplates: [{name: a, b: %s}]}}",
        ),
        ("a", "{apiVersion: clustersecret.io/v1, kind: ClusterSecret, data: {b: %s}}"),
    ],
)
def test_machine_reads_the_secret_that_an_operator_makes(name: str, text: str) -> None:
    old, new = (resource(text % value, name) for value in "yz")
    found = change_of_machine(old, new)
    assert found is not None
    assert found.effects == (Effect.PENDING,)
    (field,) = found.fields
    assert field.impact is not None
    assert field.impact.reason.startswith(
        f"{old.kind} {name}, of which an operator makes Secret a, changes: virt-launcher reads it"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (EXTERNAL % ("1h", "target: {name: a}"), EXTERNAL % ("2h", "target: {name: a}")),
        (
            EXTERNAL % ("1h", "target: {name: a}"),
            EXTERNAL % ("1h", "target: {name: a, deletionPolicy: Retain}"),
        ),
        (CERTIFICATE % "a, renewBefore: 1h", CERTIFICATE % "a, renewBefore: 2h"),
        (CERTIFICATE % "a", CERTIFICATE % "b"),
        (EXTERNAL % ("1h", "target: {name: b}"), EXTERNAL % ("1h", "target: {name: b}, data: [{}]")),
        (
            EXTERNAL % ("1h", "target: {creationPolicy: None}"),
            EXTERNAL % ("1h", "target: {creationPolicy: None}, data: [{}]"),
        ),
        *(
            tuple(
                f"{{apiVersion: external-secrets.io/v1, kind: {kind}, spec: {{a: {each}}}}}" for each in "bc"
            )
            for kind in ("PushSecret", "SecretStore")
        ),
    ],
)
def test_what_makes_no_other_secret_of_that_name_is_not_mentioned(old: str, new: str) -> None:
    assert change_of_machine(resource(old), resource(new)) is None


@pytest.mark.parametrize(
    ("kept", "new"),
    [("", ""), ("", EXTERNAL % ("1h", "target: {name: b}")), (", creationPolicy: Orphan", "")],
)
def test_machine_needs_the_secret_that_an_operator_makes(kept: str, new: str) -> None:
    old = resource(EXTERNAL % ("1h", f"target: {{name: a{kept}}}"), "x")
    found = change_of_machine(old, *((resource(new, "x"),) if new else ()))
    assert (found is None) is bool(kept)
    if found:
        assert found.effects == (Effect.NO_START,)
        assert "and its operator no longer makes Secret a: the pod of its next" in found.start_refusal


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("DataVolume", "while a disk is filled, not later"),
        ("DataImportCron", "at its next import"),
    ],
)
def test_importer_reads_a_secret_at_its_import(kind: str, words: str) -> None:
    source = "source: {http: {url: u, secretRef: a}}"
    spec = source if kind == "DataVolume" else f"template: {{spec: {{{source}}}}}"
    disk = resource(f"{{apiVersion: cdi.kubevirt.io/v1beta1, kind: {kind}, spec: {{{spec}}}}}", "disk")
    change = changes_of("Secret", "key: %s", (disk,))["Secret"]
    assert change.impact is not None
    assert change.impact.effect is Effect.NONE
    assert words in change.impact.reason


def test_machine_keeps_its_worse_effect() -> None:
    template = "spec: {terminationGracePeriodSeconds: %s, volumes: [{name: v, secret: {secretName: a}}]}"
    old, new = (
        OverlaySide(
            LATEST,
            (
                resource(NAMED["Secret"] % f"key: {value}"),
                resource(MACHINE % ("Always", template % seconds), "db"),
            ),
        )
        for value, seconds in (("YQ==", "30"), ("Yg==", "60"))
    )
    changes = {change.id.gvk.kind: change for change in compare_overlay("a", "a", old, new).changes}
    assert changes["VirtualMachine"].effects == (Effect.RESTART, Effect.PENDING)
    assert changes["VirtualMachine"].impact is not None
    assert changes["VirtualMachine"].impact.effect is Effect.RESTART


NAD = "kind: NetworkAttachmentDefinition, spec: {config: '%s'}"


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        ("kind: Secret, stringData: {a: b}", "kind: Secret, data: {a: Yg==}", True),
        ("kind: Secret, stringData: {a: b, c: d}", "kind: Secret, data: {c: ZA==}, stringData: {a: b}", True),
        ("kind: Secret, data: {a: Yw==}, stringData: {a: b}", "kind: Secret, data: {a: Yg==}", True),
        ('kind: Secret, data: {a: "Y\\ng=="}', "kind: Secret, data: {a: Yg==}", True),
        ("kind: Secret, stringData: {a: b}", "kind: Secret, data: {a: Yw==}", False),
        ("kind: Secret, stringData: {a: Yg==}", "kind: Secret, data: {a: Yg==}", False),
        ("kind: ConfigMap, data: {a: b}", "kind: ConfigMap, binaryData: {a: Yg==}", True),
        ("kind: ConfigMap, data: {a: b}", "kind: ConfigMap, data: {a: b, c: d}", False),
        (NAD % '{"type": "bridge", "vlan": 1}', NAD % '{ "vlan":1, "type":"bridge" }', True),
        (NAD % '{"vlan": 1}', NAD % '{"vlan": true}', False),
        (NAD % "{", NAD % "{ ", False),
    ],
)
def test_same_content_that_is_written_otherwise_is_not_read_again(
    before: str, after: str, *, is_same: bool
) -> None:
    volumes = "volumes: [{name: s, secret: {secretName: a}}, {name: c, configMap: {name: a}}]"
    template = f"spec: {{networks: [{{name: n, multus: {{networkName: a}}}}], {volumes}}}"
    machine = resource(MACHINE % ("Always", template), "db")
    old, new = (
        OverlaySide(LATEST, (resource(f"{{apiVersion: v1, {each}}}"), machine)) for each in (before, after)
    )
    changes = compare_overlay("a", "a", old, new).changes
    assert [each.impact is not None for each in changes if each.id.name == "a"] == [is_same]
    assert len(changes) == (1 if is_same else 2)
