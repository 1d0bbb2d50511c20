"""Numbers and amounts as filters are given them: ``4``, ``2..8``, ``>=4``, ``..8Gi``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from renderer.model.diagnostic import DiagnosticError
from renderer.model.quantity import Quantity

_COMPARISON = re.compile(r"(>=|<=|>|<|=)\s*(.*)")
_SEPARATOR = ".."


class Bound(NamedTuple):
    """One end of a range."""

    amount: Quantity
    is_inside: bool = True


class Range(NamedTuple):
    """The amounts between two ends; None where it is open."""

    lowest: Bound | None = None
    highest: Bound | None = None

    def holds(self, amount: Quantity | None) -> bool:
        """Whether the amount lies inside; an unknown one does not."""
        return amount is not None and self._is_above(amount) and self._is_below(amount)

    def _is_above(self, amount: Quantity) -> bool:
        return self.lowest is None or amount.compare(self.lowest.amount) >= (not self.lowest.is_inside)

    def _is_below(self, amount: Quantity) -> bool:
        return self.highest is None or amount.compare(self.highest.amount) <= -(not self.highest.is_inside)


def parse_range(text: str, parse: Callable[[str], Quantity]) -> Range:
    """The range that ``text`` describes, each end of it read by ``parse``.

    Raises ``ValueError``, in the user's words, for what is none.
    """
    comparison = _COMPARISON.fullmatch(text.strip())
    if comparison:
        return _compared(comparison[1], parse(comparison[2]))
    low, separator, high = text.partition(_SEPARATOR)
    if not separator:
        return _compared("=", parse(text))
    if not low.strip() and not high.strip():
        raise ValueError(f"{text!r} has no end; write it as 2..8, 2.. or ..8")
    found = Range(
        Bound(parse(low)) if low.strip() else None,
        Bound(parse(high)) if high.strip() else None,
    )
    if found.lowest and found.highest and found.lowest.amount.compare(found.highest.amount) > 0:
        raise ValueError(f"{text!r} is empty: the lower end comes first")
    return found


def count(text: str) -> Quantity:
    """A number of vCPUs. Raises ``ValueError``."""
    if not re.fullmatch(r"\s*\d{1,9}\s*", text, re.ASCII):
        raise ValueError(f"{text.strip()!r} is no number of vCPUs; write 4, 2..8 or >=4")
    return Quantity.parse(text.strip())


def amount_of_memory(text: str) -> Quantity:
    """An amount of memory. Raises ``ValueError``."""
    try:
        return Quantity.parse(text.strip())
    except DiagnosticError:
        raise ValueError(f"{text.strip()!r} is no amount of memory; write 4Gi, 2Gi..8Gi or >=512Mi") from None


def _compared(sign: str, amount: Quantity) -> Range:
    if sign == "=":
        return Range(Bound(amount), Bound(amount))
    bound = Bound(amount, is_inside=sign.endswith("="))
    return Range(lowest=bound) if sign.startswith(">") else Range(highest=bound)
