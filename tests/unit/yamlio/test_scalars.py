"""Every row of the tables is what kustomize printed: a scalar in a resource, and in a JSON 6902 patch."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json, array_at, object_at
from renderer.yamlio.decode import decode_documents, decode_yaml11
from renderer.yamlio.encode import encode
from tests.yaml_readers import READERS, read_by

ROWS: list[dict[str, str | None]] = json.loads(Path(__file__).with_name("scalars.json").read_text())


@pytest.fixture(params=READERS)
def _reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    read_by(request.param, monkeypatch)


def in_resource(scalar: str) -> Json:
    (document,) = decode_documents(f"spec:\n  v: {scalar}\n".encode(), "vm.yaml")
    return object_at(document, "spec")["v"]


def in_patch(scalar: str) -> Json:
    patch = decode_yaml11(f"- op: add\n  path: /spec/v\n  value: {scalar}\n".encode(), "patch.yaml")
    return object_at(array_at(patch)[0])["value"]


def written(value: Json) -> str:
    """The text after ``v:``, as in the tables."""
    return encode([{"v": value}]).removeprefix("v:").removeprefix(" ")


def written_as(read: Callable[[str], Json], scalar: str) -> str | None:
    """The text after ``v:`` once ``scalar`` was read; None if it is refused."""
    try:
        return written(read(scalar))
    except DiagnosticError:
        return None


@pytest.mark.usefixtures("_reader")
@pytest.mark.parametrize(("column", "read"), [("resource", in_resource), ("yaml11", in_patch)])
def test_scalars_are_resolved_as_in_go_yaml(column: str, read: Callable[[str], Json]) -> None:
    rows = {row["scalar"] or "": row[column] for row in ROWS if column in row}
    assert len(rows) > 300
    assert {scalar: written_as(read, scalar) for scalar in rows} == rows


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("9007199254740993", 9007199254740993),
        ("18446744073709551615", 18446744073709551615),
        ("1.50", 1.5),
        ("1e3", 1000),
        ("1e300", 1e300),
        ("-0.0", 0),
        ("0777", 511),
        ("yes", "yes"),
        ("true", True),
        ("~", None),
        ("2020-01-02", "2020-01-02T00:00:00Z"),
    ],
)
def test_values_have_the_types_of_json(scalar: str, value: Json) -> None:
    decoded = in_resource(scalar)

    assert (decoded, type(decoded)) == (value, type(value))
