"""Templates come from anyone's pull requests: what they must not reach, and how much work they may cause."""

from __future__ import annotations

from itertools import product

import pytest

from renderer.authoring.templates.filters.table import FILTERS
from renderer.authoring.templates.limits import MAX_BRACKETS, MAX_BRANCHES, MAX_DEPTH, MAX_NODES
from renderer.model.codes import Code
from renderer.model.run.limits import DEFAULTS, lowered
from tests.unit.authoring.templates.rendering import failure, text

OBJECTS = (
    "''",
    "1",
    "1.5",
    "true",
    "none",
    "[1]",
    "(1,)",
    "{}",
    "range(3)",
    "range",
    "dict",
    "m",
    "m()",
    "''.upper",
)
PRIVATE = ("__class__", "__init__", "__globals__", "__getattribute__", "_x", "__dict__")


@pytest.mark.parametrize(("value", "name"), list(product(OBJECTS, PRIVATE)))
def test_private_attributes_are_unreachable(value: str, name: str) -> None:
    macro = "{% macro m() %}{% endmacro %}"

    failure(f"{macro}{{{{ ({value}).{name} }}}}")
    failure(f"{macro}{{{{ ({value})['{name}'] }}}}")
    failure(f"{macro}{{{{ [{value}] | map(attribute='{name}') | list }}}}")


@pytest.mark.parametrize(
    "code",
    [
        "{{ '' | attr('__class__') }}",
        "{{ [''] | map('attr', '__class__') | list }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ joiner() }}",
        "{{ lipsum() }}",
        "{{ self }}",
        "{{ self._TemplateReference__context }}",
        "{{ super() }}",
        "{{ '{0.__class__}'.format(1) }}",
        "{{ '{a.__class__}'.format_map({'a': 1}) }}",
        "{{ ''['format'] }}",
        "{{ 'x'.encode() }}",
        "{{ [1].append(2) }}",
        "{{ {}.update({'a': 1}) }}",
        "{{ {'a': 1}.pop('a') }}",
        "{{ namespace(__class__=1).__class__ }}",
        "{{ [1, 2] | random }}",
        "{{ 'a' | pprint }}",
        "{{ now() }}",
        "{% include 'x' %}",
        "{% import 'x' as x %}",
        "{% from 'x' import y %}",
        "{% extends 'x' %}",
        "{% block x %}{% endblock %}",
        "{% autoescape true %}{% endautoescape %}",
        "{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}",
        "{% for a in [1] %}{% for b in loop %}{% endfor %}{% endfor %}",
        "{% for a in [1] %}{{ loop._iterator }}{% endfor %}",
        "{% for a in [1] %}{{ loop.cycle.__self__ }}{% endfor %}",
        "{% macro m() %}{% endmacro %}{{ m.name }}",
        "{% macro m() %}{{ caller.__class__ }}{% endmacro %}{% call m() %}{% endcall %}",
        "{{ range }}",
        "{{ 'a'.upper }}",
    ],
)
def test_unsupported_features_are_refused(code: str) -> None:
    error = failure(f"a: b\n{code}")

    assert error.code is Code.TEMPLATE_FAILED
    assert error.line == 2
    assert " 0x" not in error.message, "an address is different each time"


BOMBS = {
    "loops": "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
    "tests of a loop": "{% for a in range(100000) if a in range(100000) | list %}{% endfor %}",
    "range": "{{ range(10 ** 12) | list }}",
    "text times number": "{{ 'a' * 10 ** 9 }}",
    "list times number": "{{ [1] * 10 ** 9 }}",
    "join": "{{ (['a'] * 10000) | join('b' * 10000) }}",
    "join as a method": "{{ ('b' * 10000).join(['a'] * 10000) }}",
    "replace": "{{ ('a' * 10000) | replace('a', 'b' * 10000) }}",
    "replace as a method": "{{ ('a' * 10000).replace('a', 'b' * 10000) }}",
    "indent": "{{ 'a' | indent(10 ** 9) }}",
    "indent of lines": "{{ ('\n' * 10000) | indent(10000, blank=true) }}",
    "center": "{{ 'a' | center(10 ** 9) }}",
    "sum of lists": "{{ ([[1] * 1000] * 1000) | sum(start=[]) | length }}",
    "sum of short lists": "{{ (('a,' * 500000).split(',') | map('list') | list) | sum(start=[]) }}",
    "batch": "{{ [1] | batch(10 ** 9, 0) }}",
    "printf of many": "{{ ('%s' * 10000) % (['a' * 10000] * 10000) }}",
    "concatenation": "{% set x = 'a' * 1000000 %}{{ x ~ x }}",
    "doubling": (
        "{% set n = namespace(t='ab') %}{% for i in range(99) %}{% set n.t = n.t ~ n.t %}{% endfor %}"
    ),
    "doubling by plus": (
        "{% set n = namespace(t='ab') %}{% for i in range(99) %}{% set n.t = n.t + n.t %}{% endfor %}"
    ),
    "doubling by set": (
        "{% set n = namespace(t='ab') %}"
        "{% for i in range(99) %}{% set x %}{{ n.t }}{{ n.t }}{% endset %}{% set n.t = x %}{% endfor %}"
    ),
    "shared lists": (
        "{% set n = namespace(t=[1]) %}{% for i in range(99) %}{% set n.t = [n.t, n.t] %}{% endfor %}"
    ),
    "shared tuples": (
        "{% set n = namespace(t=(1,)) %}{% for i in range(99) %}{% set n.t = (n.t, n.t) %}{% endfor %}"
    ),
    "shared mappings": (
        "{% set n = namespace(t={}) %}"
        "{% for i in range(99) %}{% set n.t = {'a': n.t, 'b': n.t} %}{% endfor %}"
    ),
    "shared lists of a method": (
        "{% set n = namespace(t={}) %}{% for i in range(99) %}{% set n.t = dict(a=n.t, b=n.t) %}{% endfor %}"
    ),
    "comparisons": (
        "{% set x = ['a' * 1000000] %}{% for i in range(100000) %}{% if x == x %}{% endif %}{% endfor %}"
    ),
    "tests": (
        "{% set x = ['a' * 1000000] %}{% for i in range(100000) %}{% if x is eq x %}{% endif %}{% endfor %}"
    ),
    "slices": "{% set x = 'a' * 1000000 %}{% for i in range(100000) %}{% set y = x[1:] %}{% endfor %}",
    "a macro without end": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "a macro that doubles": (
        "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(30) }}"
    ),
    "a call without end": (
        "{% macro m() %}{% call m() %}{% endcall %}{{ caller() }}{% endmacro %}{% call m() %}{% endcall %}"
    ),
    "output": "{% set x = 'a' * 10000 %}{% for i in range(1000) %}{{ x }}{% endfor %}",
    "output of text": "{% for i in range(100000) %}" + "a" * 1000 + "{% endfor %}",
    "nesting": "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "a chain of operators": "{{ 1" + " + 1" * 1000 + " }}",
    "a chain of filters": "{{ 1" + " | int" * 1000 + " }}",
    "a chain of conditions": "{% if 0 %}" + "{% elif 0 %}" * 4000 + "{% endif %}",
    "expressions": "{{ 1 }}" * MAX_NODES,
    "size": " " * (DEFAULTS.template_size + 1),
}


