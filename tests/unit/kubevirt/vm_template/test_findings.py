"""Findings about templates, and the machines in them."""

from __future__ import annotations

import pytest

from renderer.kubevirt.vm_template.findings import (
    request_findings,
    version_findings,
    webhook_findings,
)
from renderer.kubevirt.vm_template.machine import known_machine, parameter_places
from renderer.kubevirt.vm_template.template import MACHINE
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import Release

RELEASE = Release(1, 9)


def template(machine: Json, *parameters: JsonObject, version: str = "v1beta1") -> Resource:
    content: JsonObject = {
        "apiVersion": f"template.kubevirt.io/{version}",
        "kind": "VirtualMachineTemplate",
        "metadata": {"name": "t", "namespace": "lab"},
        "spec": {"virtualMachine": machine, "parameters": [*parameters]},
    }
    return Resource(content, Site("t.yaml"))


def messages(of: Resource, *, is_machine_sound: bool = True) -> list[tuple[str, str]]:
    found = webhook_findings(of, RELEASE, is_machine_sound=is_machine_sound)
    return [
        (str(each.field), each.message.removeprefix("virt-template refuses the template: ")) for each in found
    ]


class TestWebhook:
    def test_reference_is_found_in_lists_and_keys(self) -> None:
        machine: JsonObject = {"metadata": {"${B}": [{"a": "x"}, "${A}"]}}

        assert messages(template(machine)) == [
            ('spec.virtualMachine.metadata["${B}"][1]', "the template has no parameter A"),
            ('spec.virtualMachine.metadata["${B}"]', "the template has no parameter B"),
        ]

    def test_value_that_does_not_fit_is_at_its_field(self) -> None:
        assert messages(template({"status": {"ready": "yes"}})) == [
            (
                "spec.virtualMachine.status.ready",
                "status.ready is not of the type of that field once parameters have their values",
            )
        ]

    def test_number_that_no_float_holds_is_refused(self) -> None:
        assert messages(template({"metadata": {"generation": 10**400}})) == [
            ("spec.virtualMachine", "a number is too large for JSON in Go (float64)")
        ]

    def test_what_does_not_fit_is_left_to_the_machine_with_errors(self) -> None:
        assert messages(template({"status": {"ready": "yes"}}), is_machine_sound=False) == []

    def test_null_names_its_parameter(self) -> None:
        unused, null = {"name": "A"}, {"name": "B", "value": "null"}
        found = messages(template({"spec": "${{B}}", "kind": "${A}"}, unused, null))

        assert found == [("spec.parameters[1]", "the parameter B is null where ${{B}} is written")]

    def test_no_value_is_quoted(self) -> None:
        secret = {"name": "A", "value": "canary"}
        machine: JsonObject = {"spec": {"template": {"spec": {"domain": {"cpu": {"cores": "${{A}}"}}}}}}

        assert "canary" not in str(messages(template(machine, secret)))

    def test_template_that_the_schema_refuses_is_left_to_it(self) -> None:
        assert messages(template([])) == []
        assert messages(template({}, {"name": 5})) == []


class TestMachine:
    def test_parameters_without_a_value_are_placeholders(self) -> None:
        machine = known_machine(
            template(
                {"metadata": {"name": "${A}-${B}"}, "spec": "${{C}}"},
                {"name": "A"},
                {"name": "B", "value": "b"},
            )
        )

        assert machine is not None
        assert machine.content == {
            "apiVersion": "kubevirt.io/v1",
            "kind": "VirtualMachine",
            "metadata": {"name": "${A}-b", "namespace": "lab"},
            "spec": "${{C}}",
        }
        assert machine.origin.field == MACHINE

    def test_machine_without_a_name_gets_a_placeholder(self) -> None:
        machine = known_machine(template({}))

        assert machine is not None
        assert machine.name == "${NAME}"

    def test_template_without_a_machine(self) -> None:
        assert known_machine(template(None)) is None
        assert known_machine(template({"a": "${{A}}"}, {"name": "A", "value": "null"})) is None

    def test_parameters_of_a_field(self) -> None:
        of = template({"spec": {"a": "${A}${B}"}}, {"name": "B", "value": "b"}, {"name": "A"})

        assert [*parameter_places(of, FieldPath.of("spec", "a"))] == [
            ("B", FieldPath.of("spec", "parameters", 0, "value"))
        ]


class TestVersions:
    @pytest.mark.parametrize(
        ("version", "minor", "reported"),
        [("v1beta1", 9, 0), ("v1alpha1", 9, 0), ("v1alpha1", 8, 0), ("v1beta1", 8, 1), ("v1alpha1", 7, 1)],
    )
    def test_versions_of_a_release(self, version: str, minor: int, reported: int) -> None:
        assert len([*version_findings(template({}, version=version), Release(1, minor))]) == reported


def test_request_with_a_reserved_label() -> None:
    spec: JsonObject = {
        "virtualMachineRef": {"namespace": ""},
        "templateLabels": {"template.kubevirt.io/a": "b", "c": "d"},
    }
    request = Resource({"kind": "VirtualMachineTemplateRequest", "spec": spec}, Site("r.yaml"))

    assert [str(each.field) for each in request_findings(request)] == [
        'spec.templateLabels["template.kubevirt.io/a"]',
        "spec.virtualMachineRef.namespace",
    ]
