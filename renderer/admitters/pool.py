"""A VirtualMachinePool's creation (``vmpool-admitter.go``)."""

from __future__ import annotations

import re

from renderer.admitters.causes import Causes, invalid
from renderer.admitters.cluster import Cluster
from renderer.admitters.scheduling import Place, check_label_selector
from renderer.admitters.vm import check_vm_spec
from renderer.admitters.vmi_spec import VmiSpec, elements, has, present, section, text, texts
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject

_TEMPLATE = FieldPath.of("spec", "virtualMachineTemplate", "spec")
_SELECTOR = FieldPath.of("spec", "selector")
_MAX_UNAVAILABLE = FieldPath.of("spec", "maxUnavailable")
_STRATEGIES = frozenset({"unmanaged", "opportunistic", "proactive"})
_PERCENTAGE = re.compile(r"[+-]?[0-9]{1,9}")
_MOST_PERCENT = 100


def check_pool(pool: JsonObject, cluster: Cluster) -> Causes:
    """Why the pool is refused. Its template is checked as it is: without defaults, and unexpanded."""
    spec = section(pool, "spec")
    template = section(spec, "virtualMachineTemplate")
    vm_spec = section(template, "spec")
    vmi_spec = section(section(vm_spec, "template"), "spec")
    vmi = VmiSpec.of(vmi_spec, _TEMPLATE.child("template", "spec"))
    yield from check_vm_spec(vm_spec, vmi, _TEMPLATE, cluster)
    yield from _check_selector(section(spec, "selector"), section(section(template, "metadata"), "labels"))
    yield from _check_max_unavailable(spec)
    for key in ("updateStrategy", "scaleInStrategy"):
        strategies = present(section(spec, key), _STRATEGIES)
        if len(strategies) > 1:
            message = f"{key} is more than one: {', '.join(strategies)}"
            yield invalid(FieldPath.of("spec", key), message, "keep one of them")


def _check_selector(selector: JsonObject, labels: JsonObject) -> Causes:
    problems = list(check_label_selector(Place(_SELECTOR, _SELECTOR), selector))
    if problems:
        yield problems[0]._replace(reported=_SELECTOR)
    elif not _selects(selector, labels):
        yield invalid(
            _SELECTOR,
            "the selector does not match the labels of the template",
            "give spec.virtualMachineTemplate.metadata.labels what it selects",
        )


def _selects(selector: JsonObject, labels: JsonObject) -> bool:
    """An empty selector selects everything."""
    wanted = section(selector, "matchLabels")
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    return all(_meets(requirement, labels) for requirement in elements(selector, "matchExpressions"))


def _meets(requirement: JsonObject, labels: JsonObject) -> bool:
    key, operator = text(requirement, "key"), text(requirement, "operator")
    if operator in ("Exists", "DoesNotExist"):
        return (key in labels) == (operator == "Exists")
    is_among = key in labels and labels[key] in texts(requirement, "values")
    return is_among == (operator == "In")


def _check_max_unavailable(spec: JsonObject) -> Causes:
    value = spec.get("maxUnavailable")
    if isinstance(value, int) and value <= 0:
        yield invalid(_MAX_UNAVAILABLE, f"maxUnavailable must be greater than 0, not {value}")
    if not has(spec, "maxUnavailable") or not isinstance(value, str):
        return
    number = value.removesuffix("%")
    if number == value:
        yield invalid(_MAX_UNAVAILABLE, f"maxUnavailable {value!r} is neither a number nor a percentage")
    elif _PERCENTAGE.fullmatch(number) is None or not 0 < int(number) <= _MOST_PERCENT:
        yield invalid(_MAX_UNAVAILABLE, f"maxUnavailable must be from 1% to 100%, not {value}")
