"""Machines with one key get one verdict: each is judged alone here, and compared with its twins."""

from __future__ import annotations

from collections import defaultdict

import pytest

from renderer.admitters.twins import twin_key
from renderer.admitters.vm import admit_vm
from renderer.kubevirt.admission_request import AdmissionRequest
from renderer.kubevirt.cluster import ClusterConfig
from renderer.model.field_path import ROOT
from renderer.model.json import Json, JsonObject
from renderer.model.location import Site
from renderer.model.resource import Resource
from tests.releases.__main__ import RELEASES
from tests.unit.admitters.admitting import changed, cluster
from tests.unit.admitters.test_vm import REFUSED

NAMESPACE = "prod"


def templates(*, name: str = "root", claim: str = "root", namespace: Json = None, **spec: Json) -> JsonObject:
    metadata: JsonObject = {"name": name} if namespace is None else {"name": name, "namespace": namespace}
    return {
        "/dataVolumeTemplates": [{"metadata": metadata, "spec": {"source": {"blank": {}}, **spec}}],
        "volumes": [{"name": "root", "dataVolume": {"name": claim}}],
    }


def volume(**source: Json) -> JsonObject:
    return {"volumes": [{"name": "root", **source}]}


def address(mac: Json) -> JsonObject:
    return {"domain.devices.interfaces": [{"name": "default", "masquerade": {}, "macAddress": mac}]}


TEXTS = ("a", "b", "", "a" * 2048, "a" * 2049)
CLOUD_INIT: list[JsonObject] = [
    *({"userData": text} for text in TEXTS),
    *({"userData": "a", "networkData": text} for text in TEXTS),
    *({"secretRef": {"name": name}} for name in ("a", "b", "")),
    {"userData": "a", "networkDataSecretRef": {"name": "a"}},
    {"userData": "a", "networkDataSecretRef": {"name": "b"}},
    {"userData": "a", "networkDataSecretRef": {"name": ""}},
]
#: For each field that is a machine's own: values that checks tell apart, and values that they do not.
OWN: dict[str, list[JsonObject]] = {
    "hostname": [{"hostname": each} for each in ("a", "b", "", "Web", "a_b", "a.b", "a" * 63, "a" * 64)],
    "address": [
        address(each) for each in ("02:00:00:00:00:01", "02-00-00-00-00-02", "020000000001", "02:00", "", "x")
    ],
    "labels": [
        {"/template/metadata/labels": each}
        for each in ({"a": "x"}, {"a": "y"}, {"b": "x"}, {}, {"a b": "x"}, {"kubevirt.io/x": ""})
    ],
    "namespace of a template": [templates(namespace=each) for each in (None, NAMESPACE, "other", "")],
    "name of a template": [
        templates(name=name, claim=claim) for name in ("root", "other", "") for claim in ("root", "other")
    ],
    "storage of a template": [
        templates(storage={"resources": each})
        for each in (None, {"requests": {"storage": "1Gi"}}, {"requests": {"storage": "x"}})
    ],
    "claim of a template": [
        templates(pvc={"resources": each})
        for each in (None, {"requests": {"storage": "1Gi"}}, {"requests": {"storage": "x"}})
    ],
    "source of a template": [
        templates(sourceRef=each)
        for each in (None, {"kind": "DataSource", "name": "a"}, {"kind": "DataSource", "name": "b"})
    ],
    "claims": [
        *(volume(dataVolume={"name": each}) for each in ("a", "b", "", "root")),
        *(volume(persistentVolumeClaim={"claimName": each}) for each in ("a", "b", "")),
    ],
    "cloud-init": [volume(cloudInitNoCloud=each) for each in CLOUD_INIT],
    "cloud-init of a drive": [volume(cloudInitConfigDrive=each) for each in CLOUD_INIT],
}


def key(spec: JsonObject) -> bytes:
    metadata: JsonObject = {"name": "web", "namespace": NAMESPACE}
    content: JsonObject = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata}
    resource = Resource({**content, "spec": spec}, Site("vm.yaml", 0))
    return twin_key(AdmissionRequest("VirtualMachine", resource, ROOT, resource.content, ClusterConfig()))


@pytest.mark.parametrize("release", RELEASES, ids=str)
@pytest.mark.parametrize("field", OWN)
def test_the_verdict_of_a_twin_is_the_one_that_it_gets_alone(field: str, release: object) -> None:
    """Beside each thing that some row of the tables refuses, and beside nothing."""
    of = cluster(release=release)  # type: ignore[arg-type] # pytest's parameters have no type
    for beside in ({}, *(change for change, _, _ in REFUSED)):
        twins = defaultdict(set)
        for own in OWN[field]:
            spec = changed({**own, **beside})
            found = admit_vm(spec, of, NAMESPACE)
            twins[key(spec)].add(tuple((cause.type, cause.field, cause.at) for cause in found))

        assert all(len(verdicts) == 1 for verdicts in twins.values()), (beside, twins)


# The namespace of a template is compared with that of its machine, which is the same for all here.
@pytest.mark.parametrize("field", [field for field in OWN if field != "namespace of a template"])
def test_own_fields_make_twins(field: str) -> None:
    specs = [changed(own) for own in OWN[field]]

    assert len({key(spec) for spec in specs}) < len(specs)
