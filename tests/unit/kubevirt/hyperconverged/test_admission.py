"""The admission of HyperConverged objects: what is stored, and who refuses what."""

from __future__ import annotations

import pytest

from renderer.kubevirt.hyperconverged.admission import Admission, Refusal, Refuser, admit
from renderer.kubevirt.hyperconverged.cannot_make import CannotMakeCode
from renderer.kubevirt.hyperconverged.release import OperatorFacts, OperatorRelease
from renderer.model.kube.json import Json, JsonObject, array_at, object_at

SPEC_OF_TEMPLATE: JsonObject = {
    "managedDataSource": "own",
    "schedule": "0 */6 * * *",
    "template": {"spec": {"source": {"registry": {"url": "docker://registry.example/own:1"}}}},
}
GATES_OF_1_14 = ["deployTektonTaskResources", "enableManagedTenantQuota", "nonRoot", "withHostPassthroughCPU"]
REPLACED = ["deployVmConsoleProxy", "enableApplicationAwareQuota", "enableCommonBootImageImport"]


def hyperconverged(spec: Json, version: str = "v1beta1") -> JsonObject:
    return {
        "apiVersion": f"hco.kubevirt.io/{version}",
        "kind": "HyperConverged",
        "metadata": {"name": "kubevirt-hyperconverged"},
        "spec": spec,
    }


def admission(
    spec: Json, release: str = "1.17", version: str = "v1beta1", facts: OperatorFacts | None = None
) -> Admission:
    return admit(hyperconverged(spec, version), OperatorRelease.parse(release), facts or OperatorFacts())


def refusal(spec: Json, release: str = "1.17", version: str = "v1beta1") -> tuple[str, str, str]:
    refused = admission(spec, release, version).refusal
    assert refused is not None
    return str(refused.by), str(refused.code), str(refused.field or "")


def warnings(spec: Json, release: str, version: str = "v1beta1") -> list[tuple[str, str]]:
    return [(each.about, each.code) for each in admission(spec, release, version).warnings]


class TestMutatingWebhook:
    @pytest.mark.parametrize(("is_available", "strategy"), [(True, "LiveMigrate"), (False, "None")])
    def test_eviction_strategy_follows_the_infrastructure(self, is_available: bool, strategy: str) -> None:  # noqa: FBT001 - a parameter of a test
        facts = OperatorFacts(infrastructure_highly_available=is_available)
        assert admission({}, facts=facts).spec["evictionStrategy"] == strategy
        v1 = admission({}, "1.19", "v1", facts)
        assert object_at(v1.spec, "virtualization")["evictionStrategy"] == strategy

    def test_written_eviction_strategy_stays(self) -> None:
        assert admission({"evictionStrategy": "External"}).spec["evictionStrategy"] == "External"

    def test_memory_sharing_is_on_from_1_17_on(self) -> None:
        assert "ksmConfiguration" not in admission({}, "1.16").spec
        assert admission({}, "1.17").spec["ksmConfiguration"] == {}

    def test_import_templates_bind_at_once(self) -> None:
        templates: list[Json] = [
            {"metadata": {"name": "a"}, "spec": SPEC_OF_TEMPLATE},
            {"metadata": {"name": "b", "annotations": {"a/b": "c"}}, "spec": SPEC_OF_TEMPLATE},
        ]
        stored = array_at(admission({"dataImportCronTemplates": templates}).spec, "dataImportCronTemplates")
        binding = {"cdi.kubevirt.io/storage.bind.immediate.requested": "true"}
        assert [object_at(each, "metadata", "annotations") for each in stored] == [
            binding,
            {"a/b": "c", **binding},
        ]
        assert [object_at(each, "spec").get("importsToKeep") for each in stored] == [None, None]

    def test_import_templates_keep_one_import_from_1_18_on(self) -> None:
        templates = [{"metadata": {"name": "a"}, "spec": SPEC_OF_TEMPLATE}]
        stored = admission({"dataImportCronTemplates": templates}, "1.18").spec
        spec = object_at(array_at(stored, "dataImportCronTemplates")[0], "spec")
        assert (spec["retentionPolicy"], spec["importsToKeep"]) == ("None", 1)

    def test_import_template_without_metadata_cannot_be_patched(self) -> None:
        found = refusal({"dataImportCronTemplates": [{"spec": SPEC_OF_TEMPLATE}]})
        assert found == ("mutating webhook", "patchDoesNotApply", "")

    def test_old_name_of_mediated_types_is_copied(self) -> None:
        nodes: list[Json] = [{"nodeSelector": {"a": "b"}, "mediatedDevicesTypes": ["y"]}]
        written: JsonObject = {"mediatedDevicesTypes": ["x"], "nodeMediatedDeviceTypes": nodes}
        stored = object_at(
            admission({"mediatedDevicesConfiguration": written}).spec, "mediatedDevicesConfiguration"
        )
        assert stored["mediatedDeviceTypes"] == ["x"]
        assert object_at(array_at(stored, "nodeMediatedDeviceTypes")[0])["mediatedDeviceTypes"] == ["y"]

    @pytest.mark.parametrize(
        ("gate", "path", "value"),
        [
            (
                "disableMDevConfiguration",
                ("virtualization", "mediatedDevicesConfiguration"),
                {"enabled": False},
            ),
            ("persistentReservation", ("storage", "persistentReservationConfiguration"), {"enabled": True}),
        ],
    )
    def test_moved_gate_of_v1_sets_its_field(
        self, gate: str, path: tuple[str, str], value: JsonObject
    ) -> None:
        admitted = admission({"featureGates": [{"name": gate}]}, "1.19", "v1")
        assert object_at(admitted.spec, *path) == value
        assert [each.about for each in admitted.warnings] == [gate, gate]
        assert not admission({"featureGates": [{"name": gate}]}, "1.18", "v1").warnings

    def test_moved_gate_that_contradicts_its_field(self) -> None:
        spec: JsonObject = {
            "featureGates": [{"name": "persistentReservation", "state": "Disabled"}],
            "storage": {"persistentReservationConfiguration": {"enabled": True}},
        }
        refused = admission(spec, "1.19", "v1").refusal
        assert refused == Refusal(
            Refuser.MUTATING_WEBHOOK, "gateContradictsField", details={"gate": "persistentReservation"}
        )

    def test_gate_of_boot_images_needs_its_section(self) -> None:
        gates = [{"name": "enableMultiArchBootImageImport"}]
        assert refusal({"featureGates": gates}, "1.19", "v1") == ("mutating webhook", "patchDoesNotApply", "")
        admitted = admission({"featureGates": gates, "workloadSources": {}}, "1.19", "v1")
        assert object_at(admitted.spec, "workloadSources")["enableMultiArchBootImageImport"] is True


