"""``list``: elements that stand in the ApplicationSet itself (``generators/list.go``)."""

from __future__ import annotations

from renderer.gitops.argocd.generators.context import SetContext
from renderer.gitops.argocd.parameters import Parameters, SetError
from renderer.gitops.gotemplate.values import decoded
from renderer.model.diagnostic import DiagnosticError
from renderer.model.json import Json, JsonObject, array_at, object_at, text_at
from renderer.yamlio.decode import decode_yaml11


def list_sets(block: JsonObject, context: SetContext) -> list[Parameters]:
    """A set for each element, then for each of ``elementsYaml``. Raises ``SetError``."""
    elements = array_at(block, "elements")
    sets = [_structured(element) if context.rendering.go_template else _flat(element) for element in elements]
    return sets + [_structured(element) for element in _yaml_elements(text_at(block, "elementsYaml"))]


def _structured(element: Json) -> Parameters:
    found = decoded(element)
    if not isinstance(found, dict):
        raise SetError("an element of the list generator is no mapping")
    return found


def _flat(element: Json) -> Parameters:
    made: Parameters = {}
    for key, value in object_at(element).items():
        if key == "values":
            if not isinstance(value, dict):
                raise SetError("values of a list element is no mapping")
            for name, each in value.items():
                made[f"values.{name}"] = _text(f"values.{name}", each)
        else:
            made[key] = _text(key, value)
    return made


def _text(key: str, value: Json) -> str:
    if isinstance(value, str):
        return value
    raise SetError(
        f"the value {key} of a list element is no text",
        "write it in quotes, or set goTemplate: true, which takes any value",
    )


def _yaml_elements(text: str) -> list[Json]:
    if not text:
        return []
    try:
        found = decode_yaml11(text.encode(), "elementsYaml")
    except DiagnosticError:
        found = ""
    if found is not None and not isinstance(found, list):
        raise SetError("elementsYaml of the list generator is no YAML list")
    return list(found or ())
