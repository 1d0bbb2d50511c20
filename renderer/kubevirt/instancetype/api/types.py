"""The JSON that Go's types accept, and which values of each type are equivalent.

Kubernetes decodes with ``sigs.k8s.io/json``: names are case-sensitive, null means absent, and a value of
another type is an error. An unknown field is dropped; in strict decoding it is an error. Where an operator
reads with ``encoding/json``, none of this is so: ``golang/go_types.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NoReturn, Protocol

from renderer.model.diagnostic import DiagnosticError
from renderer.model.fields import describe_value
from renderer.model.kube.field_path import ROOT, FieldPath, Segment
from renderer.model.kube.json import EMPTY, Json, JsonObject
from renderer.model.quantity import Quantity
from renderer.model.record import Record
from renderer.model.release import LATEST, Release
from renderer.model.text_enum import TextEnum


class DecodeError(Exception):
    """A value does not have the type of its field; ``field`` is relative to the decoded value."""

    def __init__(self, reason: str, field: FieldPath) -> None:
        super().__init__(f"{field} {reason}" if field.segments else reason)
        self.reason = reason
        self.field = field

    def below(self, segment: Segment) -> DecodeError:
        return DecodeError(self.reason, FieldPath((segment, *self.field.segments)))


class Decoding(Record):
    """The rules of decoding: whether unknown fields are errors, and which release's fields are known.

    If Go ``rewrites_quantities``, it encodes 1024Mi as 1Gi. For calculations quantities stay unchanged,
    because the suffix decides how a result is written.
    """

    strict: bool = False
    rewrites_quantities: bool = False
    release: Release = LATEST


class GoType(Protocol):
    """The type of a field."""

    def decode(self, value: Json, decoding: Decoding) -> Json:
        """Return the value without the parts that Go would drop. Raises ``DecodeError``."""

    def normal(self, value: Json) -> Json:
        """Return a decoded value in normal form: equivalent values become equal (``equality.Semantic``).

        The normal form of an absent field is None, too.
        """


class _Kind(TextEnum):
    STRING = "string"
    BOOL = "bool"
    INTEGER = "integer"
    QUANTITY = "quantity"


class Scalar(Record):
    """``string``, ``bool``, an integer type or ``resource.Quantity``.

    In a ``pointer`` the zero value is a value; otherwise it equals a missing one. ``always_encoded`` fields
    have no ``omitempty``: they have a value even if none is set.
    """

    kind: _Kind
    expected: str
    zero: Json
    minimum: int = 0
    maximum: int = 0
    pointer: bool = False
    always_encoded: bool = False

    def omits(self, value: Json) -> bool:
        """Return True if Go omits a field with this value."""
        return value == self.zero and not self.pointer and not self.always_encoded

    def decode(self, value: Json, decoding: Decoding) -> Json:
        if self.kind is _Kind.QUANTITY:
            try:
                quantity = Quantity.of(value)
            except DiagnosticError:
                self._reject(value)
            return quantity.json if decoding.rewrites_quantities else value
        if self.kind is _Kind.INTEGER:
            if not isinstance(value, int) or isinstance(value, bool):
                self._reject(value)
            if not self.minimum <= value <= self.maximum:
                raise DecodeError(f"must be from {self.minimum} to {self.maximum}, not {value}", FieldPath())
        elif not isinstance(value, str if self.kind is _Kind.STRING else bool):
            self._reject(value)
        return value

    def _reject(self, value: Json) -> NoReturn:
        raise DecodeError(f"must be {self.expected}, not {describe_value(value)}", FieldPath())

    def normal(self, value: Json) -> Json:
        if self.kind is _Kind.QUANTITY and value is not None:
            quantity = Quantity.of(value)
            value = _normal_amount(quantity) if quantity.sign else 0
        return None if value == self.zero and not self.pointer else value


class Struct(Record):
    """A mapping with known fields.

    ``later`` are the fields that KubeVirt 1.0 did not have. A ``value`` is a struct without a pointer: an
    empty one equals a missing one, and it is present even if none was written.
    """

    fields: Mapping[str, GoType]
    later: Mapping[str, Release] = EMPTY
    value: bool = False

    def decode(self, value: Json, decoding: Decoding) -> Json:
        if not isinstance(value, dict):
            raise DecodeError(f"must be a mapping, not {describe_value(value)}", FieldPath())
        fields = ((key, self._decode_field(key, value[key], decoding)) for key in value)
        decoded = {key: below for key, below in fields if below is not None}
        missing = {key: zero for key, zero in _encoded_zeros(self).items() if key not in decoded}
        return {**missing, **decoded} if missing else decoded

    def _decode_field(self, key: str, value: Json, decoding: Decoding) -> Json:
        field_type = self.fields.get(key)
        if field_type is None or (key in self.later and self.later[key] > decoding.release):
            if decoding.strict:
                raise DecodeError("is unknown", FieldPath.of(key))
            return None
        if value is None:
            return None
        try:
            decoded = field_type.decode(value, decoding)
        except DecodeError as error:
            raise error.below(key) from None
        return None if isinstance(field_type, Scalar) and field_type.omits(decoded) else decoded

    def normal(self, value: Json) -> Json:
        if not isinstance(value, dict):
            return None
        below = {key: self.fields[key].normal(value[key]) for key in value if key in self.fields}
        kept = {key: child for key, child in below.items() if child is not None}
        return None if self.value and not kept else kept


class ListOf(Record):
    """A slice; an empty one equals a missing one."""

    element: GoType

    def decode(self, value: Json, decoding: Decoding) -> Json:
        if not isinstance(value, list):
            raise DecodeError(f"must be a list, not {describe_value(value)}", FieldPath())
        decoded: list[Json] = []
        for index, element in enumerate(value):
            try:
                decoded.append(self.element.decode({} if element is None else element, decoding))
            except DecodeError as error:
                raise error.below(index) from None
        return decoded

    def normal(self, value: Json) -> Json:
        return (
            [self.element.normal(element) for element in value] if isinstance(value, list) and value else None
        )


class StringMap:
    """``map[string]string``; an empty one equals a missing one."""

    def decode(self, value: Json, decoding: Decoding) -> Json:
        if not isinstance(value, dict):
            raise DecodeError(f"must be a mapping, not {describe_value(value)}", FieldPath())
        decoded: dict[str, Json] = {}
        for key, child in value.items():
            try:
                decoded[key] = "" if child is None else STRING.decode(child, decoding)
            except DecodeError as error:
                raise error.below(key) from None
        return decoded

    def normal(self, value: Json) -> Json:
        return value or None


STRING = Scalar(_Kind.STRING, "text", "")
BOOL = Scalar(_Kind.BOOL, "true or false", zero=False)
UINT32 = Scalar(_Kind.INTEGER, "a whole number", 0, 0, 2**32 - 1)
UINT = Scalar(_Kind.INTEGER, "a whole number", 0, 0, 2**64 - 1)
INT64 = Scalar(_Kind.INTEGER, "a whole number", 0, -(2**63), 2**63 - 1)
QUANTITY = Scalar(_Kind.QUANTITY, "a quantity", "0")
EMPTY_STRUCT = Struct({})
STRING_MAP = StringMap()


def _normal_amount(quantity: Quantity) -> str:
    """Return a text that is equal for equal amounts: 4Gi and 4294967296 (``Quantity.Cmp``)."""
    all_digits = str(quantity.digits)
    digits = all_digits.rstrip("0")
    return f"{digits}e{quantity.scale + len(all_digits) - len(digits)}"


def later_fields(
    field_type: GoType, value: Json, release: Release, at: FieldPath = ROOT
) -> Iterator[tuple[FieldPath, Release]]:
    """Yield the fields of ``value`` that ``release`` does not know yet, each with the first that does."""
    if isinstance(field_type, ListOf) and isinstance(value, list):
        for index, element in enumerate(value):
            yield from later_fields(field_type.element, element, release, at.child(index))
    if isinstance(field_type, Struct) and isinstance(value, dict):
        for key in value:
            if key not in field_type.fields:
                continue
            since = field_type.later.get(key, release)
            if since > release:
                yield at.child(key), since
            else:
                yield from later_fields(field_type.fields[key], value[key], release, at.child(key))


def pointer(scalar: Scalar) -> Scalar:
    """Return the scalar as a pointer."""
    return scalar._replace(pointer=True)


def always_encoded(scalar: Scalar) -> Scalar:
    """Return the scalar for a field without ``omitempty``."""
    return scalar._replace(always_encoded=True)


def _encoded_zeros(struct: Struct) -> JsonObject:
    """Return the fields that Go writes for a struct without any field set."""
    zeros: dict[str, Json] = {}
    for key, field_type in struct.fields.items():
        if isinstance(field_type, Scalar) and field_type.always_encoded:
            zeros[key] = field_type.zero
        elif isinstance(field_type, Struct) and field_type.value:
            zeros[key] = _encoded_zeros(field_type)
    return zeros