class TestGoDecoding:
    @pytest.mark.parametrize(
        "spec",
        [
            {"certConfig": {"ca": {"duration": "2d"}}},
            {"workloadUpdateStrategy": {"batchEvictionInterval": "soon", "workloadUpdateMethods": []}},
            {"liveMigrationConfig": {"parallelMigrationsPerCluster": -1}},
            {"liveUpdateConfiguration": {"maxHotplugRatio": -1}},
            {"logVerbosityConfig": {"kubevirt": {"virtAPI": -1}}},
            {"logVerbosityConfig": {"kubevirt": {"nodeVerbosity": {"node01": -1}}}},
        ],
    )
    def test_value_that_go_cannot_hold(self, spec: JsonObject) -> None:
        assert refusal(spec) == ("mutating webhook", "doesNotDecode", "")

    def test_wrong_type_is_told_by_the_schema(self) -> None:
        assert refusal({"defaultCPUModel": 5}) == ("schema", "", "")


class TestValidatingWebhook:
    @pytest.mark.parametrize(
        ("certificates", "code", "field"),
        [
            ({"ca": {"duration": "24h", "renewBefore": "30h"}}, "certConfig.order", "spec.certConfig.ca"),
            ({"server": {"renewBefore": "25h"}}, "certConfig.order", "spec.certConfig.server"),
            ({"server": {"duration": "100h"}}, "certConfig.order", "spec.certConfig"),
            ({"ca": {"renewBefore": "9m59s"}}, "certConfig.tooSmall", "spec.certConfig.ca.renewBefore"),
        ],
    )
    def test_lifetimes_of_certificates(self, certificates: JsonObject, code: str, field: str) -> None:
        assert refusal({"certConfig": certificates}) == ("validating webhook", code, field)

    def test_answer_about_certificates_of_v1(self) -> None:
        spec = {"security": {"certConfig": {"ca": {"renewBefore": "50h"}}}}
        assert refusal(spec, "1.18", "v1")[2] == "spec.security.certConfig.ca"
        assert refusal(spec, "1.19", "v1")[2] == "spec.certConfig.ca"

    @pytest.mark.parametrize(
        ("custom", "since"),
        [
            ({"minTLSVersion": "VersionTLS12", "ciphers": ["AES128-SHA"]}, "1.10"),
            ({"minTLSVersion": "VersionTLS14", "ciphers": []}, "1.11"),
            ({"minTLSVersion": "VersionTLS13", "ciphers": ["TLS_AES_128_GCM_SHA256"]}, "1.11"),
            (None, "1.18"),
        ],
    )
    def test_tls_profile(self, custom: Json, since: str) -> None:
        spec = {"tlsSecurityProfile": {"type": "Custom", "custom": custom}}
        for minor in range(10, 20):
            found = admission(spec, f"1.{minor}").refusal
            is_crash = found is not None and found.code == CannotMakeCode.CRASH  # of the trial
            is_by_webhook = found is not None and found.by is Refuser.VALIDATING_WEBHOOK and not is_crash
            is_in_enum = custom is None or object_at(custom)["minTLSVersion"] != "VersionTLS14"
            if is_in_enum:
                assert is_by_webhook == (OperatorRelease(1, minor) >= OperatorRelease.parse(since)), minor
            else:
                assert found is not None or minor == 10

    def test_two_lists_of_mediated_types(self) -> None:
        written = {"mediatedDeviceTypes": ["a"], "mediatedDevicesTypes": ["b"]}
        assert refusal({"mediatedDevicesConfiguration": written}) == (
            "validating webhook",
            "mediatedDevicesTypesBesideMediatedDeviceTypes",
            "spec.mediatedDevicesConfiguration",
        )
        same = {"mediatedDeviceTypes": ["a"], "mediatedDevicesTypes": ["a"]}
        assert admission({"mediatedDevicesConfiguration": same}).refusal is None

    @pytest.mark.parametrize(
        ("template", "reason"),
        [
            ({"metadata": {"name": "a"}}, "noSpec"),
            ({"metadata": {"annotations": {"dataimportcrontemplate.kubevirt.io/enable": "x"}}}, "annotation"),
        ],
    )
    def test_import_template(self, template: JsonObject, reason: str) -> None:
        refused = admission({"dataImportCronTemplates": [template]}).refusal
        assert refused is not None
        assert (refused.code, refused.details) == ("dataImportCronTemplate", {"reason": reason})

    def test_disabled_import_template_needs_no_spec(self) -> None:
        annotations = {"dataimportcrontemplate.kubevirt.io/enable": "False"}
        template: JsonObject = {"metadata": {"name": "fedora-image-cron", "annotations": annotations}}
        assert admission({"dataImportCronTemplates": [template]}).refusal is None

    @pytest.mark.parametrize(
        "requirement",
        [
            {"key": "zone", "operator": "Near", "values": ["a"]},
            {"key": "zone", "operator": "In"},
            {"key": "zone", "operator": "Exists", "values": ["a"]},
            {"key": "zone", "operator": "Gt", "values": ["a"]},
            {"key": "-", "operator": "Exists"},
            {"key": "zone", "operator": "In", "values": ["a b"]},
        ],
    )
    def test_affinity_from_1_16_on(self, requirement: JsonObject) -> None:
        terms = {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}
        affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
        spec = {"infra": {"nodePlacement": {"affinity": affinity}}}
        assert refusal(spec, "1.16") == (
            "validating webhook",
            "affinity",
            "spec.infra.nodePlacement.affinity",
        )
        assert admission(spec, "1.15").refusal is None
        v1 = {"deployment": {"nodePlacements": {"workload": {"affinity": affinity}}}}
        assert refusal(v1, "1.19", "v1")[2] == "spec.workloads.nodePlacement.affinity"

    def test_tenant_quota_needs_a_highly_available_cluster_up_to_1_11(self) -> None:
        spec = {"featureGates": {"enableManagedTenantQuota": True}}
        single = OperatorFacts(infrastructure_highly_available=False)
        assert admission(spec, "1.11", facts=single).refusal is not None
        assert admission(spec, "1.12", facts=single).refusal is None
        assert admission(spec, "1.11").refusal is None


