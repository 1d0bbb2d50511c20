"""VirtualMachineTemplates: any machine, any parameters, any expression."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from renderer.golang.go_types import GoTypeError
from renderer.kubevirt.vm_template.admission import admit
from renderer.kubevirt.vm_template.expression import BadExpressionError, read_expression
from renderer.kubevirt.vm_template.processing import (
    check_references,
    process,
    substituted_machine,
)
from renderer.kubevirt.vm_template.references import as_float64, names_in_tree, substituted_text
from renderer.kubevirt.vm_template.refusal import TemplateRefusedError
from renderer.kubevirt.vm_template.template import read_template
from renderer.kubevirt.vm_template.typed_machine import UnknownFieldsError, typed_machine, types_of
from renderer.model.kube.json import Json, JsonObject
from renderer.model.release import Release

TYPES = types_of(Release(1, 9))
NAMES = st.sampled_from(["A", "B", "long_name"])
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(["${A}", "${{A}}", "${B}", "$", "{", "}", "A", "2", "1Gi", "null"]),
        st.text(max_size=3),
    ),
    max_size=5,
).map("".join)
KEYS = st.one_of(
    st.sampled_from(
        ["metadata", "spec", "template", "domain", "cpu", "cores", "labels", "memory", "guest", "status"]
    ),
    TEXTS,
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS
)
TREES: st.SearchStrategy[Json] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)
OBJECTS = st.dictionaries(KEYS, TREES, max_size=4)
EXPRESSIONS = st.one_of(
    st.lists(
        st.sampled_from(["[a-z]{2}", "[", "]", "{", "}", "-", "\\", "a", "0", "\\A", "[\\w]{1}", "[9-0]{1}"]),
        max_size=6,
    ).map("".join),
    st.text(max_size=10),
)


@given(
    OBJECTS,
    st.lists(st.fixed_dictionaries({"name": NAMES, "value": TEXTS, "required": st.booleans()}), max_size=3),
)
def test_any_template_is_admitted_or_refused(machine: JsonObject, parameters: list[JsonObject]) -> None:
    content: JsonObject = {"spec": {"virtualMachine": machine, "parameters": parameters}}
    admission = admit(content, TYPES)

    template = read_template(content)
    try:
        check_references(template)
        processed = process(template, TYPES)
    except TemplateRefusedError:
        assert not admission.is_allowed or admission.skipped
    else:
        assert admission.is_allowed
        assert admission.processed in (processed, None)


@given(OBJECTS)
def test_typed_machine_is_typed(tree: JsonObject) -> None:
    """What Go wrote it reads as the same again."""
    try:
        typed = typed_machine(tree, TYPES)
    except (GoTypeError, UnknownFieldsError):
        return

    assert typed_machine(typed, TYPES) == typed


@given(OBJECTS)
def test_machine_without_references_stays(machine: JsonObject) -> None:
    if not [*names_in_tree(machine)] and "metadata" not in machine:
        assert substituted_machine(machine, {}) == as_float64(machine)


@given(TEXTS, st.text("abc", max_size=3))
def test_plain_values_replace_all_references(text: str, value: str) -> None:
    """Values that make no reference of the text around them are put in at once."""
    safe = f"<{value}>"

    assert substituted_text(text, {"A": safe}) == text.replace("${A}", safe)


@given(EXPRESSIONS)
def test_example_of_an_expression_matches_it(text: str) -> None:
    try:
        expression = read_expression(text)
    except BadExpressionError:
        return

    assert re.match(expression.regex, expression.example)
