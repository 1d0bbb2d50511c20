"""The suite ``vm-template``: VirtualMachineTemplates, as kubevirt/virt-template processes and admits them.

A record's ``op`` says what is asked: to process a template, to admit it, what an expression can give, what a
request makes, or a name. A machine is compared as substitution leaves it, and as Go types it: without empty
objects, nulls and the status, which Go writes as it likes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from renderer.kubevirt.vm_template.admission import Admission, admit, pruned, schema_problems
from renderer.kubevirt.vm_template.expression import (
    BadExpressionError,
    Expression,
    read_expression,
)
from renderer.kubevirt.vm_template.processing import (
    Draw,
    Processed,
    UndefinedParametersError,
    UnusedParameter,
    check_references,
    example_value,
    process,
    with_given,
)
from renderer.kubevirt.vm_template.refusal import Refusal, RefusalCode, TemplateRefusedError
from renderer.kubevirt.vm_template.request import make_of_request, stable_name
from renderer.kubevirt.vm_template.template import Template, read_template
from renderer.kubevirt.vm_template.typed_machine import types_of
from renderer.model.kube.json import Json, JsonObject
from renderer.model.release import Release
from tests.conformance.case_result import CaseResult
from tests.conformance.lines import read_lines

#: The records are of virt-template with KubeVirt's API 1.8, which KubeVirt 1.9 deploys.
_TYPES = types_of(Release(1, 9))
#: Lists whose order is that of a Go map.
_UNORDERED = ("error", "errorOneOf", "warnings", "schema", "dataVolumes")
#: Where Go says that an error is; a word for people; what is in ``generated`` besides the expression.
_NOT_COMPARED = frozenset({"note"})
_UNKNOWN_PARAMETER, _OTHER_ERROR = 409, 422


def run(paths: Iterable[Path]) -> Iterator[CaseResult]:
    """Yield the results of all records in the files ``paths``."""
    for path in paths:
        for line in read_lines(path):
            record = json.loads(line)
            actual = _OPERATIONS[record["op"]](record)
            differences = list(_differences(record["expect"], actual))
            yield CaseResult(
                id=record["id"],
                group=record["op"],
                passed=not differences,
                detail="; ".join(differences),
                actual=actual,
            )


def _process(record: dict[str, Any]) -> dict[str, Any]:
    problems = [_refusal(each) for each in schema_problems(record["template"])]
    answer: dict[str, Any] = {"schema": problems} if problems else {}
    dropped = [str(field) for field in pruned(record["template"])]
    answer |= {"pruned": dropped} if dropped else {}
    try:
        template = with_given(read_template(record["template"]), record["parameters"])
    except TemplateRefusedError as error:
        is_decoded = error.refusals[0].code is not RefusalCode.TEMPLATE_DOES_NOT_DECODE
        http = {"http": _UNKNOWN_PARAMETER} if is_decoded else {}
        return {**answer, **http, "error": [*map(_refusal, error.refusals)]}
    try:
        unused = check_references(template)
    except TemplateRefusedError as error:
        defined = error.unused if isinstance(error, UndefinedParametersError) else ()
        return {**answer, **_refused(error, "references", defined)}
    drawn: dict[str, Expression] = {}
    try:
        made = process(template, _TYPES, _noting(drawn, example_value))
    except TemplateRefusedError as error:
        return {**answer, **_refused(error, "process", unused)}
    answer |= {"http": 200, "warnings": _warnings(unused)}
    if not drawn:
        return {**answer, **_made(made)}
    answer["generated"] = {
        parameter.name: {"from": parameter.expression, "regex": drawn[parameter.name].regex}
        for parameter in template.parameters
        if parameter.name in drawn
    }
    return {**answer, **_with_drawn_values(template, record["expect"])}


def _with_drawn_values(template: Template, expect: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a template makes with the values of the recorded example, or with marks for values."""
    example = expect.get("example")
    if example is None:
        return _made(process(template, _TYPES, _mark))
    values = example["values"]
    made = process(template, _TYPES, lambda name, expression: values.get(name, expression.example))
    return {"example": {"values": values, **_made(made)}}


def _noting(drawn: dict[str, Expression], draw: Draw) -> Draw:
    def noted(name: str, expression: Expression) -> str:
        drawn[name] = expression
        return draw(name, expression)

    return noted


def _mark(name: str, expression: Expression) -> str:
    return f"<<{name}>>" if expression.is_random else expression.example


def _made(made: Processed) -> dict[str, Any]:
    message = {"message": made.message} if made.message else {}
    return {"virtualMachine": made.machine, "substituted": made.substituted, **message}


def _refused(error: TemplateRefusedError, stage: str, unused: Iterable[UnusedParameter]) -> dict[str, Any]:
    return {
        "http": _OTHER_ERROR,
        "stage": stage,
        "error": [*map(_refusal, error.refusals)],
        "warnings": _warnings(unused),
    }