WARNED_GATES: JsonObject = {
    "featureGates": dict.fromkeys([*GATES_OF_1_14, *REPLACED, "persistentReservation"], False)
}


class TestWarnings:
    @pytest.mark.parametrize(
        ("release", "expected"),
        [
            ("1.13", []),
            ("1.14", GATES_OF_1_14),
            ("1.15", sorted([*GATES_OF_1_14, *REPLACED])),
            ("1.19", sorted([*GATES_OF_1_14, *REPLACED, "persistentReservation"])),
        ],
    )
    def test_gates_of_v1beta1(self, release: str, expected: list[str]) -> None:
        found = warnings(WARNED_GATES, release)
        assert [about for about, _ in found] == expected
        assert {code for about, code in found if about != "persistentReservation"} <= {"deprecatedAndIgnored"}

    def test_gates_of_v1(self) -> None:
        gates = {"featureGates": [{"name": "nonRoot"}, {"name": "unknownGate"}, {"name": "AlignCPUs"}]}
        assert warnings(gates, "1.18", "v1") == [
            ("AlignCPUs", "unknown"),
            ("nonRoot", "deprecatedAndIgnored"),
            ("unknownGate", "unknown"),
        ]
        assert warnings(gates, "1.19", "v1") == [("nonRoot", "unknown"), ("unknownGate", "unknown")]

    @pytest.mark.parametrize(("release", "is_warned"), [("1.16", False), ("1.17", True), ("1.19", True)])
    def test_high_burst(self, release: str, is_warned: bool) -> None:  # noqa: FBT001 - a parameter of a test
        expected = [("spec.tuningPolicy", "deprecated")] if is_warned else []
        assert warnings({"tuningPolicy": "highBurst"}, release) == expected

    def test_warning_ends_the_review_up_to_1_18(self) -> None:
        """So the webhook does not see that the operator cannot make its objects."""
        spec: JsonObject = {"featureGates": {"nonRoot": True}, "kubeSecondaryDNSNameServerIP": "1.2.3"}
        assert refusal(spec, "1.18")[:2] == (Refuser.OPERATOR, "notIPv4")
        assert refusal(spec, "1.19")[:2] == (Refuser.VALIDATING_WEBHOOK, "notIPv4")


def test_version_that_is_not_served() -> None:
    with pytest.raises(ValueError, match="does not serve v1"):
        admission({}, "1.17", "v1")
