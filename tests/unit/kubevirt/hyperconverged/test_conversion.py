"""Conversion of HyperConverged objects between v1beta1 and v1."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from renderer.golang.go_types import GoTypeError
from renderer.kubevirt.hyperconverged.admission import admit
from renderer.kubevirt.hyperconverged.conversion import V1_ONLY_ANNOTATION, as_stored, converted
from renderer.kubevirt.hyperconverged.release import OperatorFacts, OperatorRelease
from renderer.model.kube.json import Json, JsonObject, object_at, without

OLD, NEW = OperatorRelease(1, 18), OperatorRelease(1, 19)


def hyperconverged(
    spec: JsonObject, version: str = "v1beta1", annotations: Mapping[str, str] | None = None
) -> JsonObject:
    return {
        "apiVersion": f"hco.kubevirt.io/{version}",
        "kind": "HyperConverged",
        "metadata": {"name": "kubevirt-hyperconverged", "annotations": annotations or {}},
        "spec": spec,
    }


def in_v1(
    spec: JsonObject, release: OperatorRelease = NEW, annotations: Mapping[str, str] | None = None
) -> JsonObject:
    return converted(hyperconverged(spec, "v1beta1", annotations), "v1", release)


def gates_in_v1(gates: JsonObject, release: OperatorRelease = NEW, kept: Json = None) -> Json:
    annotations = {V1_ONLY_ANNOTATION: json.dumps(kept)} if kept is not None else None
    return object_at(in_v1({"featureGates": gates}, release, annotations), "spec").get("featureGates")


class TestToV1:
    @pytest.mark.parametrize(
        ("spec", "path", "expected"),
        [
            ({"defaultCPUModel": "EPYC"}, "virtualization.virtualMachineOptions.defaultCPUModel", "EPYC"),
            ({"obsoleteCPUs": {"cpuModels": ["486"]}}, "virtualization.obsoleteCPUModels", ["486"]),
            ({"obsoleteCPUs": {"cpuModels": []}}, "virtualization.obsoleteCPUModels", None),
            ({"enableApplicationAwareQuota": True}, "deployment.applicationAwareConfig.enable", True),
            ({"certConfig": {"ca": {"duration": "48h"}}}, "security.certConfig.ca.duration", "48h0m0s"),
            ({"tuningPolicy": "highBurst"}, "virtualization.tuningPolicy", None),
            ({"tuningPolicy": "annotation"}, "virtualization.tuningPolicy", "annotation"),
            ({"storageImport": {"insecureRegistries": []}}, "storage", None),
            ({"vmStateStorageClass": "nfs", "storageImport": {}}, "storage.storageImport", {}),
            ({"networkBinding": {}}, "networking", {}),
            (
                {"featureGates": {"disableMDevConfiguration": True}},
                "virtualization.mediatedDevicesConfiguration.enabled",
                False,
            ),
            (
                {"featureGates": {"persistentReservation": True}},
                "storage.persistentReservationConfiguration.enabled",
                True,
            ),
            ({"infra": {"nodePlacement": {}}}, "deployment.nodePlacements", {"infra": {}}),
            (
                {"resourceRequirements": {"storageWorkloads": {"limits": {"memory": "1024Mi"}}}},
                "storage.workloadResourceRequirements.limits.memory",
                "1Gi",
            ),
        ],
    )  # fmt: skip
    def test_setting_has_its_place(self, spec: JsonObject, path: str, expected: Json) -> None:
        *sections, name = path.split(".")
        assert object_at(in_v1(spec), "spec", *sections).get(name) == expected

    def test_old_name_of_mediated_types_goes(self) -> None:
        written = {"mediatedDeviceTypes": ["a"], "mediatedDevicesTypes": ["a"]}
        made = in_v1({"mediatedDevicesConfiguration": written})
        assert object_at(made, "spec", "virtualization", "mediatedDevicesConfiguration") == {
            "mediatedDeviceTypes": ["a"]
        }

    def test_only_gates_that_differ_from_their_default_are_listed(self) -> None:
        gates = {"alignCPUs": True, "objectGraph": False, "decentralizedLiveMigration": False}
        assert gates_in_v1(gates) == [
            {"name": "decentralizedLiveMigration", "state": "Disabled"},
            {"name": "alignCPUs", "state": "Enabled"},
        ]
        assert gates_in_v1({"decentralizedLiveMigration": True}) is None

    def test_moved_gates_are_listed_up_to_1_18(self) -> None:
        assert gates_in_v1({"persistentReservation": True}, OLD) == [
            {"name": "persistentReservation", "state": "Enabled"}
        ]

    def test_annotation_brings_back_what_only_v1_has(self) -> None:
        kept = {
            "deployNetworkResourcesInjector": False,
            "mdevConfigEnable": False,
            "featureGates": [{"name": "template", "state": "Disabled"}],
            "observability": {"allowedAlerts": ["none"]},
        }
        made = in_v1({}, annotations={V1_ONLY_ANNOTATION: json.dumps(kept), "a": "b"})
        spec = object_at(made, "spec")
        assert object_at(spec, "deployment")["deployNetworkResourcesInjector"] is False
        assert object_at(spec, "virtualization", "mediatedDevicesConfiguration")["enabled"] is False
        assert spec["featureGates"] == kept["featureGates"]
        assert spec["observability"] == kept["observability"]
        assert object_at(made, "metadata")["annotations"] == {"a": "b"}

    def test_gates_of_the_object_count_more_than_the_annotation(self) -> None:
        kept = {"featureGates": [{"name": "alignCPUs", "state": "Enabled"}, {"name": "objectGraph"}]}
        assert gates_in_v1({"alignCPUs": False}, kept=kept) == [{"name": "alignCPUs", "state": "Disabled"}]


class TestToV1beta1:
    def test_every_gate_is_said(self) -> None:
        gates = {"featureGates": [{"name": "alignCPUs"}, {"name": "persistentReservation"}]}
        stored = as_stored(hyperconverged(gates, "v1"), OLD)
        said = object_at(stored, "spec", "featureGates")
        assert stored["apiVersion"] == "hco.kubevirt.io/v1beta1"
        assert {name for name, is_on in said.items() if is_on} == {
            "alignCPUs",
            "decentralizedLiveMigration",
            "persistentReservation",
            "videoConfig",
        }
        assert said["disableMDevConfiguration"] is False

    def test_what_only_v1_has_is_kept_in_an_annotation(self) -> None:
        spec: JsonObject = {
            "featureGates": [{"name": "template", "state": "Disabled"}],
            "deployment": {"deployNetworkResourcesInjector": False},
        }
        made = converted(hyperconverged(spec, "v1"), "v1beta1", NEW)
        annotation = object_at(made, "metadata", "annotations")[V1_ONLY_ANNOTATION]
        assert annotation == (
            '{"deployNetworkResourcesInjector":false,"featureGates":[{"name":"template","state":"Disabled"}]}'
        )


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_stored_version_is_not_changed(version: str) -> None:
    release = NEW if version == "v1" else OLD
    content = hyperconverged({}, version)
    assert as_stored(content, release) is content


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"featureGates": {"alignCPUs": True, "decentralizedLiveMigration": False}},
        {"permittedHostDevices": {"pciHostDevices": [{"pciDeviceSelector": "1:2", "resourceName": "a/b"}]}},
        {"liveMigrationConfig": {"network": "migration"}, "vmStateStorageClass": "nfs"},
        {"infra": {"nodePlacement": {"nodeSelector": {"a": "b"}}}, "hypervisors": [{"name": "kvm"}]},
    ],
)
def test_there_and_back_again(spec: JsonObject) -> None:
    """A stored object of v1 is the same after a client has read and written it as v1beta1."""
    admitted = admit(hyperconverged(spec), NEW, OperatorFacts())
    assert admitted.refusal is None
    stored = as_stored(admitted.content, NEW)
    back = converted(converted(stored, "v1beta1", NEW), "v1", NEW)
    assert without(back, "metadata") == without(stored, "metadata")


def test_object_that_go_cannot_read() -> None:
    with pytest.raises(GoTypeError):
        in_v1({"defaultCPUModel": 5})


def test_version_that_is_not_served() -> None:
    with pytest.raises(ValueError, match="does not serve v1beta1 as v1"):
        in_v1({}, OperatorRelease(1, 17))
