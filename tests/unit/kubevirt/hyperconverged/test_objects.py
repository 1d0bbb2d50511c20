"""The objects that the operator makes of HyperConverged."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.hyperconverged.admission import admit
from renderer.kubevirt.hyperconverged.cannot_make import CannotMakeCode, CannotMakeError, Reason
from renderer.kubevirt.hyperconverged.objects import MadeObjects, make_objects
from renderer.kubevirt.hyperconverged.release import (
    LATEST,
    OperatorEnvironment,
    OperatorFacts,
    OperatorRelease,
    Platform,
)
from renderer.model.kube.json import Json, JsonObject, array_at, object_at

PATCH = "kubevirt.kubevirt.io/jsonpatch"


def made(
    spec: JsonObject | None = None,
    minor: int = 19,
    facts: OperatorFacts | None = None,
    annotations: JsonObject | None = None,
    version: str = "v1beta1",
) -> MadeObjects:
    hyperconverged: JsonObject = {
        "apiVersion": f"hco.kubevirt.io/{version}",
        "metadata": {"name": "kubevirt-hyperconverged", "annotations": annotations or {}},
        "spec": spec or {},
    }
    return make_objects(hyperconverged, OperatorRelease(1, minor), facts or OperatorFacts())


def configuration(objects: MadeObjects) -> JsonObject:
    return object_at(objects.kubevirt.spec, "configuration")


def gates(objects: MadeObjects, field: str = "featureGates") -> Sequence[Json]:
    return array_at(configuration(objects), "developerConfiguration", field)


def patch(*operations: JsonObject) -> JsonObject:
    return {PATCH: json.dumps(operations)}


class TestGates:
    def test_hard_coded_gates_are_on(self) -> None:
        assert gates(made(minor=15)) == [
            *("CPUManager", "Snapshot", "HotplugVolumes", "ExpandDisks", "HostDevices", "VMExport"),
            *("KubevirtSeccompProfile", "VMPersistentState", "InstancetypeReferencePolicy"),
            *("WithHostModelCPU", "HypervStrictCheck"),
        ]

    def test_gates_are_known_but_for_those_that_kubevirt_has_no_longer(self) -> None:
        turned_on = {gate for minor in range(10, 21) for gate in gates(made(minor=minor))}

        assert turned_on - {*Gate} == {"DataVolumes", "SRIOV", "WithHostModelCPU"}

    def test_beta_gates_of_kubevirt_that_are_not_on_are_turned_off(self) -> None:
        objects = made({"featureGates": {"declarativeHotplugVolumes": False}})

        assert "HotplugVolumes" in gates(objects)
        assert {"DeclarativeHotplugVolumes", "RebootPolicy", "PasstBinding"} <= {
            *gates(objects, "disabledFeatureGates")
        }
        assert not {*gates(objects)} & {*gates(objects, "disabledFeatureGates")}
        assert gates(made(minor=18), "disabledFeatureGates") == ()

    @pytest.mark.parametrize(
        ("minor", "gate", "kubevirt"),
        [
            (11, "downwardMetrics", "DownwardMetrics"),
            (17, "videoConfig", "VideoConfig"),
            (18, "decentralizedLiveMigration", "DecentralizedLiveMigration"),
            (19, "declarativeHotplugVolumes", "DeclarativeHotplugVolumes"),
        ],
    )
    def test_gate_that_is_on_by_default_can_be_turned_off(self, minor: int, gate: str, kubevirt: str) -> None:
        assert kubevirt in gates(made(minor=minor))
        assert kubevirt not in gates(made({"featureGates": {gate: False}}, minor))

    @pytest.mark.parametrize(("minor", "is_on"), [(18, False), (19, True)])
    def test_case_of_a_gate_in_v1_does_not_count_from_1_19_on(self, minor: int, *, is_on: bool) -> None:
        spec: JsonObject = {"featureGates": [{"name": "DOWNWARDMETRICS"}]}

        assert ("DownwardMetrics" in gates(made(spec, minor, version="v1"))) is is_on

    def test_emulation_turns_gates_of_the_host_off(self) -> None:
        environment = OperatorEnvironment(kvm_emulation=True)

        objects = made(minor=18, facts=OperatorFacts(environment=environment))

        assert object_at(configuration(objects), "developerConfiguration")["useEmulation"] is True
        assert not {"WithHostModelCPU", "HypervStrictCheck"} & {*gates(objects)}

    def test_annotation_turns_gates_on(self) -> None:
        annotations = {"hco.kubevirt.io/deployAIE": "true"}

        assert {"GraceIOVirtualization", "IOMMUFD", "PCINUMAAwareTopology"} <= {
            *gates(made(annotations=annotations))
        }
        assert "IOMMUFD" not in gates(made(minor=18, annotations=annotations))
        assert "IOMMUFD" not in gates(made(annotations={"hco.kubevirt.io/deployAIE": "yes"}))

    def test_aligned_processors_need_an_annotation_too(self) -> None:
        kubevirt = made({"featureGates": {"alignCPUs": True}}).kubevirt

        assert kubevirt.annotations == {"alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity": ""}


class TestSettings:
    def test_setting_is_read_in_the_layout_of_its_version(self) -> None:
        flat = made({"defaultCPUModel": "Nehalem"})
        nested = made(
            {"virtualization": {"virtualMachineOptions": {"defaultCPUModel": "Nehalem"}}}, version="v1"
        )

        assert configuration(flat)["cpuModel"] == configuration(nested)["cpuModel"] == "Nehalem"

    @pytest.mark.parametrize(("minor", "is_there"), [(16, True), (17, False)])
    def test_minimal_cpu_model_is_passed_on_up_to_1_16(self, minor: int, *, is_there: bool) -> None:
        objects = made({"obsoleteCPUs": {"minCPUModel": "Penryn", "cpuModels": ["Nehalem"]}}, minor)

        assert ("minCPUModel" in configuration(objects)) is is_there
        assert object_at(configuration(objects), "obsoleteCPUModels")["Nehalem"] is True

    @pytest.mark.parametrize(("minor", "count"), [(10, 15), (11, 17), (15, 34)])
    def test_obsolete_cpu_models_by_release(self, minor: int, count: int) -> None:
        assert len(object_at(configuration(made(minor=minor)), "obsoleteCPUModels")) == count

    def test_disabled_devices_are_left_out(self) -> None:
        devices: JsonObject = {
            "pciHostDevices": [
                {"pciDeviceSelector": "10DE:1", "resourceName": "a/b"},
                {"pciDeviceSelector": "10DE:2", "resourceName": "a/c", "disabled": True},
            ],
            "usbHostDevices": [{"resourceName": "a/u", "selectors": [{"vendor": "1", "product": "2"}]}],
        }

        assert configuration(made({"permittedHostDevices": devices}))["permittedHostDevices"] == {
            "pciHostDevices": [{"pciVendorSelector": "10DE:1", "resourceName": "a/b"}],
            "usb": [{"resourceName": "a/u", "selectors": [{"vendor": "1", "product": "2"}]}],
        }

    @pytest.mark.parametrize(
        ("minor", "disabled", "expected"),
        [(17, True, None), (18, True, {"enabled": False}), (18, False, None), (19, False, {"enabled": True})],
    )
    def test_gate_for_mediated_devices_became_a_field(
        self, minor: int, *, disabled: bool, expected: JsonObject | None
    ) -> None:
        objects = made({"featureGates": {"disableMDevConfiguration": disabled}}, minor)

        assert configuration(objects).get("mediatedDevicesConfiguration") == expected
        assert ("DisableMDEVConfiguration" in gates(objects)) is (minor == 17)

    def test_durations_and_quantities_are_canonical(self) -> None:
        objects = made(
            {
                "liveMigrationConfig": {"bandwidthPerMigration": "1024Mi"},
                "certConfig": {"ca": {"duration": "72h", "renewBefore": "90m"}},
            },
            18,
        )

        assert object_at(configuration(objects), "migrations") == {"bandwidthPerMigration": "1Gi"}
        assert object_at(objects.cdi.spec, "certConfig", "ca") == {
            "duration": "72h0m0s",
            "renewBefore": "1h30m0s",
        }
        intervals = object_at(objects.network_addons.spec, "selfSignConfiguration")
        assert intervals["caOverlapInterval"] == "1h30m0s"

    @pytest.mark.parametrize(
        ("minor", "field"),
        [(18, "spec.certificateRotateStrategy.selfSigned.ca.duration"), (19, "spec.certConfig.ca.duration")],
    )
    def test_value_that_go_cannot_read_names_its_field(self, minor: int, field: str) -> None:
        """From 1.19 on the object does not become one of v1."""
        with pytest.raises(CannotMakeError) as caught:
            made({"certConfig": {"ca": {"duration": "2d"}}}, minor)

        assert caught.value.code is CannotMakeCode.SPEC
        assert str(caught.value) == f"{field} is not a duration"

    def test_field_that_only_v1_has_is_kept_in_an_annotation_of_v1beta1(self) -> None:
        kept = {"hco.kubevirt.io/v1-only-fields": '{"persistentReservationEnabled": true}'}

        reservation = configuration(made(annotations=kept))["persistentReservationConfiguration"]

        assert reservation == {"enabled": True}

    @pytest.mark.parametrize("kept", ["not json", "[" * 100_000])
    def test_annotation_of_v1beta1_that_is_not_json_is_refused(self, kept: str) -> None:
        with pytest.raises(CannotMakeError):
            made(annotations={"hco.kubevirt.io/v1-only-fields": kept})


class TestTopology:
    SINGLE = OperatorFacts(control_plane_multi_node=False, infrastructure_highly_available=False)
    HOSTED = OperatorFacts(control_plane_multi_node=False, control_plane_node_exists=False)

    @pytest.mark.parametrize(
        ("minor", "facts", "infra"),
        [
            (12, OperatorFacts(), None),
            (12, SINGLE, {"replicas": 1}),
            (12, HOSTED, None),
            (13, SINGLE, {"replicas": 1}),
            (13, HOSTED, {"nodePlacement": {}}),
            (
                13,
                HOSTED._replace(infrastructure_highly_available=False),
                {"nodePlacement": {}, "replicas": 1},
            ),
        ],
    )
    def test_components_follow_the_control_plane(
        self, minor: int, facts: OperatorFacts, infra: JsonObject | None
    ) -> None:
        assert made(minor=minor, facts=facts).kubevirt.spec.get("infra") == infra

    def test_placement_is_passed_on(self) -> None:
        placement: JsonObject = {"nodeSelector": {"a": "b"}}
        objects = made({"infra": {"nodePlacement": placement}, "workloads": {}}, facts=self.SINGLE)

        assert objects.kubevirt.spec["infra"] == {"nodePlacement": placement, "replicas": 1}
        assert "workloads" not in objects.kubevirt.spec
        assert objects.cdi.spec["infra"] == placement
        assert objects.ssp is not None
        assert object_at(objects.ssp.spec, "templateValidator")["placement"] == placement

    @pytest.mark.parametrize(
        ("control_plane", "workloads", "architecture"),
        [
            (("amd64",), ("amd64", "arm64"), "amd64"),
            (("s390x",), ("amd64",), "amd64"),
            ((), ("arm64",), "arm64"),
        ],
    )
    def test_default_architecture_is_that_of_the_control_plane_if_workers_have_it(
        self, control_plane: tuple[str, ...], workloads: tuple[str, ...], architecture: str
    ) -> None:
        facts = OperatorFacts(control_plane_architectures=control_plane, workload_architectures=workloads)

        architectures = object_at(configuration(made(facts=facts)), "architectureConfiguration")

        assert architectures["defaultArchitecture"] == architecture

    def test_ssp_is_made_on_openshift_alone(self) -> None:
        on_kubernetes = made(facts=OperatorFacts(platform=Platform.KUBERNETES))

        assert made().ssp is not None
        assert on_kubernetes.ssp is None
        assert on_kubernetes.kubevirt == made().kubevirt
        assert on_kubernetes.network_addons.spec["kubevirtIpamController"] == {}

    def test_quota_object_is_made_on_demand(self) -> None:
        assert made().aaq is None
        assert made({"enableApplicationAwareQuota": True}).aaq is not None
        assert made({"featureGates": {"enableApplicationAwareQuota": True}}, 14).aaq is not None
        assert made({"featureGates": {"enableApplicationAwareQuota": True}}, 18).aaq is not None
        assert made({"featureGates": {"enableApplicationAwareQuota": True}}, 19).aaq is None


class TestPatches:
    def test_removed_field_stays(self) -> None:
        objects = made(annotations=patch({"op": "remove", "path": "/spec/configuration/vmRolloutStrategy"}))

        assert configuration(objects)["vmRolloutStrategy"] == "LiveUpdate"

    def test_null_removes_a_list(self) -> None:
        path = "/spec/configuration/developerConfiguration/featureGates"
        objects = made(annotations=patch({"op": "replace", "path": path, "value": None}))

        assert gates(objects) == ()

    def test_list_is_replaced_and_map_is_added_to(self) -> None:
        objects = made(
            annotations=patch(
                {"op": "replace", "path": "/spec/configuration/obsoleteCPUModels", "value": {"x": True}},
                {
                    "op": "replace",
                    "path": "/spec/configuration/developerConfiguration/featureGates",
                    "value": ["VSOCK"],
                },
            )
        )

        assert len(object_at(configuration(objects), "obsoleteCPUModels")) == 35
        assert gates(objects) == ["VSOCK"]

    def test_unknown_field_vanishes(self) -> None:
        objects = made(annotations=patch({"op": "add", "path": "/spec/configuration/x", "value": 1}))

        assert objects == made()

    @pytest.mark.parametrize(
        ("written", "reason"),
        [
            ("not json", Reason.NOT_JSON),
            ('{"op": "add"}', Reason.SYNTAX),
            ("[1]", Reason.SYNTAX),
            ('[{"op": "add"}]', Reason.SYNTAX),
            ('[{"op": "add", "path": "/metadata/labels/x", "value": "y"}]', Reason.NOT_A_SPEC_FIELD),
            ('[{"op": "remove", "path": "/spec/nothing"}]', Reason.PATH),
            ('[{"op": "replace", "path": "/spec/nothing", "value": 1}]', Reason.PATH),
            ('[{"op": "jump", "path": "/spec/nothing"}]', Reason.PATH),
            ('[{"op": "add", "path": "/spec/configuration/cpuModel", "value": 1}]', Reason.RESULT),
            ("[" * 100_000, Reason.NOT_JSON),
        ],
    )
    def test_patch_that_does_not_apply_is_refused(self, written: str, reason: Reason) -> None:
        with pytest.raises(CannotMakeError) as caught:
            made(annotations={PATCH: written})

        assert (caught.value.annotation, caught.value.reason) == (PATCH, reason)

    def test_copies_of_copies_are_not_written_out(self) -> None:
        """Each copy doubles the value: what is read of it ends with an error about its type."""
        doubled = [{"op": "add", "path": "/spec/a", "value": ["x"]}]
        doubled += [{"op": "copy", "from": "/spec/a", "path": "/spec/a/-"}] * 60
        limit = "/spec/configuration/developerConfiguration/diskVerification/memoryLimit"
        for path in (
            limit,
            "/spec/configuration/cpuModel",
            "/spec/infra",
            "/spec/configuration/obsoleteCPUModels",
        ):
            operations = [*doubled, {"op": "copy", "from": "/spec/a", "path": path}]
            with pytest.raises(CannotMakeError) as caught:
                made(annotations={PATCH: json.dumps(operations)})
            assert caught.value.reason is Reason.RESULT

    def test_version_4_of_the_library_replaces_what_is_missing(self) -> None:
        operation: JsonObject = {"op": "replace", "path": "/spec/nothing", "value": 1}

        assert made(minor=10, annotations=patch(operation)) == made(minor=10)

    @pytest.mark.parametrize(
        ("annotation", "attribute", "path", "value"),
        [
            ("containerizeddataimporter.kubevirt.io/jsonpatch", "cdi", "/spec/imagePullPolicy", "Always"),
            (
                "networkaddonsconfigs.kubevirt.io/jsonpatch",
                "network_addons",
                "/spec/imagePullPolicy",
                "Never",
            ),
            ("ssp.kubevirt.io/jsonpatch", "ssp", "/spec/commonTemplates/namespace", "own"),
        ],
    )
    def test_other_objects_have_their_own_annotations(
        self, annotation: str, attribute: str, path: str, value: str
    ) -> None:
        written = json.dumps([{"op": "add", "path": path, "value": value}])

        changed = getattr(made(annotations={annotation: written}), attribute)

        assert changed != getattr(made(), attribute)
        assert value in json.dumps(changed.spec)


class TestTuning:
    ANNOTATION = "hco.kubevirt.io/tuningPolicy"

    def limits(self, objects: MadeObjects) -> JsonObject:
        path = ("apiConfiguration", "restClient", "rateLimiter", "tokenBucketRateLimiter")
        return object_at(configuration(objects), *path)

    def test_annotation_sets_the_limits(self) -> None:
        objects = made(
            {"tuningPolicy": "annotation"}, annotations={self.ANNOTATION: '{"QPS": 1.5, "burst": 3}'}
        )

        assert self.limits(objects) == {"qps": 1.5, "burst": 3}

    @pytest.mark.parametrize(
        "written",
        ["", "not json", "{}", '{"qps": 1}', '{"qps": "1", "burst": 1}', '{"qps": 1, "burst": 1.5}'],
    )
    def test_annotation_without_limits_is_refused(self, written: str) -> None:
        with pytest.raises(CannotMakeError) as caught:
            made({"tuningPolicy": "annotation"}, annotations={self.ANNOTATION: written})

        assert (caught.value.code, caught.value.annotation) == (CannotMakeCode.TUNING, self.ANNOTATION)

    def test_policy_without_its_annotation_is_refused(self) -> None:
        with pytest.raises(CannotMakeError):
            made({"tuningPolicy": "annotation"})

    def test_high_burst_has_no_effect_from_1_19_on(self) -> None:
        assert self.limits(made({"tuningPolicy": "highBurst"}, 18)) == {"qps": 200, "burst": 400}
        assert self.limits(made({"tuningPolicy": "highBurst"})) == {}

    def test_high_burst_cannot_be_combined_with_the_annotation(self) -> None:
        annotations = {self.ANNOTATION: '{"qps": 1, "burst": 1}'}

        with pytest.raises(CannotMakeError) as caught:
            made({"tuningPolicy": "highBurst"}, 18, annotations=annotations)

        assert caught.value.reason is Reason.BESIDE_HIGH_BURST


OWN_IMAGE: JsonObject = {
    "metadata": {"name": "fedora-image-cron"},
    "spec": {
        "managedDataSource": "own",
        "template": {"spec": {"source": {"registry": {"url": "docker://a"}}}},
    },
}


class TestBootImages:
    def images(self, spec: JsonObject, minor: int = 19, facts: OperatorFacts | None = None) -> list[Json]:
        ssp = made(spec, minor, facts).ssp
        assert ssp is not None
        return [*array_at(ssp.spec, "commonTemplates", "dataImportCronTemplates")]

    def names(self, spec: JsonObject, minor: int = 19, facts: OperatorFacts | None = None) -> list[Json]:
        return [object_at(each, "metadata")["name"] for each in self.images(spec, minor, facts)]

    def test_common_images_are_imported(self) -> None:
        expected = ["centos-stream10-image-cron", "centos-stream9-image-cron", "fedora-image-cron"]

        assert self.names({}) == expected
        assert self.names({"featureGates": {"enableCommonBootImageImport": True}}, 12) == expected[1:]
        assert self.names({"enableCommonBootImageImport": False}) == []

    def test_own_template_replaces_the_common_one_but_its_schedule(self) -> None:
        spec = self.images({"dataImportCronTemplates": [OWN_IMAGE]})[2]

        assert object_at(spec, "spec")["managedDataSource"] == "own"
        assert object_at(spec, "spec")["schedule"] == "0 */12 * * *"

    @pytest.mark.parametrize("enabled", ["false", "no", ""])
    def test_annotation_leaves_a_template_out(self, enabled: str) -> None:
        metadata: JsonObject = {
            "name": "fedora-image-cron",
            "annotations": {"dataimportcrontemplate.kubevirt.io/enable": enabled},
        }

        names = self.names({"dataImportCronTemplates": [{**OWN_IMAGE, "metadata": metadata}]})

        assert "fedora-image-cron" not in names

    def test_images_without_the_architectures_of_workers_are_left_out(self) -> None:
        annotations: JsonObject = {"ssp.kubevirt.io/dict.architectures": "s390x,arm64"}
        own: JsonObject = {**OWN_IMAGE, "metadata": {"name": "own", "annotations": annotations}}
        spec: JsonObject = {
            "dataImportCronTemplates": [own],
            "featureGates": {"enableMultiArchBootImageImport": True},
        }

        assert "own" not in self.names(spec)
        on_arm = self.images(spec, facts=OperatorFacts(workload_architectures=("arm64",)))[-1]
        assert object_at(on_arm, "metadata", "annotations")["ssp.kubevirt.io/dict.architectures"] == "arm64"

    def test_namespace_of_common_images(self) -> None:
        image = self.images({"commonBootImageNamespace": "golden"})[0]

        assert object_at(image, "metadata")["namespace"] == "golden"


class TestTrial:
    """The webhook makes the objects to see whether the operator can."""

    def refusal(
        self,
        spec: JsonObject,
        version: str = "v1beta1",
        annotations: JsonObject | None = None,
        minor: int = 19,
    ) -> tuple[str, str, JsonObject]:
        content: JsonObject = {
            "apiVersion": f"hco.kubevirt.io/{version}",
            "metadata": {"annotations": annotations or {}},
            "spec": spec,
        }
        facts = OperatorFacts(platform=Platform.KUBERNETES)
        refused = admit(content, OperatorRelease(1, minor), facts).refusal
        assert refused is not None
        return refused.code, str(refused.field or ""), refused.details

    def test_object_that_can_be_made_is_accepted(self) -> None:
        content: JsonObject = {"apiVersion": "hco.kubevirt.io/v1", "spec": {}}

        assert admit(content, LATEST, OperatorFacts()).refusal is None

    @pytest.mark.parametrize("address", ["not-an-ip", "2001:db8::1", "1.2.3", "1.2.3.256", "1.2.3.4.5"])
    def test_name_server_needs_an_ipv4_address(self, address: str) -> None:
        flat = self.refusal({"kubeSecondaryDNSNameServerIP": address})
        nested = self.refusal({"networking": {"kubeSecondaryDNSNameServerIP": address}}, "v1")

        assert flat == ("notIPv4", "spec.kubeSecondaryDNSNameServerIP", {})
        assert nested == ("notIPv4", "spec.networking.kubeSecondaryDNSNameServerIP", {})

    @pytest.mark.parametrize("address", ["10.0.0.1", "", "010.0.0.1", "::ffff:10.0.0.1"])
    def test_name_server_with_an_ipv4_address_is_accepted(self, address: str) -> None:
        networking = {"kubeSecondaryDNSNameServerIP": address}
        content: JsonObject = {"apiVersion": "hco.kubevirt.io/v1", "spec": {"networking": networking}}

        assert admit(content, LATEST, OperatorFacts()).refusal is None

    def test_two_boot_images_with_one_name_are_refused(self) -> None:
        with pytest.raises(CannotMakeError) as error:
            made({"dataImportCronTemplates": [OWN_IMAGE, OWN_IMAGE]})

        assert (error.value.code, error.value.reason) == (CannotMakeCode.BOOT_IMAGES, Reason.DUPLICATE)

    def test_tls_profile_without_ciphers_crashes_the_operator(self) -> None:
        assert self.refusal({"tlsSecurityProfile": {}}) == ("panic", "", {})

    def test_patch_of_ssp_is_tried_on_kubernetes_too(self) -> None:
        annotation = "ssp.kubevirt.io/jsonpatch"
        patches = {annotation: '[{"op": "remove", "path": "/spec/nothing"}]'}

        refused = self.refusal({}, annotations=patches)

        assert refused == ("jsonPatch", "metadata.annotations", {"annotation": annotation, "reason": "path"})


def test_newer_release_is_treated_like_the_newest_known_one() -> None:
    assert made(minor=30) == made(minor=LATEST.minor)
