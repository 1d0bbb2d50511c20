"""What Go's ``encoding/json`` makes of a text and a value of a type of an API.

What becomes of a field depends on its Go type: whether it is a pointer, a map or a list, and whether an empty
value is written.

A Go value is kept as a JSON tree without what is nil or was never set: a struct is a mapping from the fields
that are set, a pointer is what it points to. ``decode`` reads, ``encode`` writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from renderer.files.bundled import data_folder
from renderer.golang.duration import format_duration, parse_duration
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, array_at, object_at
from renderer.model.pattern import pattern
from renderer.model.quantity import Quantity
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum
from renderer.model.whole_number import version_numbers
from renderer.yamlio.go_numbers import json_number

_INTEGERS: Mapping[str, tuple[int, int]] = {
    "int": (-(2**63), 2**63 - 1),
    "uint": (0, 2**64 - 1),
    **{f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
}
_TIME = pattern(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,][0-9]+)?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
#: The most hours and minutes in the offset of a time zone, as ``time.Parse`` checks it.
_MOST_OFFSET_HOURS, _MOST_OFFSET_MINUTES = 24, 60


class MisfitReason(TextEnum):
    """Why a value does not fit into a Go type."""

    TYPE = "type"
    QUANTITY = "quantity"
    DURATION = "duration"
    TIME = "time"


class GoTypeError(Exception):
    """A value of a JSON text does not fit into the Go type of its field, which is ``path`` below the top.

    ``got`` is the kind of JSON value, and ``want`` the Go type in the words of Go, for the reason ``TYPE``.
    """

    def __init__(
        self,
        message: str,
        path: tuple[Segment, ...] = (),
        reason: MisfitReason = MisfitReason.TYPE,
        *,
        got: str = "",
        want: str = "",
    ) -> None:
        super().__init__(f"{FieldPath(path)} is {message}" if path else message)
        self.message = message
        self.path = path
        self.reason = reason
        self.got = got
        self.want = want

    def below(self, path: tuple[Segment, ...]) -> GoTypeError:
        """Return the error as one of a value that ``path`` leads to."""
        return GoTypeError(self.message, (*path, *self.path), self.reason, got=self.got, want=self.want)


class _Field(Record):
    """A field of a struct: its Go type, and what of it is written when it is empty."""

    name: str
    type: str
    always: bool
    omits_zero_struct: bool


class GoTypes:
    """The types of an API in one release."""

    def __init__(self, structs: Mapping[str, Mapping[str, _Field]], names: Mapping[str, str]) -> None:
        self._structs = structs
        self._names = names

    @classmethod
    def parse(cls, table: str, release: tuple[int, int]) -> GoTypes:
        """Return the types of a release, major and minor, in a table (``schemas/README.md``)."""
        structs: dict[str, dict[str, _Field]] = {}
        names: dict[str, str] = {}
        fields: dict[str, _Field] = {}
        for line in table.splitlines():
            if " = " in line:
                name, _, names[name] = line.partition(" = ")
                continue
            if not line.startswith(" "):
                fields = structs[line] = {}
                continue
            name, type_, *words = line.split()
            span = words.pop() if words and "-" in words[-1] else "-"
            if _includes(span, release):
                fields[name] = _Field(name, type_, "always" in words, "zero" in words)
        return cls(structs, names)

    def fields(self, type_: str) -> Mapping[str, str] | None:
        """Return the types of the fields of a struct, in its order; None for another type."""
        struct = self._structs.get(type_)
        return None if struct is None else {name: field.type for name, field in struct.items()}

    def underlying(self, type_: str) -> str:
        """Return what a type is that has a name of its own: ``string`` for ``core.PullPolicy``."""
        return self._names.get(type_, type_)

    def rewritten(self, type_: str, value: Json) -> Json:
        """Return a JSON value after Go has read it into ``type_`` and written it again."""
        return self.encode(type_, self.decode(type_, value))

    def decode(self, type_: str, value: Json, old: Json = None) -> Json:
        """Return the Go value after a JSON value was unmarshalled over the Go value ``old``.

        Raises ``GoTypeError`` with the first error in the order of the document.
        """
        if type_.startswith("*"):
            return None if value is None else self.decode(type_[1:], value, old)
        underlying = self.underlying(type_)
        if underlying.startswith("[]"):
            return self._decode_list(type_, value, old)
        if underlying.startswith("map[]"):
            return self._decode_map(type_, value, old)
        if underlying in self._structs:
            return self._decode_struct(type_, value, old)
        return self._decode_scalar(type_, value, old)

    def _decode_list(self, type_: str, value: Json, old: Json) -> Json:
        """Read the elements over the old ones at their positions: Go reuses the memory of the old list."""
        if value is None:
            return None
        if not isinstance(value, list):
            raise self._misfit("not a list", type_, value)
        element, before = self.underlying(type_)[2:], array_at(old)
        return [
            self._decode_at(index, element, each, before[index] if index < len(before) else None)
            for index, each in enumerate(value)
        ]

    def _decode_map(self, type_: str, value: Json, old: Json) -> Json:
        """Add the keys to the old ones. Each value is read into a new element."""
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self._misfit("not a mapping", type_, value)
        element = self.underlying(type_)[5:]
        read = {key: self._decode_at(key, element, each) for key, each in value.items()}
        return {**object_at(old), **read}

    def _decode_struct(self, type_: str, value: Json, old: Json) -> Json:
        """Set the fields in the text, whose names may differ in case; the others keep what they have."""
        if value is None:
            return old
        if not isinstance(value, dict):
            raise self._misfit("not an object", type_, value)
        decoded = dict(object_at(old))
        for key, each in value.items():
            field = self._field_named(type_, key)
            if field is not None:
                decoded[field.name] = self._decode_at(key, field.type, each, decoded.get(field.name))
        return decoded

    def _decode_at(self, segment: Segment, type_: str, value: Json, old: Json = None) -> Json:
        try:
            return self.decode(type_, value, old)
        except GoTypeError as error:
            raise error.below((segment,)) from None

    def _decode_scalar(self, type_: str, value: Json, old: Json) -> Json:
        underlying = self.underlying(type_)
        if underlying == "any":
            return value
        if underlying in _READ_THEMSELVES:
            return _READ_THEMSELVES[underlying](value, old)
        if value is None:
            return old
        if underlying in _INTEGERS:
            integer = _integer(value, underlying)
            if integer is None:
                raise self._misfit(f"not of type {underlying}", type_, value)
            return integer
        if underlying == "float":
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise self._misfit("not a number", type_, value)
            return json_number(value) if isinstance(value, float) else value
        if not isinstance(value, bool if underlying == "bool" else str):
            raise self._misfit("not a boolean" if underlying == "bool" else "not a text", type_, value)
        return value

    def _misfit(self, message: str, type_: str, value: Json) -> GoTypeError:
        return GoTypeError(message, got=_json_kind(value), want=self.in_go(type_))

    def _field_named(self, type_: str, key: str) -> _Field | None:
        """Return the field of a struct that a key of a JSON object sets: names may differ in case."""
        struct = self._structs[type_]
        found = struct.get(key)
        if found is not None:
            return found
        folded = key.casefold()
        return next((field for name, field in struct.items() if name.casefold() == folded), None)

    def in_go(self, type_: str) -> str:
        """Return a type as Go's errors write it: ``[]v1.Toleration``, ``map[string]string``."""
        for prefix, written in (("*", "*"), ("[]", "[]"), ("map[]", "map[string]")):
            if type_.startswith(prefix):
                return written + self.in_go(type_[len(prefix) :])
        package, dot, name = type_.rpartition(".")
        return f"{_PACKAGES.get(package, package)}{dot}{name}" if dot else _GO_NAMES.get(type_, type_)

    def encode(self, type_: str, value: Json) -> Json:
        """Return what Go writes of a Go value."""
        type_ = self.underlying(type_)
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
        type_ = self.underlying(field.type)
        if type_.startswith("*"):
            return value is None
        if type_ in self._structs or type_ in TYPES_WITH_METHODS:
            return field.omits_zero_struct and not value
        return not value


