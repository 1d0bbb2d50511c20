"""``topologySpreadConstraints``, as of a Pod (``validate-k8s-utils.go``)."""

from __future__ import annotations

from renderer.admitters.cause import Causes
from renderer.admitters.cluster import Cluster
from renderer.admitters.label_selectors import check_label_key, check_label_selector
from renderer.admitters.place import Place
from renderer.admitters.vmi_spec import VmiSpec, elements, number, section, text
from renderer.model.json import JsonObject

_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")


def check_topology_spread(vmi: VmiSpec, _: Cluster) -> Causes:
    constraints = elements(vmi.content, "topologySpreadConstraints")
    if not constraints:
        return
    at = vmi.at("topologySpreadConstraints")
    pairs = [_pair(constraint) for constraint in constraints]
    for index, constraint in enumerate(constraints):
        place = Place(at.child(index), at.child(index))
        yield from _check_constraint(place, constraint)
        selector = Place(place.at.child("labelSelector"), at.child("labelSelector"))
        yield from check_label_selector(selector, section(constraint, "labelSelector"))
        if pairs[index] in pairs[index + 1 :]:
            repeated = Place(place.at, place.reported.child("{topologyKey, whenUnsatisfiable}"))
            yield repeated.invalid(
                f"another constraint is {' and '.join(pairs[index])} too", "drop one of them"
            )


def _check_constraint(place: Place, constraint: JsonObject) -> Causes:
    skew = number(constraint, "maxSkew")
    if skew <= 0:
        yield place.child("maxSkew").invalid(f"maxSkew must be greater than 0, not {skew}")
    key, action = _pair(constraint)
    if key:
        yield from check_label_key(place.child("topologyKey"), key)
    else:
        yield place.child("topologyKey").invalid("there is no topologyKey", "set kubernetes.io/hostname")
    if action not in _ACTIONS:
        message = f"{action!r} is no whenUnsatisfiable"
        yield place.child("whenUnsatisfiable").invalid(message, f"one of {', '.join(_ACTIONS)}")


def _pair(constraint: JsonObject) -> tuple[str, str]:
    return text(constraint, "topologyKey"), text(constraint, "whenUnsatisfiable")
