"""What virt-template makes of templates."""

from __future__ import annotations

import pytest

from renderer.kubevirt.vm_template.processing import (
    Processed,
    UnusedParameter,
    check_references,
    process,
    with_given,
)
from renderer.kubevirt.vm_template.refusal import Refusal, RefusalCode, TemplateRefusedError
from renderer.kubevirt.vm_template.template import PARAMETERS, Template, read_template
from renderer.kubevirt.vm_template.typed_machine import types_of
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.release import Release

TYPES = types_of(Release(1, 9))


def template(machine: Json, *parameters: JsonObject, message: str = "") -> Template:
    return read_template(
        {"spec": {"virtualMachine": machine, "parameters": [*parameters], "message": message}}
    )


def substituted(machine: JsonObject, **values: str) -> JsonObject:
    parameters: list[JsonObject] = [{"name": name, "value": value} for name, value in values.items()]
    return process(template(machine, *parameters), TYPES).substituted


def annotation(text: str, **values: str) -> Json:
    machine = substituted({"metadata": {"annotations": {"text": text}}}, **values)
    return object_at(machine, "metadata", "annotations")["text"]


def refused(of: Template, **given: str) -> Refusal:
    with pytest.raises(TemplateRefusedError) as caught:
        made(of, given)
    return caught.value.refusals[0]


def made(of: Template, given: dict[str, str]) -> Processed:
    completed = with_given(of, given)
    check_references(completed)
    return process(completed, TYPES)


class TestReferences:
    def test_several_in_a_text(self) -> None:
        assert annotation("a-${A}-${B}${A}", A="1", B="2") == "a-1-21"

    def test_there_is_no_escape(self) -> None:
        assert annotation("$${A}", A="x") == "$x"

    def test_a_reference_replaces_its_first_occurrence(self) -> None:
        assert annotation("${A}-${B}", A="${B}", B="x") == "x-${B}"

    def test_whole_form_inside_a_text_is_text(self) -> None:
        assert annotation("a${{A}}", A="x") == "a${{A}}"

    def test_keys_are_substituted(self) -> None:
        machine = substituted({"metadata": {"labels": {"${A}": "x"}}}, A="app")

        assert object_at(machine, "metadata", "labels") == {"app": "x"}

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            ("2", 2),
            ("1.5", 1.5),
            ("true", True),
            ("[1]", [1]),
            ('{"a": "b"}', {"a": "b"}),
            ('"2"', "2"),
            ("007", "007"),
            ("NaN", "NaN"),
            ("2Gi", "2Gi"),
            ("1e400", "1e400"),
            ("9" * 400, "9" * 400),
            ("9007199254740993", 9007199254740992),
            ("", ""),
            ('"\\ud800"', "\ufffd"),
            ("[" * 900 + "]" * 900, "[" * 900 + "]" * 900),
        ],
    )
    def test_whole_form_is_json(self, value: str, expected: Json) -> None:
        machine: JsonObject = {"spec": {"template": {"spec": {"unknown": "${{A}}"}}}}

        assert object_at(substituted(machine, A=value), "spec", "template", "spec")["unknown"] == expected

    def test_message_has_values(self) -> None:
        processed = process(template({}, {"name": "A", "value": "x"}, message="made ${A}"), TYPES)

        assert processed.message == "made x"

    def test_undefined_in_the_message_is_refused_at_the_machine(self) -> None:
        refusal = refused(template({}, message="${A}"))

        assert (refusal.code, str(refusal.at)) == (RefusalCode.UNDEFINED_PARAMETER, "spec.virtualMachine")

    def test_unused_parameters_are_reported(self) -> None:
        unused = check_references(template({}, {"name": "A"}))

        assert unused == (UnusedParameter(PARAMETERS.child(0, "name"), "A"),)


class TestNamespace:
    @pytest.mark.parametrize(
        ("written", "kept"),
        [("prod", None), ("${A}", "x"), ("n-${A}", "n-x"), ("${{A}}", None), ("", "")],
    )
    def test_plain_namespace_is_dropped(self, written: str, kept: str | None) -> None:
        machine = substituted({"metadata": {"namespace": written}}, A="x")

        assert object_at(machine, "metadata").get("namespace") == kept


