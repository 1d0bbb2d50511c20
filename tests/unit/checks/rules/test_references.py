"""Which dangling references are reported, and which are not."""

from __future__ import annotations

import pytest

from renderer.checks.rules.context import Context
from renderer.checks.rules.judge import judge
from renderer.checks.rules.object_references import object_references
from renderer.model.codes import RULE_CODES
from renderer.model.kube.json import Json, JsonObject
from renderer.model.release import LATEST, Release
from renderer.model.rule_settings import RuleSetting, RuleSettings
from tests.kubevirt_objects import NAMESPACE, labelled, resources, vm

STRICT = RuleSettings(tuple(RuleSetting(code, strict=True) for code in RULE_CODES))
LOOSE = RuleSettings()


def messages(settings: RuleSettings, *contents: JsonObject, release: Release = LATEST) -> list[str]:
    everything = resources(*contents)
    found = judge(Context(everything, everything, release), (), settings).diagnostics
    return [
        f"{finding.code}: {finding.field}: {finding.message}"
        for finding in found
        if finding.code.endswith("-not-found")
    ]


def with_instance(**spec: Json) -> JsonObject:
    machine = vm("web")
    return {**machine, "spec": {"runStrategy": "Always", "template": {"spec": {"domain": {}, **spec}}}}


VOLUMES: list[tuple[str, JsonObject, str]] = [
    ("claim-not-found", {"persistentVolumeClaim": {"claimName": "x"}}, "persistentVolumeClaim.claimName"),
    ("claim-not-found", {"dataVolume": {"name": "x"}}, "dataVolume.name"),
    (
        "claim-not-found",
        {"ephemeral": {"persistentVolumeClaim": {"claimName": "x"}}},
        "ephemeral.persistentVolumeClaim.claimName",
    ),
    ("claim-not-found", {"memoryDump": {"claimName": "x"}}, "memoryDump.claimName"),
    ("config-map-not-found", {"configMap": {"name": "x"}}, "configMap.name"),
    ("config-map-not-found", {"sysprep": {"configMap": {"name": "x"}}}, "sysprep.configMap.name"),
    ("secret-not-found", {"sysprep": {"secret": {"name": "x"}}}, "sysprep.secret.name"),
    ("secret-not-found", {"secret": {"secretName": "x"}}, "secret.secretName"),
    (
        "secret-not-found",
        {"containerDisk": {"image": "y", "imagePullSecret": "x"}},
        "containerDisk.imagePullSecret",
    ),
    (
        "secret-not-found",
        {"cloudInitNoCloud": {"secretRef": {"name": "x"}}},
        "cloudInitNoCloud.secretRef.name",
    ),
    (
        "secret-not-found",
        {"cloudInitConfigDrive": {"networkDataSecretRef": {"name": "x"}}},
        "cloudInitConfigDrive.networkDataSecretRef.name",
    ),
    (
        "service-account-not-found",
        {"serviceAccount": {"serviceAccountName": "x"}},
        "serviceAccount.serviceAccountName",
    ),
]


@pytest.mark.parametrize(("code", "source", "field"), VOLUMES, ids=[field for _, _, field in VOLUMES])
def test_every_kind_of_volume_is_checked(code: str, source: JsonObject, field: str) -> None:
    machine = with_instance(volumes=[{"name": "data", **source}])

    assert messages(LOOSE, machine) == []
    (message,) = messages(STRICT, machine)
    assert message.startswith(f"{code}: spec.template.spec.volumes[0].{field}: there is no ")


def test_credentials_are_checked() -> None:
    credentials: Json = [
        {"sshPublicKey": {"source": {"secret": {"secretName": "keys"}}}},
        {"userPassword": {"source": {"secret": {"secretName": "password"}}}},
    ]

    keys, password = messages(STRICT, with_instance(accessCredentials=credentials))

    assert keys.startswith(
        "secret-not-found: spec.template.spec.accessCredentials[0].sshPublicKey.source.secret.secretName: "
    )
    assert password.startswith("secret-not-found: spec.template.spec.accessCredentials[1].userPassword")


