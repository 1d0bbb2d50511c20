"""The repository's own schemas: jsonschema-rs checks them, with patterns that need linear time.

It fetches nothing. The author of a schema is unknown, so the work that it causes is bounded in advance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from renderer.checks.schemas.kind_schema import KindSchema, Violation, schema_at, whole_violation
from renderer.golang.regexp import program_size
from renderer.model.kube.field_path import FieldPath, parse_pointer
from renderer.model.kube.json import Json, JsonObject
from renderer.model.record import Record
from renderer.model.run.work import spend
from renderer.model.whole_number import whole_number

if TYPE_CHECKING:
    from typing import Any


#: Maximum number of subschemas to check one object by: far more than a CustomResourceDefinition has.
MOST_STEPS = 200_000
#: Maximum nesting depth, including the targets of references: code that follows them recurses at each level.
MOST_LEVELS = 200
#: Maximum number of failures that the engine may keep, each with a copy of the failing value; beyond it, only
#: the fact that the object is invalid is reported.
MOST_CHOICES = 1_000_000
#: Steps for any pattern, regardless of its length (``model.run.work``).
_COMPILING = 50

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_LOCAL = "#"
#: Keywords whose value is not a schema and contains none.
_DATA = frozenset({"const", "default", "enum", "example", "examples"})
#: Keywords with several schemas for the same value; each failing schema is reported.
_CHOICES = frozenset({"allOf", "anyOf", "dependencies", "dependentSchemas", "oneOf", "patternProperties"})
#: Keywords with names; each missing name is reported.
_NAMES = frozenset({"dependencies", "dependentRequired", "required"})


class UnboundedError(Exception):
    """A schema that cannot be used; the message says why, in the user's words."""


class Extent(Record):
    """The size of a schema; the target of a reference counts each time it is referred to.

    ``choices`` counts the ``steps`` that may fail for one value, and the names that may be missing.
    """

    steps: int = 0
    levels: int = 0
    choices: int = 0


def check_bounded(schema: JsonObject) -> Extent:
    """Return the extent of a schema, if the work of checking an object by it is bounded.

    Raises ``UnboundedError`` for references out of the file, for recursion and for too much work. The work
    for one object is at most the number of subschemas. The target of a ``$ref`` counts each time, so a few
    lines can multiply the work without limit.
    """
    return _Extents(schema).of(schema)


class _Extents:
    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._known: dict[int, Extent] = {}
        self._open: set[int] = set()

    def of(self, value: Json) -> Extent:
        """Return the extent of ``value`` and everything in it. Raises ``UnboundedError``."""
        if not isinstance(value, dict | list):
            return Extent()
        if id(value) in self._known:
            return self._known[id(value)]
        if id(value) in self._open:
            raise UnboundedError("it refers to itself")
        if len(self._open) > MOST_LEVELS:
            raise UnboundedError(f"it has more than {MOST_LEVELS} levels")
        self._open.add(id(value))
        steps, levels, choices = 1, 1, 0
        for key, child in self._children(value):
            within = self.of(child)
            steps += within.steps
            levels = max(levels, within.levels + 1)
            choices += within.steps if key in _CHOICES else within.choices
            choices += _name_count(child) if key in _NAMES else 0
        self._open.remove(id(value))
        if steps > MOST_STEPS:
            raise UnboundedError(f"it has more than {MOST_STEPS} parts")
        if levels > MOST_LEVELS:
            raise UnboundedError(f"it has more than {MOST_LEVELS} levels")
        self._known[id(value)] = Extent(steps, levels, choices)
        return self._known[id(value)]

    def _children(self, value: Json) -> Iterator[tuple[str, Json]]:
        if isinstance(value, list):
            yield from (("", child) for child in value)
        elif isinstance(value, dict):
            for key, child in value.items():
                if key in _REFERENCES and isinstance(child, str):
                    yield key, self._target(child)
                elif key not in _DATA:
                    yield key, child

    def _target(self, reference: str) -> Json:
        """Return the target of a reference within the file. Raises ``UnboundedError``."""
        if not reference.startswith(_LOCAL):
            raise UnboundedError(f"its $ref {reference} refers to another file")
        value: Json = self._root
        for name in parse_pointer(reference.removeprefix(_LOCAL)):
            if isinstance(value, dict) and name in value:
                value = value[name]
            elif isinstance(value, list) and name.isdecimal() and whole_number(name) < len(value):
                value = value[whole_number(name)]
            else:
                raise UnboundedError(f"its $ref {reference} refers to nothing")
        return value


