"""Texts for users: a description of a value, and of the expected value."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from renderer.checks.schemas.kubernetes_formats import BASE64, QUANTITY_PATTERN
from renderer.model.field_edit import Edit, SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, scalar_text, text_at
from renderer.model.plural import listed
from renderer.model.record import Record
from renderer.model.suggest import suggest

#: The beginning of the hint for a value that must be text.
IN_QUOTES = "write it in quotes"
#: What becomes of a field that a kind does not have. kubectl asks for strict validation (``--validate``), and
#: server-side apply, as Flux and Argo CD's option do it, has no other mode (apimachinery
#: ``managedfields/internal/structuredmerge.go`` ``Apply``). Else Argo CD asks for none (gitops-engine
#: ``resource_ops.go`` ``newApplyOptions``), and does not show the warnings of the API server.
NO_SUCH_FIELD = "kubectl and Flux refuse it; Argo CD lets the API server drop it unless ServerSideApply=true"
_LONGEST = 60


class Correction(Record):
    """What to write, in words; and as ``edit`` of the field, if there is one right answer."""

    hint: str
    edit: Edit | None = None


_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}

#: The descriptions of formats, by the ``title`` of the schema.
_FORMATS = {
    BASE64: "base64 text",
    "quantity": "a quantity such as 4Gi or 500m",
    "number or text": "a whole number or text",
    "DNS label": "a DNS label (at most 63 lower case letters, digits and dashes)",
    "DNS name": "a DNS name (lower case letters, digits, dashes and dots)",
    "label value": "a label's value (at most 63 letters, digits, dashes, underscores and dots)",
    "label key": "a label's key (letters, digits, dashes, underscores and dots; a DNS name and / before it)",
    "annotation key": "an annotation's key (as a label's)",
    "MAC address": "a MAC address such as 02:00:00:00:00:01",
    "PCI address": "a PCI address such as 0000:00:03.0",
    "interface name": "a name (letters, digits, dashes and underscores)",
    "serial number": "a serial number (letters, digits, dashes, underscores, dots and plus signs)",
    "absolute path without ..": "an absolute path without ..",
}

#: The maximum number of characters of a format, by its title.
_MOST_CHARACTERS = {"DNS label": 63, "label value": 63}


def value_description(value: Json) -> str:
    """Return ``the text "4"``, ``the number 4``, ``a mapping``: the user's view of a value in a file."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return quoted(value)
    return f"the {'text' if isinstance(value, str) else 'number'} {quoted(value)}"


def quoted(value: Json) -> str:
    """Return a scalar as it would be written in YAML, shortened if it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def expected_description(schema: JsonObject) -> str:
    """Return the description of a value that ``schema`` accepts."""
    known = _FORMATS.get("quantity" if is_quantity(schema) else text_at(schema, "title"))
    if known:
        return known
    types = schema.get("type")
    names = types if isinstance(types, list) else [types]
    return " or ".join(_TYPES.get(str(name), str(name)) for name in names if name != "null")


def is_quantity(schema: JsonObject) -> bool:
    """Return True for the schema of a quantity, also in a CRD that only says so by its pattern."""
    return text_at(schema, "title") == "quantity" or schema.get("pattern") == QUANTITY_PATTERN


def nearest(word: str, known: Sequence[str]) -> str | None:
    """Return the word of ``known`` that was probably meant."""
    return next(iter(suggest(word, known, most=1, cutoff=0.7)), None)


def type_correction(field: FieldPath, value: Json, schema: JsonObject) -> Correction | None:
    """Return how to write ``value`` with the type of ``schema``, or None."""
    types = schema.get("type")
    names = types if isinstance(types, list) else [types]
    if "string" in names:
        known = [text for text in array_at(schema, "enum") if isinstance(text, str) and text]
        if known and scalar_text(value) not in known:
            return Correction(f"one of {listed(known)}")
        return _as_text(field, value, names)
    if "array" in names and not isinstance(value, dict | None):
        return Correction(f"write it as a list: [{quoted(value)}]")
    if isinstance(value, str):
        return _unquoted(field, value.strip(), names)
    if "array" in names and isinstance(value, dict):
        return Correction("it is a list: its elements start with a dash")
    if "object" in names and isinstance(value, list):
        return Correction("it is not a list: leave the dash out")
    return None


def _as_text(field: FieldPath, value: Json, types: Sequence[Json]) -> Correction | None:
    if isinstance(value, bool) and {"integer", "number"} & {str(name) for name in types}:
        return None
    if isinstance(value, dict) and value.keys() == {"name"} and isinstance(value["name"], str):
        return Correction(f"write only the name: {quoted(value['name'])}", SetField(field, value["name"]))
    if isinstance(value, dict | list):
        return Correction("to write it as text, put | after the key and start the text on the next line")
    if isinstance(value, float):  # 1.10 was parsed as 1.1
        return Correction(IN_QUOTES)
    return Correction(f'{IN_QUOTES}: "{quoted(value)}"', SetField(field, scalar_text(value)))


def _unquoted(field: FieldPath, text: str, types: Sequence[Json]) -> Correction | None:
    if {"integer", "number"} & {str(name) for name in types} and re.fullmatch(r"[+-]?[0-9]{1,19}", text):
        number = int(text)
        return Correction(f"write it without quotes: {number}", SetField(field, number))
    seconds = re.fullmatch(r"([0-9]{1,19}) ?(s|sec|seconds)", text)
    if seconds and "integer" in types:
        return Correction(f"write only the number: {seconds[1]}", SetField(field, int(seconds[1])))
    if "boolean" in types and text.lower() in ("true", "yes", "on", "false", "no", "off"):
        is_true = text.lower() in ("true", "yes", "on")
        return Correction(f"write it without quotes: {str(is_true).lower()}", SetField(field, is_true))
    return None


def length_hint(value: Json, title: str) -> str | None:
    """Return a hint if a text is too long for the format called ``title``, because that is hard to see."""
    length = len(value) if isinstance(value, str) else 0
    return f"it has {length} characters" if length > _MOST_CHARACTERS.get(title, length) else None
