"""Findings about values that are invalid for their fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from renderer.checks.schemas.empty_mapping import accepts_empty_mapping, required_fields
from renderer.checks.schemas.finding import SchemaFinding, SchemaTarget
from renderer.checks.schemas.kind_schema import ELEMENT, SchemaPlace, SchemaTree, Violation, schema_place
from renderer.checks.schemas.known_values import NULL_WHEN_MISSING, VALID_WHEN_MISSING
from renderer.checks.schemas.kubernetes_formats import BASE64, SEVERITY, TEMPLATE_METADATA
from renderer.checks.schemas.kubevirt_kinds import OPERATOR_GROUPS
from renderer.checks.schemas.wording import (
    Correction,
    expected_description,
    is_quantity,
    length_hint,
    nearest,
    quoted,
    type_correction,
    value_description,
)
from renderer.kubevirt.facts.applied_null import APPLIED_NULL
from renderer.kubevirt.facts.claims import DATA_VOLUME_SOURCES
from renderer.kubevirt.facts.sizes import asks_for_no_memory
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, array_at, object_at, scalar_text, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.misspelt_quantity import meant_quantity, quantity_hint, with_probable_unit
from renderer.model.placeholders import placeholder_in

#: Lists in which one key of an element determines its type, and KubeVirt's name for that type. The key is
#: often followed by an empty mapping, which users leave out.
_ONE_OF_KEYS: Mapping[str, str] = {"interfaces": "binding", "networks": "source", "volumes": "source"}
#: The mappings in an interface that are not bindings.
_NO_BINDINGS = frozenset({"dhcpOptions"})
#: Metadata of templates that KubeVirt needs.
_NEEDED_METADATA: tuple[SchemaPlace, ...] = (
    ("dataVolumeTemplates", ELEMENT, "metadata"),
    ("dataVolumeTemplates", ELEMENT, "metadata", "name"),
)
_API_GROUP_HINT = (
    'write apiGroup: "" for a PersistentVolumeClaim, snapshot.storage.k8s.io for a VolumeSnapshot'
)
#: What is wrong with a value that violates a keyword.
_WORDS: Mapping[str, str] = {
    "": "has text or keys that a schema cannot check",
    "anyOf": "has none of the forms that its schema allows",
    "contains": "lacks an element that its schema requires",
    "dependentRequired": "lacks a field that another of its fields needs",
    "else": "violates a condition of its schema",
    "maxProperties": "has more fields than its schema allows",
    "minProperties": "has fewer fields than its schema requires",
    "not": "has a form that its schema excludes",
    "oneOf": "must have exactly one of the forms that its schema allows",
    "propertyNames": "has a key that its schema excludes",
    "then": "violates a condition of its schema",
    "unevaluatedProperties": "has a field that its schema does not know",
}
_BOUNDS: Mapping[str, str] = {
    "exclusiveMaximum": "less than",
    "exclusiveMinimum": "more than",
    "multipleOf": "a multiple of",
}
_API_VERSION = FieldPath.of("apiVersion")
#: The main fields of mappings that users mistake for a single value, by the names of the mappings.
_MAIN_FIELDS: Mapping[str, tuple[str, ...]] = {
    "containerDisk": ("image",),
    "cpu": ("guest", "cores"),
    "instancetype": ("name",),
    "machine": ("type",),
    "memory": ("guest",),
    "preference": ("name",),
    "httpGet": ("port",),
    "tcpSocket": ("port",),
}
_SWITCH = "enabled"  # a field of features, which users mistake for true or false
_DATA = "data"  # a field of a Secret, next to stringData
#: Architecture names from other tools.
_SYNONYMS = {"x86_64": "amd64", "x86-64": "amd64", "aarch64": "arm64"}
#: Keywords about the form of a text.
_FORMAT_KEYWORDS = frozenset({"maxLength", "pattern"})


def missing_field(field: FieldPath, target: SchemaTarget) -> SchemaFinding | None:
    """Return the finding for a missing required field; None if its omission is valid."""
    zero = target.zero_for_missing(field)
    if zero is None:
        hint = _API_GROUP_HINT if str(field).endswith(NULL_WHEN_MISSING) else None
        return SchemaFinding(field, f"{field} is missing", hint, parent=True)
    if ".".join(schema_place(field)).replace(f".{ELEMENT}", "").endswith(VALID_WHEN_MISSING):
        return None
    message = f"{field} is missing, and {target.authority} reads it as {quoted(zero)}"
    return SchemaFinding(field, message, severity=Severity.WARNING, parent=True)


def empty_value(violation: Violation, target: SchemaTarget, *, refused: Sequence[FieldPath]) -> SchemaFinding:
    """Return the finding for a null; ``refused`` are the other invalid values of the object, in order.

    The API server drops nulls of known fields (``kubevirt/facts/applied_null.py``), and only then checks for
    required fields.
    """
    field = violation.field
    message = f"{field} has nothing after it"
    what = expected_description(violation.schema)
    zero = target.zero_for_missing(field)
    if zero is not None and _is_required(field, target.schema.tree):
        hint = f"give it {what}; {target.authority} reads it as {quoted(zero)}"
        return SchemaFinding(field, message, hint, severity=Severity.WARNING)
    if _is_required(field, target.schema.tree) or isinstance((field.segments or (0,))[-1], int):
        return SchemaFinding(field, message, f"it must be {what}")
    if _is_template_metadata(field, target.schema.tree):
        place = schema_place(field)
        if any(place[-len(each) :] == each for each in _NEEDED_METADATA):
            return SchemaFinding(field, message, f"give it {'a name' if place[-1] == 'metadata' else what}")
        what = place[-1] if place[-1] in ("annotations", "labels") else what
        return SchemaFinding(field, message, f"leave it out, or give it {what}")
    if violation.expected != "object":
        hint = f"leave it out, or give it {what}; {APPLIED_NULL}"
        return SchemaFinding(field, message, hint, severity=Severity.WARNING)
    can_be_empty = accepts_empty_mapping(violation, target, refused)
    fields = _mapping_description(violation)
    missing = _missing_element_type(violation)
    if missing:
        written = "write {} after it" if can_be_empty else f"give it {fields}"
        hint = f"{written}; without the null, which is not applied, {missing}"
        return SchemaFinding(field, message, hint)
    if _is_only_memory(violation):
        hint = f"give it the guest's memory, such as {{guest: 2Gi}}; {APPLIED_NULL}"
    elif can_be_empty:
        hint = f"write {{}} after it to set it, or leave it out; {APPLIED_NULL}"
    else:
        hint = f"leave it out, or give it {fields}; {APPLIED_NULL}"
    return SchemaFinding(field, message, hint, severity=Severity.WARNING)


def _is_template_metadata(field: FieldPath, tree: SchemaTree) -> bool:
    """Return True for a field in the metadata of a template, where a null is rejected, not dropped."""
    return any(text_at(schema or EMPTY, "title") == TEMPLATE_METADATA for schema in tree.along(field))


def _is_required(field: FieldPath, tree: SchemaTree) -> bool:
    return bool(field.segments) and field.segments[-1] in array_at(tree.at(field.parent) or EMPTY, "required")


def _missing_element_type(violation: Violation) -> str | None:
    """Return who misses what if only the null determines the type of its mapping; else None."""
    *_, kind, element, name = ("", "", *schema_place(violation.field))
    siblings = object_at(_parent_of(violation))
    others = [key for key, value in siblings.items() if value is not None and key not in _NO_BINDINGS]
    if (kind, element) == ("spec", "source"):
        return "CDI finds no source" if name in DATA_VOLUME_SOURCES and not others else None
    if element != ELEMENT or kind not in _ONE_OF_KEYS or name in _NO_BINDINGS:
        return None
    if any(isinstance(siblings[key], dict) for key in others):
        return None
    return f"KubeVirt finds no {_ONE_OF_KEYS[kind]}"


def _parent_of(violation: Violation) -> Json:
    """Return the mapping that contains the value."""
    parent: Json = violation.content
    for segment in violation.field.parent.segments:
        parent = parent[segment]  # type: ignore[index]  # the path of a violation exists
    return parent


def _mapping_description(violation: Violation) -> str:
    """Return what to write instead of the null, with the fields that the mapping needs."""
    name = violation.field.segments[-1] if violation.field.segments else ""
    known = object_at(violation.schema, "properties")
    main = next((key for key in _MAIN_FIELDS.get(str(name), ()) if key in known), None)
    needed = list(required_fields(violation)) or ([main] if main else [])
    return f"a mapping with {' and '.join(needed)}" if needed else "a mapping"


def _is_only_memory(violation: Violation) -> bool:
    """Return True for the memory of a machine that asks for no memory elsewhere."""
    machine = VirtualMachineView.of(Resource(violation.content, Site("")))
    if machine is None or violation.field != machine.in_instance("domain", "memory"):
        return False
    return asks_for_no_memory(machine)


def other_keyword(violation: Violation) -> SchemaFinding:
    """Return the finding for a violation of a keyword that has no message of its own."""
    field, keyword, expected = violation.field, violation.keyword, violation.expected
    where = str(field) or "the object"
    if keyword in _BOUNDS and isinstance(expected, int | float):
        return SchemaFinding(field, f"{where} must be {_BOUNDS[keyword]} {scalar_text(expected)}")
    if keyword == "pattern" and isinstance(expected, str):
        return SchemaFinding(
            field, f"{where} must match {expected}, not {value_description(violation.value)}"
        )
    return SchemaFinding(field, f"{where} {_WORDS.get(keyword) or f'violates {keyword} of its schema'}")


def wrong_value(violation: Violation, target: SchemaTarget) -> SchemaFinding | None:
    """Return the finding for a violation of any keyword that is about a value or a key, and not a null.

    None for a placeholder in an object of another operator: such a value is often put in later.
    """
    placeholder = placeholder_in(violation.value)
    if placeholder and target.gvk.group in OPERATOR_GROUPS:
        return None
    if placeholder:
        message = f"{violation.field} contains the placeholder {placeholder}, whose value is not checked"
        return SchemaFinding(violation.field, message, code=Code.PLACEHOLDER, severity=Severity.WARNING)
    describe = _BY_KEYWORD.get(violation.keyword)
    if describe is None and "title" not in violation.schema:
        return other_keyword(violation)
    finding = (describe or _wrong_format)(violation, target)
    if violation.keyword not in _FORMAT_KEYWORDS or SEVERITY not in violation.schema:
        return finding
    message = (
        f"{finding.message}; {target.authority} admits it, but the cluster refuses what is created from it"
    )
    return finding._replace(message=message, severity=Severity(text_at(violation.schema, SEVERITY)))


def _wrong_type(violation: Violation, _: SchemaTarget) -> SchemaFinding:
    value, schema = violation.value, violation.schema
    message = f"{violation.field} must be {expected_description(schema)}, not {value_description(value)}"
    finding = SchemaFinding(violation.field, message)
    correction = (
        _likely_child(violation)
        or _plain_labels(violation)
        or type_correction(violation.field, value, schema)
    )
    return finding if correction is None else finding._replace(hint=correction.hint, fix=correction.edit)


def _likely_child(violation: Violation) -> Correction | None:
    """Return the field that is probably meant by ``memory: 4Gi`` and ``cpu: 2``."""
    name, value = str(violation.field.segments[-1]) if violation.field.segments else "", violation.value
    known = object_at(violation.schema, "properties")
    main_fields = (_SWITCH,) if isinstance(value, bool) else _MAIN_FIELDS.get(name, ())
    inside = next((key for key in main_fields if key in known), None)
    if inside is None or isinstance(value, dict | list):
        return None
    text = scalar_text(value)
    if name == "memory" and text.isdecimal():  # nobody means bytes
        value = text = with_probable_unit(text)
    hint = f"did you mean {name}: {{{inside}: {text}}}?"
    return Correction(hint, SetField(violation.field, {inside: value}))


def _plain_labels(violation: Violation) -> Correction | None:
    """Return the hint for ``matchLabels`` in a selector that is a mapping of labels (MigrationPolicy)."""
    field, value = violation.field, violation.value
    if not isinstance(value, dict) or field.segments[-1:] != ("matchLabels",):
        return None
    labels = ", ".join(f"{key}: {scalar_text(label)}" for key, label in value.items())
    return Correction(f"write the labels without matchLabels: {field.parent.segments[-1]}: {{{labels}}}")


def _wrong_format(violation: Violation, _: SchemaTarget) -> SchemaFinding:
    value, title = violation.value, text_at(violation.schema, "title")
    if violation.place != violation.field:
        message = (
            f"the key {quoted(value)} of {violation.field} must be {expected_description(violation.schema)}"
        )
        return SchemaFinding(violation.place, message, about_key=True)
    if title == BASE64:  # it is confidential, or too long to be shown
        hint = "plain text goes into stringData" if _DATA in violation.field.segments else None
        return SchemaFinding(
            violation.field, f"{violation.field} is not {expected_description(violation.schema)}", hint
        )
    message = (
        f"{violation.field} must be {expected_description(violation.schema)}, not {value_description(value)}"
    )
    if not is_quantity(violation.schema):
        return SchemaFinding(violation.field, message, length_hint(value, title))
    meant = meant_quantity(str(value))
    fix = None if meant is None else SetField(violation.field, meant)
    return SchemaFinding(violation.field, message, quantity_hint(str(value)), fix=fix)


def _unknown_value(violation: Violation, target: SchemaTarget) -> SchemaFinding:
    field, value, expected = violation.field, violation.value, violation.expected
    values = expected if isinstance(expected, list) else ()
    known = tuple(each for each in values if isinstance(each, str) and each)
    severity = Severity(text_at(violation.schema, SEVERITY) or Severity.ERROR)
    if value == "" and severity is Severity.ERROR:
        hint = f"leave it out, or give it a value: {', '.join(known)}"
        return SchemaFinding(field, f"{field} cannot be {quoted(value)}", hint)
    elsewhere = target.known_elsewhere(lambda tree: value in array_at(tree.at(field) or EMPTY, "enum"))
    close = _meant_value(value, known, is_version=field == _API_VERSION)
    if elsewhere:
        message = f"{field} {quoted(value)} {elsewhere}"
    elif severity is Severity.ERROR:
        message = f"{field} cannot be {quoted(value)}"
    else:
        message = f"{field} {quoted(value)} is unknown to {target.authority}"
    hint = f"known to {target.authority}: {', '.join(known)}"
    if close is not None:
        hint = f"did you mean {close}?" if [*known] == [close] else f"did you mean {close}? {hint}"
    return SchemaFinding(
        field,
        message,
        hint,
        severity=severity,
        target=target.judging_release if elsewhere else None,
        fix=None if close is None else SetField(field, close),
    )


def _meant_value(value: Json, known: Sequence[str], *, is_version: bool) -> str | None:
    """Return the probable one of the ``known`` values; of versions, the preferred one."""
    close = _SYNONYMS.get(value) or nearest(value, known) if isinstance(value, str) else None
    if close not in known:
        return None
    return known[0] if is_version else close


def _out_of_bounds(violation: Violation, _: SchemaTarget) -> SchemaFinding:
    bound = "at least" if violation.keyword == "minimum" else "at most"
    message = f"{violation.field} must be {bound} {violation.expected}, not {quoted(violation.value)}"
    return SchemaFinding(violation.field, message)


def _wrong_length(violation: Violation, _: SchemaTarget) -> SchemaFinding:
    value = violation.value
    length = len(value) if isinstance(value, str | list) else 0
    bound = "at least" if violation.keyword.startswith("min") else "at most"
    what = "characters" if isinstance(value, str) else "elements"
    message = f"{violation.field} must have {bound} {violation.expected} {what}, not {length}"
    return SchemaFinding(violation.field, message)


def _wrong_constant(violation: Violation, _: SchemaTarget) -> SchemaFinding:
    message = (
        f"{violation.field} must be {quoted(violation.expected)}, not {value_description(violation.value)}"
    )
    return SchemaFinding(violation.field, message)


def _repeated(violation: Violation, _: SchemaTarget) -> SchemaFinding:
    value = violation.value if isinstance(violation.value, list) else []
    twice = next((element for index, element in enumerate(value) if element in value[:index]), None)
    return SchemaFinding(violation.field, f"{violation.field} contains {value_description(twice)} twice")


_BY_KEYWORD: Mapping[str, Callable[[Violation, SchemaTarget], SchemaFinding]] = {
    "type": _wrong_type,
    "enum": _unknown_value,
    "const": _wrong_constant,
    "minimum": _out_of_bounds,
    "maximum": _out_of_bounds,
    "minLength": _wrong_length,
    "maxLength": _wrong_length,
    "maxItems": _wrong_length,
    "uniqueItems": _repeated,
}
