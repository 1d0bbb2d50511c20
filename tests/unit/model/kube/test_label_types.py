"""Labels and annotations whose values are not texts."""

from __future__ import annotations

import pytest

from renderer.gitops.substitution.unset_variables import misspelt_mark
from renderer.model.kube.json import Json
from renderer.model.kube.label_selector import Operator, Requirement
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

VALUES: tuple[Json, ...] = (True, 5, 1.5, None, [], {}, ["a"])


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("operator", Operator)
def test_selector_does_not_match_a_value_that_is_no_text(operator: Operator, value: Json) -> None:
    requirement = Requirement("a", operator, frozenset({"5"}))
    expected = operator is Operator.NOT_IN or (
        operator is (Operator.DOES_NOT_EXIST if value is None else Operator.EXISTS)
    )
    assert requirement.matches({"a": value}) is expected


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("place", ["labels", "annotations"])
def test_mark_of_substitution_that_is_no_text_is_ignored(place: str, value: Json) -> None:
    metadata: Json = {place: {"kustomize.toolkit.fluxcd.io/substitute": value}}
    assert misspelt_mark(Resource({"kind": "ConfigMap", "metadata": metadata}, Site("a.yaml"))) == ""