@lru_cache(maxsize=6)  # a project has few clusters
def go_types(table: str, release: tuple[int, int]) -> GoTypes:
    """Return the types of a release, major and minor, in ``schemas/go/<table>.txt``."""
    return GoTypes.parse(
        (data_folder("schemas") / "go" / f"{table}.txt").read_text(encoding="utf-8"), release
    )


#: The packages of types in tables, as Go's errors name them.
_PACKAGES = {"kubevirt": "v1", "core": "v1", "meta": "v1", "cdi": "v1beta1", "backup": "v1alpha1"}
_GO_NAMES = {"float": "float64", "any": "interface {}", "Quantity": "resource.Quantity"}
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


def _integer(value: Json, type_: str) -> int | None:
    """Return a value as an integer; None if it does not fit. Go writes a negative zero with its sign."""
    if isinstance(value, float) and value == 0 and not type_.startswith("u"):
        return 0
    least, most = _INTEGERS[type_]
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if least <= value <= most else None


def _json_kind(value: Json) -> str:
    """Return the kind of a JSON value in the words of Go's errors."""
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _quantity(value: Json, _old: Json) -> str:
    """Read a quantity. It reads the JSON text, in which some characters are escaped, also spaces."""
    if isinstance(value, dict | list):  # not quoted: copies of a patch may have made it large
        raise GoTypeError("not a quantity", reason=MisfitReason.QUANTITY)
    if isinstance(value, str) and any(each < " " or each in "\u2028\u2029" for each in value):
        raise GoTypeError("not a quantity", reason=MisfitReason.QUANTITY)
    try:
        return Quantity.of(value).json
    except DiagnosticError as error:
        raise GoTypeError(f"not a quantity: {error}", reason=MisfitReason.QUANTITY) from None


