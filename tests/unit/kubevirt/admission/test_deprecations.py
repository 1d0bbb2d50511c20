"""The warnings of webhooks, by release."""

from __future__ import annotations

import pytest

from renderer.kubevirt.admission.review import review
from renderer.kubevirt.facts.admission_request import AdmissionRequest
from renderer.kubevirt.facts.cluster import ClusterConfig
from renderer.model.diagnostic import Severity
from renderer.model.kube.field_path import ROOT
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from tests.unit.kubevirt.admission.valid_vm import changed


def findings_of(content: JsonObject, release: str, *gates: str) -> list[tuple[Severity, str]]:
    """The severity and the field of each diagnostic."""
    resource = Resource(content, Site("a.yaml", 0))
    config = ClusterConfig(feature_gates=gates)
    request = AdmissionRequest(str(content["kind"]), resource, ROOT, content, config)
    found = review([request], Release.parse(release), ResourceSet((resource,)))
    return [(diagnostic.severity, str(diagnostic.field)) for diagnostic in found]


def kubevirt(**configuration: object) -> JsonObject:
    spec: JsonObject = {"configuration": configuration}  # type: ignore[dict-item] # JSON, in rows below
    return {"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": {"name": "k"}, "spec": spec}


def test_passt_is_a_warning_only_in_1_2() -> None:
    interfaces: JsonObject = {"domain.devices.interfaces": [{"name": "default", "passt": {}}]}
    vm: JsonObject = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "web"},
        "spec": changed(interfaces),
    }
    at = "spec.template.spec.domain.devices.interfaces[0].passt"

    assert findings_of(vm, "1.1", "Passt") == []
    assert findings_of(vm, "1.2", "Passt") == [(Severity.WARNING, at)]
    assert findings_of(vm, "1.4", "Passt") == [(Severity.ERROR, at)]


@pytest.mark.parametrize(
    ("gate", "quiet", "warned"),
    [("NUMA", "1.3", "1.4"), ("HotplugVolumes", "1.8", "1.9"), ("ExperimentalVirtiofsSupport", "1.4", "1.5")],
)
def test_unneeded_gates_are_reported(gate: str, quiet: str, warned: str) -> None:
    cluster = kubevirt(developerConfiguration={"featureGates": ["Sidecar", gate, "NoSuchGate"]})
    at = "spec.configuration.developerConfiguration.featureGates[1]"

    assert findings_of(cluster, quiet) == []
    assert findings_of(cluster, warned) == [(Severity.WARNING, at)]


def test_deprecated_configuration_fields_are_reported() -> None:
    cluster = kubevirt(
        mediatedDevicesConfiguration={
            "mediatedDevicesTypes": ["a"],
            "nodeMediatedDeviceTypes": [{"mediatedDeviceTypes": ["a"]}, {"mediatedDevicesTypes": ["a"]}],
        },
        architectureConfiguration={"ppc64le": {}},
    )
    devices = "spec.configuration.mediatedDevicesConfiguration"

    assert findings_of(cluster, "1.6") == [
        (Severity.WARNING, f"{devices}.mediatedDevicesTypes"),
        (Severity.WARNING, f"{devices}.nodeMediatedDeviceTypes[1].mediatedDevicesTypes"),
    ]
    assert (Severity.WARNING, "spec.configuration.architectureConfiguration.ppc64le") in findings_of(
        cluster, "1.7"
    )
