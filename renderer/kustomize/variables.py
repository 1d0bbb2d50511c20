"""``vars``: field values that replace ``$(NAME)`` in texts, deprecated in kustomize.

kustomize ``api/internal/accumulator/resaccumulator.go``, ``api/filters/refvar/expand.go``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from renderer.kubevirt.facts.confidential.exposed_values import exposed_values
from renderer.kubevirt.facts.confidential.object_fields import fields_of
from renderer.kubevirt.facts.confidential.secret_values import confidential_texts
from renderer.kustomize.fields.field_specs import FieldSpecFilter, FieldSpecIndex, WrongTypeError
from renderer.kustomize.identity import effective_namespace, is_cluster_scoped
from renderer.kustomize.replacement_paths import PathError, lookup_place, split_field_path
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.values import ABSENT
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, Scalar, scalar_text
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import FieldSpec, Variable
from renderer.model.pattern import pattern
from renderer.model.run.limits import limits, over_limit
from renderer.model.run.taint import taint
from renderer.model.run.work import spend
from renderer.model.whole_number import whole_number
from renderer.yamlio.go_numbers import format_float
from renderer.yamlio.scalars import MAX_INT

#: An escaped dollar sign, a reference, or a dollar sign without a meaning.
_DOLLAR = pattern(r"\$(?:(\$)|\(([^)]*)\))")
_DECIMAL = pattern(r"[-+]?[0-9]{1,19}")
_FLOAT = pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INDEXED = pattern(r"(.*)\[([0-9]+)\]")

#: Steps for the value of a variable (``model.run.work``).
_STEPS_PER_VARIABLE = 40


def merge_variables(present: Iterable[Variable], added: Iterable[Variable]) -> tuple[Variable, ...]:
    """Return both together. Raises: kustomization-field if two have the same name."""
    merged = {variable.name: variable for variable in present}
    for variable in added:
        other = merged.get(variable.name)
        merged[variable.name] = variable
        if other:
            raise Diagnostic.at(
                variable.site,
                Code.KUSTOMIZATION_FIELD,
                f"there are two variables named {variable.name}",
                "rename one of them",
                related=(Related("the other one", (other.site,)),),
            ).error()
    return tuple(merged.values())


def mark_sources(resources: ResMap, variables: Iterable[Variable]) -> None:
    """Record in each resource the variables that take their values from it.

    Raises: kustomization-field if several resources match.
    """
    for variable in variables:
        named = resources.named(variable.object_name)
        matches = [(key, resource) for key, resource in named if _is_source(resource, variable)]
        if len(matches) > 1:
            raise Diagnostic.at(
                variable.site,
                Code.KUSTOMIZATION_FIELD,
                f"several resources match the objref of the variable {variable.name}",
                "select one with objref.namespace",
                related=tuple(
                    Related(f"this is {resource.current_id}", resource.sites()) for _, resource in matches
                ),
            ).error()
        for key, resource in matches:
            resources.replace(key, resource._replace(variables=(*resource.variables, variable.name)))


def _ids(resource: Resource) -> Iterator[ResId]:
    """Yield the current and previous ids, all with the current group and version, as in kustomize."""
    gvk = resource.gvk
    yield resource.current_id
    for previous in resource.previous_ids:
        yield ResId(Gvk(gvk.group, gvk.version, previous.gvk.kind), previous.name, previous.namespace)


def _is_source(resource: Resource, variable: Variable) -> bool:
    wanted = Gvk(variable.group, variable.version, variable.kind)
    version, kind = wanted.api_version, wanted.kind
    any_namespace = not variable.object_namespace and not is_cluster_scoped(version, kind)
    namespace = effective_namespace(version, kind, variable.object_namespace)
    return any(
        id_.gvk == wanted
        and id_.name == variable.object_name
        and (any_namespace or effective_namespace(version, kind, id_.namespace) == namespace)
        for id_ in _ids(resource)
    )


def expand_references(text: str, values: Mapping[str, Scalar], used: Callable[[str], object]) -> Scalar:
    """Return ``text`` with its references replaced, and ``$$`` replaced by a dollar sign.

    A text that consists of one reference gets the type of the value. References that are not in ``values``
    stay unchanged; ``used`` receives the names that are.
    """

    def replaced(match: re.Match[str]) -> str:
        name = match[2]
        if match[1]:
            return "$"
        if name not in values:
            return match[0]
        used(name)
        return _go_text(values[name])

    # No reference begins after the last bracket; looking for its end from each "$(" would be quadratic.
    end = text.rfind(")") + 1
    whole = _DOLLAR.fullmatch(text) if end == len(text) else None
    if whole and whole[2] in values:
        used(whole[2])
        return values[whole[2]]
    spend(text.count("$", 0, end) + len(text) // 16, "replacing variables")
    return _DOLLAR.sub(replaced, text[:end]) + text[end:].replace("$$", "$")


def _go_text(value: Scalar) -> str:
    """Return the value as Go prints it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return format_float(value) if isinstance(value, float) else str(value)