def _duration(value: Json, _old: Json) -> str:
    if not isinstance(value, str):
        raise GoTypeError("not a duration", got=_json_kind(value), want="string")
    nanoseconds = parse_duration(value)
    if nanoseconds is None:
        raise GoTypeError("not a duration", reason=MisfitReason.DURATION)
    return format_duration(nanoseconds)


def _time(value: Json, _old: Json) -> Json:
    """Read ``metav1.Time``: a null is the time that nothing has set."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise GoTypeError("not a text", got=_json_kind(value), want="string")
    written = _TIME.fullmatch(value)
    if written is None:
        raise GoTypeError("not a time as in RFC 3339", reason=MisfitReason.TIME)
    sign, hours, minutes = written[7], int(written[8] or 0), int(written[9] or 0)
    if hours > _MOST_OFFSET_HOURS or minutes > _MOST_OFFSET_MINUTES:
        raise GoTypeError("not a time as in RFC 3339", reason=MisfitReason.TIME)
    offset = timedelta(hours=hours, minutes=minutes) * (-1 if sign == "-" else 1)
    year, month, day, hour, minute, second = map(int, written.group(1, 2, 3, 4, 5, 6))
    try:
        read = datetime(year, month, day, hour, minute, second, tzinfo=UTC) - offset
    except (ValueError, OverflowError):
        raise GoTypeError("not a time as in RFC 3339", reason=MisfitReason.TIME) from None
    return f"{read.replace(tzinfo=None).isoformat()}Z"


def _int_or_string(value: Json, old: Json) -> Json:
    if value is None:
        return old if isinstance(old, int) else 0
    if isinstance(value, str):
        return value
    integer = _integer(value, "int32")
    if integer is None:
        raise GoTypeError("not of type int32", got=_json_kind(value), want="int32")
    return integer


#: Types with an ``UnmarshalJSON`` of their own.
_READ_THEMSELVES: Mapping[str, Callable[[Json, Json], Json]] = {
    "Quantity": _quantity,
    "Duration": _duration,
    "Time": _time,
    "IntOrString": _int_or_string,
}
#: Types that read JSON by methods of their own. They are structs, and so never empty for ``omitempty``.
TYPES_WITH_METHODS = frozenset(_READ_THEMSELVES)


def _includes(span: str, release: tuple[int, int]) -> bool:
    """Return True if a release is in ``1.12-``, ``-1.15``, ``1.12-1.14`` or ``-``, which is all."""
    first, _, last = span.partition("-")
    return (not first or release >= version_numbers(first)) and (not last or release <= version_numbers(last))
