from __future__ import annotations

import pytest

from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json
from renderer.yamlio.object_stream import decode_stream

TWO = '{"a": 1} {"b": 2}'
NOT_JSON = "f:2:1: what follows a JSON object is not JSON"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        pytest.param('{"a": 1}{"b": 2}\n\t{"c": 3}\n', [{"a": 1}, {"b": 2}, {"c": 3}], id="JSON only"),
        pytest.param('\n{"a": 1} null {"b": 2}', [{"a": 1}, None, {"b": 2}], id="null is empty"),
        pytest.param(
            '{"a": 1}\n---\nb: yes\n---\nc: 3\n', [{"a": 1}, None, {"b": True}, {"c": 3}], id="rest"
        ),
        pytest.param('{"a": 1}\n{b: 2}\n', [{"a": 1}, {"b": 2}], id="YAML from the second value"),
        pytest.param('{"a": 1} --- \n{"b": 2}', [{"a": 1}, None, {"b": 2}], id="separator after a value"),
        pytest.param('{"a": 1} # one\n', [{"a": 1}, None], id="comment after a value"),
        pytest.param("{a: 1}\n---\nb: 2\n", [{"a": 1}, {"b": 2}], id="YAML that begins with a brace"),
        pytest.param(f"# YAML\n{TWO}", [{"a": 1}], id="YAML reads one value of a document"),
        pytest.param(f"{' ' * 4096}{TWO}", [{"a": 1}], id="a brace beyond the bytes that are looked at"),
        pytest.param("---\na: 1\n---\xa0# two\nb: 2\n", [{"a": 1}, {"b": 2}], id="any space of Unicode"),
        pytest.param('{"a": "\\ud83d\\ude00\\/"}', [{"a": "😀/"}], id="escapes of JSON"),
    ],
)
def test_values_of_a_stream(text: str, values: list[Json]) -> None:
    assert [value for _, value in decode_stream(text, "f")] == values


@pytest.mark.parametrize(
    ("text", "read", "problem"),
    [
        (f"{TWO}\n---\nc: 3\n", 2, NOT_JSON),
        (f"{TWO}\n#no\n", 2, NOT_JSON),
        ('{"a": 1}\n#', 1, "f:1:9: what follows a JSON object is not JSON"),
        ("a: 1\n--- b: 2\n", 0, "f:2:1: nothing but a comment may follow --- on its line"),
        ('{"a": 1}\n---\n[\n', 2, "f:3:1: this [ is not closed"),
        ('{"a": 1, "a": 2}', 0, "f:1:10: the key a is written twice, on lines 1 and 1"),
        ('{"a": NaN', 0, "f:1:1: this { is not closed"),
    ],
)
def test_values_before_a_mistake_are_read(text: str, read: int, problem: str) -> None:
    streamed = decode_stream(text, "f")
    for _ in range(read):
        next(streamed)
    with pytest.raises(DiagnosticError) as caught:
        list(streamed)
    found = caught.value.diagnostics[0]
    assert f"{found.location}: {found.message}" == problem
