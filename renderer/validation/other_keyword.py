"""What to say of a value that breaks a keyword with no words of its own: those of the users' schemas."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.json import scalar_text
from renderer.validation.finding import Finding
from renderer.validation.kind_schema import Violation
from renderer.validation.wording import found

_WORDS: Mapping[str, str] = {
    "": "holds text or keys that no schema can judge",
    "anyOf": "has none of the forms that its schema allows",
    "contains": "lacks an element that its schema asks for",
    "dependentRequired": "lacks a field that another of its fields needs",
    "else": "does not fit the rest of what its schema asks for",
    "not": "has a form that its schema excludes",
    "oneOf": "must have just one of the forms that its schema allows",
    "propertyNames": "has a key that its schema excludes",
    "then": "does not fit the rest of what its schema asks for",
    "unevaluatedProperties": "has a field that its schema does not know",
}
_BOUNDS: Mapping[str, str] = {
    "exclusiveMaximum": "less than",
    "exclusiveMinimum": "more than",
    "multipleOf": "a multiple of",
}


def other_keyword(violation: Violation) -> Finding:
    field, keyword, expected = violation.field, violation.keyword, violation.expected
    where = str(field) or "the object"
    if keyword in _BOUNDS and isinstance(expected, int | float):
        return Finding(field, f"{where} must be {_BOUNDS[keyword]} {scalar_text(expected)}")
    if keyword == "pattern" and isinstance(expected, str):
        return Finding(field, f"{where} must match {expected}, not {found(violation.value)}")
    return Finding(field, f"{where} {_WORDS.get(keyword) or f'is not as {keyword} of its schema has it'}")
