"""Quantities as users write them, and as Kubernetes prints them."""

from __future__ import annotations

import math

import pytest

from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json
from renderer.model.quantity import INT64_MAX, Quantity, QuantityFormat


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("1Gi", "1Gi"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("0.1", "100m"),
        ("1.50G", "1500M"),
        ("1000", "1k"),
        ("1024", "1024"),
        ("512", "512"),
        ("12e6", "12e6"),
        ("1E", "1E"),
        ("1E3", "1e3"),
        ("-1.5", "-1500m"),
        ("0Gi", "0"),
        ("-0", "0"),
        ("0.5Ki", "512"),
        ("1.1Ki", "1126400m"),
        ("0.0001n", "1n"),
        ("-0.0001n", "-1n"),
        ("9.5e-10", "1e-9"),
        ("100Ei", "9223372036854775807"),
        ("-100Ei", "-9223372036854775807"),
        ("1000E", "1"),
        ("123456789012345678901", "123456789012345678901"),
        (".", "0"),
        ("Ki", "0"),
        ("+", "0"),
    ],
)
def test_canonical_form_matches_kubernetes(text: str, canonical: str) -> None:
    assert Quantity.parse(text).canonical == canonical


@pytest.mark.parametrize(
    "text", ["+1", "007", "5.", "1.500", "2.147483648G", "1025Mi", "+4Mi", "1e4294967296"]
)
def test_some_quantities_are_printed_as_read(text: str) -> None:
    assert Quantity.parse(text).json == text


@pytest.mark.parametrize(
    ("text", "json"), [("1.5Gi", "1536Mi"), ("8192Mi", "8Gi"), ("1.5", "1500m"), ("+8Mi", "8Mi")]
)
def test_others_are_written_in_canonical_form(text: str, json: str) -> None:
    assert Quantity.parse(text).json == json


@pytest.mark.parametrize(
    "text",
    [
        "",
        " 1",
        "1 ",
        "1\n",
        "1GiB",
        "1gi",
        "1K",
        "one",
        "1,5",
        "1e",
        "1e1.5",
        "--1",
        "1.2.3",
        "0x10",
        "1_000",
        "٣",
        "Ei",
        "1e99999999999999999999",
        "9" * 5000,
    ],
)
def test_invalid_quantity_is_an_error(text: str) -> None:
    with pytest.raises(DiagnosticError) as error:
        Quantity.parse(text)
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code is Code.QUANTITY_INVALID
    assert len(diagnostic.message) < 110


@pytest.mark.parametrize(
    ("text", "value", "milli_value"),
    [
        ("1Gi", 1 << 30, 1000 << 30),
        ("1500m", 2, 1500),
        ("-1500m", -2, -1500),
        ("1n", 1, 1),
        ("0", 0, 0),
        ("0.00000000000000000000", 0, 0),
        ("0e-99999999", 0, 0),
        # Beyond int64: 0, or the value after wrapping around.
        ("12E", 0, 0),
        ("1e30", 0, 0),
        ("123456789.123456789E", -944716198402551296, 0),
        ("12Ei", INT64_MAX, -1000),
        ("-12Ei", -INT64_MAX, 1000),
        ("10Pi", 10 << 50, -7187745005283311616),
        # Rounding up a negative number within int64 nanos gives 1.
        ("-0.1n", 1, 1),
    ],
)
def test_values_round_and_overflow_as_in_kubernetes(text: str, value: int, milli_value: int) -> None:
    quantity = Quantity.parse(text)
    assert (quantity.value(), quantity.milli_value()) == (value, milli_value)


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [
        ("1G", "1Gi"),
        ("999m", "1"),
        ("-1", "-999m"),
        ("-1", "0"),
        ("0", "1n"),
        ("1Ei", "1e999999999"),
        ("-1e999999999", "1n"),
        ("1e-999999999", "2n"),
        ("-2e999999999", "-1e999999999"),
        ("1e999999998", "1e999999999"),
    ],
)
def test_quantities_are_ordered(smaller: str, larger: str) -> None:
    one, other = Quantity.parse(smaller), Quantity.parse(larger)
    assert (one.compare(other), other.compare(one), one.compare(one)) == (-1, 1, 0)


@pytest.mark.parametrize(("one", "other"), [("1Gi", "1024Mi"), ("0.5", "500m"), ("1e3", "1k"), ("0", "0Gi")])
def test_equal_amounts_compare_as_equal(one: str, other: str) -> None:
    assert Quantity.parse(one).compare(Quantity.parse(other)) == 0


@pytest.mark.parametrize(
    ("value", "json"),
    [
        (1073741824, "1073741824"),
        (2, "2"),
        (0.5, "500m"),
        (1e3, "1k"),
        (1e21, "1e+21"),
        (-2.5, "-2500m"),
        (0.0, "0"),
        (1e-7, "100e-9"),
        (" 1Gi\t", "1Gi"),
        (None, "0"),
    ],
)
def test_yaml_numbers_are_quantities(value: Json, json: str) -> None:
    assert Quantity.of(value).json == json


@pytest.mark.parametrize("value", [True, [], {}, math.inf, math.nan, "", "${MEMORY}"])
def test_placeholder_is_not_a_quantity(value: Json) -> None:
    with pytest.raises(DiagnosticError):
        Quantity.of(value)


def test_number_too_long_for_python_is_an_error() -> None:
    with pytest.raises(DiagnosticError):
        Quantity.of(10**5000)


def test_a_computed_quantity_is_canonical() -> None:
    assert Quantity.of_integer(3 << 29, QuantityFormat.BINARY_SI).json == "1536Mi"
    assert Quantity.of_integer(1500, QuantityFormat.DECIMAL_SI).json == "1500"


def test_sign_and_format_are_kept() -> None:
    quantities = [Quantity.parse(text) for text in ("-1Ki", "0", "1e3", "0.0001Ki")]
    assert [quantity.sign for quantity in quantities] == [-1, 0, 1, 1]
    assert [quantity.form for quantity in quantities] == [
        QuantityFormat.BINARY_SI,
        QuantityFormat.DECIMAL_SI,
        QuantityFormat.DECIMAL_EXPONENT,
        QuantityFormat.DECIMAL_SI,
    ]