SECRET_VOLUME: Json = [{"name": "data", "secret": {"secretName": "keys"}}]


@pytest.mark.parametrize(
    "content",
    [
        labelled("Secret", "keys"),
        labelled("SealedSecret", "keys"),
        labelled("ExternalSecret", "other", {"target": {"name": "keys"}}),
        labelled("Certificate", "other", {"secretName": "keys"}),
        labelled("VaultStaticSecret", "other", {"destination": {"name": "keys"}}),
        labelled("SopsSecret", "other", {"secretTemplates": [{"name": "keys"}]}),
    ],
    ids=lambda content: str(content["kind"]),
)
def test_generators_of_secrets_count_as_secrets(content: JsonObject) -> None:
    assert messages(STRICT, with_instance(volumes=SECRET_VOLUME), content) == []


def test_optional_reference_may_be_missing() -> None:
    volumes: Json = [{"name": "data", "secret": {"secretName": "keys", "optional": True}}]

    assert messages(STRICT, with_instance(volumes=volumes)) == []


def test_placeholders_of_gitops_tools_are_not_searched() -> None:
    volumes: Json = [{"name": "data", "secret": {"secretName": "${CLUSTER}-keys"}}]

    assert messages(STRICT, with_instance(volumes=volumes)) == []


def test_a_data_volume_template_of_another_machine_is_a_claim() -> None:
    other = vm("db", dataVolumeTemplates=[{"metadata": {"name": "shared"}, "spec": {}}])
    volumes: Json = [{"name": "data", "persistentVolumeClaim": {"claimName": "shared"}}]

    assert messages(STRICT, with_instance(volumes=volumes), other) == []


def test_typo_is_reported_if_nothing_else_uses_the_name_or_it_is_a_slip() -> None:
    written = with_instance(volumes=[{"name": "data", "secret": {"secretName": "web-kegs"}}])
    slip = with_instance(volumes=[{"name": "data", "secret": {"secretName": "web-kyes"}}])
    secret = labelled("Secret", "web-keys")
    other = {**with_instance(volumes=[{"name": "data", "secret": {"secretName": "web-keys"}}])}
    other["metadata"] = {"name": "db", "namespace": NAMESPACE}

    assert len(messages(LOOSE, written, secret)) == 1
    assert messages(LOOSE, written, secret, other) == []
    assert len(messages(LOOSE, slip, secret, other)) == 1


def test_network_of_another_namespace_is_qualified() -> None:
    definition = labelled("NetworkAttachmentDefinition", "lan", namespace="networks")
    wrong = with_instance(networks=[{"name": "lan", "multus": {"networkName": "lan"}}])
    right = with_instance(networks=[{"name": "lan", "multus": {"networkName": "networks/lan"}}])

    assert messages(STRICT, right, definition) == []
    (message,) = messages(LOOSE, wrong, definition)
    assert message.startswith("network-not-found: spec.template.spec.networks[0].multus.networkName: ")
    assert message.endswith(
        "there is no NetworkAttachmentDefinition prod/lan in the overlay, but one in networks"
    )


def test_object_without_namespace_matches_any_namespace() -> None:
    machine = with_instance(volumes=SECRET_VOLUME)
    secret = labelled("Secret", "keys")
    without = {**secret, "metadata": {"name": "keys"}}

    assert messages(STRICT, machine, without) == []
    assert messages(STRICT, {**machine, "metadata": {"name": "web"}}, secret) == []


def test_sources_of_data_volume_templates_are_checked() -> None:
    def machine(**spec: Json) -> JsonObject:
        return vm("web", dataVolumeTemplates=[{"metadata": {"name": "root"}, "spec": spec}])

    source_ref = machine(sourceRef={"kind": "DataSource", "name": "fedora"})
    clone = machine(source={"pvc": {"name": "golden", "namespace": "images"}})
    http = machine(source={"http": {"url": "https://a", "secretRef": "login", "certConfigMap": "ca"}})
    cron = labelled("DataImportCron", "daily", {"managedDataSource": "fedora"})

    assert messages(STRICT, source_ref, cron) == []
    assert [message.partition(":")[0] for message in messages(STRICT, source_ref)] == [
        "data-source-not-found"
    ]
    (cloned,) = messages(STRICT, clone)
    assert cloned.endswith("there is no PersistentVolumeClaim images/golden in the overlay")
    assert [message.partition(":")[0] for message in messages(STRICT, http)] == [
        "config-map-not-found",
        "secret-not-found",
    ]


