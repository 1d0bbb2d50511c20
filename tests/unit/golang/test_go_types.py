"""JSON texts read into Go's types and written again."""

from __future__ import annotations

import re

import pytest

from renderer.files.bundled import data_folder
from renderer.golang.go_types import GoTypeError, GoTypes
from renderer.kubevirt.hyperconverged.release import LATEST, OLDEST, OperatorRelease, operator_types
from renderer.model.kube.json import Json

TABLE = """\
t.Spec
  count int
  flag *bool
  inner t.Inner
  items []t.Item
  labels map[]string
  memory *Quantity
  names []string always
  old string -1.12
  port IntOrString
  since *t.Item 1.12-1.14
  started Time zero
  wait *Duration
t.Inner
  text string
t.Item
  name string always
  size *uint8
"""
TYPES = GoTypes.parse(TABLE, LATEST)


class TestWriting:
    def test_empty_values_are_left_out_unless_always_written(self) -> None:
        spec: Json = {"count": 0, "items": [], "labels": {}, "names": None, "inner": {"text": ""}}

        assert TYPES.rewritten("t.Spec", spec) == {"inner": {}, "names": None, "port": 0}

    def test_pointer_to_an_empty_value_is_written(self) -> None:
        assert TYPES.rewritten("t.Item", {"name": "", "size": 0}) == {"name": "", "size": 0}
        assert TYPES.rewritten("*t.Item", None) is None

    def test_quantities_and_durations_are_canonical(self) -> None:
        written = TYPES.rewritten("t.Spec", {"memory": "1024Mi", "wait": "90s", "names": ["a"]})

        assert written == {"inner": {}, "memory": "1Gi", "names": ["a"], "port": 0, "wait": "1m30s"}

    def test_unknown_fields_vanish(self) -> None:
        assert TYPES.rewritten("t.Inner", {"text": "a", "more": 1}) == {"text": "a"}

    def test_names_of_fields_may_differ_in_case(self) -> None:
        assert TYPES.rewritten("t.Inner", {"TEXT": "a"}) == {"text": "a"}

    def test_unset_values_that_are_always_written(self) -> None:
        table = "t.All\n" + "".join(
            f"  f{index} {type_} always\n"
            for index, type_ in enumerate(
                ("string", "bool", "int", "float", "[]string", "map[]string", "*int", "Quantity", "Time")
            )
        )

        written = GoTypes.parse(table, LATEST).rewritten("t.All", {})

        assert isinstance(written, dict)
        assert list(written.values()) == ["", False, 0, 0, None, None, None, "0", None]

    @pytest.mark.parametrize(
        ("type_", "least", "most"),
        [
            ("int", -(2**63), 2**63 - 1),
            ("uint", 0, 2**64 - 1),
            ("int32", -(2**31), 2**31 - 1),
            ("uint8", 0, 255),
            ("int8", -128, 127),
            ("uint16", 0, 65535),
        ],
    )
    def test_integers_have_the_range_of_their_type(self, type_: str, least: int, most: int) -> None:
        assert [TYPES.rewritten(type_, value) for value in (least, most)] == [least, most]
        for value in (least - 1, most + 1):
            with pytest.raises(GoTypeError, match=f"not of type {type_}"):
                TYPES.rewritten(type_, value)


class TestReadingOver:
    def test_fields_that_are_not_in_the_text_stay(self) -> None:
        assert TYPES.decode("t.Spec", {"count": 2}, {"count": 1, "flag": False}) == {
            "count": 2,
            "flag": False,
        }

    def test_null_removes_pointers_lists_and_maps_alone(self) -> None:
        old: Json = {"count": 1, "flag": True, "inner": {"text": "a"}, "labels": {"a": "b"}, "names": ["a"]}
        text: Json = dict.fromkeys(("count", "flag", "inner", "labels", "names"))

        read = TYPES.encode("t.Spec", TYPES.decode("t.Spec", text, old))

        assert read == {"count": 1, "inner": {"text": "a"}, "names": None, "port": 0}

    def test_keys_of_maps_stay(self) -> None:
        assert TYPES.decode("map[]string", {"b": "2"}, {"a": "1", "b": "1"}) == {"a": "1", "b": "2"}

    def test_values_of_maps_are_new(self) -> None:
        assert TYPES.decode("map[]t.Item", {"a": {"name": "n"}}, {"a": {"size": 1}}) == {"a": {"name": "n"}}

    def test_elements_of_lists_keep_the_fields_of_the_old_element_at_their_position(self) -> None:
        old: Json = [{"name": "a", "size": 1}, {"name": "b"}]

        assert TYPES.decode("[]t.Item", [{"name": "b"}], old) == [{"name": "b", "size": 1}]
        assert TYPES.decode("[]t.Item", [{}, {}, {}], old) == [{"name": "a", "size": 1}, {"name": "b"}, {}]


class TestErrors:
    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ({"count": 1.5}, "count is not of type int"),
            ({"count": True}, "count is not of type int"),
            ({"count": "1"}, "count is not of type int"),
            ({"items": [{"size": 1}, {"size": 256}]}, "items[1].size is not of type uint8"),
            ({"items": [{"size": -1}]}, "items[0].size is not of type uint8"),
            ({"items": {}}, "items is not a list"),
            ({"labels": {"a": 1}}, "labels.a is not a text"),
            ({"labels": []}, "labels is not a mapping"),
            ({"inner": 1}, "inner is not an object"),
            ({"flag": "true"}, "flag is not a boolean"),
            ({"wait": "1d"}, "wait is not a duration"),
            ({"wait": 5}, "wait is not a duration"),
            ({"port": 1.5}, "port is not of type int32"),
        ],
    )
    def test_value_of_another_type_is_refused_with_its_place(self, value: Json, message: str) -> None:
        with pytest.raises(GoTypeError) as caught:
            TYPES.decode("t.Spec", value)

        assert str(caught.value) == message

    def test_invalid_quantity_is_refused(self) -> None:
        with pytest.raises(GoTypeError, match="memory"):
            TYPES.decode("t.Spec", {"memory": "much"})


@pytest.mark.parametrize(
    ("minor", "fields"),
    [(10, {"old"}), (12, {"old", "since"}), (13, {"since"}), (14, {"since"}), (15, set())],
)
def test_fields_exist_in_their_releases(minor: int, fields: set[str]) -> None:
    types = GoTypes.parse(TABLE, OperatorRelease(1, minor))
    written = types.rewritten("t.Spec", {"old": "a", "since": {"name": "a"}})

    assert isinstance(written, dict)
    assert written.keys() & {"old", "since"} == fields


def test_every_type_of_a_field_is_known() -> None:
    """A struct that is missing in the table would be read as a text."""
    lines = (data_folder("schemas") / "go" / "hyperconverged.txt").read_text().splitlines()
    structs = {line for line in lines if not line.startswith(" ")}
    types = {re.sub(r"^([*]|\[\]|map\[\])*", "", line.split()[1]) for line in lines if line.startswith(" ")}

    assert types - structs <= {
        *("string", "bool", "float", "any", "Quantity", "Duration", "Time", "IntOrString"),
        *("int", "int32", "int64", "uint", "uint8", "uint32", "uint64"),
    }


def test_types_differ_by_release() -> None:
    spec: Json = {"configuration": {"persistentReservationConfiguration": {"enabled": True}}}

    for release, is_there in ((OLDEST, False), (LATEST, True)):
        written = operator_types(release).rewritten("kubevirt.KubeVirtSpec", spec)
        assert ("persistentReservationConfiguration" in str(written)) is is_there