class TestParameters:
    def test_given_values_win(self) -> None:
        given = with_given(template({}, {"name": "A", "value": "1"}), {"A": "2"})

        assert given.parameters[0].value == "2"

    def test_empty_given_value_empties_the_default(self) -> None:
        of = template({}, {"name": "A", "value": "1", "required": True})

        assert refused(of, A="").code is RefusalCode.REQUIRED_PARAMETER

    def test_unknown_given_name_is_refused(self) -> None:
        assert refused(template({}), A="1").code is RefusalCode.UNKNOWN_PARAMETER

    @pytest.mark.parametrize(
        ("parameter", "code", "field"),
        [
            ({"name": ""}, RefusalCode.EMPTY_PARAMETER_NAME, "name"),
            ({"name": "A", "required": True}, RefusalCode.REQUIRED_PARAMETER, "value"),
            ({"name": "A", "generate": "other"}, RefusalCode.UNKNOWN_GENERATOR, "generate"),
            ({"name": "A", "generate": "expression"}, RefusalCode.EMPTY_FROM, "from"),
            (
                {"name": "A", "generate": "expression", "from": "[z-a]{1}"},
                RefusalCode.BAD_EXPRESSION,
                "from",
            ),
        ],
    )
    def test_the_first_wrong_parameter_is_refused(
        self, parameter: JsonObject, code: RefusalCode, field: str
    ) -> None:
        wrong: JsonObject = {"name": "B", "generate": "worse"}
        refusal = refused(template({}, parameter, wrong))

        assert (refusal.code, refusal.at) == (code, FieldPath.of("spec", "parameters", 0, field))

    def test_duplicate_is_refused(self) -> None:
        assert refused(template({}, {"name": "A"}, {"name": "A"})).code is RefusalCode.DUPLICATE_PARAMETER

    @pytest.mark.parametrize(
        "spec", [[], {"parameters": {}}, {"message": 5}, {"parameters": [{"required": "true"}]}]
    )
    def test_template_that_go_cannot_read(self, spec: Json) -> None:
        with pytest.raises(TemplateRefusedError, match="templateDoesNotDecode"):
            read_template({"spec": spec})


class TestMachine:
    def test_missing(self) -> None:
        assert refused(template(None)).code is RefusalCode.MACHINE_MISSING

    def test_not_an_object(self) -> None:
        assert refused(template([])).code is RefusalCode.MACHINE_NOT_OBJECT

    @pytest.mark.parametrize(
        ("machine", "details"),
        [
            ({"foo": 1}, {"reason": "unknownField", "fields": ["foo"]}),
            ({"metadata": {"labels ": {}}}, {"reason": "unknownField", "fields": ["metadata.labels "]}),
            (
                {"spec": {"template": {"spec": {"domain": {"memory": {"guest": "big"}}}}}},
                {"reason": "quantity"},
            ),
            ({"metadata": {"creationTimestamp": "today"}}, {"reason": "time"}),
            ({"metadata": {"labels": {"a": 1}}}, {"reason": "type"}),
            (
                {"spec": {"template": {"spec": {"domain": {"cpu": {"cores": "2"}}}}}},
                {"reason": "type", "got": "string", "want": "uint32"},
            ),
            (
                {"spec": {"template": {"spec": "text"}}},
                {"reason": "type", "got": "string", "want": "v1.VMISpecAlias"},
            ),
            (
                {"spec": {"template": {"spec": {"tolerations": {}}}}},
                {"reason": "type", "got": "object", "want": "[]v1.Toleration"},
            ),
        ],
    )
    def test_what_does_not_fit_is_refused(self, machine: JsonObject, details: JsonObject) -> None:
        refusal = refused(template(machine))

        assert refusal.code is RefusalCode.DOES_NOT_FIT
        assert {key: each for key, each in refusal.details.items() if key != "at"} == details

    def test_unknown_fields_below_the_instance_vanish(self) -> None:
        machine: JsonObject = {"spec": {"template": {"spec": {"foo": 1, "Hostname": "h"}}}}

        typed = process(template(machine), TYPES).machine

        assert object_at(typed, "spec", "template", "spec") == {
            "domain": {"resources": {}, "devices": {}},
            "hostname": "h",
        }

    def test_addresses_lose_leading_zeros(self) -> None:
        pod: Json = {"name": "n", "pod": {"vmNetworkCIDR": "010.0.2.0/024"}}
        machine: JsonObject = {
            "spec": {"template": {"spec": {"dnsConfig": {"nameservers": ["010.1.1.01"]}, "networks": [pod]}}}
        }

        spec = object_at(process(template(machine), TYPES).machine, "spec", "template", "spec")

        assert object_at(spec, "dnsConfig") == {"nameservers": ["10.1.1.1"]}
        assert spec["networks"] == [{"name": "n", "pod": {"vmNetworkCIDR": "10.0.2.0/24"}}]

    def test_fields_of_a_later_api_are_unknown(self) -> None:
        """virt-template in 1.8 was built with KubeVirt's API 1.7."""
        assert types_of(Release(1, 8)).fields("kubevirt.ReservedOverhead") is not None
        fields = [types_of(Release(1, minor)).fields("kubevirt.Memory") for minor in (8, 9)]

        assert ["reservedOverhead" in (each or ()) for each in fields] == [False, True]