def pool(name: str, replicas: Json, volume: JsonObject, *options: str) -> JsonObject:
    machine = with_instance(volumes=[{"name": "data", **volume}])
    return {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "replicas": replicas,
            "nameGeneration": dict.fromkeys(options, True),
            "virtualMachineTemplate": {"spec": machine["spec"]},
        },
    }


SECRETS, CONFIG_MAPS = "appendIndexToSecretRefs", "appendIndexToConfigMapRefs"


@pytest.mark.parametrize(
    ("volume", "option", "kind", "since"),
    [
        ({"secret": {"secretName": "ci"}}, SECRETS, "Secret", "1.5"),
        ({"configMap": {"name": "ci"}}, CONFIG_MAPS, "ConfigMap", "1.5"),
        ({"cloudInitNoCloud": {"secretRef": {"name": "ci"}}}, SECRETS, "Secret", "1.8"),
        ({"cloudInitNoCloud": {"networkDataSecretRef": {"name": "ci"}}}, SECRETS, "Secret", "1.8"),
        ({"cloudInitConfigDrive": {"secretRef": {"name": "ci"}}}, SECRETS, "Secret", "1.8"),
        ({"cloudInitConfigDrive": {"networkDataSecretRef": {"name": "ci"}}}, SECRETS, "Secret", "1.8"),
        ({"sysprep": {"secret": {"name": "ci"}}}, SECRETS, "Secret", None),
        ({"sysprep": {"configMap": {"name": "ci"}}}, CONFIG_MAPS, "ConfigMap", None),
        ({"secret": {"secretName": "ci"}}, CONFIG_MAPS, "Secret", None),
    ],
)
def test_pool_appends_index_by_release(volume: JsonObject, option: str, kind: str, since: str | None) -> None:
    one = {**labelled(kind, "ci"), "apiVersion": "v1"}
    each = [{**labelled(kind, f"ci-{index}"), "apiVersion": "v1"} for index in range(2)]
    for release in map(Release.parse, ("1.4", "1.5", "1.7", "1.8", "1.9")):
        is_indexed = since is not None and release >= Release.bound(since)
        for secrets, is_right in (([one], not is_indexed), (each, is_indexed)):
            found = messages(STRICT, pool("farm", 2, volume, option), *secrets, release=release)
            assert bool(found) is not is_right, (str(release), found)


def test_pool_of_any_size_lists_missing_objects_in_runs() -> None:
    secrets = [labelled("Secret", f"ci-{index}") for index in (0, 7, 999_999_999)]
    farm = pool("farm", 1_000_000_000, {"secret": {"secretName": "ci"}}, SECRETS)

    (message,) = messages(LOOSE, farm, *secrets)
    assert "there is no Secret prod/ci-1 to prod/ci-6, prod/ci-8 to prod/ci-999999998 in the" in message


@pytest.mark.parametrize("replicas", [0, -1, None, "3", True, 1.5])
def test_pool_with_unusual_replicas_never_fails(replicas: Json) -> None:
    farm = pool("farm", replicas, {"secret": {"secretName": "ci"}}, SECRETS)

    assert messages(LOOSE, farm) == []
    assert len(messages(STRICT, farm)) == (replicas not in (0, -1) or replicas is True)


def creator(
    kind: str, namespace: str = "elsewhere", spec: JsonObject | None = None, **metadata: Json
) -> JsonObject:
    group = {"Secret": "v1", "ConfigMap": "v1", "Network": "operator.openshift.io/v1"}.get(
        kind, "example.com/v1"
    )
    return {
        "apiVersion": group,
        "kind": kind,
        "metadata": {"name": "keys", **({"namespace": namespace} if namespace else {}), **metadata},
        "spec": spec or {},
    }


