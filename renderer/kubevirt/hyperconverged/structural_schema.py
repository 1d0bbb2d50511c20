"""What the API server does with a HyperConverged object by the schema of its CustomResourceDefinition.

It drops unknown fields, drops nulls, fills in defaults, and then validates (apiextensions-apiserver
``pkg/apiserver/schema``: ``pruning``, ``defaulting``, ``cel``). The schemas are files of
``schemas/hyperconverged``, one for each release that changed them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TypeAlias

from renderer.files.bundled import data_folder
from renderer.kubevirt.hyperconverged.release import OperatorRelease
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at, text_at
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum

SPEC = FieldPath.of("spec")
NAME = FieldPath.of("metadata", "name")
_FOLDER = "hyperconverged"
_LIST_KEYS = "x-kubernetes-list-map-keys"
_RULES = "x-kubernetes-validations"
_DEFINITIONS = "#/$defs/"
_TYPES: Mapping[str, Callable[[Json], bool]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "null": lambda value: value is None,
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


class ProblemCode(TextEnum):
    """The keyword of a schema that a value violates; ``rule`` is a rule in CEL."""

    TYPE = "type"
    REQUIRED = "required"
    ENUM = "enum"
    PATTERN = "pattern"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    MIN_LENGTH = "minLength"
    MAX_LENGTH = "maxLength"
    MAX_ITEMS = "maxItems"
    RULE = "rule"


class Problem(Record):
    """A value that the API server rejects; ``rule`` is the rule in CEL that it breaks, if it is one."""

    code: ProblemCode
    at: FieldPath
    rule: str = ""


class Repeated(Record):
    """An element of a list that has the same ``keys`` as an earlier one."""

    at: FieldPath
    keys: tuple[str, ...]


class Pruned(Record):
    """An object without its unknown fields, and their places."""

    content: JsonObject
    fields: tuple[FieldPath, ...]


class StructuralSchema:
    """The schema of one API version of HyperConverged at one release.

    Of ``metadata`` it defines only the name; the API server treats the rest as in every object.
    """

    def __init__(self, document: JsonObject) -> None:
        self.document = document
        self._definitions = object_at(document, "$defs")
        self._fields = object_at(document, "properties")
        self._spec = object_at(self._fields, "spec")

    def pruned(self, content: JsonObject) -> Pruned:
        """Return the object without the fields that its schema does not name."""
        fields = [ROOT.child(key) for key in content if key not in self._fields]
        kept = {key: value for key, value in content.items() if key in self._fields}
        if "spec" in kept:
            kept["spec"] = _without_unknown(kept["spec"], self._spec, self._definitions, SPEC, fields)
        return Pruned(kept, tuple(sorted(fields, key=str)))

    def without_nulls(self, content: JsonObject) -> JsonObject:
        """Return the object without the nulls that the API server drops."""
        spec = content.get("spec")
        kept = EMPTY if spec is None else spec
        return {**content, "spec": _filled(kept, self._spec, self._definitions, with_defaults=False)}

    def defaulted(self, content: JsonObject) -> JsonObject:
        """Return the object with its defaults; a null counts as missing unless the field is nullable."""
        spec = content.get("spec")
        written = self._spec.get("default", EMPTY) if spec is None else spec
        return {**content, "spec": _filled(written, self._spec, self._definitions, with_defaults=True)}

    def problems(self, content: JsonObject) -> tuple[Problem, ...]:
        """Return what the API server rejects in a defaulted object, in the order of the fields.

        The pattern of its name accepts each name that contains the one that the operator works on.
        """
        needed = text_at(object_at(self._fields, "metadata", "properties", "name"), "const")
        found = []
        written = text_at(content, "metadata", "name")
        if written and needed not in written:
            found.append(Problem(ProblemCode.PATTERN, NAME))
        found += _problems(content.get("spec", EMPTY), self._spec, self._definitions, SPEC)
        return tuple(sorted(found, key=lambda problem: str(problem.at)))

    def repeated(self, content: JsonObject) -> Iterator[Repeated]:
        """Yield the elements of lists whose keys an earlier element has: the API server rejects them, too.

        The recorded answers do not have them, so they are apart from the other problems.
        """
        yield from _repeated(content.get("spec", EMPTY), self._spec, self._definitions, SPEC)


def structural_schema(release: OperatorRelease, version: str) -> StructuralSchema | None:
    """Return the schema of ``hco.kubevirt.io/<version>`` at a release; None if it does not serve that."""
    if version not in served_versions(release):
        return None
    return _schema_since(_first_release(release, version), version)


def served_versions(release: OperatorRelease) -> tuple[str, ...]:
    """Return the API versions of HyperConverged that a release serves, the newest first."""
    return ("v1", "v1beta1") if release.serves_v1 else ("v1beta1",)


@cache
def _first_release(release: OperatorRelease, version: str) -> str:
    """Return the release whose file describes an API version at ``release``: a release may have none."""
    files = (data_folder("schemas") / _FOLDER).glob(f"*/{version}.json")
    names = {OperatorRelease.parse(file.parent.name): file.parent.name for file in files}
    return names[max(each for each in names if each <= release.known)]


@cache
def _schema_since(folder: str, version: str) -> StructuralSchema:
    path = data_folder("schemas") / _FOLDER / folder / f"{version}.json"
    return StructuralSchema(json.loads(path.read_bytes()))


def _resolved(schema: JsonObject, definitions: JsonObject) -> JsonObject:
    reference = text_at(schema, "$ref")
    return object_at(definitions, reference.removeprefix(_DEFINITIONS)) if reference else schema


def _child(schema: JsonObject, key: str, definitions: JsonObject) -> JsonObject | None:
    """Return the schema of a field; None for an unknown one."""
    child = object_at(schema, "properties").get(key, schema.get("additionalProperties"))
    return _resolved(child, definitions) if isinstance(child, dict) else None


def _without_unknown(
    value: Json, schema: JsonObject, definitions: JsonObject, at: FieldPath, fields: list[FieldPath]
) -> Json:
    """Return ``value`` as far as its schema names it; the places of the rest are added to ``fields``."""
    if isinstance(value, dict):
        kept: dict[str, Json] = {}
        for key, each in value.items():
            child = _child(schema, key, definitions)
            if child is None:
                fields.append(at.child(key))
            else:
                kept[key] = _without_unknown(each, child, definitions, at.child(key), fields)
        return kept
    if isinstance(value, list):
        items = _resolved(object_at(schema, "items"), definitions)
        return [
            _without_unknown(each, items, definitions, at.child(index), fields)
            for index, each in enumerate(value)
        ]
    return value


def _is_nullable(schema: JsonObject) -> bool:
    return "null" in array_at(schema, "type") or "type" not in schema


def _filled(value: Json, schema: JsonObject, definitions: JsonObject, *, with_defaults: bool) -> Json:
    """Return ``value`` without the nulls of fields that cannot be null, and with the defaults."""
    if isinstance(value, list):
        items = _resolved(object_at(schema, "items"), definitions)
        return [_filled(each, items, definitions, with_defaults=with_defaults) for each in value]
    if not isinstance(value, dict):
        return value
    filled: dict[str, Json] = {}
    for key, each in value.items():
        child = _child(schema, key, definitions) or EMPTY
        if each is not None or _is_nullable(child):
            filled[key] = _filled(each, child, definitions, with_defaults=with_defaults)
    for key, each in object_at(schema, "properties").items() if with_defaults else ():
        child = _resolved(object_at(each), definitions)
        if "default" in child and key not in filled:
            filled[key] = _filled(child["default"], child, definitions, with_defaults=True)
    return filled


def _problems(value: Json, schema: JsonObject, definitions: JsonObject, at: FieldPath) -> Iterator[Problem]:
    types = schema.get("type")
    names = types if isinstance(types, list) else [types]
    if types is not None and not any(_TYPES[str(name)](value) for name in names):
        yield Problem(ProblemCode.TYPE, at)
        return
    found = [*_own_problems(value, schema, at)]
    if isinstance(value, dict):
        for key, each in value.items():
            child = _child(schema, key, definitions)
            if child is not None:
                found += _problems(each, child, definitions, at.child(key))
    elif isinstance(value, list):
        items = _resolved(object_at(schema, "items"), definitions)
        for index, each in enumerate(value):
            found += _problems(each, items, definitions, at.child(index))
    yield from found
    if not found:  # a rule is not asked about a value that is invalid by itself
        for rule in array_at(schema, _RULES):
            text = text_at(rule, "rule")
            if not RULES[text].holds(value):
                yield Problem(ProblemCode.RULE, at, text)


def _repeated(value: Json, schema: JsonObject, definitions: JsonObject, at: FieldPath) -> Iterator[Repeated]:
    if isinstance(value, dict):
        for key, each in value.items():
            child = _child(schema, key, definitions)
            if child is not None:
                yield from _repeated(each, child, definitions, at.child(key))
    if not isinstance(value, list):
        return
    keys = tuple(map(str, array_at(schema, _LIST_KEYS)))
    items = _resolved(object_at(schema, "items"), definitions)
    seen: set[str] = set()
    for index, each in enumerate(value):
        place = at.child(index)
        yield from _repeated(each, items, definitions, place)
        identity = json.dumps([object_at(each).get(key) for key in keys])
        if keys and identity in seen:
            yield Repeated(place, keys)
        seen.add(identity)


def _own_problems(value: Json, schema: JsonObject, at: FieldPath) -> Iterator[Problem]:
    """Yield the problems of a value of the right type, but not of its fields and elements."""
    if "enum" in schema and value not in array_at(schema, "enum"):
        yield Problem(ProblemCode.ENUM, at)
    if isinstance(value, str):
        if not _matches(text_at(schema, "pattern"), value):
            yield Problem(ProblemCode.PATTERN, at)
        if not _is_within(len(value), schema, "minLength", "maxLength"):
            code = ProblemCode.MAX_LENGTH if value else ProblemCode.MIN_LENGTH
            yield Problem(code, at)
    elif isinstance(value, int) and not isinstance(value, bool):
        if not _is_within(value, schema, "minimum", "maximum"):
            is_low = not _is_within(value, schema, "minimum", "")
            yield Problem(ProblemCode.MINIMUM if is_low else ProblemCode.MAXIMUM, at)
    elif isinstance(value, list):
        if not _is_within(len(value), schema, "minItems", "maxItems"):
            yield Problem(ProblemCode.MAX_ITEMS, at)
    elif isinstance(value, dict):
        for name in array_at(schema, "required"):
            if name not in value:
                yield Problem(ProblemCode.REQUIRED, at.child(str(name)))


def _matches(expression: str, value: str) -> bool:
    """Return True if a text matches a pattern of RE2, whose ``$`` never matches before a last newline."""
    whole = expression[:-1] + r"\Z" if expression.endswith("$") else expression
    return re.search(whole, value) is not None


def _is_within(amount: int, schema: JsonObject, least: str, most: str) -> bool:
    low, high = schema.get(least), schema.get(most)
    return (not isinstance(low, int) or amount >= low) and (not isinstance(high, int) or amount <= high)


class Rule(Record):
    """A rule in CEL: whether a value of the right type keeps it, and what it asks for in our words."""

    holds: Callable[[Json], bool]
    message: str
    hint: str


def _has_mediated_types(value: Json) -> bool:
    names = ("mediatedDeviceTypes", "mediatedDevicesTypes")
    return any(array_at(value, name) for name in names)


def _has_whole_range(value: Json) -> bool:
    return ("rangeStart" in object_at(value)) == ("rangeEnd" in object_at(value))


def _is_ratio_positive(value: Json) -> bool:
    ratio = object_at(value).get("vmiCPUAllocationRatio", 1)
    return isinstance(ratio, int) and ratio > 0


def _is_ratio_not_one(value: Json) -> bool:
    return object_at(value).get("vmiCPUAllocationRatio") != 1


def _has_none_alone(value: Json) -> bool:
    listed = value if isinstance(value, list) else []
    return len(listed) <= 1 or "none" not in listed


def _are_gates_unique(value: Json) -> bool:
    names = [text_at(gate, "name").lower() for gate in value] if isinstance(value, list) else []
    return len(names) == len(set(names))


_Rules: TypeAlias = Mapping[str, Rule]
#: The rules of all releases, by their text. They are few and never change, so they are written out.
RULES: _Rules = {
    (
        "(has(self.mediatedDeviceTypes) && size(self.mediatedDeviceTypes)>0)"
        " || (has(self.mediatedDevicesTypes) && size(self.mediatedDevicesTypes)>0)"
    ): Rule(
        _has_mediated_types,
        "there are no mediatedDeviceTypes",
        "list at least one type, such as nvidia-222, or drop the section",
    ),
    ("(has(self.rangeStart) && has(self.rangeEnd)) || (!has(self.rangeStart) && !has(self.rangeEnd))"): Rule(
        _has_whole_range,
        "a range of MAC addresses needs both rangeStart and rangeEnd",
        "write both, or drop both",
    ),
    "!has(self.vmiCPUAllocationRatio) || self.vmiCPUAllocationRatio > 0": Rule(
        _is_ratio_positive, "vmiCPUAllocationRatio must be at least 1", "write 1 or more"
    ),
    "!has(self.vmiCPUAllocationRatio) || self.vmiCPUAllocationRatio != 1": Rule(
        _is_ratio_not_one,
        "a vmiCPUAllocationRatio of 1 cannot be combined with automatic CPU limits",
        "write 2 or more",
    ),
    "(self.size() <= 1) || !self.exists(r, (r == 'none'))": Rule(
        _has_none_alone,
        "none cannot be combined with other values",
        "drop none, or all others",
    ),
    "self.all(x, self.exists_one(y, x.name.lowerAscii() == y.name.lowerAscii()))": Rule(
        _are_gates_unique,
        "a feature gate is listed twice; upper and lower case are the same",
        "keep one of its entries",
    ),
}
