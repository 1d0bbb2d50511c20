"""The repository's own schemas: jsonschema-rs checks them, with patterns that need linear time.

It fetches nothing. The author of a schema is unknown, so the work that it causes is bounded in advance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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
#: Maximum bytes, about, of the failures that the engine may keep. Each has a copy of the failing value and of
#: what its schema expects, such as a long ``enum``. Beyond it, only the fact that the object is invalid is
#: reported. Otherwise, the engine would run out of memory and end the program.
MOST_COPIED = 100_000_000
#: Bytes of a value besides its characters, and failures of one value that have no choices: each keyword of a
#: schema is one.
_BYTES_PER_VALUE, _KEYWORDS = 32, 4
#: What the engine does in a step: it compares a value with this many alternatives, or this many characters of
#: a long text with the instructions of a pattern. Shorter texts take no time.
_COMPARED, _MATCHED, _LONG_TEXT = 2, 400, 256
#: Bytes that are copied in a step.
_COPIED = 400
#: Steps for any pattern, regardless of its length (``model.run.work``).
_COMPILING = 50

_CHECKING = "checking resources by schemas of the repository"

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_LOCAL = "#"
#: Keywords whose value is not a schema and contains none.
_DATA = frozenset({"const", "default", "enum", "example", "examples"})
#: Keywords with several schemas for the same value; each failing schema is reported.
_CHOICES = frozenset({"allOf", "anyOf", "dependencies", "dependentSchemas", "oneOf", "patternProperties"})
#: Keywords with names; each missing name is reported.
_NAMES = frozenset({"dependencies", "dependentRequired", "required"})
#: Keywords whose value each value is compared with.
_EXPECTED = ("const", "enum")
#: Keywords whose value has schemas by name: a field may have the name of a keyword.
_BY_NAME = frozenset(
    {
        *("$defs", "definitions", "dependencies", "dependentSchemas"),
        *("patternProperties", "properties"),
    }
)


class UnboundedError(Exception):
    """A schema that cannot be used; the message says why, in the user's words."""


class Extent(Record):
    """The size of a schema; the target of a reference counts each time it is referred to.

    ``choices`` counts what one value may be compared with: the ``steps`` of alternatives, names that may be
    missing, and the values of ``enum`` and ``const``. ``expected`` are the bytes of the largest of these.
    """

    steps: int = 0
    levels: int = 0
    choices: int = 0
    expected: int = 0


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
        self._known: dict[tuple[int, bool], Extent] = {}
        self._open: set[int] = set()

    def of(self, value: Json, *, by_name: bool = False) -> Extent:
        """Return the extent of ``value`` and everything in it; ``by_name``: it has schemas by name.

        Raises ``UnboundedError``.
        """
        if not isinstance(value, dict | list):
            return Extent()
        key = id(value), by_name
        if key in self._known:
            return self._known[key]
        if id(value) in self._open:
            raise UnboundedError("it refers to itself")
        if len(self._open) > MOST_LEVELS:
            raise UnboundedError(f"it has more than {MOST_LEVELS} levels")
        self._open.add(id(value))
        steps, levels, own, below, expected = 1, 1, 0, 0, 0
        for name, child in self._children(value, by_name=by_name):
            is_keyword = not by_name and isinstance(value, dict)
            within = self.of(child, by_name=is_keyword and name in _BY_NAME)
            steps += within.steps
            levels = max(levels, within.levels + 1)
            below, expected = max(below, within.choices), max(expected, within.expected)
            if is_keyword:
                own += within.steps if name in _CHOICES else 0
                own += _name_count(child) if name in _NAMES else 0
        if isinstance(value, dict) and not by_name:
            sizes = [_Size.of(value[name]) for name in _EXPECTED if name in value]
            own += sum(size.values for size in sizes)
            expected = max(expected, *(size.bytes for size in sizes), 0)
        self._open.remove(id(value))
        if steps > MOST_STEPS:
            raise UnboundedError(f"it has more than {MOST_STEPS} parts")
        if levels > MOST_LEVELS:
            raise UnboundedError(f"it has more than {MOST_LEVELS} levels")
        self._known[key] = Extent(steps, levels, own + below, expected)
        return self._known[key]

    def _children(self, value: Json, *, by_name: bool) -> Iterator[tuple[str, Json]]:
        if isinstance(value, list):
            yield from (("", child) for child in value)
        elif isinstance(value, dict):
            for key, child in value.items():
                if key in _REFERENCES and isinstance(child, str):
                    yield key, self._target(child)
                elif by_name or key not in _DATA:
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
        programs = [0]
        for pattern in _patterns(document):
            # jsonschema-rs compiles all of them at once, and uses up to 150 bytes for an instruction.
            programs.append(program_size(pattern))
            spend(_COMPILING + 2 * programs[-1], "compiling patterns of schemas")
        #: The instructions that a text may have to be compared with.
        self._program = sum(programs) if self._extent.choices else max(programs)
        self._engine = _engine(document)

    def is_valid(self, content: JsonObject) -> bool:
        size = _Size.of(content)
        steps = self._extent.choices * size.values // _COMPARED
        spend(steps + self._program * size.long_texts // _MATCHED, _CHECKING)
        return super().is_valid(content)

    def violations(self, content: JsonObject) -> list[Violation]:
        size = _Size.of(content)
        failures = self._extent.choices + _KEYWORDS
        copied = failures * (size.copied + size.values * self._extent.expected)
        if copied > MOST_COPIED:
            return [whole_violation(content)]
        spend(copied // _COPIED, _CHECKING)
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


class _Size(Record):
    """The size of a JSON value: all values in it, and their bytes, about.

    ``copied`` are the bytes of one copy of each value, with those in it; ``long_texts`` are the characters of
    texts that take time to match.
    """

    values: int = 0
    bytes: int = 0
    copied: int = 0
    long_texts: int = 0

    @classmethod
    def of(cls, value: Json) -> _Size:
        """Return the size of ``value``."""
        values, own, copied, long_texts = 1, _BYTES_PER_VALUE, 0, 0
        children: Iterable[Json] = ()
        texts: Iterable[str] = ()
        if isinstance(value, dict):
            children, texts = value.values(), map(str, value)
        elif isinstance(value, list):
            children = value
        elif isinstance(value, str):
            texts = (value,)
        for text in texts:
            own += len(text)
            long_texts += len(text) if len(text) > _LONG_TEXT else 0
        for child in children:
            inner = cls.of(child)
            values += inner.values
            own += inner.bytes
            copied += inner.copied
            long_texts += inner.long_texts
        return cls(values, own, copied + own, long_texts)


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
