"""Label selectors (``k8s.io/apimachinery/pkg/apis/meta/v1/validation``)."""

from __future__ import annotations

from renderer.admitters.cause import Causes
from renderer.admitters.kubernetes_names import label_key_errors, label_value_errors
from renderer.admitters.place import Place
from renderer.admitters.vmi_spec import elements, section, text, texts
from renderer.model.json import JsonObject

_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


def check_label_selector(place: Place, selector: JsonObject) -> Causes:
    labels = place.child("matchLabels")
    for key, value in section(selector, "matchLabels").items():
        yield from check_label_key(labels, key)
        for error in label_value_errors(value if isinstance(value, str) else ""):
            yield labels.invalid(f"the value {value!r} of the label {key} {error}")
    for index, requirement in enumerate(elements(selector, "matchExpressions")):
        yield from _check_requirement(place.child("matchExpressions", index), requirement)


def check_label_key(place: Place, key: str) -> Causes:
    for error in label_key_errors(key):
        yield place.invalid(f"the label {key!r} {error}")


def _check_requirement(place: Place, requirement: JsonObject) -> Causes:
    operator, values = text(requirement, "operator"), texts(requirement, "values")
    if operator not in _OPERATORS:
        message = f"{operator!r} is no operator of a label selector"
        yield place.child("operator").invalid(message, f"one of {', '.join(_OPERATORS)}")
    elif operator in ("In", "NotIn") and not values:
        yield place.child("values").invalid(f"the operator {operator} needs values")
    elif operator in ("Exists", "DoesNotExist") and values:
        yield place.child("values").invalid(f"the operator {operator} takes no values")
    yield from check_label_key(place.child("key"), text(requirement, "key"))
    for index, value in enumerate(values):
        for error in label_value_errors(value):
            yield place.child("values", index).invalid(f"the label value {value!r} {error}")
