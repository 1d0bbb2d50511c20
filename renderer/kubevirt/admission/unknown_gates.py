"""Feature gates that KubeVirt, or the HyperConverged operator, does not have: nothing else says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from renderer.kubevirt.facts.feature_gates import GATES_BEFORE_1_0, Gate
from renderer.kubevirt.facts.kinds import KUBEVIRT, is_hyperconverged
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_edit import Edit, RemoveItem, SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import array_at, object_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.placeholders import has_placeholder
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE
from renderer.model.suggest import suggest

_DEVELOPER = ("spec", "configuration", "developerConfiguration")
_LISTS = ("featureGates", "disabledFeatureGates")


class _Unknown(NamedTuple):
    """What is said of a gate that no release since 1.0 has."""

    message: str
    hint: str | None
    severity: Severity
    fix: Edit | None


def unknown_gates_of_project(listed: Iterable[str]) -> Iterator[Diagnostic]:
    """Yield a finding for each unknown gate of ``featureGates`` in the project file."""
    for index, name in enumerate(listed):
        if name not in set(Gate):
            field = FieldPath.of("featureGates", index)
            message, hint, severity, fix = _unknown(field, name)
            site = Site(PROJECT_FILE, 0, field)
            yield Diagnostic.at(site, Code.UNKNOWN_GATE, message, hint, severity=severity, fix=fix)


def unknown_gates_of_objects(resources: Iterable[Resource], release: Release) -> Iterator[Diagnostic]:
    """Yield a finding for each unknown gate that a KubeVirt or HyperConverged object lists."""
    for resource in resources:
        if is_hyperconverged(resource):
            yield from _unknown_gates_of_operator(resource, release)
        for key in _LISTS if resource.kind == KUBEVIRT else ():
            for index, name in enumerate(array_at(resource.content, *_DEVELOPER, key)):
                if isinstance(name, str) and name not in set(Gate) and not has_placeholder(name):
                    field = FieldPath.of(*_DEVELOPER, key, index)
                    message, hint, severity, fix = _unknown(field, name)
                    yield Diagnostic.about(
                        resource, field, Code.UNKNOWN_GATE, message, hint, severity=severity, fix=fix
                    )


def _unknown(field: FieldPath, name: str) -> _Unknown:
    message = f"KubeVirt has no feature gate {name}"
    if name in GATES_BEFORE_1_0:
        message += " since 1.0: what it turned on is always on"
        return _Unknown(message, "drop it", Severity.INFO, RemoveItem(field))
    near = suggest(name, [*map(str, Gate), *sorted(GATES_BEFORE_1_0)])
    if not GATES_BEFORE_1_0.isdisjoint(near):
        return _Unknown(message, "drop it", Severity.WARNING, RemoveItem(field))
    hint = f"did you mean {' or '.join(near)}?" if near else None
    return _Unknown(message, hint, Severity.WARNING, SetField(field, near[0]) if len(near) == 1 else None)


def _unknown_gates_of_operator(resource: Resource, release: Release) -> Iterator[Diagnostic]:
    """Yield a warning for each unknown gate in the list of a HyperConverged object of v1."""
    from renderer.kubevirt.hyperconverged.feature_gates import gate_names, listed_gates, phase_of  # noqa: PLC0415 - few repositories have any
    from renderer.kubevirt.hyperconverged.release import OperatorRelease  # noqa: PLC0415 - as above

    operator = OperatorRelease.deploying(release)
    if operator is None or not operator.serves_v1:
        return
    known = gate_names(operator)
    for index, gate in enumerate(listed_gates(object_at(resource.content, "spec").get("featureGates"))):
        if not gate.name or has_placeholder(gate.name) or phase_of(gate.name, operator) is not None:
            continue
        field = FieldPath.of("spec", "featureGates", index, "name")
        near = suggest(gate.name, known)
        hint = f"did you mean {' or '.join(near)}?" if near else "drop it: the operator ignores it"
        message = f"the HyperConverged operator {operator} has no feature gate {gate.name}"
        fix = SetField(field, near[0]) if len(near) == 1 else None
        yield Diagnostic.about(
            resource, field, Code.UNKNOWN_GATE, message, hint, severity=Severity.WARNING, fix=fix
        )
