"""The formats of Kubernetes and KubeVirt as JSON Schema, and our own keywords.

Each function returns a new schema. The ``title`` is the name of the format in messages and editors. Sources:
kubernetes apimachinery ``pkg/util/validation``, ``pkg/apis/meta/v1/types.go``; KubeVirt's as in
``known_values.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

#: Next to ``enum`` or ``pattern``: the severity of other values, ``warning`` if KubeVirt admits them.
SEVERITY = "x-vmrender-severity"

#: Upstream's keyword: the API server keeps unknown fields here. They are rejected anyway, as by KubeVirt's
#: webhooks, unless the schema names no fields at all.
PRESERVED = "x-kubernetes-preserve-unknown-fields"

#: Upstream's keyword: the fields that identify the elements of a list.
LIST_KEYS = "x-kubernetes-list-map-keys"


#: A schema under construction.
Schema: TypeAlias = dict[str, object]

#: The titles of formats that apply to keys of a mapping, not to its values.
KEY_FORMATS = LABEL_KEY_FORMAT, ANNOTATION_KEY_FORMAT = "label key", "annotation key"

#: The title of metadata that the API server does not check.
TEMPLATE_METADATA = "template metadata"

_DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_NAME = rf"{_DNS_LABEL}(\.{_DNS_LABEL})*"
_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]"
_HEX = "[0-9a-fA-F]"
_PAIR = f"{_HEX}{{2}}"

LABEL, LABEL_OR_NOTHING = f"^{_DNS_LABEL}$", f"^({_DNS_LABEL})?$"
SUBDOMAIN, SUBDOMAIN_OR_NOTHING = f"^{_DNS_NAME}$", f"^({_DNS_NAME})?$"
LABEL_VALUE = f"^({_NAME})?$"
LABEL_KEY = f"^({_DNS_NAME}/)?{_NAME}$"
#: As for a label, except for the case of the prefix.
ANNOTATION_KEY = f"^({_DNS_NAME.replace('a-z', 'A-Za-z')}/)?{_NAME}$"
INTERFACE_NAME = "^[A-Za-z0-9_-]+$"
#: The forms of six bytes that Go's ``net.ParseMAC`` accepts.
MAC_ADDRESS = f"^({_PAIR}(:{_PAIR}){{5}}|{_PAIR}(-{_PAIR}){{5}}|{_HEX}{{4}}(\\.{_HEX}{{4}}){{2}})?$"
PCI_ADDRESS = f"^({_HEX}{{4}}:{_PAIR}:{_PAIR}\\.[0-7])?$"

#: The pattern by which upstream's own schemas mark a field as a quantity.
QUANTITY_PATTERN = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
BASE64 = "base64"
#: Text that ``encoding/base64`` decodes, which skips line breaks; or text encrypted by SOPS, for Flux to
#: decrypt.
_BASE64_PATTERN = (
    r"^(ENC\[.*\]|(([A-Za-z0-9+/][\r\n]*){4})*"
    r"(([A-Za-z0-9+/][\r\n]*){2}=[\r\n]*=|([A-Za-z0-9+/][\r\n]*){3}=)?)[\r\n]*$"
)

_TEXT: Schema = {"type": "string"}
_LABEL_VALUE: Schema = {"title": "label value", "type": "string", "pattern": LABEL_VALUE}
_LABEL_KEY: Schema = {"title": LABEL_KEY_FORMAT, "pattern": LABEL_KEY}
_ANNOTATION_KEY: Schema = {"title": ANNOTATION_KEY_FORMAT, "pattern": ANNOTATION_KEY}


def quantity(*, fractions: bool) -> Schema:
    """Return the schema of a quantity; ``fractions``: numbers with a fraction are accepted like texts."""
    return {
        "title": "quantity",
        "type": ["number" if fractions else "integer", "string"],
        "pattern": QUANTITY_PATTERN,
    }


def int_or_string() -> Schema:
    """Return the schema of Kubernetes' ``IntOrString``."""
    return {"title": "number or text", "type": ["integer", "string"]}


