"""The webhook of templates."""

from __future__ import annotations

from renderer.kubevirt.vm_template.admission import admit, pruned
from renderer.kubevirt.vm_template.refusal import RefusalCode
from renderer.kubevirt.vm_template.typed_machine import types_of
from renderer.model.kube.json import Json, JsonObject
from renderer.model.release import Release

TYPES = types_of(Release(1, 9))


def of(machine: Json, *parameters: JsonObject) -> JsonObject:
    return {"spec": {"virtualMachine": machine, "parameters": [*parameters]}}


def test_schema_is_asked_first() -> None:
    admission = admit(of([], {"name": 5, "generate": "other", "from": "x"}, {}), TYPES)

    assert [(each.code, str(each.at)) for each in admission.schema] == [
        (RefusalCode.SCHEMA_TYPE, "spec.virtualMachine"),
        (RefusalCode.SCHEMA_TYPE, "spec.parameters[0].name"),
        (RefusalCode.SCHEMA_ENUM, "spec.parameters[0].generate"),
        (RefusalCode.SCHEMA_PATTERN, "spec.parameters[0].from"),
        (RefusalCode.SCHEMA_REQUIRED, "spec.parameters[1].name"),
    ]
    assert not admission.is_allowed


def test_template_is_not_processed_without_a_required_value() -> None:
    admission = admit(of({"foo": "${A}"}, {"name": "A", "required": True}, {"name": "B"}), TYPES)

    assert admission.is_allowed
    assert admission.skipped == ("A",)
    assert [each.name for each in admission.unused] == ["B"]


def test_undefined_references_are_refused_before_that() -> None:
    admission = admit(of({"foo": "${B}${C}"}, {"name": "A", "required": True}), TYPES)

    assert [each.details["parameter"] for each in admission.webhook] == ["B", "C"]
    assert [each.name for each in admission.unused] == ["A"]


def test_processing_must_succeed() -> None:
    admission = admit(of({"foo": "${A}"}, {"name": "A", "generate": "expression", "from": "[a]{1}"}), TYPES)

    assert [each.code for each in admission.webhook] == [RefusalCode.DOES_NOT_FIT]


def test_unknown_fields_are_pruned() -> None:
    content: JsonObject = {
        "kind": "x",
        "a": 1,
        "spec": {"b": 1, "parameters": [{"c": 1}], "virtualMachine": {"d": 1}},
    }

    assert [str(each) for each in pruned(content)] == ["a", "spec.b", "spec.parameters[0].c"]