def test_lists_are_joined_in_linear_time() -> None:
    expression = "range(20000) | map('string') | map('list') | sum(start=[]) | length"

    assert text(f"{{{{ {expression} }}}}") == "88890"


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_excessive_work_is_refused(bomb: str) -> None:
    with lowered({"template_steps": DEFAULTS.template_steps // 10}):  # takes a tenth of the time
        assert failure(bomb).code is Code.TEMPLATE_LIMIT


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("{{ 9 ** 9 ** 9 }}", "a number has more than 128 bits"),
        ("{{ 2 ** 1000 }}", "an exponent is larger than 128"),
        ("{% set n = namespace(x=3) %}{% for i in range(99) %}{% set n.x = n.x * n.x %}{% endfor %}", "bits"),
        ("{{ '%1000000000d' % 1 }}", "a format asks for more than 1000 characters"),
        ("{{ '%.1000000000f' | format(1) }}", "a format asks for more than 1000 characters"),
        ("{{ ('1' * 100) | int }}", "a number has more than 128 bits"),
        ("{{ " + "9" * 5000 + " }}", "a number has thousands of digits"),
        ("{{ 1e999 }}", "a number is too large"),
        ("{{ 1.5 | round(10 ** 9, 'ceil') }}", "invalid arguments of round"),
        ("{{ '1e999999999' | quantity }}", "the quantity is too large"),
        ("{{ (0 - 1) ** 0.5 }}", "a negative number has no such power"),
        ("{{ 1 / 0 }}", "a number is divided by zero"),
        ("{% for a in [1] %}" * 25 + "{% endfor %}" * 25, "the template cannot be compiled"),
    ],
)
def test_numbers_and_nesting_are_bounded(code: str, message: str) -> None:
    error = failure(code)

    assert message in error.message
    assert error.line == 1


def test_limits_apply_before_python_overflows_its_stack() -> None:
    brackets = "(" * MAX_BRACKETS + "1" + ")" * MAX_BRACKETS
    blocks = MAX_DEPTH - 2
    branches = "{% if 0 %}" + "{% elif 0 %}" * MAX_BRANCHES + "{% else %}a{% endif %}"

    assert text("{% if 1 %}" * blocks + f"{{{{ {brackets} }}}}" + "{% endif %}" * blocks) == "1"
    assert text(branches) == "a"
    assert failure(f"\n{{{{ ({brackets}) }}}}").line == 2
    assert (
        "1000 {% elif %}"
        in failure("{% if 0 %}" + "{% elif 0 %}" * (MAX_BRANCHES + 1) + "{% endif %}").message
    )


def test_work_of_a_fleet_is_allowed() -> None:
    template = "{% for i in range(5000) %}- name: vm-{{ '%04d' % i }}\n  cores: {{ i % 8 + 1 }}\n{% endfor %}"

    assert text(template).count("name: vm-") == 5000


def test_no_filter_uses_randomness_clock_or_html() -> None:
    assert FILTERS.keys().isdisjoint({"random", "attr", "pprint", "safe", "escape", "e", "urlize", "xmlattr"})


def test_dictionaries_keep_their_order() -> None:
    template = "{% for key in values %}{{ key }}{% endfor %}"

    assert text(template, values={"z": 1, "a": 2, "m": 3}) == "zam"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("{{ 1 if }}", "unexpected }}"),
        ("{{ 1 2 }}", "expected token }}, got 'integer'"),
        ("{% if %}", "Expected an expression, got %}"),
        ("{{ 'a", 'unexpected char "\'"'),
        ("{% do x %}", "there is no statement do"),
    ],
)
def test_misspelling_is_quoted_as_written(code: str, message: str) -> None:
    assert failure(code).message == message
