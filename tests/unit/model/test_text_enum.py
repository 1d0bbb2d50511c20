"""Enumerations of texts behave like ``enum.StrEnum``."""

from __future__ import annotations

import copy
import json
import pickle
from types import new_class

import pytest

from renderer.model.text_enum import TextEnum


class Size(TextEnum):
    """An enumeration with a method."""

    SMALL = "small"
    LARGE = "very-large"

    @property
    def letter(self) -> str:
        return self.value[0].upper()


def test_members_are_texts_with_a_name() -> None:
    assert [(member, member.name, member.value, f"{member}", str(member)) for member in Size] == [
        ("small", "SMALL", "small", "small", "small"),
        ("very-large", "LARGE", "very-large", "very-large", "very-large"),
    ]
    assert isinstance(Size.SMALL, Size)
    assert isinstance(Size.SMALL, str)
    assert Size.LARGE.letter == "V"
    assert [*reversed(Size)] == ["very-large", "small"]
    assert (len(Size), "small" in list(Size), repr(Size.SMALL)) == (2, True, "<Size.SMALL: 'small'>")
    assert json.dumps({Size.SMALL: Size.LARGE}) == '{"small": "very-large"}'


def test_a_member_is_found_by_its_text_and_by_its_name() -> None:
    assert Size("small") is Size(Size.SMALL) is Size["SMALL"] is Size.SMALL
    assert copy.deepcopy(Size.SMALL) is Size.SMALL


@pytest.mark.parametrize("text", ["SMALL", "", None, []])
def test_other_texts_are_not_members(text: str) -> None:
    with pytest.raises(ValueError, match="is not a valid Size"):
        Size(text)


def test_texts_of_members_are_unique() -> None:
    with pytest.raises(TypeError, match="two members of Twice have one text"):
        new_class("Twice", (TextEnum,), exec_body=lambda body: body.update(A="same", B="same"))


@pytest.mark.parametrize("value", [1, None, b"text", (), (1, "text")])
def test_every_member_is_a_text(value: object) -> None:
    with pytest.raises(TypeError, match="Z of Mixed is not text"):
        new_class("Mixed", (TextEnum,), exec_body=lambda body: body.update(A="a", Z=value))


class Planet(TextEnum):
    """An enumeration with facts about its members."""

    __slots__ = ("is_gas", "moons")
    _value_: str

    EARTH = "earth", 1
    SATURN = "saturn", 274, True

    def __init__(self, _text: str, moons: int, *is_gas: bool) -> None:
        self.moons = moons
        self.is_gas = any(is_gas)


def test_members_carry_facts() -> None:
    assert [(each, each.value, each.moons, each.is_gas) for each in Planet] == [
        ("earth", "earth", 1, False),
        ("saturn", "saturn", 274, True),
    ]
    assert Planet["SATURN"] is [*Planet][1]
    assert pickle.loads(pickle.dumps(Planet.SATURN)) is Planet.SATURN  # noqa: S301 - of our own


def test_member_without_facts_is_refused() -> None:
    def body(of: dict[str, object]) -> None:
        of.update(__slots__=Planet.__slots__, __init__=Planet.__init__, MARS="mars")

    with pytest.raises(TypeError, match="missing 1 required positional argument: 'moons'"):
        new_class("Half", (TextEnum,), exec_body=body)


def test_enumeration_class_is_truthy() -> None:
    assert bool(TextEnum)
    assert bool(Size)
