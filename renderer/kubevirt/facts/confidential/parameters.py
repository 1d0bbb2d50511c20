"""The values of parameters that Templates, ResourceSets and ApplicationSets put into confidential parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from renderer.kubevirt.facts.confidential.conditions import RESOURCE_SET
from renderer.kubevirt.facts.confidential.masked import masked
from renderer.kubevirt.facts.confidential.parts import (
    LOOKING,
    STEPS_PER_VALUE,
    confidential_inputs,
    confidential_parameters,
    parts_of,
)
from renderer.kubevirt.facts.confidential.scope import Area, Scope
from renderer.model.kube.json import (
    JsonObject,
    array_at,
    count_values,
    object_at,
    scalar_text,
    text_at,
)
from renderer.model.run.taint import texts_of
from renderer.model.run.work import spend


def confidential_values_of_inputs(resource_set: JsonObject, inputs: Iterable[JsonObject]) -> Iterator[str]:
    """Yield the values among inputs, also of providers, that a ResourceSet puts into confidential fields."""
    scope = Scope(Area.INPUTS, kind=RESOURCE_SET, parameters=confidential_inputs(resource_set))
    for each in inputs:
        spend(1 + STEPS_PER_VALUE * count_values(each), LOOKING)
        for part in parts_of(each, scope):
            yield from texts_of(part.value)


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
