"""What to say of a key with nothing after it."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.diagnostic import Severity
from renderer.model.field_path import FieldPath
from renderer.model.json import EMPTY, Json, JsonObject, array_at, text_at
from renderer.validation.finding import Finding
from renderer.validation.gating import Target
from renderer.validation.kind_schema import Violation
from renderer.validation.kubernetes_formats import TEMPLATE_METADATA
from renderer.validation.schema_tree import ELEMENT, SchemaTree, place_of
from renderer.validation.wording import wanted

#: Lists whose elements are what one key of theirs says, and what KubeVirt calls that. The key often has an
#: empty mapping after it, which people leave out.
_ONE_OF_KEYS: Mapping[str, str] = {"interfaces": "binding", "networks": "source", "volumes": "source"}
#: The mappings in an interface that are no bindings.
_NO_BINDINGS = frozenset({"dhcpOptions"})


def empty_value(violation: Violation, target: Target) -> Finding:
    """The finding for a null.

    The API server drops those of known mappings, and only then looks for what is required.
    """
    field = violation.field
    message = f"{field} has nothing after it"
    if _is_kept(field, target.schema.tree):
        return Finding(field, message, f"it must be {wanted(violation.schema)}")
    if violation.expected != "object":
        hint = f"leave it out, or give it {wanted(violation.schema)}; the API server drops it as it is"
        return Finding(field, message, hint, severity=Severity.WARNING)
    missing = _missing_without(violation)
    if missing:
        hint = f"write {{}} after it; the API server drops it as it is, and KubeVirt finds no {missing}"
        return Finding(field, message, hint)
    hint = "write {} after it if it is to be there, or leave it out; the API server drops it as it is"
    return Finding(field, message, hint, severity=Severity.WARNING)


def _is_kept(field: FieldPath, tree: SchemaTree) -> bool:
    """Whether a null is refused, not dropped: in lists, required fields and the metadata of templates."""
    parent = tree.at(field.parent) or EMPTY
    name = field.segments[-1] if field.segments else 0
    return (
        isinstance(name, int)
        or name in array_at(parent, "required")
        or any(text_at(schema or EMPTY, "title") == TEMPLATE_METADATA for schema in tree.along(field))
    )


def _missing_without(violation: Violation) -> str | None:
    """What an element of a list lacks when the null is dropped, if it is the key that says what it is."""
    *_, kind, element, name = ("", "", *place_of(violation.field))
    if element != ELEMENT or kind not in _ONE_OF_KEYS or name in _NO_BINDINGS:
        return None
    siblings = _at(violation.content, violation.field.parent)
    others = [key for key, value in siblings.items() if isinstance(value, dict) and key not in _NO_BINDINGS]
    return None if others else _ONE_OF_KEYS[kind]


def _at(content: JsonObject, field: FieldPath) -> JsonObject:
    found: Json = content
    for segment in field.segments:
        found = found[segment]  # type: ignore[index]  # a violation stands below nothing else
    return found if isinstance(found, dict) else EMPTY
