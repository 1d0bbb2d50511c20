"""A quantity is the same for schemas, filters of templates, and differences."""

from __future__ import annotations

import re

import pytest

from renderer.authoring.templates.errors import TemplateError
from renderer.authoring.templates.filters.quantities import quantity_bytes
from renderer.checks.schemas.kubernetes_formats import QUANTITY_PATTERN
from renderer.kubevirt.facts.lists import is_same_amount
from renderer.model.diagnostic import DiagnosticError
from renderer.model.quantity import Quantity, lenient_quantity

TEXTS = [
    "0",
    "1",
    "+1",
    "-1",
    "1.",
    ".5",
    "0.5",
    "1Ki",
    "1Mi",
    "1Gi",
    "1Ti",
    "1Pi",
    "1Ei",
    "1k",
    "1M",
    "1G",
    "1T",
    "1P",
    "1E",
    "1m",
    "1e3",
    "1E3",
    "1e-3",
    "1e+3",
    "1.5Gi",
    "64",
    "128m",
    "1gi",
    "1GB",
    "1GiB",
    "1K",
    "1ki",
    "1Gi1",
    "1e",
    "1.2.3",
    "--1",
    "1,5",
    "1_000",
    "0x10",
    "NaN",
    "inf",
]


@pytest.mark.parametrize("text", TEXTS)
def test_all_readers_of_quantities_agree(text: str) -> None:
    lenient = lenient_quantity(text)
    try:
        strict = Quantity.parse(text)
    except DiagnosticError:
        strict = None
    try:
        size = quantity_bytes(text)
    except TemplateError:
        size = None
    assert lenient == strict
    assert (strict is not None) is (re.search(QUANTITY_PATTERN, text) is not None)
    if strict is None or strict.milli_value() % 1000 == 0:  # bytes are whole numbers
        assert size == (None if strict is None else strict.value())
    assert is_same_amount(text, text, "memory", "requests") is (strict is not None)


@pytest.mark.parametrize(
    ("one", "other"), [("1Gi", "1024Mi"), (1, "1"), ("1000m", 1), ("0.5", "500m"), (2.0, "2")]
)
def test_equal_amounts(one: str | float, other: str | float) -> None:
    left, right = lenient_quantity(one), lenient_quantity(other)
    assert left is not None
    assert right is not None
    assert left.compare(right) == 0
    assert is_same_amount(one, other, "guest", "memory")
