"""The values of parameters that Templates, ResourceSets and ApplicationSets put into confidential parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from renderer.kubevirt.facts.confidential.masked import masked
from renderer.kubevirt.facts.confidential.parts import (
    LOOKING,
    RESOURCE_SET,
    STEPS_PER_VALUE,
    Area,
    Scope,
    confidential_inputs,
    confidential_parameters,
    names_in_confidential_parts,
    parts_of,
)
from renderer.kubevirt.facts.confidential.template_names import (
    ALL,
    is_used,
    names_in_tags,
    names_shown_by_tags,
)
from renderer.model.kube.json import (
    Json,
    JsonObject,
    array_at,
    count_values,
    object_at,
    scalar_text,
    text_at,
)
from renderer.model.run.taint import texts_of
from renderer.model.run.work import spend

#: Generators that are followed from one to the next; Argo CD nests matrix generators only once.
_MOST_GENERATORS = 8


def confidential_values_of_inputs(resource_set: JsonObject, inputs: Iterable[JsonObject]) -> Iterator[str]:
    """Yield the values among inputs, also of providers, that a ResourceSet puts into confidential fields."""
    scope = Scope(Area.INPUTS, kind=RESOURCE_SET, parameters=confidential_inputs(resource_set))
    for each in inputs:
        spend(1 + STEPS_PER_VALUE * count_values(each), LOOKING)
        for part in parts_of(each, scope):
            yield from texts_of(part.value)


def confidential_elements(application_set: JsonObject) -> frozenset[str]:
    """Return the names of parameters that an ApplicationSet puts into confidential fields of Applications.

    What the name of an Application contains as it is, is shown with it nevertheless.
    """
    spec = object_at(application_set, "spec")
    application: JsonObject = {
        "kind": "Application",
        "metadata": {},
        "spec": object_at(spec, "template", "spec"),
    }
    parts: JsonObject = {"template": application, "templatePatch": text_at(spec, "templatePatch")}
    names = names_in_confidential_parts(parts, names_in_tags, names_shown_by_tags)
    generators = array_at(spec, "generators")
    for _ in range(_MOST_GENERATORS):  # a generator of a matrix may use the parameters of the one before it
        spend(1 + STEPS_PER_VALUE * count_values(generators), LOOKING)
        more = names.union(_names_used_by(generators, names)) if names else names
        if more == names:
            return names
        names = more
    return names | {ALL}


def _names_used_by(generators: Json, names: frozenset[str]) -> Iterator[str]:
    """Yield the names in the tags of elements with one of ``names``."""
    for key, child in object_at(generators).items():
        if is_used(key, names):
            yield from (name for text in texts_of(child) for name in names_in_tags(text))
        else:
            yield from _names_used_by(child, names)
    for child in generators if isinstance(generators, list) else ():
        yield from _names_used_by(child, names)


def inputs_without_confidential(
    resource_set: JsonObject, inputs: Iterable[JsonObject]
) -> Iterator[JsonObject]:
    """Yield inputs with an empty text for each value that a ResourceSet puts into confidential fields."""
    scope = Scope(Area.INPUTS, kind=RESOURCE_SET, parameters=confidential_inputs(resource_set))
    for each in inputs:
        yield object_at(masked(each, scope, mask=lambda _: ""))


def confidential_values_of_parameters(template: JsonObject, given: Mapping[str, str]) -> Iterator[str]:
    """Yield the values of confidential parameters: the given ones, else the Template's own."""
    own = {
        text_at(each, "name"): scalar_text(object_at(each).get("value", ""))
        for section in (template, object_at(template, "spec"))
        for each in array_at(section, "parameters")
    }
    for name in confidential_parameters(template):
        if name in given or name in own:
            yield given.get(name, own.get(name, ""))
