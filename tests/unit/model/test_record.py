"""Records are named tuples, whatever the number of their fields."""

from __future__ import annotations

from typing import Any

import pytest

from renderer.model.record import Record

SIZES = (0, 1, 2, 12, 13, 14, 29)


def record(size: int, defaults: int = 0) -> Any:  # noqa: ANN401 - a class that type checkers do not know
    """A class of the fields ``f0`` and so on, the last of which have their number as default."""
    fields = [f"f{number}" for number in range(size)]
    values = {field: number for number, field in enumerate(fields) if number >= size - defaults}
    metaclass: Any = type(Record)
    return metaclass("Made", (Record,), {"__annotations__": dict.fromkeys(fields, "int"), **values})


@pytest.mark.parametrize("size", SIZES)
def test_fields_are_set_by_position_or_name(size: int) -> None:
    made, values = record(size), tuple(range(size))
    by_name = {f"f{value}": value for value in values}

    assert made(*values) == values == made(**by_name)
    assert made(*values[: size // 2], **dict(list(by_name.items())[size // 2 :])) == values
    assert made(*values)._asdict() == by_name
    assert [getattr(made(*values), field) for field in made._fields] == list(values)


@pytest.mark.parametrize("size", SIZES)
def test_defaults_apply_to_the_last_fields(size: int) -> None:
    defaults = min(size, 2)
    made = record(size, defaults)

    assert made(*range(size - defaults)) == tuple(range(size))
    assert made._field_defaults == {f"f{value}": value for value in range(size - defaults, size)}


@pytest.mark.parametrize("size", SIZES[1:])
def test_missing_unknown_or_repeated_fields_are_errors(size: int) -> None:
    made, values = record(size), tuple(range(size))

    for arguments, named in (
        (values[:-1], {}),
        ((*values, 0), {}),
        (values, {"f0": 1}),
        (values, {"other": 1}),
        (values[:-1], {"other": 1}),
    ):
        with pytest.raises(TypeError, match=r"Made"):
            made(*arguments, **named)


@pytest.mark.parametrize("size", SIZES[1:])
def test_a_field_is_replaced(size: int) -> None:
    made, values = record(size), tuple(range(size))

    assert made(*values)._replace(f0="new") == ("new", *values[1:])
    assert type(made(*values)._replace(f0="new")) is made
