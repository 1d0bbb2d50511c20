"""A schema of the repository's own: one engine, whose patterns take linear time and which fetches nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from renderer.model.field_path import ROOT, FieldPath
from renderer.model.json import EMPTY, Json, JsonObject
from renderer.validation.bounded import UnboundedError, check_bounded
from renderer.validation.kind_schema import KindSchema, Violation

if TYPE_CHECKING:
    from typing import Any


#: Failures that the engine may keep, each with a copy of the value that fails; beyond, all that is told
#: is that the object is wrong.
MOST_CHOICES = 1_000_000


class UnusableError(Exception):
    """A schema that cannot be used; the message says why."""


class _Error(Protocol):
    """jsonschema-rs' ``ValidationError``, as far as it is read here."""

    @property
    def instance_path(self) -> Sequence[str | int]: ...

    @property
    def schema_path(self) -> Sequence[str | int]: ...

    @property
    def instance(self) -> Json: ...

    @property
    def kind(self) -> object: ...


class UserSchema(KindSchema):
    """``document`` may be of any draft. Raises ``UnusableError``."""

    def __init__(self, document: JsonObject) -> None:
        super().__init__(document)
        try:
            self._extent = check_bounded(document)
        except UnboundedError as error:
            raise UnusableError(str(error)) from None
        self._engine = _engine(document)

    def violations(self, content: JsonObject) -> Iterator[Violation]:
        whole = Violation(ROOT, content, "", None, EMPTY, content)
        if self._extent.choices * _count(content) > MOST_CHOICES:
            yield whole
            return
        try:
            errors = tuple(self._engine.iter_errors(content))
        except (ValueError, TypeError):  # as in is_valid: the engine does not take the object at all
            yield whole
            return
        for error in errors:
            yield self._violation(error, content)

    @cached_property
    def _fast(self) -> Callable[[object], bool]:
        is_valid: Callable[[object], bool] = self._engine.is_valid
        return is_valid

    def _violation(self, error: _Error, content: JsonObject) -> Violation:
        *way, keyword = map(str, error.schema_path)
        schema = self._schema_at(way)
        value = error.instance
        unexpected = getattr(error.kind, "unexpected", None)
        if keyword == "additionalProperties" and isinstance(value, dict) and isinstance(unexpected, list):
            value = {name: value[name] for name in unexpected if name in value}
        field = FieldPath(tuple(error.instance_path))
        return Violation(field, value, keyword, schema.get(keyword), schema, content)

    def _schema_at(self, way: Iterable[str]) -> JsonObject:
        """The subschema that the path leads to, which may go through references."""
        value: Json = self.document
        for name in way:
            value = _step(value, name)
        return value if isinstance(value, dict) else EMPTY


def _count(value: Json) -> int:
    """How many values there are in it, itself among them."""
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_count, children))


def _step(value: Json, name: str) -> Json:
    if isinstance(value, list):
        return value[int(name)] if name.isdecimal() and int(name) < len(value) else None
    return value.get(name) if isinstance(value, dict) else None


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
            retriever=_refuse,
        )
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        raise UnusableError(str(error).partition("\n")[0]) from None


def _refuse(uri: str) -> dict[str, object]:
    raise ValueError(f"{uri} is not in the file")
