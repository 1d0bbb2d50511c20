from __future__ import annotations

import pytest

from renderer.model.kube.json import Json
from tests.unit.authoring.templates.rendering import failure, text

VALUES: dict[str, Json] = {
    "rows": [{"name": "b", "cpu": 2}, {"name": "a", "cpu": 1}, {"name": "c", "cpu": 2}],
    "nested": {"z": {"list": [1, "two", None, True]}, "a": "x: y"},
}
RESULTS = [
    # Quantities.
    ("'1.5Gi' | quantity", "1536Mi"),
    ("2 | quantity", "2"),
    ("0.5 | quantity", "500m"),
    ("'1Gi' | bytes", "1073741824"),
    ("'1500m' | millis", "1500"),
    ("8589934592 | binary_quantity", "8Gi"),
    ("'8G' | binary_quantity", "7812500Ki"),
    ("'1000Mi' | decimal_quantity", "1048576k"),
    ("'1Gi' | quantity_add('512Mi')", "1536Mi"),
    ("'1Gi' | quantity_add('512Mi', '512Mi')", "2Gi"),
    ("'500m' | quantity_add(1)", "1500m"),
    ("'1Gi' | quantity_subtract('2Gi')", "-1Gi"),
    ("'4Gi' | quantity_multiply(1.5)", "6Gi"),
    ("'4Gi' | quantity_multiply('250m')", "1Gi"),
    ("'10Gi' | quantity_divide(4)", "2560Mi"),
    ("'-3' | quantity_divide(2)", "-1500m"),
    ("('10Gi' | bytes // 3) | binary_quantity", "3579139413"),
    # Names.
    ("'Web Server (Köln)' | slug", "web-server-koln"),
    ("'Web_01.example' | dns_label", "web-01-example"),
    ("'DB.eu west' | dns_subdomain", "db.eu-west"),
    ("'-Zone A/1-' | label_value", "Zone-A-1"),
    ("'' | label_value", ""),
    ("('a' * 63) | dns_label | length", "63"),
    ("('a' * 80) | dns_label | length", "63"),
    ("('a' * 80) | dns_label == ('a' * 81) | dns_label", "false"),
    # Text.
    ("'a\nb\n\nc' | indent(2)", "a\n  b\n\n  c"),
    ("'a\nb' | indent('> ', first=true)", "> a\n> b"),
    ("'a\nb' | nindent(2)", "\n  a\n  b"),
    ("'no: \"x\"' | quote", r'"no: \"x\""'),
    ("1 | quote", '"1"'),
    ("'%s-%02d' | format('web', 3)", "web-03"),
    ("'%(a)s' | format(a=1)", "1"),
    ("'100%%' | format", "100%"),
    ("'%5.1f|%x|%-4s|' % (2.25, 255, 'a')", "  2.2|ff|a   |"),
    ("'a,b' | split(',') | join('-')", "a-b"),
    ("rows | join('+', attribute='name')", "b+a+c"),
    ("'Café' | b64encode", "Q2Fmw6k="),
    ("'Q2Fmw6k=' | b64decode", "Café"),
    ("'abc' | sha256 | truncate(8)", "ba7816bf"),
    ("'a long text' | truncate(6, end='…')", "a lon…"),
    ("' x ' | trim | upper", "X"),
    ("'a' | center(3)", " a "),
    ("'a-b'.split('-')[1].upper()", "B"),
    ("'aXbX'.replace('X', '')", "ab"),
    ("' 12 ' | int + 1", "13"),
    ("'x' | int(7)", "7"),
    ("'1.5' | float * 2", "3.0"),
    ("2.5 | round", "2"),
    ("2.45 | round(1, 'ceil')", "2.5"),
    # Values as YAML has them.
    ("true", "true"),
    ("none", "null"),
    ("1 ~ '-' ~ false", "1-false"),
    ("nested | to_json", '{"z": {"list": [1, "two", null, true]}, "a": "x: y"}'),
    ("nested | to_yaml", "a: 'x: y'\nz:\n  list:\n  - 1\n  - two\n  - null\n  - true"),
    ("{'é': (1, 2)} | tojson", '{"é": [1, 2]}'),
    # Lists and mappings.
    ("rows | map(attribute='cpu') | sum", "5"),
    ("rows | sum('cpu')", "5"),
    ("rows | sum(attribute='cpu', start=2)", "7"),
    ("[] | sum", "0"),
    ("[1.5, 2] | sum", "3.5"),
    ("[[1], [], [2, 3]] | sum(start=[]) | to_json", "[1, 2, 3]"),
    ("rows | selectattr('cpu', 'eq', 2) | map(attribute='name') | list | to_json", '["b", "c"]'),
    ("rows | sort(attribute='name') | map(attribute='name') | join", "abc"),
    ("rows | groupby('cpu') | map('first') | join(',')", "1,2"),
    ("[3, 1, 3] | unique | to_json", "[3, 1]"),
    ("range(5) | batch(2) | to_json", "[[0, 1], [2, 3], [4]]"),
    ("range(3) | batch(2, 0) | to_json", "[[0, 1], [2, 0]]"),
    ("{'a': 1, 'b': 2} | combine({'b': 3}, {'c': 4}) | to_json", '{"a": 1, "b": 3, "c": 4}'),
    ("{'b': 1, 'a': 2}.items() | to_json", '[["b", 1], ["a", 2]]'),
    ("{'b': 1, 'a': 2} | list | to_json", '["b", "a"]'),
    ("missing | default('x')", "x"),
    ("nested.missing | default('x')", "x"),
    ("nested.get('missing', 'x')", "x"),
    ("nested['a'][0]", "x"),
    ("nested.z.list[1:3] | to_json", '["two", null]'),
    ("rows is sequence and missing is undefined and 4 is divisibleby 2", "true"),
    ("dict(a=1) | to_json", '{"a": 1}'),
]


