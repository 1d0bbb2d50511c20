"""The writer: what it writes is read again as what it was."""

from __future__ import annotations

from hypothesis import strategies as st

from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.encode import encode
from tests.fuzz.mutation import TOKENS
from tests.fuzz.target import Target, check_property
from tests.properties.test_yaml_round_trip import (
    TREES,
    test_resources_survive_a_round_trip,
    test_yaml_11_survives_a_round_trip,
)

_TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=20),
    st.lists(st.sampled_from([*TOKENS, "a", "b c"]), max_size=12).map("".join),
    st.integers(1, 400).map("word ".__mul__),
)
#: Trees of nothing that kustomize does not print as it was.
_PRINTED = "printed"
#: Larger ones are floats to Go's JSON.
_INTEGERS = st.integers(-(2**63), 2**64 - 1)
_FLOATS = st.floats(allow_nan=False, allow_infinity=False)
_SCALARS = st.one_of(st.none(), st.booleans(), _INTEGERS, _FLOATS, _TEXTS)
_TREES = st.recursive(
    _SCALARS,
    lambda children: st.one_of(st.lists(children, max_size=4), st.dictionaries(_TEXTS, children, max_size=4)),
    max_leaves=15,
)


def _check(given: tuple[str, Json]) -> None:
    kind, tree = given
    if kind == _PRINTED:
        check_property(test_resources_survive_a_round_trip, tree)
        check_property(test_yaml_11_survives_a_round_trip, tree)
    try:
        text = encode([{"root": tree}])
    except DiagnosticError:
        return
    documents = decode_documents(text.encode(), "x")
    assert encode(documents) == text


TARGET = Target(st.one_of(st.tuples(st.just("any"), _TREES), st.tuples(st.just(_PRINTED), TREES)), _check)
