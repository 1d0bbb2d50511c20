"""No regular expression takes more than linear time on a text of a repository."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from renderer.gitops.argocd.parameters import _with_tags_replaced
from renderer.golang.duration import parse_duration
from renderer.golang.template import GoTemplateError
from renderer.kubevirt.facts.confidential.template_names import names_in_tags
from renderer.kustomize.variables import _DOLLAR
from renderer.model.run.readings import readings
from tests.security.patterns import Pattern, patterns_of_the_package, slow_texts


def _tags_of_argo_cd(text: str) -> None:
    with suppress(ValueError, GoTemplateError):
        _with_tags_replaced(text, {})


GUARDED: dict[str, Callable[[str], object]] = {
    "renderer.gitops.argocd.parameters:_TAG": _tags_of_argo_cd,  # refuses a text with an open tag
    "renderer.golang.duration:_EACH_PART": parse_duration,  # reads a few characters
    "renderer.kubevirt.facts.confidential.template_names:_TAG": lambda text: list(names_in_tags(text)),
    "renderer.kustomize.variables:_DOLLAR": lambda text: _DOLLAR.sub("", text[: text.rfind(")") + 1]),
    "renderer.model.run.readings:_USER_OF_URL": lambda text: list(readings(text)),
}
"""The functions that are measured for patterns that are quadratic alone: they cut or refuse the text."""

QUADRATIC = (
    (r"(?m)^\s*kind", "search"),
    (r"(?<![^\s,])([^\s:@]{0,128})(?::([^\s]*))?@", "finditer"),
    (r"[a-z\s]{8,}={0,2}\s*", "fullmatch"),
    (r">\s*(?:<value>)?\s*(?P<word>[^<\s]+)<", "finditer"),
    (r"(?s)\{\{(.*?)\}\}", "finditer"),
    (r"""[^\s{},"'/:]++(?=["'/:\s]|$)""", "finditer"),
    (r"(x+x+)+y", "match"),
)
"""Patterns that take quadratic, cubic or exponential time, or their like."""


def test_pattern_takes_linear_time() -> None:
    patterns = patterns_of_the_package().patterns
    found = [slow for each in patterns for slow in slow_texts(each, GUARDED.get(each.name))]
    assert [str(each) for each in found] == []


@pytest.mark.parametrize(("text", "method"), QUADRATIC)
def test_quadratic_pattern_is_found(text: str, method: str) -> None:
    assert list(slow_texts(Pattern("", text, 0, frozenset([method]))))
