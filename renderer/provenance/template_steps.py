"""The versions of an object that a template made: one for each parameter that a text of it refers to.

Version ``n`` has the values of the first ``n`` parameters of each text. Keys have all values from the
beginning, so that a field has one path in all versions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from renderer.kubevirt.vm_template.references import (
    VALUE_REFERENCE,
    json_or_text,
    names_in,
    substituted_text,
)
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import (
    Json,
    JsonObject,
    array_at,
    count_values,
    object_at,
    scalar_text,
    text_at,
    without,
)
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.made_of_template import MadeOfTemplate
from renderer.model.provenance import StepKind
from renderer.model.run.work import spend
from renderer.provenance.makers import FieldSource, Maker, Version
from renderer.provenance.paths import counterpart, field_value

#: A text that refers to more parameters gets the rest of them in one step.
_MOST_VERSIONS = 20


def template_versions(
    made: MadeOfTemplate,
    of_template: Sequence[Version],
    given: Mapping[str, str],
    sites: Mapping[str, Site],
) -> Iterator[Version]:
    """Yield the versions of the object, whose template has the versions ``of_template``.

    ``sites`` are the places of ``given`` values.
    """
    defaults = {
        text_at(each, "name"): scalar_text(object_at(each).get("value") or "")
        for each in array_at(made.template.content, *made.parameters.keys)
    }
    values = {name: given.get(name, default) for name, default in defaults.items()}
    written = made.written.content
    most = min(_most_names(written, values), _MOST_VERSIONS)
    *earlier, last = of_template
    for version in earlier:
        content = _in_form_of(written, object_at(value_at(version.content, made.place.segments)))
        yield Version(_with_first(content, values, 0), InTemplate(version.maker, made.place))
    first = _with_first(written, values, 0) if most else made.made.content
    yield Version(first, InTemplate(last.maker, made.place))
    for position in range(most):
        is_last = position == most - 1
        content = made.made.content if is_last else _with_first(written, values, position + 1)
        yield Version(content, ParameterStep(made, first, values, sites, position))


def _in_form_of(written: JsonObject, content: JsonObject) -> JsonObject:
    """Return an earlier content of an object without what processing replaces and drops."""
    if "namespace" not in object_at(written, "metadata"):
        content = without(content, "metadata", "namespace")
    return {**content, **{name: written[name] for name in ("apiVersion", "kind")}}


@dataclass(frozen=True, slots=True)
class InTemplate:
    """The maker of a version of a template, for the object at ``place`` in it."""

    maker: Maker
    place: FieldPath

    @property
    def act(self) -> StepKind:
        return self.maker.act

    def display_name(self, field: FieldPath) -> str:
        return self.maker.display_name(self.place.child(*field.segments))

    def sites(self, field: FieldPath) -> tuple[Site, ...]:
        return self.maker.sites(self.place.child(*field.segments))

    def sources(self, field: FieldPath, resources: Sequence[Resource]) -> Iterator[FieldSource]:
        yield from self.maker.sources(self.place.child(*field.segments), resources)


@dataclass(frozen=True, slots=True)
class ParameterStep:
    """The maker of a version that has the value of the parameter at ``position`` in each text."""

    made: MadeOfTemplate
    written: JsonObject
    values: Mapping[str, str]
    given: Mapping[str, Site]
    position: int

    @property
    def act(self) -> StepKind:
        return StepKind.PARAMETER

    def display_name(self, field: FieldPath) -> str:
        name = self._name(field)
        if name in self.given:
            return f"parameter {name}"
        return (
            f"default of the parameter {name}"
            if self.values.get(name)
            else f"parameter {name}, without a value"
        )

    def sites(self, field: FieldPath) -> tuple[Site, ...]:
        """Return where the value is given, or else where the template declares the parameter."""
        name, template = self._name(field), self.made.template
        if name in self.given:
            return (self.given[name],)
        declared = array_at(template.content, *self.made.parameters.keys)
        index = next((at for at, each in enumerate(declared) if text_at(each, "name") == name), 0)
        part = ("value",) if self.values.get(name) else ()
        return template.sites(self.made.parameters.child(index, *part))

    def sources(self, _field: FieldPath, _resources: Sequence[Resource]) -> Iterator[FieldSource]:
        yield from ()

    def _name(self, field: FieldPath) -> str:
        """Return the parameter of the text that the field, or a section that it is in, was written as."""
        place = counterpart(field, self.made.made.content, self.written)
        while place.segments and not isinstance(field_value(self.written, place), str):
            place = place.parent
        text = field_value(self.written, place)
        names = _names(text, self.values) if isinstance(text, str) else []
        return names[min(self.position, len(names) - 1)] if names else ""


def _names(text: str, values: Mapping[str, str]) -> list[str]:
    return [name for name in dict.fromkeys(names_in(text)) if name in values]


def _most_names(value: Json, values: Mapping[str, str]) -> int:
    """Return how many parameters the text with the most of them refers to."""
    if isinstance(value, str):
        return len(_names(value, values))
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return max((_most_names(each, values) for each in children), default=0)


def _with_first(content: JsonObject, values: Mapping[str, str], most: int) -> JsonObject:
    """Return an object with the values of the first ``most`` parameters of each text, and of all in keys."""

    def substituted(value: Json) -> Json:
        if isinstance(value, dict):
            return {substituted_text(key, values): substituted(each) for key, each in value.items()}
        if isinstance(value, list):
            return [substituted(each) for each in value]
        if not isinstance(value, str):
            return value
        first = {name: values[name] for name in _names(value, values)[:most]}
        whole = VALUE_REFERENCE.fullmatch(value)
        if whole is not None and whole[1] in first:
            return json_or_text(first[whole[1]])
        return substituted_text(value, first)

    spend(count_values(content), "noting the versions of resources")
    return object_at(substituted(content))
