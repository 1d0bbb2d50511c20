"""Affinity, topology spread constraints and the label selectors in them (``validate-k8s-utils.go``)."""

from __future__ import annotations

from renderer.kubevirt.admission.causes import Cause, Causes, invalid
from renderer.kubevirt.admission.vmi_spec import VmiSpec, elements, has, number, section, text, texts
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.kubernetes_names import (
    dns_label_errors,
    dns_subdomain_errors,
    label_key_errors,
    label_value_errors,
)
from renderer.kubevirt.facts.pod_scheduling import NODE_OPERATORS, PREFERRED, REQUIRED
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import JsonObject
from renderer.model.record import Record


class Place(Record):
    """A field at its actual place, and as KubeVirt reports it."""

    at: FieldPath
    reported: FieldPath

    def child(self, *segments: Segment) -> Place:
        return Place(self.at.child(*segments), self.reported.child(*segments))

    def invalid(self, message: str, hint: str | None = None) -> Cause:
        """KubeVirt gives this type to every error of Kubernetes' own validation."""
        return invalid(self.at, message, hint, reported=self.reported)


_SELECTOR_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
_POD_AFFINITIES = ("podAffinity", "podAntiAffinity")
_LEAST_WEIGHT, _MOST_WEIGHT = 1, 100
_NODE_NAME = "metadata.name"
_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")


def check_label_selector(place: Place, selector: JsonObject) -> Causes:
    """Check a label selector (``ValidateLabelSelector``)."""
    labels = place.child("matchLabels")
    for key, value in section(selector, "matchLabels").items():
        yield from check_label_key(labels, key)
        for error in label_value_errors(value if isinstance(value, str) else ""):
            yield labels.invalid(f"the value {value!r} of the label {key} {error}")
    for index, requirement in enumerate(elements(selector, "matchExpressions")):
        at = place.child("matchExpressions", index)
        yield from _check_requirement(at, requirement, _SELECTOR_OPERATORS, "label selector")
        for position, value in enumerate(texts(requirement, "values")):
            for error in label_value_errors(value):
                yield at.child("values", position).invalid(f"the label value {value!r} {error}")


def check_label_key(place: Place, key: str) -> Causes:
    """Check the key of a label."""
    for error in label_key_errors(key):
        yield place.invalid(f"the label {key!r} {error}")


def _check_requirement(
    place: Place, requirement: JsonObject, operators: tuple[str, ...], selector: str
) -> Causes:
    """Check one requirement of a selector that accepts ``operators``; of its values only the number."""
    operator, values = text(requirement, "operator"), texts(requirement, "values")
    if operator not in operators:
        message = f"{operator!r} is not an operator of a {selector}"
        yield place.child("operator").invalid(message, f"one of {', '.join(operators)}")
    elif operator in ("In", "NotIn") and not values:
        yield place.child("values").invalid(f"the operator {operator} needs values")
    elif operator in ("Exists", "DoesNotExist") and values:
        yield place.child("values").invalid(f"the operator {operator} accepts no values")
    elif operator in ("Gt", "Lt") and len(values) != 1:
        yield place.child("values").invalid(f"the operator {operator} needs one value")
    yield from check_label_key(place.child("key"), text(requirement, "key"))


