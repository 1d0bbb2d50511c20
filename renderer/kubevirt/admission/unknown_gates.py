"""Feature gates that no release of KubeVirt has: they turn nothing on, and KubeVirt does not say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.kinds import KUBEVIRT
from renderer.kubevirt.facts.placeholders import has_placeholder
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import array_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.render_config import PROJECT_FILE
from renderer.model.suggest import suggest

_DEVELOPER = ("spec", "configuration", "developerConfiguration")
_LISTS = ("featureGates", "disabledFeatureGates")


def unknown_gates_of_project(listed: Iterable[str]) -> Iterator[Diagnostic]:
    """Yield a warning for each unknown gate of ``featureGates`` in the project file."""
    for index, name in enumerate(listed):
        if name not in set(Gate):
            field = FieldPath.of("featureGates", index)
            site = Site(PROJECT_FILE, 0, field)
            yield Diagnostic.at(site, *_finding(name), severity=Severity.WARNING, fix=_fix(field, name))


def unknown_gates_of_objects(resources: Iterable[Resource]) -> Iterator[Diagnostic]:
    """Yield a warning for each unknown gate that a KubeVirt object lists."""
    for resource in resources:
        for key in _LISTS if resource.kind == KUBEVIRT else ():
            for index, name in enumerate(array_at(resource.content, *_DEVELOPER, key)):
                if isinstance(name, str) and name not in set(Gate) and not has_placeholder(name):
                    field = FieldPath.of(*_DEVELOPER, key, index)
                    fix = _fix(field, name)
                    yield Diagnostic.about(
                        resource, field, *_finding(name), severity=Severity.WARNING, fix=fix
                    )


def _finding(name: str) -> tuple[Code, str, str | None]:
    near = _near_gates(name)
    hint = f"did you mean {' or '.join(near)}?" if near else None
    return Code.UNKNOWN_GATE, f"KubeVirt has no feature gate {name}", hint


def _fix(field: FieldPath, name: str) -> SetField | None:
    near = _near_gates(name)
    return SetField(field, near[0]) if len(near) == 1 else None


def _near_gates(name: str) -> tuple[str, ...]:
    return suggest(name, [str(gate) for gate in Gate])
