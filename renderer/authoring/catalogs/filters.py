"""Filters over the entries of a catalog; amounts are written as ``4``, ``2..8``, ``>=4``, ``..8Gi``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from renderer.authoring.catalogs.entry import CatalogEntry, EntryScope, EntryType
from renderer.model.diagnostic import DiagnosticError
from renderer.model.quantity import Quantity

_COMPARISON = re.compile(r"(>=|<=|>|<|=)\s*(.*)")
_SEPARATOR = ".."


class Bound(NamedTuple):
    """An end of a range."""

    amount: Quantity
    is_inclusive: bool = True


class Range(NamedTuple):
    """The amounts between two bounds; None for an open end."""

    lowest: Bound | None = None
    highest: Bound | None = None

    def contains(self, amount: Quantity | None) -> bool:
        """Return True if the amount is in the range; False for an unknown amount."""
        if amount is None:
            return False
        if self.lowest and amount.compare(self.lowest.amount) < (not self.lowest.is_inclusive):
            return False
        return not self.highest or amount.compare(self.highest.amount) <= -(not self.highest.is_inclusive)


def parse_range(text: str, parse: Callable[[str], Quantity]) -> Range:
    """Return the range that ``text`` describes; ``parse`` reads each bound.

    Raises ``ValueError``, with a message for the user, for text that is not a range.
    """
    comparison = _COMPARISON.fullmatch(text.strip())
    if comparison:
        return _range_of(comparison[1], parse(comparison[2]))
    low, separator, high = text.partition(_SEPARATOR)
    if not separator:
        return _range_of("=", parse(text))
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
    """Return a number of vCPUs. Raises ``ValueError``."""
    if not re.fullmatch(r"\s*\d{1,9}\s*", text, re.ASCII):
        raise ValueError(f"{text.strip()!r} is not a number of vCPUs; write 4, 2..8 or >=4")
    return Quantity.parse(text.strip())


def amount_of_memory(text: str) -> Quantity:
    """Return an amount of memory. Raises ``ValueError``."""
    try:
        return Quantity.parse(text.strip())
    except DiagnosticError:
        raise ValueError(
            f"{text.strip()!r} is not an amount of memory; write 4Gi, 2Gi..8Gi or >=512Mi"
        ) from None


def _range_of(sign: str, amount: Quantity) -> Range:
    """Return the amounts that compare to ``amount`` as the sign says."""
    if sign == "=":
        return Range(Bound(amount), Bound(amount))
    bound = Bound(amount, is_inclusive=sign.endswith("="))
    return Range(lowest=bound) if sign.startswith(">") else Range(highest=bound)


class Filter(NamedTuple):
    """The conditions of a list, which must all hold; None and empty mean no condition.

    ``class_name`` is a class as in the label, or a series (``u1``). All ``words`` must occur somewhere in the
    texts of the entry.
    """

    type: EntryType | None = None
    scope: EntryScope | None = None
    class_name: str | None = None
    vcpus: Range | None = None
    memory: Range | None = None
    architecture: str | None = None
    words: tuple[str, ...] = ()

    def apply(self, entries: Iterable[CatalogEntry]) -> Iterator[CatalogEntry]:
        conditions = tuple(self._conditions())
        return (entry for entry in entries if all(condition(entry) for condition in conditions))

    def matches_any(self, entries: Iterable[CatalogEntry]) -> bool:
        return next(self.apply(entries), None) is not None

    def _conditions(self) -> Iterator[Callable[[CatalogEntry], bool]]:
        kind, scope, architecture = self.type, self.scope, self.architecture
        vcpus, memory, class_name = self.vcpus, self.memory, (self.class_name or "").lower()
        if kind is not None:
            yield lambda entry: entry.type is kind
        if scope is not None:
            yield lambda entry: entry.scope is scope
        if class_name:
            yield lambda entry: class_name in (entry.class_name.lower(), entry.series.lower())
        if vcpus is not None:
            yield lambda entry: vcpus.contains(entry.vcpus)
        if memory is not None:
            yield lambda entry: memory.contains(entry.memory)
        if architecture is not None:
            yield lambda entry: entry.architecture == architecture
        if self.words:
            words = [word.casefold() for word in self.words]
            yield lambda entry: _has_words(entry, words)


def _has_words(entry: CatalogEntry, words: Iterable[str]) -> bool:
    texts = (entry.name, entry.display_name, entry.description, entry.class_name, entry.tags, *entry.features)
    text = "\n".join(texts).casefold()
    return all(word in text for word in words)