@pytest.mark.parametrize(("expression", "result"), RESULTS)
def test_an_expression_gives(expression: str, result: str) -> None:
    assert text("{{ " + expression + " }}", **VALUES) == result


@pytest.mark.parametrize(
    ("expression", "message", "hint"),
    [
        ("'1GB' | quantity", '"1GB" is not a quantity', "500m"),
        ("true | quantity", "a boolean is not a quantity", None),
        ("'1500m' | bytes", "1500m is not a whole number", None),
        ("'10Gi' | quantity_divide(3)", "10Gi cannot be divided by 3 without a rest", "binary_quantity"),
        ("'1Gi' | quantity_divide(0)", "a quantity is divided by zero", None),
        ("['a', 'b'] | sum", "text cannot be summed up", "join"),
        ("[[1], 2] | sum(start=[])", "a whole number cannot be appended to a list", None),
        ("'1e400' | float | to_json", "JSON cannot represent a number that is not finite", None),
        ("'1n' | quantity_multiply(0.5)", "the result is finer than any quantity", "round"),
        ("'1e99' | quantity", "the quantity is too large", None),
        ("'4Ei' | quantity_multiply(2)", "the result is larger than any quantity", None),
        ("('ö' * 0) | dns_label", "an empty text cannot become a name", "letter"),
        ("'日本' | dns_label", "this text cannot become a name", "letter"),
        ("'%d' % 'a'", "%d needs a number, not text", "int"),
        ("'%s' % ()", "there are fewer values than the format has places for", None),
        ("'%s' % (1, 2)", "there are more values than the format has places for", None),
        ("'%(a)s' % {}", "there is no value a for the format", None),
        ("'%r' % 1", "'%r' is not a format", "%s"),
        ("'x' | int", "text is not a number", "int(0)"),
        ("1 + 'a'", "+ cannot combine a whole number and text", "~"),
        ("rows", "a list cannot be written as text", "to_yaml"),
        ("{1: 2} | to_yaml", "a whole number is the key of a mapping", "text"),
        ("'x' | b64decode", "this is not text in base64", None),
        ("rows | first | upper", "a mapping cannot be written as text", "to_yaml"),
        ("rows | join", "a mapping cannot be written as text", "to_yaml"),
        ("'x' | indent(1, 2, 3, 4)", "wrong arguments for the filter indent: too many positional", None),
        ("missing", "there is no value missing", "rows, nested"),
        ("neste", "there is no value neste", "did you mean nested?"),
        ("nested.lst", "a mapping has no lst", None),
        ("missing.a | default('x')", "there is no value missing", None),
        ("missing | upper", "there is no value missing", None),
    ],
)
def test_an_expression_fails(expression: str, message: str, hint: str | None) -> None:
    error = failure("kind: x\nname: {{ " + expression + " }}", **VALUES)

    assert error.message.startswith(message)
    assert error.line == 2
    if hint is not None:
        assert hint in (error.hint or "")
