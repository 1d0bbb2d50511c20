"""What Go's ``encoding/json`` makes of a text and a value of one of the operator's API types.

The operator marshals an object, patches the text and unmarshals it over the same object. So what becomes of a
field depends on its Go type: whether it is a pointer, a map or a list, and whether an empty value is written.

A Go value is kept as a JSON tree without what is nil or was never set: a struct is a mapping from the fields
that are set, a pointer is what it points to. ``decode`` reads, ``encode`` writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from renderer.golang.duration import format_duration, parse_duration
from renderer.kubevirt.hyperconverged.go_types_table import TYPES
from renderer.kubevirt.hyperconverged.release import OperatorRelease
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, array_at, object_at
from renderer.model.quantity import Quantity
from renderer.model.record import Record
from renderer.yamlio.go_numbers import json_number

_INTEGERS: Mapping[str, tuple[int, int]] = {
    "int": (-(2**63), 2**63 - 1),
    "uint": (0, 2**64 - 1),
    **{f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
}


class GoTypeError(Exception):
    """A value of a JSON text does not fit into the Go type of its field, which is ``path`` below the top."""

    def __init__(self, message: str, path: tuple[Segment, ...] = ()) -> None:
        super().__init__(f"{FieldPath(path)} is {message}" if path else message)
        self.message = message
        self.path = path


class _Field(Record):
    """A field of a struct: its Go type, and what of it is written when it is empty."""

    name: str
    type: str
    always: bool
    omits_zero_struct: bool


class GoTypes:
    """The API types in one release of the operator."""

    def __init__(self, structs: Mapping[str, Mapping[str, _Field]]) -> None:
        self._structs = structs

    @classmethod
    def of(cls, release: OperatorRelease) -> GoTypes:
        """Return the types that a release was built with."""
        return _types(release.known)

    @classmethod
    def parse(cls, table: str, release: OperatorRelease) -> GoTypes:
        """Return the types of a release in a table like ``go_types_table``."""
        structs: dict[str, dict[str, _Field]] = {}
        fields: dict[str, _Field] = {}
        for line in table.splitlines():
            if not line.startswith(" "):
                fields = structs[line] = {}
                continue
            name, type_, *words = line.split()
            span = words.pop() if words and "-" in words[-1] else "-"
            if _includes(span, release):
                fields[name] = _Field(name, type_, "always" in words, "zero" in words)
        return cls(structs)

    def rewritten(self, type_: str, value: Json) -> Json:
        """Return a JSON value after Go has read it into ``type_`` and written it again."""
        return self.encode(type_, self.decode(type_, value))

    def decode(self, type_: str, value: Json, old: Json = None) -> Json:
        """Return the Go value after a JSON value was unmarshalled over the Go value ``old``.

        Raises ``GoTypeError`` if Go reports an error.
        """
        if type_.startswith("*"):
            return None if value is None else self.decode(type_[1:], value, old)
        if type_.startswith("[]"):
            return self._decode_list(type_[2:], value, old)
        if type_.startswith("map[]"):
            return self._decode_map(type_[5:], value, old)
        if type_ in self._structs:
            return self._decode_struct(type_, value, old)
        return _decode_scalar(type_, value, old)

    def _decode_list(self, element: str, value: Json, old: Json) -> Json:
        """Read the elements over the old ones at their positions: Go reuses the memory of the old list."""
        if value is None:
            return None
        if not isinstance(value, list):
            raise GoTypeError("not a list")
        before = array_at(old)
        return [
            self._decode_at(index, element, each, before[index] if index < len(before) else None)
            for index, each in enumerate(value)
        ]

    def _decode_map(self, element: str, value: Json, old: Json) -> Json:
        """Add the keys to the old ones. Each value is read into a new element."""
        if value is None:
            return None
        if not isinstance(value, dict):
            raise GoTypeError("not a mapping")
        read = {key: self._decode_at(key, element, each) for key, each in value.items()}
        return {**object_at(old), **read}

    def _decode_struct(self, type_: str, value: Json, old: Json) -> Json:
        """Set the fields in the text, whose names may differ in case; the others keep what they have."""
        if value is None:
            return old
        if not isinstance(value, dict):
            raise GoTypeError("not an object")
        fields = self._structs[type_]
        decoded = dict(object_at(old))
        for key, each in value.items():
            field = fields.get(key) or next(
                (field for name, field in fields.items() if name.casefold() == key.casefold()), None
            )
            if field is not None:
                decoded[field.name] = self._decode_at(key, field.type, each, decoded.get(field.name))
        return decoded

    def _decode_at(self, segment: Segment, type_: str, value: Json, old: Json = None) -> Json:
        try:
            return self.decode(type_, value, old)
        except GoTypeError as error:
            raise GoTypeError(error.message, (segment, *error.path)) from None

    def encode(self, type_: str, value: Json) -> Json:
        """Return what Go writes of a Go value."""
        if type_.startswith("*"):
            return None if value is None else self.encode(type_[1:], value)
        if type_.startswith("[]"):
            return None if value is None else [self.encode(type_[2:], each) for each in array_at(value)]
        if type_.startswith("map[]"):
            if value is None:
                return None
            return {key: self.encode(type_[5:], each) for key, each in object_at(value).items()}
        if type_ in self._structs:
            return self._encode_struct(type_, object_at(value))
        return _ZERO.get(type_) if value is None else value

    def _encode_struct(self, type_: str, value: JsonObject) -> JsonObject:
        written = {}
        for field in self._structs[type_].values():
            set_to = value.get(field.name)
            if field.always or not self._is_omitted(field, set_to):
                written[field.name] = self.encode(field.type, set_to)
        return written

    def _is_omitted(self, field: _Field, value: Json) -> bool:
        if field.type.startswith("*"):
            return value is None
        if field.type in self._structs or field.type in _STRUCT_LIKE:
            return field.omits_zero_struct and not value
        return not value


#: What Go writes for a value of these types that nothing has set.
_ZERO: Mapping[str, Json] = {
    "string": "",
    "bool": False,
    "float": 0,
    "Quantity": "0",
    "Duration": "0s",
    "IntOrString": 0,
    **dict.fromkeys(_INTEGERS, 0),
}
#: Types with methods of their own that are structs, and so never empty for ``omitempty``.
_STRUCT_LIKE = frozenset({"Quantity", "Duration", "Time", "IntOrString"})


def _decode_scalar(type_: str, value: Json, old: Json) -> Json:
    if type_ == "any":
        return value
    if type_ == "Quantity":
        return _quantity(value)
    if type_ == "Duration":
        return _duration(value)
    if value is None:
        return old
    if type_ == "IntOrString" and not isinstance(value, str):
        type_ = "int32"
    if type_ in _INTEGERS:
        least, most = _INTEGERS[type_]
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise GoTypeError(f"not of type {type_}")
        return value
    if type_ == "float":
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise GoTypeError("not a number")
        return json_number(value) if isinstance(value, float) else value
    if not isinstance(value, bool if type_ == "bool" else str):
        raise GoTypeError("not a boolean" if type_ == "bool" else "not a text")
    return value


def _quantity(value: Json) -> str:
    if isinstance(value, dict | list):  # not quoted: copies of a patch may have made it large
        raise GoTypeError("not a quantity")
    try:
        return Quantity.of(value).canonical
    except DiagnosticError as error:
        raise GoTypeError(f"not a quantity: {error}") from None


def _duration(value: Json) -> str:
    nanoseconds = parse_duration(value) if isinstance(value, str) else None
    if nanoseconds is None:
        raise GoTypeError("not a duration")
    return format_duration(nanoseconds)


@lru_cache(maxsize=4)  # a project has few clusters
def _types(release: OperatorRelease) -> GoTypes:
    return GoTypes.parse(TYPES, release)


def _includes(span: str, release: OperatorRelease) -> bool:
    """Return True if a release is in ``1.12-``, ``-1.15``, ``1.12-1.14`` or ``-``, which is all."""
    first, _, last = span.partition("-")
    return (not first or release >= OperatorRelease.parse(first)) and (
        not last or release <= OperatorRelease.parse(last)
    )
