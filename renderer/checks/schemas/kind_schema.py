"""The schema of one kind at one release: its verdict on an object, and its fields.

jsonschema-rs decides, because it is fast; if it rejects an object, jsonschema finds the reason, unless that
is obvious. Both are imported late: a run without KubeVirt's kinds needs neither, and few errors need
jsonschema, whose import costs three times as much as click's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from renderer.checks.schemas.kubernetes_formats import KEY_FORMATS
from renderer.checks.schemas.surely_valid import is_surely_valid
from renderer.model.kube.field_path import ROOT, FieldPath, Segment, parse_pointer
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, text_at
from renderer.model.record import Record
from renderer.model.whole_number import whole_number

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema_rs import Draft202012Validator


#: The names of the fields on the path to one; ``[]`` means any element of a list, ``{}`` any key.
SchemaPlace: TypeAlias = tuple[str, ...]

#: Keywords by which several schemas apply to a field.
_COMBINING = frozenset(
    ("allOf", "anyOf", "dependentSchemas", "if", "not", "oneOf", "patternProperties", "prefixItems")
)

#: Keywords for which jsonschema only reports that a value violates them.
_PLAIN = frozenset(
    (
        "additionalProperties",
        "const",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "multipleOf",
        "pattern",
        "required",
        "type",
        "uniqueItems",
    )
)

ELEMENT = "[]"
KEY = "{}"
#: This many quick checks of a VM cost as much as loading jsonschema-rs and compiling the schema.
_MOST_QUICK_CHECKS = 18
#: The path of a value in an object: keys and indices.
_Path: TypeAlias = tuple[Segment, ...]


class SchemaTree:
    """A schema with its ``$ref`` resolved. Read-only; lookups are cached."""

    def __init__(self, document: JsonObject) -> None:
        self._document = document
        self._targets: dict[str, JsonObject] = {}

    def at(self, field: FieldPath) -> JsonObject | None:
        """Return the schema of ``field``, None if there is no such field."""
        *_, last = self.along(field)
        return last

    def along(self, field: FieldPath) -> Iterator[JsonObject | None]:
        """Return the schemas on the path to ``field``, its own last; None from the first missing one on."""
        schema: JsonObject | None = self._document
        yield schema
        for segment in field.segments:
            schema = None if schema is None else self.child(schema, segment)
            yield schema

    def places(self, name: str) -> tuple[SchemaPlace, ...]:
        """Return the places of all fields called ``name``, except for those below ``status``."""
        return self._places_by_name.get(name, ())

    def child(self, schema: JsonObject, segment: Segment) -> JsonObject | None:
        """Return the schema of a field, key or element below ``schema``; None if it names none."""
        if isinstance(segment, str):
            properties = object_at(schema, "properties")
            child = properties[segment] if segment in properties else schema.get("additionalProperties")
        else:
            child = schema.get("items")
        if isinstance(child, dict):
            return self._resolved(child)
        return EMPTY if child is True else None

    @cached_property
    def _places_by_name(self) -> dict[str, tuple[SchemaPlace, ...]]:
        found: dict[str, tuple[SchemaPlace, ...]] = {}
        for place in self._walk(self._document, ()):
            found[place[-1]] = (*found.get(place[-1], ()), place)
        return found

    def _walk(self, schema: JsonObject, place: SchemaPlace) -> Iterator[SchemaPlace]:
        for name, child in self._children(schema):
            below = (*place, name)
            if below == ("status",):
                continue
            yield below
            yield from self._walk(child, below)

    def _children(self, schema: JsonObject) -> Iterator[tuple[str, JsonObject]]:
        for name, child in object_at(schema, "properties").items():
            yield name, self._resolved(child if isinstance(child, dict) else EMPTY)
        for keyword, place in (("items", ELEMENT), ("additionalProperties", KEY)):
            child = schema.get(keyword)
            if isinstance(child, dict):
                yield place, self._resolved(child)

    def _resolved(self, schema: JsonObject) -> JsonObject:
        reference = text_at(schema, "$ref")
        if not reference:
            return schema
        if reference not in self._targets:
            target = schema_at(self._document, parse_pointer(reference))
            self._targets[reference] = self._resolved(target)  # circles are rejected when the schema is read
        return self._targets[reference]


def schema_at(document: JsonObject, path: Iterable[str]) -> JsonObject:
    """Return the subschema at a path of keys and indices, also through ``$ref``; empty if it is missing."""
    value: Json = document
    for name in path:
        if isinstance(value, list):
            value = (
                value[whole_number(name)] if name.isdecimal() and whole_number(name) < len(value) else None
            )
            continue
        value = value.get(name) if isinstance(value, dict) else None
        if name == "$ref" and isinstance(value, str):
            value = schema_at(document, parse_pointer(value))
    return value if isinstance(value, dict) else EMPTY


def schema_place(field: FieldPath) -> SchemaPlace:
    """Return the place of ``field`` in a schema, which is the same for all elements of a list."""
    return tuple(segment if isinstance(segment, str) else ELEMENT for segment in field.segments)


class Violation(Record):
    """A value that violates its schema: the keyword and the schema that it violates.

    ``content`` is the whole object that contains the value.
    """

    field: FieldPath
    value: Json
    keyword: str
    expected: Json
    schema: JsonObject
    content: JsonObject

    @property
    def place(self) -> FieldPath:
        """Return the path of the error: the value of ``field``, or one of its keys."""
        is_key = text_at(self.schema, "title") in KEY_FORMATS
        return self.field.child(str(self.value)) if is_key else self.field


def whole_violation(content: JsonObject) -> Violation:
    """Return the violation of an object for which only the fact that it is invalid is known."""
    return Violation(ROOT, content, "", None, EMPTY, content)


class _Error(Protocol):
    """The part of jsonschema's ``ValidationError`` that is read here."""

    @property
    def absolute_path(self) -> Iterable[str | int]: ...

    instance: Json
    validator: str
    validator_value: Json
    schema: JsonObject


