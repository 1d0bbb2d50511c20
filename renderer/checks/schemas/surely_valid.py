"""The quick check of the first objects of a kind: most are valid, which shows without jsonschema-rs.

Loading jsonschema-rs and compiling the schema of a VirtualMachine costs as much as 18 quick checks, a fifth
of ``vmrender build`` of one virtual machine. An object that is valid here is valid for jsonschema-rs as well.
Everything else is left to jsonschema-rs, as is every schema with a keyword or a pattern that KubeVirt's
schemas do not have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from renderer.checks.schemas.kubernetes_formats import (
    ANNOTATION_KEY,
    INTERFACE_NAME,
    LABEL,
    LABEL_KEY,
    LABEL_OR_NOTHING,
    LABEL_VALUE,
    LIST_KEYS,
    MAC_ADDRESS,
    PRESERVED,
    QUANTITY_PATTERN,
    SEVERITY,
    SUBDOMAIN,
    SUBDOMAIN_OR_NOTHING,
)
from renderer.kubevirt.facts.kubernetes_names import (
    HEXADECIMAL,
    consists_of,
    is_dns_label,
    is_dns_subdomain,
    is_qualified_name,
)
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at

_KEYWORDS = frozenset(
    (
        *("$ref", "const", "enum", "type"),
        *("additionalProperties", "items", "properties", "propertyNames", "required"),
        *("maxItems", "maxLength", "maximum", "minLength", "minimum", "pattern"),
        *("$defs", "$schema", "default", "description", "title", LIST_KEYS, PRESERVED, SEVERITY),
    )
)
#: Without subclasses, and without 1.0, which is an integer as well.
_TYPES: Mapping[str, tuple[type, ...]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "null": (type(None),),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}
_NAME_LENGTH = 63
_SUFFIXES = frozenset(("", "E", "Ei", "G", "Gi", "Ki", "M", "Mi", "P", "Pi", "T", "Ti", "k", "m"))


def is_surely_valid(value: Json, schema: Json, definitions: JsonObject) -> bool:
    """Return True if ``value`` matches ``schema``, False if that is not certain.

    ``definitions`` are the targets of ``$ref``.
    """
    if schema is True:
        return True
    if not isinstance(schema, dict) or not _KEYWORDS.issuperset(schema):
        return False
    if "type" in schema:
        types = schema["type"]
        names = types if isinstance(types, list) else [types]
        if not any(type(value) in _TYPES.get(str(name), ()) for name in names):
            return False
    if "enum" in schema and not (isinstance(value, str) and value in array_at(schema, "enum")):
        return False
    if "const" in schema and not (isinstance(value, str) and value == schema["const"]):
        return False
    if "$ref" in schema:
        target = definitions.get(text_at(schema, "$ref").removeprefix("#/$defs/"))
        if not is_surely_valid(value, target, definitions):
            return False
    if isinstance(value, dict):
        return _is_valid_mapping(value, schema, definitions)
    if isinstance(value, list):
        elements = schema.get("items", True)
        return len(value) <= _limit(schema, "maxItems", len(value)) and all(
            is_surely_valid(element, elements, definitions) for element in value
        )
    if isinstance(value, str):
        return _is_valid_text(value, schema)
    if isinstance(value, int | float):
        return _limit(schema, "minimum", value) <= value <= _limit(schema, "maximum", value)
    return True


def _is_valid_mapping(value: Mapping[object, Json], schema: JsonObject, definitions: JsonObject) -> bool:
    known = object_at(schema, "properties")
    others, names = schema.get("additionalProperties", True), schema.get("propertyNames", True)
    return all(name in value for name in array_at(schema, "required")) and all(
        isinstance(name, str)  # YAML also allows other keys
        and is_surely_valid(name, names, definitions)
        and is_surely_valid(child, known.get(name, others), definitions)
        for name, child in value.items()
    )


def _is_valid_text(value: str, schema: JsonObject) -> bool:
    length = len(value)
    if not _limit(schema, "minLength", length) <= length <= _limit(schema, "maxLength", length):
        return False
    if "pattern" not in schema:
        return True
    check = _TEXTS.get(text_at(schema, "pattern"))
    return check is not None and check(value)


def _limit(schema: JsonObject, keyword: str, otherwise: float) -> float:
    limit = schema.get(keyword, otherwise)
    return limit if isinstance(limit, int | float) else otherwise


def _is_name(text: str) -> bool:
    """Return True for a valid label value, or a valid part of a label's key after the slash."""
    return len(text) <= _NAME_LENGTH and is_qualified_name(text)


def _is_key(text: str) -> bool:
    prefix, slash, name = text.rpartition("/")
    return _is_name(name) and (not slash or is_dns_subdomain(prefix))


def _is_quantity(text: str) -> bool:
    amount = text.rstrip("EGKMPTikm")
    return amount.isascii() and amount.isdigit() and text[len(amount) :] in _SUFFIXES


def _is_mac_address(text: str) -> bool:
    pairs = text.split(":")
    lengths = [len(pair) for pair in pairs]
    return lengths == [2] * 6 and all(consists_of(pair, HEXADECIMAL) for pair in pairs)


#: Texts that certainly match a pattern. An expression would take longer to compile than an object to check.
_TEXTS: Mapping[str, Callable[[str], bool]] = {
    ANNOTATION_KEY: _is_key,
    INTERFACE_NAME: is_dns_label,
    LABEL: is_dns_label,
    LABEL_KEY: _is_key,
    LABEL_OR_NOTHING: is_dns_label,
    LABEL_VALUE: _is_name,
    MAC_ADDRESS: _is_mac_address,
    QUANTITY_PATTERN: _is_quantity,
    SUBDOMAIN: is_dns_subdomain,
    SUBDOMAIN_OR_NOTHING: is_dns_subdomain,
}