def int32_or_string() -> Schema:
    """Return the schema of Go's ``intstr.IntOrString``."""
    bounds = whole_number(32, signed=True)
    return {**int_or_string(), "minimum": bounds["minimum"], "maximum": bounds["maximum"]}


def whole_number(bits: int, *, signed: bool) -> Schema:
    """Return the schema of an integer of Go's types."""
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return {"title": f"{'' if signed else 'u'}int{bits}", "type": "integer", "minimum": low, "maximum": high}


def base64_text() -> Schema:
    """Return the schema of bytes, which JSON represents as base64."""
    return {"title": BASE64, "type": "string", "pattern": _BASE64_PATTERN}


def dns_label(*, empty: bool = False) -> Schema:
    """Return the schema of a name that becomes a DNS label; ``empty``: the empty text means no name."""
    return {
        "title": "DNS label",
        "type": "string",
        "maxLength": 63,
        "pattern": LABEL_OR_NOTHING if empty else LABEL,
    }


def dns_subdomain(*, empty: bool = False) -> Schema:
    """Return the schema of a DNS subdomain; ``empty``: the empty text means no name."""
    pattern = SUBDOMAIN_OR_NOTHING if empty else SUBDOMAIN
    return {"title": "DNS name", "type": "string", "maxLength": 253, "pattern": pattern}


def object_meta() -> Schema:
    """Return the schema of an object's ``metadata``; the API server checks its names and labels itself.

    It reads it leniently: a null means no value there.
    """
    fields = _metadata_fields(_nullable(_LABEL_VALUE), _nullable(_TEXT))
    fields |= {"name": dns_subdomain(), "namespace": dns_label(empty=True)}
    return _closed({name: _nullable(schema) for name, schema in fields.items()})


def embedded_object_meta(*, named: bool) -> Schema:
    """Return the schema of a template's ``metadata``: the API server keeps unknown fields in it.

    KubeVirt rejects them. Names, labels and annotations are not checked until an object is created from the
    template. ``named``: an object of that name is created.
    """
    fields = _metadata_fields(_LABEL_VALUE, _TEXT)
    fields |= {
        "annotations": _map(_unchecked(_ANNOTATION_KEY), _TEXT),
        "creationTimestamp": _nullable(_TEXT),
        "labels": _map(_unchecked(_LABEL_KEY), _unchecked(_LABEL_VALUE)),
    }
    if named:
        fields["name"] = _unchecked(dns_subdomain())
    return {**_closed(fields), "title": TEMPLATE_METADATA, PRESERVED: True}


def _metadata_fields(label_value: Schema, annotation: Schema) -> dict[str, Schema]:
    return {
        "annotations": _map(_ANNOTATION_KEY, annotation),
        "creationTimestamp": _TEXT,
        "deletionGracePeriodSeconds": _INT64,
        "deletionTimestamp": _TEXT,
        "finalizers": _list(_TEXT),
        "generateName": _TEXT,
        "generation": _INT64,
        "labels": _map(_LABEL_KEY, label_value),
        "managedFields": _list({"type": "object"}),
        "name": _TEXT,
        "namespace": _TEXT,
        "ownerReferences": _list(_OWNER),
        "resourceVersion": _TEXT,
        "selfLink": _TEXT,
        "uid": _TEXT,
    }


def _map(key: Schema, value: Schema) -> Schema:
    return {"type": "object", "propertyNames": key, "additionalProperties": value}


def _list(element: Schema) -> Schema:
    return {"type": "array", "items": element}


def _closed(fields: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "properties": dict(fields), "additionalProperties": False}


def _nullable(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


def _unchecked(text: Schema) -> Schema:
    return {**text, SEVERITY: "warning"}


_INT64 = whole_number(64, signed=True)
_OWNER: Schema = {
    **_closed(
        dict.fromkeys(("apiVersion", "kind", "name", "uid"), _TEXT)
        | {name: {"type": "boolean"} for name in ("blockOwnerDeletion", "controller")}
    ),
    "required": ["apiVersion", "kind", "name", "uid"],
}
