"""Kubernetes quantities (``k8s.io/apimachinery/pkg/api/resource``), in exact integer arithmetic.

A number is ``digits * 10 ** scale``. Follows ``quantity.go`` (``ParseQuantity``, ``CanonicalizeBytes``),
``amount.go``, ``suffix.go``, ``math.go`` and ``scale_int.go``.
"""

from __future__ import annotations

from functools import lru_cache

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import Json
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum

__all__ = ["INT64_MAX", "INT64_MIN", "Quantity", "QuantityFormat"]

#: Suffix to power of ten.
DECIMAL_SUFFIXES = {"": 0, "n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
#: Suffix to power of two.
BINARY_SUFFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX_OF = {power: suffix for suffix, power in DECIMAL_SUFFIXES.items()}
_BINARY_SUFFIX_OF = {power: suffix for suffix, power in BINARY_SUFFIXES.items()}
_KIBI = 1024
_MAX_SCALE_OF_BINARY = 18  # of 2**63, the upper bound of binary quantities
INT64_MAX = (1 << 63) - 1
INT64_MIN = -INT64_MAX - 1
_INT64_RANGE = 1 << 64
_MAX_INT64_SCALE = 18
#: Multiples of this power of ten are multiples of 2 ** 64.
_VANISHING_SCALE = 64
#: Powers of ten by which Kubernetes multiplies in one step, returning the wrapped result.
_WRAPPING_SCALES = frozenset({1, 2, 3, 6, 9})
#: The power of ten of the smallest part of a quantity.
NANO = -9
#: Possessive matching: otherwise thousands of digits would be split among the groups in every way.
_SUFFIX_LETTERS = "eEinumkKMGTP"
_SYNTAX = pattern(r"([+-]?)(0*+)([0-9]*+)(?:\.([0-9]*+))?([eEinumkKMGTP]*+[+-]?[0-9]*+)")
_EXPONENT = pattern(r"[eE]([+-]?[0-9]{1,19})")
#: Python converts at most some 4300 digits.
_MAX_LENGTH = 4000
_MAX_INT64_DIGITS = 18
#: The maximum length of an invalid value that a message quotes.
_LONGEST_QUOTE = 80
#: Between these Go writes a float without an exponent.
_SMALLEST_PLAIN_FLOAT, _LARGEST_PLAIN_FLOAT = 1e-6, 1e21


class QuantityFormat(TextEnum):
    """The kind of suffix that a quantity was written with, and will be written with again."""

    DECIMAL_SI = "DecimalSI"
    BINARY_SI = "BinarySI"
    DECIMAL_EXPONENT = "DecimalExponent"


_DECIMAL_SI, _BINARY_SI = QuantityFormat.DECIMAL_SI, QuantityFormat.BINARY_SI


def canonical_text(digits: int, scale: int, form: QuantityFormat) -> str:
    """Return the number with the largest suffix that needs no fraction: ``1536Mi``, ``1500m``, ``12e6``."""
    if not digits:
        return "0"
    if form is QuantityFormat.BINARY_SI:
        whole = _whole_number(digits, scale)
        if whole is not None and abs(whole) >= _KIBI:
            power = 0
            while whole % _KIBI == 0:
                whole //= _KIBI
                power += 10
            return f"{whole}{_BINARY_SUFFIX_OF.get(power, '')}"
        form = QuantityFormat.DECIMAL_SI
    return _decimal_text(digits, scale, form)


def _whole_number(digits: int, scale: int) -> int | None:
    """Return the number as an integer; None for a fraction or a number too large for a binary quantity."""
    if scale >= 0:
        return digits * 10**scale if scale <= _MAX_SCALE_OF_BINARY else None
    whole, fraction = divmod(digits, 10**-scale)
    return None if fraction else whole


def _decimal_text(digits: int, scale: int, form: QuantityFormat) -> str:
    while digits % 10 == 0:
        digits //= 10
        scale += 1
    surplus = scale % 3
    digits *= 10**surplus
    scale -= surplus
    if form is QuantityFormat.DECIMAL_EXPONENT:
        return f"{digits}e{scale}" if scale else str(digits)
    # Kubernetes omits the suffix if there is none for the power: 1000E becomes 1.
    return f"{digits}{_DECIMAL_SUFFIX_OF.get(scale, '')}"


def value_of_int64(digits: int, scale: int, unit: int) -> int:
    """Return an amount with int64 digits in units of ``10**unit`` (``AsScaledInt64``).

    It is rounded away from zero; an amount outside the int64 range wraps around or is 0.
    """
    shift = scale - unit
    if shift < 0:
        return _divided_away_from_zero(digits, 10**-shift)
    if shift > _MAX_INT64_SCALE:
        return 0
    value: int = digits * 10**shift
    if abs(value) <= INT64_MAX:
        return value
    return _wrap_int64(value) if shift in _WRAPPING_SCALES else 0


def value_of_dec(digits: int, scale: int, unit: int) -> int:
    """Return an amount stored as ``inf.Dec`` in units of ``10**unit`` (``scaledValue``).

    A remainder adds one; an amount outside the int64 range wraps around.
    """
    if not digits:
        return 0
    if not scale and abs(digits) == INT64_MAX:  # capped, so not in nanos like all others
        return _wrap_int64(digits * 10**-unit)
    if scale > _VANISHING_SCALE:
        return 0
    nanos: int = digits * 10 ** (scale - NANO)
    divisor: int = 10 ** (unit - NANO)
    if nanos >= INT64_MAX:
        return _wrap_int64(-(-nanos // divisor))
    nanos = _wrap_int64(nanos)
    towards_zero = nanos // divisor if nanos > 0 else -(-nanos // divisor)
    return towards_zero + (nanos % divisor != 0)


def _wrap_int64(value: int) -> int:
    """Return ``value`` wrapped around to the range of an int64."""
    return (value + INT64_MAX + 1) % _INT64_RANGE - INT64_MAX - 1


def _divided_away_from_zero(value: int, divisor: int) -> int:
    return -(-value // divisor) if value > 0 else value // divisor


class ParsedQuantity(Record):
    """The fields of a ``Quantity``."""

    digits: int
    scale: int
    form: QuantityFormat
    unbounded: bool
    text: str


class _Number(Record):
    """The number before the suffix, without leading zeros: ``whole`` is ``0`` if nothing remains."""

    negative: bool
    whole: str
    fraction: str
    has_digits: bool

    @property
    def digits(self) -> int:
        digits = int(self.whole + self.fraction)
        return -digits if self.negative else digits


def parse_quantity(text: str) -> ParsedQuantity:
    """Return the number, its format and, if Kubernetes keeps it, the text. Raises ``DiagnosticError``."""
    digits = text.rstrip(_SUFFIX_LETTERS)
    if digits.isascii() and digits.isdigit() and len(text) <= _MAX_LENGTH:  # avoids compiling the pattern
        number, suffix = _Number(False, digits.lstrip("0") or "0", "", True), text[len(digits) :]  # noqa: FBT003 - no sign, digits
    else:
        match = _SYNTAX.fullmatch(text) if 0 < len(text) <= _MAX_LENGTH else None
        if match is None:
            raise invalid_quantity(text)
        sign, zeros, whole, fraction, suffix = match.groups("")
        number = _Number(sign == "-", whole or "0", fraction, bool(zeros or whole or fraction))
    power = BINARY_SUFFIXES.get(suffix)
    if power is not None:
        return _parse_binary(number, power, text)
    scale = DECIMAL_SUFFIXES.get(suffix)
    if scale is not None:
        return _parse_decimal(number, scale, _DECIMAL_SI, text)
    return _parse_decimal(number, _int32_exponent(suffix, text), QuantityFormat.DECIMAL_EXPONENT, text)


def invalid_quantity(value: Json) -> DiagnosticError:
    """Return the error for a value that is not a quantity."""
    written = f'"{value}"' if isinstance(value, str) else repr(value)
    if len(written) > _LONGEST_QUOTE:
        written = f"{written[: _LONGEST_QUOTE - 3]}..."
    return Diagnostic(
        Code.QUANTITY_INVALID,
        f"{written} is not a quantity",
        hint="write a number and a suffix, as in 500m, 2, 1.5Gi or 4G",
    ).error()


def _int32_exponent(suffix: str, text: str) -> int:
    match = _EXPONENT.fullmatch(suffix)
    exponent = int(match[1]) if match else INT64_MAX + 1
    if not -INT64_MAX <= exponent <= INT64_MAX:
        raise invalid_quantity(text)
    return (exponent + (1 << 31)) % (1 << 32) - (1 << 31)  # Go converts the exponent to an int32


def _parse_decimal(number: _Number, exponent: int, form: QuantityFormat, text: str) -> ParsedQuantity:
    digits, scale = number.digits, exponent - len(number.fraction)
    written = number.whole + number.fraction
    if len(written) <= _MAX_INT64_DIGITS and scale >= NANO:
        kept = scale % 3 == 0 and written[0] != "0" and not written.endswith("000")
        return ParsedQuantity(digits, scale, form, unbounded=False, text=text if kept else "")
    if not number.has_digits:
        raise invalid_quantity(text)
    return ParsedQuantity(*_at_least_nano(digits, scale), form, unbounded=True, text="")


def _parse_binary(number: _Number, power: int, text: str) -> ParsedQuantity:
    digits = number.digits
    # About the number of digits that fit into an int64 together with the suffix's.
    if not number.fraction and len(number.whole) + power * 3 // 10 < 15:  # noqa: PLR2004 - as in Kubernetes
        kept = text if digits % 8 else ""
        return ParsedQuantity(digits << power, 0, _BINARY_SI, unbounded=False, text=kept)
    if not number.has_digits:
        raise invalid_quantity(text)
    digits, scale = _at_least_nano(digits << power, -len(number.fraction))
    if abs(digits) > INT64_MAX * 10**-scale:
        digits, scale = (-INT64_MAX if number.negative else INT64_MAX), 0
    form = _DECIMAL_SI if 0 < abs(digits) < 10**-scale else _BINARY_SI
    return ParsedQuantity(digits, scale, form, unbounded=True, text="")


def _at_least_nano(digits: int, scale: int) -> tuple[int, int]:
    """Round away from zero to a multiple of a nano."""
    excess = NANO - scale
    if not digits or excess <= 0:
        return digits, scale
    if excess > _MAX_LENGTH:
        return (1 if digits > 0 else -1), NANO
    return _divided_away_from_zero(digits, 10**excess), NANO


class Quantity(Record):
    """The number ``digits * 10 ** scale`` and how it is written.

    ``unbounded`` marks quantities that Kubernetes stores as ``inf.Dec`` instead of an int64, because the two
    overflow differently. ``text`` is the original text if Kubernetes keeps it, else empty.
    """

    digits: int
    scale: int
    form: QuantityFormat
    unbounded: bool = False
    text: str = ""

    @classmethod
    def parse(cls, text: str) -> Quantity:
        """Parse texts like ``1.5Gi``, ``500m``, ``2e3``. Raises ``DiagnosticError`` for anything else."""
        return _parsed(text)

    @classmethod
    def of(cls, value: Json) -> Quantity:
        """Parse a value in a manifest: a text, possibly with spaces around it, a number, or null for 0.

        Raises ``DiagnosticError`` (quantity-invalid).
        """
        if isinstance(value, str):
            return _parsed(value.strip())
        if value is None:
            return cls(0, 0, QuantityFormat.DECIMAL_EXPONENT)
        if isinstance(value, bool):
            raise invalid_quantity(value)
        if isinstance(value, int):
            try:
                return _parsed(str(value))
            except ValueError:  # Python converts at most some 4300 digits
                raise invalid_quantity("a number of thousands of digits") from None
        if isinstance(value, float):
            return _parsed(_float_text(value))
        raise invalid_quantity(value)

    @classmethod
    def of_integer(cls, value: int, form: QuantityFormat) -> Quantity:
        """Return a computed amount (``resource.NewQuantity``)."""
        return cls(value, 0, form)

    @property
    def sign(self) -> int:
        return (self.digits > 0) - (self.digits < 0)

    @property
    def canonical(self) -> str:
        """The text without a fraction, with the largest suffix: ``1536Mi`` for 1.5Gi."""
        if self.digits == INT64_MIN and not self.scale and not self.unbounded:
            return str(INT64_MIN)  # Go cannot negate it, and finds no factor for a suffix
        return canonical_text(self.digits, self.scale, self.form)

    @property
    def json(self) -> str:
        """The quantity as the API server writes it back: unchanged if nearly canonical, else canonical."""
        return self.text or self.canonical

    def value(self) -> int:
        """Return the amount as an int64, rounded away from zero; overflow is the same as in Kubernetes."""
        return self._scaled_value(0)

    def milli_value(self) -> int:
        """Return thousandths as an int64, rounded away from zero; overflow like in ``value``."""
        return self._scaled_value(-3)

    def _scaled_value(self, scale: int) -> int:
        convert = value_of_dec if self.unbounded else value_of_int64
        return convert(self.digits, self.scale, scale)

    def compare(self, other: Quantity) -> int:
        """Return -1, 0 or 1 for less, equal or greater."""
        if self.scale == other.scale:
            return _order(self.digits, other.digits)
        if self.sign != other.sign:
            return _order(self.sign, other.sign)
        if not self.sign:
            return 0
        # Magnitudes first: exponents come from the user and may be billions apart.
        by_magnitude = _order(self._magnitude, other._magnitude)
        if by_magnitude:
            return by_magnitude * self.sign
        scale = min(self.scale, other.scale)
        return _order(self.digits * 10 ** (self.scale - scale), other.digits * 10 ** (other.scale - scale))

    @property
    def _magnitude(self) -> int:
        """The power of ten of the first digit."""
        return len(str(abs(self.digits))) + self.scale


@lru_cache(maxsize=1024)  # a fleet has few distinct sizes
def _parsed(text: str) -> Quantity:
    return Quantity(*parse_quantity(text))


def _order(left: int, right: int) -> int:
    return (left > right) - (left < right)


def _float_text(value: float) -> str:
    """Return a float64 as Go's ``encoding/json`` writes it; YAML's numbers reach the API server so."""
    if value and not _SMALLEST_PLAIN_FLOAT <= abs(value) < _LARGEST_PLAIN_FLOAT:
        return repr(value).replace("e-0", "e-")
    from decimal import Decimal  # noqa: PLC0415 - few numbers are fractions

    return format(Decimal(repr(value)).normalize(), "f")


def lenient_quantity(value: Json) -> Quantity | None:
    """Return the quantity in a manifest; None if it is missing or invalid."""
    if value is None:
        return None
    try:
        return Quantity.of(value)
    except DiagnosticError:
        return None


def are_equal_amounts(one: Json, other: Json) -> bool:
    """Return True if both values are quantities of the same amount: ``1Gi`` is ``1024Mi``."""
    first, second = lenient_quantity(one), lenient_quantity(other)
    return first is not None and second is not None and first.compare(second) == 0


def nearest_whole_pages(amount: Quantity, page: Quantity) -> str:
    """Return the amounts nearest to ``amount`` that fill whole pages, for messages: ``1Gi or 1026Mi``.

    ``page`` is the page size, greater than 0; ``amount`` does not fill whole pages.
    """
    count, size = amount.value() // page.value(), page.value()
    return " or ".join(
        Quantity.of_integer(n * size, page.form).canonical for n in (count, count + 1) if n > 0
    )
