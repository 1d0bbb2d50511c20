"""The schema of one kind at one release, compiled when it is first needed.

jsonschema-rs decides, as it is fast; when it says no, jsonschema says why. Both are imported late:
a run without KubeVirt's kinds needs neither, one without errors only the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from renderer.model.field_path import FieldPath
from renderer.model.json import Json, JsonObject, text_at
from renderer.model.record import Record
from renderer.validation.schema_tree import SchemaTree

if TYPE_CHECKING:
    from jsonschema import ValidationError


class Violation(Record):
    """A value that is not as its schema has it: which keyword of which schema it breaks.

    ``content`` is all of the object that the value stands in.
    """

    field: FieldPath
    value: Json
    keyword: str
    expected: Json
    schema: JsonObject
    content: JsonObject

    @property
    def place(self) -> FieldPath:
        """What is wrong: the value of ``field``, or one of its keys."""
        is_key = text_at(self.schema, "title").endswith(" key")
        return self.field.child(str(self.value)) if is_key else self.field


class _Error(Protocol):
    """jsonschema's ``ValidationError``, as far as it is read here."""

    @property
    def absolute_path(self) -> Iterable[str | int]: ...

    instance: Json
    validator: str
    validator_value: Json
    schema: JsonObject


class _Thorough(Protocol):
    def iter_errors(self, instance: object) -> Iterator[_Error]: ...


class KindSchema:
    def __init__(self, document: JsonObject) -> None:
        self.document = document

    def is_valid(self, content: JsonObject) -> bool:
        """Whether nothing is wrong; False also for what only jsonschema can judge."""
        try:
            return self._fast(content)
        except (ValueError, TypeError):
            # jsonschema-rs takes neither lone surrogates nor keys that are no text.
            return False

    def violations(self, content: JsonObject) -> Iterator[Violation]:
        """Every violation, in no particular order."""
        for error in self._thorough.iter_errors(content):
            field = FieldPath(tuple(error.absolute_path))
            yield Violation(
                field, error.instance, error.validator, error.validator_value, error.schema, content
            )

    @cached_property
    def tree(self) -> SchemaTree:
        return SchemaTree(self.document)

    @cached_property
    def _fast(self) -> Callable[[object], bool]:
        from jsonschema_rs import Draft202012Validator  # noqa: PLC0415 - see the module's docstring

        return Draft202012Validator(dict(self.document)).is_valid

    @cached_property
    def _thorough(self) -> _Thorough:
        from jsonschema import Draft202012Validator, validators  # noqa: PLC0415 - see the module's docstring

        extended = validators.extend(  # type: ignore[no-untyped-call]  # jsonschema's stubs leave it untyped
            Draft202012Validator, {"pattern": _pattern}
        )
        thorough: _Thorough = extended(dict(self.document))
        return thorough


def _pattern(
    validator: object,  # noqa: ARG001 - jsonschema's signature
    pattern: str,
    instance: object,
    schema: object,  # noqa: ARG001 - jsonschema's signature
) -> Iterator[ValidationError]:
    """``pattern`` as ECMA 262 has it: ``$`` is the end of the text, never the place before a last newline."""
    from jsonschema import ValidationError  # noqa: PLC0415 - see the module's docstring

    whole = pattern[:-1] + r"\Z" if pattern.endswith("$") else pattern
    if isinstance(instance, str) and not re.search(whole, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")
