from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from renderer.model.kube.field_path import format_pointer, parse_pointer


def test_slashes_and_tildes_are_escaped() -> None:
    assert parse_pointer("/metadata/annotations/example.com~1a~0b") == [
        "metadata",
        "annotations",
        "example.com/a~b",
    ]
    assert format_pointer(["spec", 0, "a/b~c"]) == "/spec/0/a~1b~0c"


@given(st.lists(st.text(max_size=5), max_size=5))
def test_pointers_survive_a_round_trip(keys: list[str]) -> None:
    assert parse_pointer(format_pointer(keys)) == keys