def check_affinity(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check ``affinity`` as Kubernetes checks a pod's."""
    if not has(vmi.content, "affinity"):
        return
    yield from check_pod_affinity(Place(vmi.at("affinity"), vmi.path), section(vmi.content, "affinity"))


def check_pod_affinity(place: Place, affinity: JsonObject) -> Causes:
    """Check the ``affinity`` of a pod (``ValidateAffinity``)."""
    yield from _check_node_affinity(place.child("nodeAffinity"), section(affinity, "nodeAffinity"))
    for key in _POD_AFFINITIES:
        yield from _check_terms(place.child(key), section(affinity, key))


def _check_node_affinity(place: Place, affinity: JsonObject) -> Causes:
    if has(affinity, REQUIRED):
        terms = elements(section(affinity, REQUIRED), "nodeSelectorTerms")
        at = place.child(REQUIRED, "nodeSelectorTerms")
        if not terms:
            yield at.invalid("there is no node selector term")
        for index, term in enumerate(terms):
            yield from _check_node_term(at.child(index), term)
    for index, preferred in enumerate(elements(affinity, PREFERRED)):
        at = place.child(PREFERRED, index)
        yield from _check_weight(at, preferred)
        yield from _check_node_term(at.child("preference"), section(preferred, "preference"))


def _check_node_term(place: Place, term: JsonObject) -> Causes:
    for index, requirement in enumerate(elements(term, "matchExpressions")):
        yield from _check_requirement(
            place.child("matchExpressions", index), requirement, NODE_OPERATORS, "node selector"
        )
    for index, requirement in enumerate(elements(term, "matchFields")):
        yield from _check_node_field(place.child("matchFields", index), requirement)


def _check_node_field(place: Place, requirement: JsonObject) -> Causes:
    operator, values = text(requirement, "operator"), texts(requirement, "values")
    if operator not in ("In", "NotIn"):
        yield place.child("operator").invalid(
            f"{operator!r} is not an operator for fields", "use In or NotIn"
        )
    elif len(values) != 1:
        yield place.child("values").invalid(f"for fields the operator {operator} needs one value")
    key = text(requirement, "key")
    if key != _NODE_NAME:
        yield place.child("key").invalid(
            f"nodes cannot be selected by the field {key!r}", f"use {_NODE_NAME}"
        )
        return
    for index, value in enumerate(values):
        for error in dns_subdomain_errors(value):
            yield place.child("values", index).invalid(f"the node name {value!r} {error}")


def _check_terms(place: Place, affinity: JsonObject) -> Causes:
    for index, term in enumerate(elements(affinity, REQUIRED)):
        yield from _check_pod_term(place.child(REQUIRED, index), term)
    for index, preferred in enumerate(elements(affinity, PREFERRED)):
        at = place.child(PREFERRED, index)
        yield from _check_weight(at, preferred)
        yield from _check_pod_term(at.child("podAffinityTerm"), section(preferred, "podAffinityTerm"))


def _check_pod_term(place: Place, term: JsonObject) -> Causes:
    for key in ("labelSelector", "namespaceSelector"):
        yield from check_label_selector(place.child(key), section(term, key))
    namespaces = Place(place.at.child("namespaces"), place.reported.child("namespace"))
    for name in texts(term, "namespaces"):
        for error in dns_label_errors(name):
            yield namespaces.invalid(f"the namespace {name!r} {error}")
    topology_key = text(term, "topologyKey")
    if not topology_key:
        yield place.child("topologyKey").invalid("there is no topologyKey", "set kubernetes.io/hostname")
    yield from check_label_key(place.child("topologyKey"), topology_key)


def _check_weight(place: Place, preferred: JsonObject) -> Causes:
    weight = number(preferred, "weight")
    if not _LEAST_WEIGHT <= weight <= _MOST_WEIGHT:
        message = f"the weight must be from {_LEAST_WEIGHT} to {_MOST_WEIGHT}, not {weight}"
        yield place.child("weight").invalid(message)


def check_topology_spread(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check ``topologySpreadConstraints`` as Kubernetes checks a pod's."""
    constraints = elements(vmi.content, "topologySpreadConstraints")
    if not constraints:
        return
    at = vmi.at("topologySpreadConstraints")
    pairs = [_topology_and_action(constraint) for constraint in constraints]
    for index, constraint in enumerate(constraints):
        place = Place(at.child(index), at.child(index))
        yield from _check_constraint(place, constraint)
        selector = Place(place.at.child("labelSelector"), at.child("labelSelector"))
        yield from check_label_selector(selector, section(constraint, "labelSelector"))
        if pairs[index] in pairs[index + 1 :]:
            repeated = Place(place.at, place.reported.child("{topologyKey, whenUnsatisfiable}"))
            yield repeated.invalid(
                f"another constraint also has {' and '.join(pairs[index])}", "drop one of them"
            )


def _check_constraint(place: Place, constraint: JsonObject) -> Causes:
    skew = number(constraint, "maxSkew")
    if skew <= 0:
        yield place.child("maxSkew").invalid(f"maxSkew must be greater than 0, not {skew}")
    key, action = _topology_and_action(constraint)
    if key:
        yield from check_label_key(place.child("topologyKey"), key)
    else:
        yield place.child("topologyKey").invalid("there is no topologyKey", "set kubernetes.io/hostname")
    if action not in _ACTIONS:
        message = f"invalid whenUnsatisfiable {action!r}"
        yield place.child("whenUnsatisfiable").invalid(message, f"one of {', '.join(_ACTIONS)}")


def _topology_and_action(constraint: JsonObject) -> tuple[str, str]:
    return text(constraint, "topologyKey"), text(constraint, "whenUnsatisfiable")
