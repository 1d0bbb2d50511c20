"""The stage as a whole: diagnostics, and who set the field they are about."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.kubevirt.admission.review import review
from renderer.kubevirt.facts.admission_request import AdmissionRequest
from renderer.kubevirt.facts.cluster import ClusterConfig
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject, with_value
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import LATEST
from tests.unit.kubevirt.admission.valid_vm import VALID, changed


def vm(spec: JsonObject) -> Resource:
    content: JsonObject = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "web"},
        "spec": spec,
    }
    return Resource(content, Site("vm.yaml", 0))


def diagnostics(seen: JsonObject, written: JsonObject = VALID) -> tuple[Diagnostic, ...]:
    resource = vm(seen)
    request = AdmissionRequest("VirtualMachine", resource, ROOT, resource.content, ClusterConfig())
    return review([request], LATEST, ResourceSet((vm(written),)))


def message(seen: JsonObject, written: JsonObject = VALID) -> str:
    (found,) = diagnostics(seen, written)
    return found.message


def test_field_in_the_files_is_not_attributed_to_others() -> None:
    spec = changed({"hostname": "Web"})

    assert message(spec, spec).endswith("at both ends")


def test_setter_of_a_field_is_named() -> None:
    size = changed({"domain.cpu.isolateEmulatorThread": True})
    named = {"instancetype": {"name": "u1.small"}, "preference": {"name": "fedora"}}

    assert message(size).endswith("(set by default)")
    assert message(size, {**VALID, **named}).endswith("(set by instance type u1.small)")
    inferred: JsonObject = {**VALID, "instancetype": {"inferFromVolume": "root"}}
    assert message(size, inferred).endswith("(set by the inferred instance type)")


def test_launch_security_may_come_from_either() -> None:
    named = {"instancetype": {"name": "u1.small"}, "preference": {"name": "fedora"}}
    seen = changed({"domain.launchSecurity": {"tdx": {}}})

    assert message(seen, {**VALID, **named}).endswith("(set by instance type u1.small or preference fedora)")


def test_missing_field_has_no_setter() -> None:
    assert message(changed({"/runStrategy": None})) == "runStrategy is missing"


def test_placeholder_is_not_checked() -> None:
    assert diagnostics(changed({"hostname": "${NAME}"})) == ()


def test_invalid_quantity_is_left_to_the_schema() -> None:
    assert diagnostics(changed({"domain.resources": {"requests": {"memory": "4GiB"}}})) == ()


def test_pool_and_its_virtual_machine_are_reported_once() -> None:
    spec = changed({"hostname": "Web"})
    content: JsonObject = {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "web"},
        "spec": {"virtualMachineTemplate": {"spec": spec}},
    }
    pool = Resource(content, Site("pool.yaml", 0))
    base = FieldPath.of("spec", "virtualMachineTemplate")
    requests = [
        AdmissionRequest("VirtualMachinePool", pool, ROOT, content, ClusterConfig()),
        AdmissionRequest("VirtualMachine", pool, base, {"spec": spec}, ClusterConfig()),
    ]

    (found,) = review(requests, LATEST, ResourceSet((pool,)))
    assert str(found.field) == "spec.virtualMachineTemplate.spec.template.spec.hostname"


def test_template_of_a_pool_uses_its_instance_type() -> None:
    def pool(spec: JsonObject) -> Resource:
        content: JsonObject = {
            "apiVersion": "pool.kubevirt.io/v1beta1",
            "kind": "VirtualMachinePool",
            "metadata": {"name": "web"},
            "spec": {"virtualMachineTemplate": {"spec": spec}},
        }
        return Resource(content, Site("pool.yaml", 0))

    seen = pool(changed({"domain.cpu.isolateEmulatorThread": True}))
    files = pool({**VALID, "instancetype": {"name": "u1.small"}})
    request = AdmissionRequest("VirtualMachinePool", seen, ROOT, seen.content, ClusterConfig())

    (found,) = review([request], LATEST, ResourceSet((files,)))
    assert found.message.endswith("(set by instance type u1.small)")


#: A machine of a fleet: these fields differ between machines.
ONE_OF_A_FLEET = changed(
    {
        "/dataVolumeTemplates": [
            {
                "metadata": {"name": "one-root", "namespace": "fleet"},
                "spec": {
                    "sourceRef": {"name": "fedora"},
                    "storage": {"resources": {"requests": {"storage": "9Gi"}}},
                },
            }
        ],
        "/template/metadata/labels": {"app": "one"},
        "hostname": "one",
        "volumes": [
            {"name": "root", "dataVolume": {"name": "one-root"}},
            {"name": "data", "persistentVolumeClaim": {"claimName": "one-data"}},
            {
                "name": "init",
                "cloudInitNoCloud": {"userData": "one", "networkDataSecretRef": {"name": "one"}},
            },
        ],
        "domain.devices.interfaces": [
            {"name": "default", "masquerade": {}, "macAddress": "02:00:00:00:00:01"}
        ],
    }
)


def fleet(*specs: JsonObject) -> ResourceSet:
    machines = (vm(spec) for spec in specs)
    return ResourceSet(
        tuple(
            each._replace(content=with_value(each.content, ("metadata", "namespace"), "fleet"))
            for each in machines
        )
    )


def review_fleet(machines: ResourceSet) -> tuple[Diagnostic, ...]:
    config = ClusterConfig()
    requests = [AdmissionRequest("VirtualMachine", each, ROOT, each.content, config) for each in machines]
    return review(requests, LATEST, machines)


def test_machines_that_differ_only_in_own_fields_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[JsonObject] = []

    def check_vm(spec: JsonObject, *_: object) -> tuple[()]:
        judged.append(spec)
        return ()

    monkeypatch.setattr("renderer.kubevirt.admission.review.check_vm", check_vm)
    other = json.dumps(ONE_OF_A_FLEET)
    for mine, others in (("one", "two"), (":01", ":02"), ("9Gi", "8Gi"), ("fedora", "centos")):
        other = other.replace(mine, others)

    assert not review_fleet(fleet(ONE_OF_A_FLEET, json.loads(other)))
    assert len(judged) == 1


@pytest.mark.parametrize(
    ("own", "wrong"),
    [
        ('"one-root", "namespace"', '"two-root", "namespace"'),
        ('"dataVolume": {"name": "one-root"}', '"dataVolume": {"name": ""}'),
        ('"namespace": "fleet"', '"namespace": "other"'),
        ('{"name": "fedora"}', "null"),
        ('"app": "one"', '"kubevirt.io/nodeName": "one"'),
        ('"hostname": "one"', '"hostname": "One"'),
        ('"userData": "one"', f'"userData": "{"é" * 1025}"'),
        ('"userData": "one", "networkDataSecretRef": {"name": "one"}', '"userData": ""'),
        ("02:00:00:00:00:01", "02:00:00:00:00"),
    ],
)
def test_error_in_one_machine_of_a_fleet_is_reported(own: str, wrong: str) -> None:
    text = json.dumps(ONE_OF_A_FLEET)
    assert own in text

    assert review_fleet(fleet(ONE_OF_A_FLEET, json.loads(text.replace(own, wrong)))) != ()


SCALARS: st.SearchStrategy[Json] = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
TREES: st.SearchStrategy[Json] = st.recursive(
    SCALARS,
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "name",
                    "disk",
                    "bus",
                    "pod",
                    "cpu",
                    "memory",
                    "guest",
                    "devices",
                    "disks",
                    "interfaces",
                    "ports",
                    "domain",
                    "volumes",
                    "networks",
                    "affinity",
                    "features",
                    "firmware",
                    "bootloader",
                    "efi",
                    "gpus",
                    "hugepages",
                    "pageSize",
                    "readinessProbe",
                    "dnsConfig",
                    "accessCredentials",
                    "limits",
                    "resources",
                ]
            ),
            below,
            max_size=6,
        )
    ),
    max_leaves=25,
)


@given(TREES)
def test_no_malformed_tree_crashes_a_check(tree: Json) -> None:
    spec: JsonObject = {**VALID, "template": {"metadata": tree, "spec": tree}}

    assert isinstance(diagnostics(spec), tuple)