def expand_field(value: Json, expand: Callable[[str], Scalar]) -> Json:
    """Return the field with its text expanded, or the texts in its entries if it is a mapping or list.

    Raises ``WrongTypeError`` for lists that hold anything else.
    """
    if isinstance(value, str):
        return expand(value)
    if isinstance(value, dict):
        return {key: expand(child) if isinstance(child, str) else child for key, child in value.items()}
    if isinstance(value, list):
        texts: list[Json] = []
        for element in value:
            if not isinstance(element, str):
                raise WrongTypeError("a list of texts, in which variables could be replaced")
            texts.append(expand(element))
        return texts
    return value


def resolve_variables(
    resources: ResMap,
    variables: Iterable[Variable],
    specs: Iterable[FieldSpec],
    warn: Callable[[Diagnostic], None],
) -> None:
    """Replace the references in the fields of ``specs``; warn about variables that nothing refers to.

    Raises: kustomization-field if a variable has no value, resource-invalid, build-limit.
    """
    ordered = sorted(variables, key=lambda variable: variable.name)
    if not ordered:
        return
    sources = {name: resource for resource in reversed(tuple(resources)) for name in resource.variables}
    resolved = {variable.name: _value(variable, sources.get(variable.name)) for variable in ordered}
    values = {name: value for name, value in resolved.items() if isinstance(value, str | int | float)}
    used: set[str] = set()
    uses = _Uses(values, ordered, used)
    expand = FieldSpecFilter(
        lambda field: expand_field(field, lambda text: expand_references(text, values, uses.note))
    )
    index = FieldSpecIndex(specs)
    texts = frozenset(map(scalar_text, values.values()))

    def expanded(resource: Resource) -> Resource:
        """Return the resource without its references; a value in a credential is one at its source, too."""
        changed = expand.apply(resource, index.targets(resource))
        if changed is not resource:
            names = changed.name, changed.namespace
            taint(exposed_values(confidential_texts(changed.content), names, texts))
        return changed

    resources.update(expanded)
    for variable in ordered:
        if variable.name not in used:
            warn(
                Diagnostic.at(
                    variable.site,
                    Code.KUSTOMIZATION_FIELD,
                    f"nothing refers to the variable {variable.name}",
                    "use $(NAME) in a field of varReference, or remove the variable",
                    severity=Severity.WARNING,
                )
            )


class _Uses:
    """The variables that are ``used``, and the limit on the size of text that their values add."""

    def __init__(self, values: Mapping[str, Scalar], variables: Iterable[Variable], used: set[str]) -> None:
        self._values = values
        self._sites = {variable.name: variable.site for variable in variables}
        self._used = used
        self._left = limits().added_size

    def note(self, name: str) -> None:
        """Record a use of the variable. Raises: build-limit."""
        self._used.add(name)
        self._left -= len(scalar_text(self._values[name]))
        if self._left < 0:
            message = f"the values of variables have more than {limits().added_size} characters"
            raise over_limit("added_size", message, self._sites[name])


def _value(variable: Variable, source: Resource | None) -> Json:
    if source is None:
        message = f"no resource matches the objref of the variable {variable.name}"
        raise Diagnostic.at(
            variable.site,
            Code.KUSTOMIZATION_FIELD,
            message,
            "objref needs the apiVersion, kind and name of a resource",
        ).error()
    try:
        value, place = lookup_place(source.content, tuple(_path_steps(variable.field_path)))
    except PathError:
        value, place = ABSENT, ()
    if value is ABSENT:
        message = f"{source.current_id} has no {variable.field_path} for the variable {variable.name}"
        raise Diagnostic.at(
            variable.site, Code.KUSTOMIZATION_FIELD, message, "correct fieldref.fieldPath"
        ).error()
    spend(_STEPS_PER_VARIABLE, "reading variables")
    text = source.written_text(*place)
    if fields_of(source.content).hides(FieldPath(place)):
        taint([text])
    try:
        return _value_of_node(value, text)
    except ValueError:
        message = f"the variable {variable.name} cannot be {text}: kustomize reads decimal numbers only"
        raise Diagnostic.at(
            variable.site, Code.KUSTOMIZATION_FIELD, message, "write it as a decimal number, or in quotes"
        ).error() from None


def _value_of_node(value: Json, text: str) -> Json:
    """Return the value of a field as Go reads it from the node (kyaml ``rnode.go`` GetFieldValue).

    Integers are decimal there, so ``0644`` is 644. Raises ``ValueError`` for other spellings of numbers.
    """
    if isinstance(value, bool | dict | list):
        return value
    if not isinstance(value, int | float):
        return text
    if _DECIMAL.fullmatch(text) and abs(whole_number(text)) <= MAX_INT:
        return int(text)
    if _FLOAT.fullmatch(text) and not _DECIMAL.fullmatch(text):
        return value
    raise ValueError(text)


def _path_steps(path: str) -> Iterator[str]:
    """Yield the steps of a path; ``ports[0]`` is two."""
    for step in split_field_path(path):
        match = _INDEXED.fullmatch(step)
        if match:
            yield from filter(None, match.groups())
        else:
            yield step