def _name_count(value: Json) -> int:
    """Return the number of names in a list, or in all lists of a mapping."""
    lists = value.values() if isinstance(value, dict) else (value,)
    return sum(len(each) for each in lists if isinstance(each, list))


class UnusableSchemaError(Exception):
    """A schema that cannot be used; the message says why."""


class _Error(Protocol):
    """The part of jsonschema-rs' ``ValidationError`` that is read here."""

    @property
    def instance_path(self) -> Sequence[str | int]: ...

    @property
    def schema_path(self) -> Sequence[str | int]: ...

    @property
    def instance(self) -> Json: ...

    @property
    def kind(self) -> object: ...


class ProjectSchema(KindSchema):
    """``document`` may be of any draft. Raises ``UnusableSchemaError``."""

    _quick_checks_left = 0  # it is compiled anyway, to see if it can be used

    def __init__(self, document: JsonObject) -> None:
        super().__init__(document)
        try:
            self._extent = check_bounded(document)
        except UnboundedError as error:
            raise UnusableSchemaError(str(error)) from None
        for pattern in _patterns(document):
            # jsonschema-rs compiles all of them at once, and uses up to 150 bytes for an instruction.
            spend(_COMPILING + 2 * program_size(pattern), "compiling patterns of schemas")
        self._engine = _engine(document)

    def violations(self, content: JsonObject) -> list[Violation]:
        if self._extent.choices * _value_count(content) > MOST_CHOICES:
            return [whole_violation(content)]
        try:
            return [self._violation(error, content) for error in self._engine.iter_errors(content)]
        except (ValueError, TypeError):  # as in is_valid: the engine does not accept the object at all
            return [whole_violation(content)]

    @cached_property
    def _fast(self) -> Callable[[object], bool]:
        is_valid: Callable[[object], bool] = self._engine.is_valid
        return is_valid

    def _violation(self, error: _Error, content: JsonObject) -> Violation:
        *path, keyword = map(str, error.schema_path)
        schema = schema_at(self.document, path)
        value = error.instance
        unexpected = getattr(error.kind, "unexpected", None)
        if keyword == "additionalProperties" and isinstance(value, dict) and isinstance(unexpected, list):
            value = {name: value[name] for name in unexpected if name in value}
        field = FieldPath(tuple(error.instance_path))
        return Violation(field, value, keyword, schema.get(keyword), schema, content)


def _patterns(value: Json) -> Iterator[str]:
    """Yield every regular expression in a schema."""
    waiting = [value]
    while waiting:
        schema = waiting.pop()
        if isinstance(schema, dict):
            pattern, by_pattern = schema.get("pattern"), schema.get("patternProperties")
            if isinstance(pattern, str):
                yield pattern
            if isinstance(by_pattern, dict):
                yield from by_pattern
            waiting += schema.values()
        elif isinstance(schema, list):
            waiting += schema


def _value_count(value: Json) -> int:
    """Return the number of values in ``value``, including itself."""
    if isinstance(value, dict):
        return 1 + sum(map(_value_count, value.values()))
    return 1 + sum(map(_value_count, value)) if isinstance(value, list) else 1


def _engine(document: JsonObject) -> Any:  # noqa: ANN401 - jsonschema-rs has one class for each draft
    import jsonschema_rs  # noqa: PLC0415 - see the docstring of kind_schema

    dialect = str(document.get("$schema", ""))
    drafts = {
        "draft-04": jsonschema_rs.Draft4Validator,
        "draft-06": jsonschema_rs.Draft6Validator,
        "draft-07": jsonschema_rs.Draft7Validator,
        "2019-09": jsonschema_rs.Draft201909Validator,
    }
    found = (draft for name, draft in drafts.items() if name in dialect)
    validator = next(found, jsonschema_rs.Draft202012Validator)
    try:
        return validator(
            {key: value for key, value in document.items() if key not in ("$schema", "$id", "id")},
            pattern_options=jsonschema_rs.RegexOptions(),
            retriever=_refuse_reference,
        )
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        raise UnusableSchemaError(str(error).partition("\n")[0]) from None


def _refuse_reference(uri: str) -> dict[str, object]:
    raise ValueError(f"{uri} is not in the file")
