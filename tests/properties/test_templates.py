"""Templates: text is text, lines are known, and filters keep to Kubernetes' rules, whatever they get."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from renderer.authoring.templates.errors import TemplateError
from renderer.authoring.templates.render import Renderer
from renderer.model.quantity import Quantity

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
LABEL_VALUE = re.compile(r"(([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?))?")
plain_text = st.text(st.characters(exclude_characters="{}\r", exclude_categories=["Cs"]))
amounts = st.builds(
    "{}{}".format, st.integers(0, 10**6), st.sampled_from(["", "m", "k", "M", "Ki", "Mi", "Gi"])
)


def rendered(template: str, **values: str) -> str:
    return Renderer(template.encode()).render(values).text


@given(plain_text)
def test_text_without_expressions_is_unchanged(template: str) -> None:
    output = Renderer(template.encode()).render({})

    assert output.text == template.removeprefix("\ufeff")
    assert output.lines == tuple(range(1, output.text.count("\n") + 2))


@given(st.lists(plain_text, max_size=5), plain_text)
def test_values_are_not_evaluated_and_keep_their_line(before: list[str], value: str) -> None:
    template = "".join(f"a{number}: x\n" for number, _ in enumerate(before)) + "{{ value }}"

    output = Renderer(template.encode()).render({"value": value})

    assert output.text.endswith(value)
    assert set(output.lines[len(before) :]) == {len(before) + 1}


@given(st.text())
def test_names_fit_kubernetes_or_fail(value: str) -> None:
    assert LABEL_VALUE.fullmatch(rendered("{{ value | label_value }}", value=value))
    try:
        name = rendered("{{ value | dns_label }}", value=value)
    except TemplateError as error:
        assert "cannot become a name" in error.message  # noqa: PT017 - either is right
    else:
        assert LABEL.fullmatch(name)
        assert rendered("{{ value | dns_label }}", value=name) == name


@given(amounts, amounts)
def test_subtraction_undoes_addition(left: str, right: str) -> None:
    result = rendered("{{ a | quantity_add(b) | quantity_subtract(b) }}", a=left, b=right)

    assert Quantity.parse(result).compare(Quantity.parse(left)) == 0


@given(amounts, st.integers(1, 1000))
def test_division_undoes_multiplication(amount: str, factor: int) -> None:
    result = rendered("{{ a | quantity_multiply(f) | quantity_divide(f) }}", a=amount, f=str(factor))

    assert Quantity.parse(result).compare(Quantity.parse(amount)) == 0