@pytest.mark.parametrize(
    "made",
    [
        creator("DopplerSecret", spec={"managedSecret": {"name": "keys", "namespace": NAMESPACE}}),
        creator(
            "InfisicalSecret",
            spec={"managedSecretReference": {"secretName": "keys", "secretNamespace": NAMESPACE}},
        ),
        creator("Secret", annotations={"reflector.v1.k8s.emberstack.com/reflection-auto-enabled": "true"}),
        creator("Secret", annotations={"replicator.v1.mittwald.de/replicate-to": NAMESPACE}),
        creator("Bundle", namespace=""),
        creator("ObjectBucketClaim", namespace=NAMESPACE),
    ],
)
def test_secrets_that_controllers_make_in_other_namespaces_exist(made: JsonObject) -> None:
    assert messages(STRICT, with_instance(volumes=SECRET_VOLUME), made) == []


@pytest.mark.parametrize(
    ("kind", "spec", "namespace"),
    [
        ("SriovNetwork", {}, "elsewhere"),
        ("SriovNetwork", {"networkNamespace": ""}, "elsewhere"),
        ("SriovNetwork", {"networkNamespace": NAMESPACE}, NAMESPACE),
        ("OVSNetwork", {"networkNamespace": "other"}, "other"),
        ("HostDeviceNetwork", {}, "default"),
        ("IPoIBNetwork", {"networkNamespace": NAMESPACE}, NAMESPACE),
        ("Network", {"additionalNetworks": [{"name": "keys"}]}, "default"),
        ("Network", {"additionalNetworks": [{"name": "keys", "namespace": NAMESPACE}]}, NAMESPACE),
    ],
)
def test_operator_makes_attachment_in_the_namespace_that_its_object_names(
    kind: str, spec: JsonObject, namespace: str
) -> None:
    machine = with_instance(networks=[{"name": "lan", "multus": {"networkName": f"{namespace}/keys"}}])
    here = with_instance(networks=[{"name": "lan", "multus": {"networkName": "keys"}}])

    assert messages(STRICT, machine, creator(kind, spec=spec)) == []
    assert len(messages(STRICT, here, creator(kind, spec=spec))) == (namespace != NAMESPACE)


def test_objects_that_kubevirt_creates_are_not_looked_up() -> None:
    clone: JsonObject = {
        "apiVersion": "clone.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClone",
        "metadata": {"name": "copy", "namespace": "n"},
        "spec": {
            "source": {"apiGroup": "kubevirt.io", "kind": "VirtualMachine", "name": "web"},
            "target": {"apiGroup": "kubevirt.io", "kind": "VirtualMachine", "name": "web-copy"},
        },
    }
    export: JsonObject = {
        "apiVersion": "export.kubevirt.io/v1",
        "kind": "VirtualMachineExport",
        "metadata": {"name": "out", "namespace": "n"},
        "spec": {"source": {"kind": "VirtualMachine", "name": "web"}, "tokenSecretRef": "token"},
    }

    found = object_references(resources(clone, export))

    assert {kind: [each.name for each in named] for kind, named in found.items()} == {
        "VirtualMachine": ["web", "web"]
    }


def test_a_migration_names_an_instance_and_a_data_volume_its_secret() -> None:
    migration: JsonObject = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstanceMigration",
        "metadata": {"name": "move", "namespace": "n"},
        "spec": {"vmiName": "web"},
    }
    data_volume: JsonObject = {
        "apiVersion": "cdi.kubevirt.io/v1beta1",
        "kind": "DataVolume",
        "metadata": {"name": "root", "namespace": "n"},
        "spec": {
            "source": {
                "s3": {"url": "https://x", "secretRef": "keys"},
                "pvc": {"name": "g", "namespace": "o"},
            }
        },
    }

    found = object_references(resources(migration, data_volume))

    named = {kind: [(each.namespace, each.name) for each in of_kind] for kind, of_kind in found.items()}
    assert named == {
        "VirtualMachineInstance": [("n", "web")],
        "PersistentVolumeClaim": [("o", "g")],
        "Secret": [("n", "keys")],
    }
