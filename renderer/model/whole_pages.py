"""Amounts of memory that fill whole huge pages."""

from __future__ import annotations

from renderer.model.quantity import Quantity


def nearest_whole(amount: Quantity, page: Quantity) -> str:
    """The amounts nearest to ``amount`` that fill whole pages, in words: ``1Gi or 1026Mi``.

    ``page`` is the size of one, greater than 0; ``amount`` does not fill whole pages.
    """
    count, size = amount.value() // page.value(), page.value()
    return " or ".join(
        Quantity.of_integer(n * size, page.form).canonical for n in (count, count + 1) if n > 0
    )
