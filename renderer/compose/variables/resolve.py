"""Putting the values of variables where they are referred to (``resaccumulator.go`` ResolveVars)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from renderer.compose.absent import ABSENT, Slot
from renderer.compose.fields.field_specs import FieldChange, FieldSpecIndex, WrongTypeError
from renderer.compose.replacements.field_path import PathError, lookup, split_field_path
from renderer.compose.res_map import ResMap
from renderer.compose.variables.expansion import NotTextError, expanded, expanded_field
from renderer.model.build_limit import over_limit
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, Scalar, scalar_text
from renderer.model.limits import limits
from renderer.model.resource import Resource
from renderer.model.selection import FieldSpec
from renderer.model.transformers import Variable

_INDEXED = re.compile(r"(.*)\[([0-9]+)\]")


def resolve_variables(
    resources: ResMap,
    variables: Iterable[Variable],
    specs: Iterable[FieldSpec],
    warn: Callable[[Diagnostic], None],
) -> None:
    """Replaces the references in the fields of ``specs``; one that nothing refers to is worth a warning.

    Raises: kustomization-field when a variable has no value, resource-invalid, build-limit.
    """
    ordered = sorted(variables, key=lambda variable: variable.name)
    if not ordered:
        return
    sources = {name: resource for resource in reversed(tuple(resources)) for name in resource.variables}
    found = {variable.name: _value(variable, sources.get(variable.name)) for variable in ordered}
    values = {name: value for name, value in found.items() if isinstance(value, str | int | float)}
    used: set[str] = set()
    expand = FieldChange(_expansion(values, _Uses(values, ordered, used)))
    index = FieldSpecIndex(specs)
    resources.update(lambda resource: expand.apply(resource, index.targets(resource)))
    for variable in ordered:
        if variable.name not in used:
            warn(_unused(variable))


class _Uses:
    """Notes which variables are ``used``, and how much text their values come to."""

    def __init__(self, values: Mapping[str, Scalar], variables: Iterable[Variable], used: set[str]) -> None:
        self._values = values
        self._sites = {variable.name: variable.site for variable in variables}
        self._used = used
        self._left = limits().added_size

    def note(self, name: str) -> None:
        """Raises: build-limit."""
        self._used.add(name)
        self._left -= len(scalar_text(self._values[name]))
        if self._left < 0:
            message = f"the values of variables come to more than {limits().added_size} characters"
            raise over_limit("added_size", message, self._sites[name])


def _expansion(values: Mapping[str, Scalar], uses: _Uses) -> Callable[[Json], Json]:
    def change(value: Json) -> Json:
        try:
            return expanded_field(value, lambda text: expanded(text, values, uses.note))
        except NotTextError:
            raise WrongTypeError("a list of texts, in which variables could be replaced") from None

    return change


def _value(variable: Variable, source: Resource | None) -> Json:
    if source is None:
        message = f"no resource gives the variable {variable.name} its value"
        raise _no_value(message, variable, "objref has to name one, with apiVersion, kind and name")
    found: Slot = ABSENT
    try:
        found = lookup(source.content, tuple(_steps(variable.field_path)))
    except PathError:
        found = ABSENT
    if found is ABSENT:
        message = f"{source.current_id} has no {variable.field_path} for the variable {variable.name}"
        raise _no_value(message, variable, "correct fieldref.fieldPath")
    return _null_text(source, variable) if found is None else found


def _null_text(source: Resource, variable: Variable) -> str:
    """What is written where there is nothing: nothing, or ``null``."""
    steps = (int(step) if step.isdecimal() else step for step in _steps(variable.field_path))
    return "" if FieldPath(tuple(steps)) in source.blank_fields else "null"


def _steps(path: str) -> Iterator[str]:
    """``ports[0]`` is two steps."""
    for step in split_field_path(path):
        match = _INDEXED.fullmatch(step)
        if match:
            yield from filter(None, match.groups())
        else:
            yield step


def _no_value(message: str, variable: Variable, hint: str) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(code=Code.KUSTOMIZATION_FIELD, message=message, sites=(variable.site,), hint=hint)
    )


def _unused(variable: Variable) -> Diagnostic:
    return Diagnostic(
        code=Code.KUSTOMIZATION_FIELD,
        severity=Severity.WARNING,
        message=f"nothing refers to the variable {variable.name}",
        sites=(variable.site,),
        hint="write $(NAME) in a field that varReference leads to, or remove it",
    )
