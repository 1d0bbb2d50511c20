"""Kubernetes quantities (``k8s.io/apimachinery/pkg/api/resource``), in exact integer arithmetic."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from renderer.model.json import Json
from renderer.model.quantity_format import QuantityFormat, canonical_text
from renderer.model.quantity_int64 import INT64_MAX, INT64_MIN, value_of_dec, value_of_int64
from renderer.model.quantity_parse import invalid_quantity, parse_quantity
from renderer.model.record import Record

__all__ = ["INT64_MAX", "INT64_MIN", "Quantity", "QuantityFormat"]

#: Between these Go writes a float without an exponent.
_SMALLEST_PLAIN_FLOAT, _LARGEST_PLAIN_FLOAT = 1e-6, 1e21


class Quantity(Record):
    """The number ``digits * 10 ** scale`` and how it is written.

    ``unbounded`` tells the quantities that Kubernetes holds as ``inf.Dec`` from those in an int64, as the two
    overflow differently. ``text`` is what was read where Kubernetes keeps that, else empty.
    """

    digits: int
    scale: int
    form: QuantityFormat
    unbounded: bool = False
    text: str = ""

    @classmethod
    def parse(cls, text: str) -> Quantity:
        """From ``1.5Gi``, ``500m``, ``2e3``. Raises ``DiagnosticError`` for anything else."""
        return _parsed(text)

    @classmethod
    def of(cls, value: Json) -> Quantity:
        """From what stands in a manifest: text, which may have spaces around it, a number, or null for 0.

        Raises ``DiagnosticError`` (quantity-invalid).
        """
        if isinstance(value, str):
            return _parsed(value.strip())
        if value is None:
            return cls(0, 0, QuantityFormat.DECIMAL_EXPONENT)
        if isinstance(value, bool):
            raise invalid_quantity(value)
        if isinstance(value, int):
            return _parsed(_integer_text(value))
        if isinstance(value, float):
            return _parsed(_float_text(value))
        raise invalid_quantity(value)

    @classmethod
    def of_integer(cls, value: int, form: QuantityFormat) -> Quantity:
        """A computed amount (``resource.NewQuantity``)."""
        return cls(value, 0, form)

    @property
    def sign(self) -> int:
        return (self.digits > 0) - (self.digits < 0)

    @property
    def canonical(self) -> str:
        """Without a fraction, with the largest suffix: ``1536Mi`` for 1.5Gi."""
        if self.digits == INT64_MIN and not self.scale and not self.unbounded:
            return str(INT64_MIN)  # Go cannot negate it, and finds no factor for a suffix
        return canonical_text(self.digits, self.scale, self.form)

    @property
    def json(self) -> str:
        """As the API server writes it back: as it was read where that is nearly canonical, else canonical."""
        return self.text or self.canonical

    def value(self) -> int:
        """As an int64, rounded away from zero; out of range it is what Kubernetes makes of it."""
        return self._scaled_value(0)

    def milli_value(self) -> int:
        """Thousandths as an int64, rounded away from zero; out of range as ``value``."""
        return self._scaled_value(-3)

    def _scaled_value(self, scale: int) -> int:
        convert = value_of_dec if self.unbounded else value_of_int64
        return convert(self.digits, self.scale, scale)

    def compare(self, other: Quantity) -> int:
        """-1, 0 or 1 for less, equal or more."""
        if self.scale == other.scale:
            return _order(self.digits, other.digits)
        if self.sign != other.sign:
            return _order(self.sign, other.sign)
        if not self.sign:
            return 0
        # Magnitudes first: exponents are the user's and may be billions apart.
        by_magnitude = _order(self._magnitude, other._magnitude)
        if by_magnitude:
            return by_magnitude * self.sign
        scale = min(self.scale, other.scale)
        return _order(self.digits * 10 ** (self.scale - scale), other.digits * 10 ** (other.scale - scale))

    @property
    def _magnitude(self) -> int:
        """The power of ten of the first digit."""
        return len(str(abs(self.digits))) + self.scale


@lru_cache(maxsize=1024)  # the sizes of a fleet are few
def _parsed(text: str) -> Quantity:
    return Quantity(*parse_quantity(text))


def _order(left: int, right: int) -> int:
    return (left > right) - (left < right)


def _integer_text(value: int) -> str:
    try:
        return str(value)
    except ValueError:  # Python converts no more than some 4300 digits
        raise invalid_quantity("a number of thousands of digits") from None


def _float_text(value: float) -> str:
    """As Go's ``encoding/json`` writes a float64, which is how YAML's numbers reach the API server."""
    if value and not _SMALLEST_PLAIN_FLOAT <= abs(value) < _LARGEST_PLAIN_FLOAT:
        return repr(value).replace("e-0", "e-")
    return format(Decimal(repr(value)).normalize(), "f")