class _Thorough(Protocol):
    def evolve(self, *, schema: JsonObject) -> _Thorough: ...

    def iter_errors(self, instance: object) -> Iterator[_Error]: ...


class KindSchema:
    """The schema of one kind: it checks objects, and finds violations. It is compiled once that pays."""

    #: The number of objects that still get the quick check, before the schema is compiled.
    _quick_checks_left = _MOST_QUICK_CHECKS

    def __init__(self, document: JsonObject) -> None:
        self.document = document

    def expect(self, objects: int) -> None:
        """Compile the schema at once if the number of objects to check makes that worthwhile."""
        if objects > _MOST_QUICK_CHECKS:
            self._quick_checks_left = 0

    def is_valid(self, content: JsonObject) -> bool:
        """Return True if nothing is wrong; False also if only jsonschema can check the content."""
        if self._quick_checks_left > 0:  # threads may count at the same time
            self._quick_checks_left -= 1
            if is_surely_valid(content, self.document, object_at(self.document, "$defs")):
                return True
        try:
            return self._fast(content)
        except (ValueError, TypeError):
            # jsonschema-rs accepts neither lone surrogates nor keys that are not strings.
            return False

    def violations(self, content: JsonObject) -> list[Violation]:
        """Return every violation; violations of one value are in the order of the keywords in its schema."""
        try:
            errors = [
                (tuple(error.instance_path), "".join(map(str, error.schema_path[-1:])))
                for error in self._validator.iter_errors(content)
            ]
        except (ValueError, TypeError):  # as in ``is_valid``
            return list(self.violations_by_jsonschema(content, ())) or [whole_violation(content)]
        plain = [self._plain_violation(content, *error) for error in errors]
        found = [violation for violation in plain if violation is not None]
        if found and len(found) == len(plain):
            return sorted(found, key=lambda violation: list(violation.schema).index(violation.keyword))
        thorough = list(self.violations_by_jsonschema(content, {path for path, _ in errors}))
        return thorough or ([whole_violation(content)] if errors else [])

    def _plain_violation(self, content: JsonObject, path: _Path, keyword: str) -> Violation | None:
        """Return jsonschema's error about the value at ``path``; None if only jsonschema can determine it."""
        schemas = list(self.tree.along(FieldPath(path)))
        schema = schemas[-1]
        if keyword not in _PLAIN or schema is None or keyword not in schema:
            return None
        if any(above is None or not _COMBINING.isdisjoint(above) for above in schemas):
            return None
        value = _value_at(content, path)
        return Violation(FieldPath(path), value, keyword, schema[keyword], schema, content)

    def violations_by_jsonschema(self, content: JsonObject, places: Collection[_Path]) -> Iterator[Violation]:
        """Yield every violation that jsonschema finds in ``places``, in no particular order."""
        for path, schema, value in self._wrong_parts(content, places):
            # ``evolve`` uses the validator that ``$schema`` names, without our pattern: the root has one.
            thorough = self._thorough.evolve(schema=schema) if path else self._thorough
            for error in thorough.iter_errors(value):
                field = FieldPath((*path, *error.absolute_path))
                yield Violation(
                    field, error.instance, error.validator, error.validator_value, error.schema, content
                )

    def _wrong_parts(
        self, content: JsonObject, places: Collection[_Path]
    ) -> list[tuple[_Path, JsonObject, Json]]:
        """Return the parts that jsonschema has to check: path, schema and value.

        jsonschema is a hundred times slower than jsonschema-rs, which finds invalid ``places``. The whole
        object is checked if a part is not governed by its field's schema alone, or if jsonschema-rs cannot
        check the object.
        """
        whole: list[tuple[_Path, JsonObject, Json]] = [((), dict(self.document), content)]
        parts: list[tuple[_Path, JsonObject, Json]] = []
        for path in sorted(places, key=len):
            if any(path[:length] in places for length in range(len(path))):
                continue  # it is part of another one
            *above, last = self.tree.along(FieldPath(path))
            if last is None or any(schema is None or not _COMBINING.isdisjoint(schema) for schema in above):
                return whole
            parts.append((path, last, _value_at(content, path)))
        return parts or whole

    @cached_property
    def tree(self) -> SchemaTree:
        return SchemaTree(self.document)

    @cached_property
    def _fast(self) -> Callable[[object], bool]:
        return self._validator.is_valid

    @cached_property
    def _validator(self) -> Draft202012Validator:
        from jsonschema_rs import Draft202012Validator  # noqa: PLC0415 - see the module's docstring

        return Draft202012Validator(dict(self.document))

    @cached_property
    def _thorough(self) -> _Thorough:
        from jsonschema import Draft202012Validator, validators  # noqa: PLC0415 - see the module's docstring

        extended = validators.extend(  # type: ignore[no-untyped-call]  # jsonschema's stubs leave it untyped
            Draft202012Validator, {"pattern": _pattern}
        )
        thorough: _Thorough = extended(dict(self.document))
        return thorough


def _value_at(content: Any, path: _Path) -> Any:  # noqa: ANN401 - any part of a document
    for segment in path:
        content = content[segment]
    return content


def _pattern(
    validator: object,  # noqa: ARG001 - jsonschema's signature
    pattern: str,
    instance: object,
    schema: object,  # noqa: ARG001 - jsonschema's signature
) -> Iterator[ValidationError]:
    """Check ``pattern`` with a ``$`` at its end as in ECMA 262: it never matches before a last newline.

    The bundled schemas have no other ``$``.
    """
    from jsonschema import ValidationError  # noqa: PLC0415 - see the module's docstring

    whole = pattern[:-1] + r"\Z" if pattern.endswith("$") and not pattern.endswith(r"\$") else pattern
    if isinstance(instance, str) and not re.search(whole, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")