def _refusal(refusal: Refusal) -> JsonObject:
    at = {} if refusal.at is None else {"field": str(refusal.at)}
    type_ = {} if refusal.type is None else {"type": str(refusal.type)}
    details = refusal.details
    if str(details.get("at", "")).endswith("]"):  # the records have types for fields alone
        details = {key: each for key, each in details.items() if key not in ("got", "want")}
    return {"code": str(refusal.code), **at, **type_, **details}


def _warnings(unused: Iterable[UnusedParameter]) -> list[JsonObject]:
    return [{"code": "unusedParameter", "field": str(each.at), "parameter": each.name} for each in unused]


def _admit(record: dict[str, Any]) -> dict[str, Any]:
    admission = admit(record["template"], _TYPES)
    answer: dict[str, Any] = {"allowed": admission.is_allowed}
    dropped = [str(field) for field in pruned(record["template"])]
    if admission.schema:
        return {**answer, "refusedBy": "schema", "error": [*map(_refusal, admission.schema)]}
    answer["warnings"] = _all_warnings(admission)
    if admission.webhook:
        answer |= {"refusedBy": "webhook", "error": [*map(_refusal, admission.webhook)]}
    return {**answer, "pruned": dropped} if dropped else answer


def _all_warnings(admission: Admission) -> list[JsonObject]:
    skipped = ({"code": "processingNotChecked", "parameter": name} for name in admission.skipped)
    return [*_warnings(admission.unused), *skipped]


def _expression(record: dict[str, Any]) -> dict[str, Any]:
    try:
        expression = read_expression(record["from"])
    except BadExpressionError as error:
        return {"error": [{"code": "badExpression", "reason": str(error.reason)}]}
    parts = [
        {"alphabet": part.alphabet, "length": part.length} if part.alphabet else {"literal": part.literal}
        for part in expression.parts
    ]
    return {"constant": expression.is_constant, "parts": parts, "regex": expression.regex}


def _request(record: dict[str, Any]) -> dict[str, Any]:
    volumes = [(volume, snapshot) for volume, snapshot in record["snapshotVolumes"]]
    try:
        made = make_of_request(record["request"], record["sourceVirtualMachine"], volumes, _TYPES)
    except TemplateRefusedError as error:
        return {"error": [*map(_refusal, error.refusals)]}
    return {
        "snapshot": made.snapshot,
        "dataVolumes": list(made.data_volumes),
        "template": made.template,
    }


def _name(record: dict[str, Any]) -> dict[str, Any]:
    return {"name": stable_name(record["base"], *record["inputs"])}


_OPERATIONS: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "process": _process,
    "admit": _admit,
    "expression": _expression,
    "request": _request,
    "name": _name,
}


def _differences(expect: dict[str, Any], actual: dict[str, Any]) -> Iterator[str]:
    """Yield what differs; where upstream gives one of several results at random, any of them is right."""
    if "example" in expect:
        example, made = expect["example"], actual.get("example", {})
        yield from (f"example {each}" for each in _differences(example, made))
        expect = {key: each for key, each in expect.items() if key != "example"}
        actual = {key: each for key, each in actual.items() if key != "example"}
    for key in sorted({*expect, *actual} - _NOT_COMPARED):
        name, is_one_of = key.removesuffix("OneOf"), key.endswith("OneOf")
        if f"{name}OneOf" in expect and not is_one_of:
            continue
        if name in ("virtualMachine", "substituted") and name not in expect and not is_one_of:
            continue  # with drawn values one of the two is recorded
        made, expected = _comparable(name, actual.get(name)), expect.get(key)
        allowed = expect[key] if is_one_of else [expected]
        if made not in [_comparable(name, each) for each in allowed]:
            yield f"{name}: {json.dumps(made)} instead of {json.dumps(expected)}"


def _comparable(name: str, value: Json) -> Json:
    if name in _UNORDERED and isinstance(value, list):
        plain = [without_place(each) for each in value]
        return sorted(plain, key=lambda each: json.dumps(each, sort_keys=True))
    return _plain(value) if name in ("virtualMachine", "template", "dataVolumes", "snapshot") else value


def without_place(error: Json) -> Json:
    """Return an error without the place where Go says that it is."""
    return {key: each for key, each in error.items() if key != "at"} if isinstance(error, dict) else error


def _plain(value: Json) -> Json:
    """Return a tree without empty objects, nulls and the status."""
    if isinstance(value, dict):
        kept = {key: _plain(each) for key, each in value.items() if key != "status"}
        return {key: each for key, each in kept.items() if each is not None and each != {}}
    return [_plain(each) for each in value] if isinstance(value, list) else value
